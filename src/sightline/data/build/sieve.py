"""Candidates that pass step by step, and why the others did not."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from sightline.data.build.built import Row
from sightline.data.build.lists import read_lines
from sightline.data.build.tables import Line, fault, read_by_image, read_header
from sightline.errors import DataError, Problem

YES, NO = ("1", "yes", "true", "positive"), ("0", "no", "false", "negative")


class Sieve:
    """Images that are left, and what became of the others."""

    def __init__(self, classes: Mapping[str, str]) -> None:
        self._classes = classes  # by image
        self.left = sorted(classes)
        self.fates: dict[str, str] = {}
        self.funnel: list[Row] = []
        self._count("candidates", "")

    def passes(self, step: str, faults: Mapping[str, str] | None) -> None:
        """Leave out images with a fault; None passes the step over."""
        before = len(self.left)
        self.fates |= {name: f"{step}: {why}" for name, why in (faults or {}).items()}
        self.left = [name for name in self.left if name not in self.fates]
        self._count(step, "not asked" if faults is None else str(before - len(self.left)))

    def _count(self, step: str, dropped: str) -> None:
        classes = len({self._classes[name] for name in self.left})
        self.funnel.append(
            {"step": step, "left out": dropped, "left": len(self.left), "classes": classes}
        )


def read_classes(file: Path | None, folder: Path, found: Sequence[str]) -> list[str]:
    """Read the classes in the order of their labels; without a list they are sorted."""
    if file is None:
        return list(found)
    classes: dict[str, int] = {}
    for number, line in read_lines(file):
        name = line.strip()
        if name in classes:
            what = f"class '{name}' is listed twice, first on line {classes[name]}"
            raise fault(file, number, what, "remove one of the lines")
        classes[name] = number
    unknown = [
        Problem(f"class '{name}' is not in {file}", str(folder / name), remedy="add or rename it")
        for name in found
        if name not in classes
    ]
    if unknown:
        raise DataError(unknown)
    return list(classes)


def unlicensed(
    file: Path, images: Sequence[str], known: Collection[str], allowed: Collection[str]
) -> dict[str, str]:
    """Find images whose licence is not one of those allowed."""
    lines = _of_each(file, ("licence",), images, known, "has no licence")
    wanted = {name.casefold() for name in allowed}
    return {
        image: licence or "none"
        for image, (_, (licence,)) in lines.items()
        if licence.casefold() not in wanted
    }


def not_voted_for(
    file: Path, images: Sequence[str], known: Collection[str], voters: int
) -> dict[str, str]:
    """Find images that not all people voted for."""
    people = [name for name in read_header(file) if name != "image"]
    if len(people) != voters:
        what = f"{len(people)} columns of votes where there are {voters} people"
        raise fault(file, 1, what, "mend the header, or pass --voters")
    lines = _of_each(file, people, images, known, "has no votes")
    votes = {image: _positive(file, people, line) for image, line in lines.items()}
    return {
        image: f"{count} of {voters} for it" for image, count in votes.items() if count < voters
    }


def _positive(file: Path, people: Sequence[str], line: Line) -> int:
    number, votes = line
    for person, vote in zip(people, votes, strict=True):
        if vote.casefold() not in (*YES, *NO):
            what = f"the vote of {person} is '{vote}', which is neither yes nor no"
            raise fault(file, number, what, "write 1 or 0, yes or no")
    return sum(vote.casefold() in YES for vote in votes)


def doubted(
    file: Path, images: Sequence[str], known: Collection[str], least: float
) -> dict[str, str]:
    """Find images whose own class the classifier gives less than the least confidence."""
    lines = _of_each(file, ("confidence",), images, known, "has no confidence")
    sure = {image: _confidence(file, line) for image, line in lines.items()}
    return {image: f"{value:g}" for image, value in sure.items() if value < least}


def _confidence(file: Path, line: Line) -> float:
    number, (text,) = line
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        what = f"confidence '{text}' is not a number from 0 to 1"
        raise fault(file, number, what, "write the probability of the image's own class")
    return value


def _of_each(
    file: Path, columns: Sequence[str], images: Sequence[str], known: Collection[str], lack: str
) -> dict[str, Line]:
    """Read the lines of images that are left; each must have one."""
    lines = read_by_image(file, columns, known)
    lacking = [
        Problem(f"candidate {lack}", str(file), image=image, remedy="add a line for it")
        for image in images
        if image not in lines
    ]
    if lacking:
        raise DataError(lacking)
    return {image: lines[image] for image in images}
