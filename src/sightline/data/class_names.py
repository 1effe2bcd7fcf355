"""What classes are called: names to ask for, and WordNet's nouns behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from sightline.errors import UsageError

TABLES = Path(__file__).parent / "labels"


@dataclass(frozen=True, slots=True)
class ClassNames:
    """The classes of a classifier, in the order of its answers."""

    names: tuple[tuple[str, ...], ...]  # of each class, the usual one first
    synsets: tuple[str, ...]  # WordNet 3.0 noun ids such as n02088364, empty where unknown

    def __len__(self) -> int:
        return len(self.names)

    def name(self, label: int) -> str:
        """Give a class's usual name."""
        return self.names[label][0]

    def find(self, text: str) -> int:
        """Find a class by a name of it, its WordNet id or its number.

        The usual name of a class goes before the other names of another one.
        """
        wanted = text.strip().lower().replace("_", " ")
        if wanted.isdecimal() and int(wanted) < len(self):
            return int(wanted)
        usual = [i for i, names in enumerate(self.names) if names[0].lower() == wanted]
        found = usual or [i for i in range(len(self)) if wanted in self._calls(i)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"several classes are called '{text}': {self._listed(found)}")
        raise UsageError(f"no class is called '{text}'; {self._hint(wanted)}")

    def _calls(self, label: int) -> set[str]:
        return {self.synsets[label], *(name.lower() for name in self.names[label])}

    def _listed(self, labels: Sequence[int]) -> str:
        shown = (", ".join(self.names[i][:2]) for i in labels)
        keys = (self.synsets[i] or str(i) for i in labels)
        return "; ".join(f"{key} ({names})" for key, names in zip(keys, shown, strict=True))

    def _hint(self, wanted: str) -> str:
        known = {name.lower(): name for names in self.names for name in names}
        close = [known[key] for key in get_close_matches(wanted, known, n=3)]
        close = close or sorted(name for key, name in known.items() if wanted in key)[:3]
        return f"did you mean {' or '.join(close)}?" if close else "give a name or a WordNet id"


@cache
def imagenet() -> ClassNames:
    """Name the 1,000 classes of ILSVRC-2012, in the order of classifiers' answers.

    The names are those of WordNet 3.0 (`labels/WORDNET-LICENSE.txt`).
    """
    lines = (TABLES / "imagenet.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",", 1) for line in lines]
    names = tuple(tuple(names.split("|")) for _, names in rows)
    return ClassNames(names, tuple(synset for synset, _ in rows))


def numbered(count: int) -> ClassNames:
    """Name classes of which nothing is known but how many there are."""
    return ClassNames(tuple((f"class {label}",) for label in range(count)), ("",) * count)


def read_class_names(file: Path) -> ClassNames:
    """Read names from a text file, one class a line; several names are separated by `|`."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read as names of classes ({error})") from None
    empty = [number for number, line in enumerate(lines, start=1) if not line.strip()]
    if empty or not lines:
        raise UsageError(f"{file}:{empty[0] if empty else 1}: is empty; write one class a line")
    names = tuple(tuple(part.strip() for part in line.split("|")) for line in lines)
    return ClassNames(names, ("",) * len(names))
