"""The list of a proxy set: a part of the training images that a search is run on."""

from pathlib import Path

from sightline.errors import DataError, Problem

LIST = "image_ids_proxy.txt"


def proxy_images(path: Path) -> frozenset[str]:
    """Read the list that lies beside a split's own, or beside the data set."""
    folder = path if path.is_dir() else path.parent
    file = next(
        (place / LIST for place in (folder, folder.parent) if (place / LIST).is_file()), None
    )
    if file is None:
        remedy = "draw 10 % with 'sightline data make proxy', and put the list there"
        raise DataError([Problem("no list of a proxy set", str(folder / LIST), remedy=remedy)])
    lines = file.read_bytes().decode("utf-8-sig", "replace").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
