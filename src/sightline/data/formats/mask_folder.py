"""Image folder with a mask folder: a mask is called as its image.

Either `images/` and `masks/` stand in one folder, or the folder is one of images and the masks'
folder is given. The mask of `a/x.jpg` is `a/x.png`, else `a/x.jpg`, else `a/x_mask.png` among the
masks. Where all images are nested, their first-level folders are the classes, in sorted order.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.errors import Problem

SUFFIXES = frozenset((".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"))


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    paired = (path / "images").is_dir() and (path / "masks").is_dir()
    candidate = paired or (path.is_dir() and request.masks is not None)
    if not candidate or (path / "image_ids.txt").exists() or any(path.rglob("*.xml")):
        return False
    return paired or any(_pictures(path))


def read(path: Path, request: Request) -> Annotations:
    """Pair images with masks by name."""
    builder = AnnotationBuilder(request)
    paired = (path / "images").is_dir()
    root = path / "images" if paired else path
    masks = request.masks or path / "masks"
    images = _images(root, masks)
    labels = _labels(images)
    taken: dict[Path, str] = {}
    for name, file in images.items():
        label = labels.get(name.partition("/")[0], -1)
        builder.item(name, file=str(file), label=label)
        if builder.known(name, str(file), 0):
            _add_mask(name, file, masks, taken, builder)
    builder.picture_roots.append(root)
    _report_orphans(masks, {file.resolve() for file in (*taken, *images.values())}, builder)
    return builder.build(list(labels))


def _pictures(root: Path) -> Iterator[Path]:
    """Walk through the picture files below a folder, except hidden ones."""
    for file in root.rglob("*"):
        if file.suffix.lower() in SUFFIXES and not file.name.startswith(".") and file.is_file():
            yield file


def _images(root: Path, masks: Path) -> Mapping[str, Path]:
    """List the images by id; masks that lie among them are none."""
    files: Iterable[Path] = _pictures(root)
    if masks.resolve() == root.resolve():
        files = (file for file in files if not file.stem.endswith("_mask"))
    elif masks.resolve().is_relative_to(root.resolve()):
        inner = root / masks.resolve().relative_to(root.resolve())
        files = (file for file in files if not file.is_relative_to(inner))
    return dict(sorted((file.relative_to(root).as_posix(), file) for file in files))


def _labels(images: Mapping[str, Path]) -> Mapping[str, int]:
    """Count the first-level folders as classes, if every image lies in one."""
    if not all("/" in name for name in images):
        return {}
    folders = sorted({name.partition("/")[0] for name in images})
    return {folder: label for label, folder in enumerate(folders)}


def _candidates(name: str, masks: Path) -> tuple[Path, Path, Path]:
    place = masks / name
    return place.with_suffix(".png"), place, place.with_name(f"{place.stem}_mask.png")


def _add_mask(
    name: str, file: Path, masks: Path, taken: dict[Path, str], builder: AnnotationBuilder
) -> None:
    """Find an image's mask; neither the image itself nor another image's mask will do."""
    candidates = _candidates(name, masks)
    found = next((place for place in candidates if _is_mask_of(file, place)), None)
    if found is None:
        shown = " or ".join(dict.fromkeys(place.name for place in candidates))
        remedy = f"put {shown} into {candidates[0].parent}, or remove the image"
        builder.refuse(name, "image has no mask", str(file), 0, remedy)
    elif found in taken:
        for one, other in ((name, taken[found]), (taken[found], name)):
            what = f"mask {found} could belong to image {other} too"
            builder.refuse(one, what, str(file), 0, "give the images different names")
    else:
        taken[found] = name
        builder.add_mask(name, found, str(found))


def _is_mask_of(image: Path, place: Path) -> bool:
    return place.is_file() and not place.samefile(image)


def _report_orphans(masks: Path, used: set[Path], builder: AnnotationBuilder) -> None:
    """Name the masks that no image asked for; images among the masks are none."""
    for mask in sorted({file.resolve() for file in _pictures(masks)} - used):
        remedy = "add its image or remove the mask"
        builder.problems.append(Problem("mask has no image", str(mask), remedy=remedy))
