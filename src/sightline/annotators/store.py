"""Where answers are kept: a small file for each, under the hash of all that it follows from."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from sightline.rows import canonical


def default_folder() -> Path:
    """Tell where answers lie: in SIGHTLINE_HOME, or else in the user's folder for caches."""
    home = os.environ.get("SIGHTLINE_HOME")
    if home:
        return Path(home) / "annotations"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "sightline" / "annotations"


def key_of(*parts: Any) -> str:
    """Hash what an answer follows from."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:32]


class Store:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, key: str) -> Path:
        """Tell where an answer is kept."""
        return self.folder / key[:2] / f"{key}.npz"

    def has(self, key: str) -> bool:
        """Tell whether there is an answer."""
        return self.place(key).is_file()

    def get(self, key: str) -> bytes:
        """Read an answer."""
        return self.place(key).read_bytes()

    def put(self, key: str, data: bytes) -> None:
        """Write an answer whole; a kill in between leaves none, and others may write it too."""
        place = self.place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{key}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
