"""Classifiers answer to part sequences: images are made, answered and forgotten.

Images of an object that are the same are answered once; batches go across sequences and objects.
Objects are taken in groups, whose answers are kept in `.answers/` until all are there, so that
what was stopped goes on where it was.
"""

import queue
import shutil
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from sightline import provenance, rows
from sightline.errors import UsageError
from sightline.parts import sequences
from sightline.parts.answers import About, Answer, Writer, read
from sightline.parts.classifiers.contract import Answered, Classifier, Picture
from sightline.parts.named import Named
from sightline.parts.prepared import Listed, Prepared
from sightline.parts.sequences import FirstMissing, Plan, Shown
from sightline.progress import shown

GROUP = 32  # objects that are done or not done
AHEAD = 3  # batches that are made before they are wanted
Item = tuple[int, Shown, Picture]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sequences."""

    orderings: tuple[Named, ...]
    contents: tuple[Named, ...]
    first: FirstMissing = "empty"
    batch: int = 32
    objects: int = 0  # of each category at most, 0 for all
    facts: Mapping[str, Any] = field(default_factory=dict)  # what else the answers should tell


@dataclass(slots=True)
class Counts:
    """What was done."""

    sequences: int = 0
    steps: int = 0  # images of sequences, repeats included
    images: int = 0  # those that differ, which are answered


def picked(prepared: Prepared, most: int) -> tuple[Listed, ...]:
    """Take the first objects of each category, or all."""
    seen: dict[str, int] = {}
    kept = []
    for one in prepared.objects:
        seen[one.category] = seen.get(one.category, 0) + 1
        if not most or seen[one.category] <= most:
            kept.append(one)
    return tuple(kept)


def classify(
    prepared: Prepared,
    classifiers: Mapping[str, Classifier],
    wanted: Wanted,
    out: Path,
) -> dict[str, Path]:
    """Have classifiers answer to all sequences; give the file of answers of each.

    Args:
        prepared: the objects.
        classifiers: by the name that they have in tables.
        wanted: which sequences.
        out: the folder for a file of answers a classifier.
    """
    orders = sequences.orders(prepared, wanted.orderings)
    objects = picked(prepared, wanted.objects)
    facts = _facts(prepared, objects, orders, wanted)
    files = {name: out / f"{safe(name)}.parquet" for name in classifiers}
    if len(set(files.values())) < len(files):
        raise UsageError("two classifiers would have one file; call one of them NAME=...")
    kept = out / ".answers" / sha256(rows.canonical(facts).encode()).hexdigest()[:12]
    kept.mkdir(parents=True, exist_ok=True)
    groups = [objects[start : start + GROUP] for start in range(0, len(objects), GROUP)]
    with shown("classifying objects", len(objects)) as step:
        for number, group in enumerate(groups):
            left = {n: c for n, c in classifiers.items() if not _part(kept, n, number).is_file()}
            _classify_group(prepared, group, left, orders, wanted, kept, number)
            step(min(len(objects), (number + 1) * GROUP))
    for name, classifier in classifiers.items():
        about = About({name: classifier.labels} if classifier.labels else {}, facts)
        with Writer(files[name], about) as writer:
            for number in range(len(groups)):
                writer.write(read(_part(kept, name, number)))
    shutil.rmtree(kept)
    return files


def safe(name: str) -> str:
    """Make a file's name of a classifier's."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)


def _part(kept: Path, name: str, number: int) -> Path:
    return kept / f"{safe(name)}-{number:05d}.parquet"


def _facts(
    prepared: Prepared, objects: Sequence[Listed], orders: sequences.Orders, wanted: Wanted
) -> dict[str, Any]:
    row = rows.load(prepared.root / "prepare.row.json")
    facts: dict[str, Any] = rows.plain(
        {
            "prepared": row.result,
            "objects": len(objects),
            "orderings": {
                ordering: {
                    c: [r.part for r in of] for (o, c), of in orders.items() if o == ordering
                }
                for ordering in dict.fromkeys(ordering for ordering, _ in orders)
            },
            "contents": {c.text: asdict(c.options) for c in wanted.contents},
            "first_missing": wanted.first,
            "ledger": [asdict(entry) for entry in row.ledger],
            "versions": provenance.versions(),
            **wanted.facts,
        }
    )
    return facts


def _classify_group(
    prepared: Prepared,
    group: Sequence[Listed],
    classifiers: Mapping[str, Classifier],
    orders: sequences.Orders,
    wanted: Wanted,
    kept: Path,
    number: int,
) -> None:
    if not classifiers:
        return
    plans: dict[int, Plan] = {}
    said: dict[str, dict[tuple[int, Shown], Answered]] = {name: {} for name in classifiers}
    made = _batches(_images(prepared, group, orders, wanted, plans), wanted.batch)
    with closing(in_thread(made)) as batches:
        for batch in batches:
            names = [f"{group[which].name}/{image.file}" for which, image, _ in batch]
            for name, classifier in classifiers.items():
                answers = classifier.answers([picture for *_, picture in batch], names)
                for (which, image, _), answer in zip(batch, answers, strict=True):
                    said[name][which, image] = answer
    for name in classifiers:
        with Writer(_part(kept, name, number)) as writer:
            for which, plan in plans.items():
                writer.write(_lines(name, plan, which, said[name]))


def _images(
    prepared: Prepared,
    group: Sequence[Listed],
    orders: sequences.Orders,
    wanted: Wanted,
    plans: dict[int, Plan],
) -> Iterator[Item]:
    """Make the images of some objects that differ; the plans are noted on the way."""
    for which, one in enumerate(group):
        plan = sequences.plan(one, prepared.masks(one), orders, wanted.contents, wanted.first)
        plans[which] = plan
        context = prepared.context(one)
        for image, picture in sequences.pictures(plan, context, wanted.contents):
            yield which, image, picture


def _batches(items: Iterator[Item], size: int) -> Iterator[list[Item]]:
    waiting: list[Item] = []
    for item in items:
        waiting.append(item)
        if len(waiting) == size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _lines(
    name: str, plan: Plan, which: int, said: Mapping[tuple[int, Shown], Answered]
) -> Iterator[Answer]:
    for series in plan.series:
        for step in series.steps:
            answer = said[which, step.shown]
            yield Answer(
                classifier=name,
                image=plan.object.name,
                category=plan.object.category,
                part_scheme=series.ordering,
                content=series.content,
                step=step.number,
                steps=len(series.steps),
                labels=answer.labels,
                probabilities=answer.probabilities,
                part=step.part if step.there else "",
            )


def in_thread(made: Iterator[list[Item]]) -> Generator[list[Item]]:
    """Make batches in a thread while others are answered; a few wait at most."""
    ready: queue.Queue[list[Item] | BaseException | None] = queue.Queue(AHEAD)
    stopped = threading.Event()

    def put(item: list[Item] | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for batch in made:
                if not put(batch):
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=work, name="sightline-sequences", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stopped.set()
        thread.join()


def count(prepared: Prepared, wanted: Wanted, note: Callable[[Plan], None] | None = None) -> Counts:
    """Count sequences and images without making any."""
    orders = sequences.orders(prepared, wanted.orderings)
    counts = Counts()
    for one in picked(prepared, wanted.objects):
        plan = sequences.plan(one, prepared.masks(one), orders, wanted.contents, wanted.first)
        counts.sequences += len(plan.series)
        counts.steps += sum(len(series.steps) for series in plan.series)
        counts.images += len(plan.images)
        if note:
            note(plan)
    return counts
