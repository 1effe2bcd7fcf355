"""What several formats need: text with the line of a bad byte, names of items, masks by name."""

from collections.abc import Iterable
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder
from sightline.errors import Problem


def read_text(file: Path, builder: AnnotationBuilder) -> str | None:
    """Read UTF-8 text, with or without a byte order mark; report what cannot be read."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problem = Problem(f"not UTF-8 text ({error.reason})", str(file), line, "", "save as UTF-8")
    except OSError as error:
        remedy = "check that the file may be read"
        problem = Problem(f"cannot be read ({error.strerror})", str(file), remedy=remedy)
    builder.problems.append(problem)
    return None


def item_names(image: str, labels: Iterable[int]) -> dict[int, str]:
    """Name the items of an image by label: as the image, or image/LABEL if it has several."""
    ordered = sorted(set(labels))
    if len(ordered) == 1:
        return {ordered[0]: image}
    return {label: f"{image}/{label}" for label in ordered}


def add_masks_by_image(builder: AnnotationBuilder, file: Path, crowded: Iterable[str]) -> None:
    """Take masks from the folder of the request; `crowded` are images of several classes."""
    image = next(iter(crowded), "")
    if builder.request.masks and image:
        what = "one mask named by its image cannot tell the image's several classes apart"
        remedy = "list the masks in a .csv table with columns image, mask, label"
        builder.problems.append(Problem(what, str(file), image=image, remedy=remedy))
    elif builder.request.masks:
        builder.add_masks_named_by_image(str(file))


def beside(path: Path, name: str) -> Path | None:
    """Find a file or folder in a folder of lists, or in the two above it that it may belong to."""
    whole = path.resolve()
    places = (folder / name for folder in (path, whole.parent, whole.parent.parent))
    return next((place for place in places if place.exists()), None)
