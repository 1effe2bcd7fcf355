"""Folder of comma-separated lists, as the WSOL evaluation papers released them.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

`image_ids.txt` orders the images; `class_labels.txt`, `image_sizes.txt` (width first) and
`localization.txt` (a box a line, or mask and ignore mask a line) refer to them. Files may be empty
or absent where the release left them so, and the last line has no newline. An ignore mask stands
on the first line of its image only.

What else is known may lie in the same folder or up to two above it: `images/`, `masks/` (one for
each image, called as the image), `class_names.txt`, and parts and fixations (see `_parts`). Images
and the masks that are named may also lie as the release has them: `dataset/CUB` beside
`metadata/CUB/val`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.formats._parts import read_fixations, read_parts
from sightline.data.formats._shared import beside, read_text
from sightline.data.paths import unsafe
from sightline.errors import Problem

PROBED = 20  # files looked for before the folder is taken to be elsewhere
RELEASED = ("images", "CUBV2", "CUB_200_2011/images", "Data/CLS-LOC", "ILSVRC/Data/CLS-LOC")


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    return (path / "image_ids.txt").is_file()


def read(path: Path, request: Request) -> Annotations:
    """Read the four lists."""
    builder = AnnotationBuilder(request)
    ids = path / "image_ids.txt"
    names = [(line, name) for line, (name, *_) in _rows(ids, 1, builder)]
    for line, name in names:
        builder.item(name, file=str(ids), line=line)
    builder.picture_roots += _picture_roots(path, [name for _, name in names[:PROBED]])
    _read_labels(path / "class_labels.txt", builder)
    _read_sizes(path / "image_sizes.txt", builder)
    _read_localization(path / "localization.txt", builder)
    read_parts(path, builder)
    read_fixations(path, builder)
    return builder.build(_class_names(beside(path, "class_names.txt"), builder))


def _picture_roots(path: Path, names: Sequence[str]) -> list[Path]:
    """Find the folder of images: the first in which any of a few images lies."""
    whole = path.resolve()
    bases = (whole, *whole.parents[:3])
    inner = (*RELEASED, f"dataset/{whole.parent.name}", whole.parent.name)
    folders = (base / name for name in inner for base in bases)
    sound = [name for name in names if not unsafe(name)]
    for folder in (*folders, *bases):
        if any((folder / name).is_file() for name in sound):
            return [folder]
    images = beside(path, "images")
    return [images] if images else []


def _class_names(file: Path | None, builder: AnnotationBuilder) -> list[str]:
    text = read_text(file, builder) if file else None
    return (text or "").splitlines()


def _rows(file: Path, columns: int, builder: AnnotationBuilder) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a list with their numbers; a line of another width is a problem."""
    if not file.is_file():
        return
    content = read_text(file, builder)
    for line, text in enumerate((content or "").replace("\r\n", "\n").split("\n"), start=1):
        if not text.strip():
            continue
        parts = text.rsplit(",", columns - 1)
        if len(parts) == columns:
            yield line, parts
        else:
            what = f"{len(parts)} columns where {columns} are needed"
            builder.refuse(parts[0], what, str(file), line, "mend the line")


def _integers(
    parts: list[str], file: Path, line: int, builder: AnnotationBuilder
) -> list[int] | None:
    try:
        return [int(part) for part in parts[1:]]
    except ValueError:
        what = f"'{','.join(parts[1:])}' is not whole numbers"
        builder.refuse(parts[0], what, str(file), line, "mend the line")
        return None


def _read_labels(file: Path, builder: AnnotationBuilder) -> None:
    for line, parts in _rows(file, 2, builder):
        values = _integers(parts, file, line, builder)
        if values and builder.known(parts[0], str(file), line):
            builder.set_label(parts[0], values[0], str(file), line)


def _read_sizes(file: Path, builder: AnnotationBuilder) -> None:
    for line, parts in _rows(file, 3, builder):
        values = _integers(parts, file, line, builder)
        if values and builder.known(parts[0], str(file), line):
            builder.set_size(parts[0], values[0], values[1], str(file), line)


def _read_localization(file: Path, builder: AnnotationBuilder) -> None:
    if _holds_masks(file):
        return _read_masks(file, builder)
    for line, parts in _rows(file, 5, builder):
        values = _integers(parts, file, line, builder)
        if values and builder.known(parts[0], str(file), line):
            builder.add_box(parts[0], values, str(file), line)
    builder.add_masks_named_by_image(str(file), beside(file.parent, "masks"))
    return None


def _holds_masks(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open(encoding="utf-8", errors="replace") as lines:
        return next((line for line in lines if line.strip()), "").count(",") == 2


def _read_masks(file: Path, builder: AnnotationBuilder) -> None:
    rows = list(_rows(file, 3, builder))
    probed = [source for _, (_, source, _) in rows[:PROBED] if not unsafe(source)]
    roots = [builder.request.masks or file.parent, *builder.picture_roots]
    held = [root for root in roots if any((root / source).is_file() for source in probed)]
    root = builder.request.masks or (held or roots)[0]
    there = builder.request.masks is not None or bool(held)
    if not there:  # one problem instead of one for each mask
        what, remedy = "masks are named here but do not lie beside it", "pass --masks FOLDER"
        builder.problems.append(Problem(what, str(file), remedy=remedy))
    for line, (name, *sources) in rows:
        if not builder.known(name, str(file), line):
            continue
        for source, ignore in zip(sources, (False, True), strict=True):
            reason = unsafe(source) if source else ""
            if reason:
                builder.refuse(name, f"mask name '{source}' is {reason}", str(file), line)
            elif source:
                mask = root / source
                builder.add_mask(name, mask, str(file), line, ignore=ignore, there=there)
