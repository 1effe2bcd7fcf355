"""Part data made ready for sequences: simplified parts, crops, tables, and what was left out.

Paper: Sarvadevabhatla et al., section 3 and supplement A
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import provenance, rows
from sightline.data.photographs import read_photograph
from sightline.errors import DataError, Problem, SightlineError, UsageError
from sightline.parts.annotated import Annotated, Source
from sightline.parts.answers import UNLABELED_REST
from sightline.parts.prepared import (
    FIXATIONS,
    LEFT_OUT,
    OBJECTS,
    PARTS,
    SCHEMES,
    Box,
    Listed,
    Masks,
    box_around,
    context_of,
    has_room,
    write_object,
    write_table,
)
from sightline.parts.schemes import Schemes, counted, simplify
from sightline.progress import shown
from sightline.types import Fixation, ResultRow

Mask = NDArray[np.bool_]
MEMORY = ".prepared.jsonl"
ROW = "prepare.row.json"
Extra = Mapping[str, Sequence[tuple[str, Mask]]]  # parts drawn elsewhere, over an object's context


@dataclass(frozen=True, slots=True)
class Choices:
    """Where the paper leaves a choice."""

    context: float = 0.18  # how much of the surroundings the second crop holds
    sides: Literal["total", "each"] = "total"  # of both sides together, or of each
    room: Literal["needed", "any"] = "needed"  # leave out objects that fill their image
    fewest: int = 1  # parts of an object
    smallest: int = 16  # side of an object's box, pixels


@dataclass(slots=True)
class Made:
    """What became of an object: lines of the tables, or why it was left out."""

    name: str
    reason: str = ""
    listed: list[Any] = field(default_factory=list)
    parts: list[list[Any]] = field(default_factory=list)
    fixations: list[list[Any]] = field(default_factory=list)
    clipped: int = 0
    outside: int = 0  # fixations outside of the image
    closed: list[list[float]] = field(default_factory=list)  # radius; pixels of pieces, all, hull
    unknown: list[str] = field(default_factory=list)


def prepare(
    source: Source,
    schemes: Schemes,
    out: Path,
    choices: Choices,
    *,
    fixations: Mapping[str, Sequence[Fixation]] | None = None,
    drawn: Extra | None = None,
    skip_problems: bool = False,
) -> ResultRow:
    """Prepare all objects of a data set; what was done already stays.

    Args:
        source: the objects.
        schemes: what annotations are simplified to.
        out: the folder to write.
        choices: where the paper leaves a choice.
        fixations: by image, instead of those that the data set has.
        drawn: parts that were drawn elsewhere, by object.
        skip_problems: leave out objects with problems instead of stopping.
    """
    asked = rows.plain({"schemes": _facts(schemes), "choices": asdict(choices)})
    done = _remembered(out / MEMORY, asked)
    made: list[Made] = []
    with (
        shown("preparing objects", len(source.objects)) as step,
        (out / MEMORY).open("a", encoding="utf-8") as memory,
    ):
        for number, one in enumerate(source.objects, start=1):
            found = None if drawn else done.get(one.name)
            if found is None:
                looked = fixations.get(one.image, ()) if fixations else one.fixations
                extra = (drawn or {}).get(one.name, ())
                found = _made(one, schemes, out, choices, looked, extra, skip_problems)
                memory.write(json.dumps(rows.plain(asdict(found))) + "\n")
            made.append(found)
            step(number)
    row = _finish(source, schemes, out, choices, made)
    (out / MEMORY).unlink(missing_ok=True)
    return row


def _facts(schemes: Schemes) -> dict[str, Any]:
    tables = {name: [asdict(row) for row in of.rows] for name, of in schemes.tables.items()}
    return {"name": schemes.name, "sides": schemes.sides, "tables": tables}


def _remembered(memory: Path, asked: Any) -> dict[str, Made]:
    """Read what an interrupted call with the same choices has done."""
    memory.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, Made] = {}
    lines = memory.read_text(encoding="utf-8").splitlines() if memory.is_file() else []
    if lines and lines[0] == rows.canonical(asked):
        for line in lines[1:]:
            try:
                one = Made(**json.loads(line))
            except ValueError:
                continue  # cut short by a kill
            known[one.name] = one
    else:
        memory.write_text(rows.canonical(asked) + "\n", encoding="utf-8")
    return known


def _made(
    one: Annotated,
    schemes: Schemes,
    out: Path,
    choices: Choices,
    looked: Sequence[Fixation],
    extra: Sequence[tuple[str, Mask]],
    skip_problems: bool,
) -> Made:
    made = Made(one.name)
    try:
        _prepare(one, schemes, out, choices, looked, extra, made)
    except DataError as error:
        if not skip_problems:
            raise
        made.reason = str(error)
    return made


def _prepare(
    one: Annotated,
    schemes: Schemes,
    out: Path,
    choices: Choices,
    looked: Sequence[Fixation],
    extra: Sequence[tuple[str, Mask]],
    made: Made,
) -> None:
    category = schemes.category(one.kind)
    scheme = schemes.of(category)
    if scheme is None:
        made.reason = f"there is no part scheme for '{category}'"
        return
    if not one.parts and not extra:
        made.reason = "no part of it is annotated"
        return
    raw, whole = one.masks()
    if any(mask.shape != whole.shape for _, mask in raw):
        what = "masks of parts have another size than their object's"
        raise DataError([Problem(what, str(one.picture), image=one.name, remedy="mend the masks")])
    if not whole.any():
        made.reason = "the mask of the object is empty"
        return
    height, width = whole.shape
    tight = box_around(whole)
    context = context_of(tight, (width, height), choices.context, choices.sides)
    made.reason = _unsuitable(tight, (width, height), choices)
    if made.reason:
        return
    raw += [(name, _placed(mask, context, whole.shape, one)) for name, mask in extra]
    simple = simplify(scheme, raw, whole)
    made.unknown, made.clipped, made.closed = (
        list(simple.unknown),
        simple.clipped,
        [[one.radius, one.pieces, one.merged, one.hull] for one in simple.closed.values()],
    )
    if len(simple.parts) < choices.fewest:
        made.reason = f"only {len(simple.parts)} of its parts are to be seen"
        return
    x0, y0, x1, y1 = context
    cut = {name: mask[y0:y1, x0:x1] for name, mask in simple.parts.items()}
    photograph = read_photograph(one.picture, size=(width, height))
    kind = (one.name, one.image, category, one.kind)
    listed = Listed(*kind, one.instance, (width, height), tight, context)
    write_object(out, listed, photograph, Masks(cut, whole[y0:y1, x0:x1]))
    made.listed = [*kind, one.instance, width, height, *tight, *context]
    made.parts = _part_lines(one.name, cut, whole[y0:y1, x0:x1])
    for fixation in looked:
        made.outside += not (0 <= fixation.x < width and 0 <= fixation.y < height)
        place = (round(fixation.x - x0, 3), round(fixation.y - y0, 3))
        made.fixations.append([one.name, fixation.subject, fixation.order, *place])


def _unsuitable(tight: Box, size: tuple[int, int], choices: Choices) -> str:
    across, down = tight[2] - tight[0], tight[3] - tight[1]
    if min(across, down) < choices.smallest:
        return f"it is {across} x {down} pixels, less than {choices.smallest} in a direction"
    if choices.room == "needed" and not has_room(tight, size, choices.context):
        return f"its image is not {choices.context:.0%} larger than it in any direction"
    return ""


def _placed(mask: Mask, context: Box, shape: tuple[int, ...], one: Annotated) -> Mask:
    """Put a part that was drawn over a context crop into the image."""
    x0, y0, x1, y1 = context
    if mask.shape != (y1 - y0, x1 - x0):
        what = f"parts were drawn on {mask.shape[1]} x {mask.shape[0]} pixels, not on its crop"
        remedy = "draw on context/ as prepared with the same choices"
        raise DataError([Problem(what, str(one.picture), image=one.name, remedy=remedy)])
    placed = np.zeros(shape, np.bool_)
    placed[y0:y1, x0:x1] = mask
    return placed


def _part_lines(name: str, parts: Mapping[str, Mask], whole: Mask) -> list[list[Any]]:
    """List parts, and what is left of the crop: the unlabeled rest."""
    area = int(whole.sum())
    covered = np.logical_or.reduce(list(parts.values()))
    rest = ~covered
    lines = [[name, part, int(m.sum()), f"{m.sum() / area:.4f}"] for part, m in parts.items()]
    own = int((rest & whole).sum())
    return [*lines, [name, UNLABELED_REST, int(rest.sum()), f"{own / area:.4f}"]]


def _finish(
    source: Source, schemes: Schemes, out: Path, choices: Choices, made: Sequence[Made]
) -> ResultRow:
    kept = [one for one in made if not one.reason]
    write_table(out / "left_out.csv", LEFT_OUT, [(m.name, m.reason) for m in made if m.reason])
    if not kept:
        first = made[0].reason if made else "there is none"
        raise UsageError(f"{out}: no object could be prepared ({first}); left_out.csv has all")
    write_table(out / "parts.csv", PARTS, [line for one in kept for line in one.parts])
    write_table(out / "schemes.csv", SCHEMES, _scheme_lines(schemes, kept))
    write_table(out / "fixations.csv", FIXATIONS, [f for one in kept for f in one.fixations])
    write_table(out / "objects.csv", OBJECTS, [one.listed for one in kept])  # last: all is there
    row = ResultRow(
        result=_summary(source, schemes, choices, made),
        provenance=provenance.versions(),
        ledger=source.ledger,
    )
    rows.save(row, out / ROW)
    return row


def _scheme_lines(schemes: Schemes, kept: Sequence[Made]) -> Iterator[tuple[str, str, str]]:
    present: dict[str, list[str]] = defaultdict(list)
    for one in kept:
        present[one.listed[2]] += [line[1] for line in one.parts if line[1] != UNLABELED_REST]
    for category in sorted(present):
        scheme = schemes.of(category)
        if scheme is None:
            raise SightlineError(f"the part scheme of '{category}' is gone")
        for part, added in counted(scheme, present[category]):
            yield category, part, "yes" if added else ""


def _summary(
    source: Source, schemes: Schemes, choices: Choices, made: Sequence[Made]
) -> dict[str, Any]:
    kept = [one for one in made if not one.reason]
    closed = [one for m in kept for one in m.closed]
    unknown = Counter(name for one in made for name in one.unknown)
    return {
        "kind": "prepared parts",
        "dataset": source.dataset,
        "split": source.split,
        "scheme": schemes.name,
        "sides": schemes.sides,
        "choices": asdict(choices),
        "objects": len(kept),
        "left_out": len(made) - len(kept),
        "categories": dict(sorted(Counter(one.listed[2] for one in kept).items())),
        "parts": sum(len(one.parts) - 1 for one in kept),
        "merged": len(closed),
        "largest_radius": max((one[0] for one in closed), default=0.0),
        "merging_added": int(sum(one[2] - one[1] for one in closed)),
        "hull_would_add": int(sum(one[3] - one[1] for one in closed)),
        "clipped_pixels": sum(one.clipped for one in kept),
        "unknown_annotations": dict(unknown.most_common()),
        "fixations": sum(len(one.fixations) for one in kept),
        "fixations_outside": sum(one.outside for one in kept),
    }
