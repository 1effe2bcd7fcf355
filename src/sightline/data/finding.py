"""Finding the file of an image."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from sightline.data.annotations import PICTURES
from sightline.data.paths import unsafe

PROBED = 20  # images looked for before they are taken to be elsewhere


def find_picture(name: str, roots: Sequence[Path]) -> Path | None:
    """Look an image up by its id, with any usual suffix where the id has none."""
    bare = name.rpartition(".")[2].lower() not in PICTURES
    names = [name, *(f"{name}.{suffix}" for suffix in PICTURES)] if bare else [name]
    for root in roots:
        for candidate in names:
            if (root / candidate).is_file():
                return root / candidate
    return None


def picture_folders(path: Path, names: Iterable[str], images: Sequence[str]) -> list[Path]:
    """Find the folders of these names beside annotations, or the folder that has the images."""
    folder = path if path.is_dir() else path.parent
    places = [base / name for base in (folder, folder.parent) for name in names]
    found = [place for place in places if place.is_dir()]
    probed = [image for image in images[:PROBED] if not unsafe(image)]
    if not found and any(find_picture(image, [folder]) for image in probed):
        return [folder]
    return found
