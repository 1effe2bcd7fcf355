"""Answers of one or more files, put together as sequences: some 30 bytes an answer."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sightline.errors import DataError, Problem
from sightline.parts import answers
from sightline.parts.answers import NUMBERS, TEXTS, About

KEYS = list(TEXTS)


@dataclass(frozen=True, eq=False)
class Collected:
    """Sequences, each a line of `frame` (TEXTS and `steps`), and the best answer to every image.

    Sequence i has the answers starts[i] to starts[i + 1], as numbers of `labels`.
    """

    frame: pd.DataFrame
    starts: NDArray[np.int64]  # (sequences + 1,)
    best: NDArray[np.int32]  # (answers,)
    labels: tuple[str, ...]  # that were given, in any order
    about: About
    problems: tuple[Problem, ...] = ()

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        """Give the best answers of one sequence after the other."""
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield self.best[start:end]


class _Numbers:
    """Numbers texts in the order in which they come."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def of(self, column: Any) -> NDArray[np.int32]:
        """Give each text of a column its number."""
        encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        numbers = np.array([self.known.setdefault(n, len(self.known)) for n in names], np.int32)
        return np.asarray(numbers[encoded.indices.to_numpy(zero_copy_only=False)])


def collect(files: Iterable[Path], *, skip: bool = False) -> Collected:
    """Read files of answers; what is no whole sequence stops, or is left out and listed."""
    numbers = {name: _Numbers() for name in (*KEYS, "labels")}
    frames: list[pd.DataFrame] = []
    problems: list[Problem] = []
    labels: dict[str, tuple[str, ...]] = {}
    facts: dict[str, Any] = {}
    for place, file in enumerate(files):
        said = answers.about(file)
        labels |= said.labels
        facts[str(file)] = dict(said.facts)
        for batch in answers.batches(file):
            frame, wrong = _numbered(batch, numbers, file)
            frames.append(frame.assign(file=np.int32(place)))
            problems += wrong
    names = {name: np.array(list(of.known), object) for name, of in numbers.items()}
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if frame.empty:
        raise DataError(problems or [Problem("there are no answers", ", ".join(map(str, facts)))])
    frame = frame.sort_values([*KEYS, "step"], kind="stable", ignore_index=True)
    made, faults = _sequences(frame, names)
    problems += faults
    if problems and not skip:
        raise DataError(problems, "--on-error skip")
    if not len(made.frame):
        raise DataError(problems)
    about = About(labels, facts)
    return Collected(made.frame, made.starts, made.best, made.labels, about, tuple(problems))


def _numbered(
    batch: Any, numbers: Mapping[str, _Numbers], file: Path
) -> tuple[pd.DataFrame, list[Problem]]:
    """Turn lines into numbers; without an answer a line is a problem."""
    import pyarrow as pa
    import pyarrow.compute as pc

    problems: list[Problem] = []
    empty = pc.fill_null(pc.list_value_length(batch.column("labels")), 0).to_numpy(
        zero_copy_only=False
    )
    lacking = np.zeros(len(empty), bool)
    for name in (*KEYS, *NUMBERS):
        lacking |= batch.column(name).is_null().to_numpy(zero_copy_only=False)
    bad = (empty == 0) | lacking
    for place in np.flatnonzero(bad).tolist():
        image = batch.column("image")[place].as_py() or ""
        problems.append(Problem("a line without an answer", str(file), image=image))
    if bad.any():
        batch = batch.filter(pa.array(~bad))
    columns: dict[str, Any] = {name: numbers[name].of(batch.column(name)) for name in KEYS}
    columns |= {name: batch.column(name).to_numpy() for name in NUMBERS}
    columns["best"] = numbers["labels"].of(pc.list_element(batch.column("labels"), 0))
    return pd.DataFrame(columns), problems


def _sequences(
    frame: pd.DataFrame, names: Mapping[str, NDArray[Any]]
) -> tuple[Collected, list[Problem]]:
    """Cut sorted answers into sequences, and check that each is whole."""
    keys = frame[KEYS].to_numpy()
    new = np.ones(len(frame), bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    firsts = np.flatnonzero(new)
    lengths = np.diff([*firsts, len(frame)])
    stated = frame["steps"].to_numpy()
    owner = np.repeat(np.arange(len(firsts)), lengths)
    place = np.arange(len(frame)) - firsts[owner] + 1
    off = np.zeros(len(firsts), bool)
    np.logical_or.at(off, owner, (frame["step"].to_numpy() != place) | (stated != lengths[owner]))
    problems = [_fault(frame, names, firsts[i], int(lengths[i])) for i in np.flatnonzero(off)]
    kept = ~off
    lines = frame.iloc[firsts[kept]]
    made = pd.DataFrame({name: names[name][lines[name].to_numpy()] for name in KEYS})
    made["steps"] = lengths[kept]
    best = frame["best"].to_numpy()[kept[owner]].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
    labels = tuple(map(str, names["labels"]))
    return Collected(made, starts, best, labels, About()), problems


def _fault(
    frame: pd.DataFrame, names: Mapping[str, NDArray[Any]], first: int, length: int
) -> Problem:
    """Say what is wrong with a sequence."""
    lines = frame.iloc[first : first + length]
    told = {name: str(names[name][lines[name].iloc[0]]) for name in KEYS}
    steps, total = lines["step"].tolist(), int(lines["steps"].iloc[0])
    repeated = sorted({step for step in steps if steps.count(step) > 1})
    missing = sorted(set(range(1, total + 1)) - set(steps))
    if lines["steps"].nunique() > 1:
        what = "the sequence has several lengths"
    elif repeated:
        what = f"step {repeated[0]} is answered {steps.count(repeated[0])} times"
    elif missing:
        what = f"step {missing[0]} of {total} is not answered"
    else:
        what = f"step {max(steps)} is beyond the length {total}"
    where = f"{told['classifier']}, {told['part_scheme']}, {told['content']}"
    return Problem(what, where, image=told["image"], remedy="answer every image once")
