"""OpenImages30k as released, without lists.

The released lists are read where there are any. Without them, the released folders tell the same:
`test/01226z/ID.jpg` is an image of a class, `ID_m01226z_HASH.png` the mask of an object in it and
`ID_ignore.png` what counts for nothing. Training images have classes alone. Classes count in the
order of their folders.
"""

from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.layouts._layout import weakly
from sightline.data.splits import SPLITS


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    home = _home(path)
    released = any(any((home / split).glob("*/*_m*_*.png")) for split in ("val", "test"))
    return tuple(split for split in SPLITS if (home / split).is_dir()) if released else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split by its folders."""
    home = _home(path)
    builder = AnnotationBuilder(weakly(request) if request.split == "train" else request)
    classes = sorted(folder.name for folder in (home / request.split).iterdir() if folder.is_dir())
    masks = request.masks or home
    for label, name in enumerate(classes):
        for image in _images(home, f"{request.split}/{name}"):
            builder.item(image, file=str(home / image), label=label)
            _add_masks(image, masks / image, name, builder)
    builder.picture_roots.append(home)
    return builder.build(classes)


def _home(path: Path) -> Path:
    inner = path / "OpenImages"
    return inner if inner.is_dir() else path


def _images(home: Path, folder: str) -> list[str]:
    """List the images of a class: those that are there, and those that only have masks."""
    stems = {file.stem for file in (home / folder).glob("*.jpg")}
    stems |= {file.stem.partition("_")[0] for file in (home / folder).glob("*_m*_*.png")}
    return [f"{folder}/{stem}.jpg" for stem in sorted(stems)]


def _add_masks(image: str, place: Path, name: str, builder: AnnotationBuilder) -> None:
    if not builder.has(image):
        return
    for mask in sorted(place.parent.glob(f"{place.stem}_m{name}_*.png")):
        builder.add_mask(image, mask, str(mask))
    ignored = place.with_name(f"{place.stem}_ignore.png")
    if ignored.is_file():
        builder.add_mask(image, ignored, str(ignored), ignore=True)
