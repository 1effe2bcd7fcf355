"""What classifiers, or people, answered to each image of a part sequence: one line an image.

    classifier      who answered
    image           the object that the sequence shows, such as 2008_000234#1
    category        what it is, in the words of the data set
    part_scheme     the ordering of parts, such as e-us
    content         what is seen beside the parts, such as intra-object
    step, steps     place in the sequence, from 1; its length, which is the same for a category
    part            what was added at this step; empty where the image has no such part
    labels          the answers, best first: WordNet noun ids where they are known, or else names
    probabilities   of these answers, as many or none

Parquet holds the last two as lists, CSV with `|` between them. In CSV `classifier` may be left out
(it is the file's name then), and so may `part` and `probabilities`: so people's answers are read.
All labels that a classifier could have given belong to the file (Parquet) or lie beside it
(FILE.labels.json), and so does whatever the maker of the sequences wants to be known of them.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sightline.errors import DataError, Problem, UsageError
from sightline.rows import canonical, write_whole

TEXTS = ("classifier", "image", "category", "part_scheme", "content")
NUMBERS = ("step", "steps")
COLUMNS = (*TEXTS, *NUMBERS, "part", "labels", "probabilities")
OPTIONAL = ("classifier", "part", "probabilities")  # in CSV
UNLABELED_REST = "unlabeled-rest"  # the part that is added last: the image itself
SEPARATOR = "|"
KEY = b"sightline.answers"  # of what a Parquet file says of itself
GROUP = 20_000  # lines that are written or read at once
SUFFIXES = (".parquet", ".csv")


@dataclass(frozen=True, slots=True)
class Answer:
    """One line."""

    classifier: str
    image: str
    category: str
    part_scheme: str
    content: str
    step: int
    steps: int
    labels: tuple[str, ...]
    probabilities: tuple[float, ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of itself."""

    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # all, by classifier
    facts: Mapping[str, Any] = field(default_factory=dict)  # plain data; `ledger` holds entries


class Writer:
    """Writes answers as they come, in constant memory; the file appears when it is whole."""

    def __init__(self, file: Path, about: About | None = None) -> None:
        if file.suffix not in SUFFIXES:
            raise UsageError(f"{file}: answers are written as .parquet or .csv")
        self.file, self.about = file, about or About()
        self._waiting: list[Answer] = []
        file.parent.mkdir(parents=True, exist_ok=True)
        self._partial = file.with_name(f".{os.getpid()}-{file.name}")
        self._sink: _Parquet | _Csv = (
            _Parquet(self._partial, self.about)
            if file.suffix == ".parquet"
            else _Csv(self._partial)
        )

    def write(self, answers: Iterable[Answer]) -> None:
        """Add lines."""
        self._waiting.extend(answers)
        if len(self._waiting) >= GROUP:
            self._flush()

    def _flush(self) -> None:
        self._sink.add(self._waiting)
        self._waiting = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flush()
        self._sink.close()
        if kind is not None:
            self._partial.unlink(missing_ok=True)
            return
        if self.file.suffix == ".csv":
            write_whole(_beside(self.file), _encoded(self.about) + "\n")
        self._partial.replace(self.file)


class _Parquet:
    def __init__(self, file: Path, about: About) -> None:
        import pyarrow.parquet as pq

        described = schema().with_metadata({KEY: _encoded(about).encode()})
        self._file = pq.ParquetWriter(file, described, compression="zstd")

    def add(self, answers: Sequence[Answer]) -> None:
        if answers:
            self._file.write_batch(_batch(answers))

    def close(self) -> None:
        self._file.close()


class _Csv:
    def __init__(self, file: Path) -> None:
        self._file = file.open("w", newline="", encoding="utf-8")
        self._lines = csv.writer(self._file, lineterminator="\n")
        self._lines.writerow(COLUMNS)

    def add(self, answers: Sequence[Answer]) -> None:
        for one in answers:
            shares = SEPARATOR.join(f"{share:.6g}" for share in one.probabilities)
            labels = SEPARATOR.join(label.replace(SEPARATOR, "/") for label in one.labels)
            texts = [getattr(one, name) for name in (*TEXTS, *NUMBERS, "part")]
            self._lines.writerow([*texts, labels, shares])

    def close(self) -> None:
        self._file.close()


def schema() -> Any:
    """Give the columns' types."""
    import pyarrow as pa

    text = pa.dictionary(pa.int32(), pa.string())
    kinds: dict[str, Any] = dict.fromkeys((*TEXTS, "part"), text)
    kinds |= dict.fromkeys(NUMBERS, pa.int32())
    kinds |= {"labels": pa.list_(pa.string()), "probabilities": pa.list_(pa.float32())}
    return pa.schema([(name, kinds[name]) for name in COLUMNS])


def _batch(answers: Sequence[Answer]) -> Any:
    import pyarrow as pa

    columns = {name: [getattr(one, name) for one in answers] for name in COLUMNS}
    return pa.record_batch(
        [pa.array(columns[item.name], item.type) for item in schema()], schema=schema()
    )


def find(places: Iterable[Path]) -> list[Path]:
    """List files of answers, and those that folders hold, in the order of their names."""
    found: list[Path] = []
    for place in places:
        if not place.exists():
            raise UsageError(f"{place}: no such file or folder of answers")
        inside = [f for f in place.rglob("*") if _holds(f, place)] if place.is_dir() else []
        found += sorted(inside, key=str) if place.is_dir() else [place]
        if place.is_dir() and not inside:
            raise UsageError(f"{place}: holds no .parquet or .csv file of answers")
    return found


def _holds(file: Path, place: Path) -> bool:
    """Tell whether a file of a folder holds answers: nothing hidden, nothing of other columns."""
    hidden = any(part.startswith(".") for part in file.relative_to(place).parts)
    if file.suffix not in SUFFIXES or hidden or not file.is_file():
        return False
    if file.suffix == ".parquet":
        return set(COLUMNS) <= set(_opened(file).schema_arrow.names)
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        names = next(csv.reader(stream), [])
    return set(COLUMNS) - set(OPTIONAL) <= set(names)


def about(file: Path) -> About:
    """Read what a file says of itself."""
    if file.suffix == ".parquet":
        stored = (_opened(file).schema_arrow.metadata or {}).get(KEY, b"{}").decode()
    else:
        beside = _beside(file)
        stored = beside.read_text(encoding="utf-8") if beside.is_file() else "{}"
    try:
        content = json.loads(stored)
        labels = {str(name): tuple(map(str, of)) for name, of in content.get("labels", {}).items()}
        return About(labels, dict(content.get("facts", {})))
    except (ValueError, TypeError, AttributeError) as error:
        place = file if file.suffix == ".parquet" else _beside(file)
        raise UsageError(f"{place}: is no description of answers ({error})") from None


def batches(file: Path) -> Iterator[Any]:
    """Give the lines as record batches of `schema()`, some thousand at a time."""
    if file.suffix == ".parquet":
        yield from _parquet_batches(file)
    elif file.suffix == ".csv":
        yield from _csv_batches(file)
    else:
        raise UsageError(f"{file}: answers are read from .parquet or .csv")


def read(file: Path) -> Iterator[Answer]:
    """Give the lines one by one."""
    for batch in batches(file):
        for line in batch.to_pylist():
            lists = {name: tuple(line[name] or ()) for name in ("labels", "probabilities")}
            yield Answer(**{**line, "part": line["part"] or "", **lists})


def _parquet_batches(file: Path) -> Iterator[Any]:
    import pyarrow as pa

    source = _opened(file)
    lacking = [name for name in COLUMNS if name not in source.schema_arrow.names]
    if lacking:
        raise UsageError(f"{file}: has no column '{lacking[0]}'; it needs {', '.join(COLUMNS)}")
    wanted = schema()
    for batch in source.iter_batches(batch_size=GROUP, columns=list(COLUMNS)):
        try:
            arrays = [_cast(batch.column(item.name), item.type) for item in wanted]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UsageError(f"{file}: is no table of answers ({error})") from None
        yield pa.record_batch(arrays, schema=wanted)


def _cast(column: Any, kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        return column.cast(pa.string()).dictionary_encode()
    return column.cast(kind)


def _opened(file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise UsageError(f"{file}: cannot be read as Parquet ({error})") from None


def _csv_batches(file: Path) -> Iterator[Any]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            names = reader.fieldnames or ()
            lacking = [name for name in COLUMNS if name not in (*names, *OPTIONAL)]
            if lacking:
                raise UsageError(f"{file}:1: has no column '{lacking[0]}'")
            waiting: list[Answer] = []
            for line in reader:
                waiting.append(_parsed(line, file, reader.line_num))
                if len(waiting) == GROUP:
                    yield _batch(waiting)
                    waiting = []
            if waiting:
                yield _batch(waiting)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file}: cannot be read as CSV ({error})") from None


def _parsed(line: Mapping[str, Any], file: Path, number: int) -> Answer:
    texts = {name: (line.get(name) or "").strip() for name in COLUMNS}
    texts["classifier"] = texts["classifier"] or file.stem
    try:
        empty = [name for name in (*TEXTS, "labels") if not texts[name]]
        if empty:
            raise ValueError(f"'{empty[0]}' is empty")
        step, steps = (int(texts[name]) for name in NUMBERS)
        labels = tuple(part.strip() for part in texts["labels"].split(SEPARATOR))
        shares = texts["probabilities"]
        probabilities = tuple(map(float, shares.split(SEPARATOR))) if shares else ()
    except ValueError as error:
        problem = Problem(str(error), str(file), number, texts["image"], "mend the line")
        raise DataError([problem]) from None
    named = {name: texts[name] for name in TEXTS}
    return Answer(
        **named,
        step=step,
        steps=steps,
        labels=labels,
        probabilities=probabilities,
        part=texts["part"],
    )


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name.removesuffix('.csv')}.labels.json")


def _encoded(said: About) -> str:
    return canonical({"labels": said.labels, "facts": said.facts})
