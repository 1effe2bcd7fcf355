"""Princeton's own files: `data.noun` and the other parts of speech, with glosses and relations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import UsageError

SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
DOG = 2084071  # where WordNet 3.0, and no other version, has the dog


@dataclass(frozen=True, slots=True)
class Synset:
    """A line of a data file."""

    id: str  # part of speech and offset: n02084071, a00001740
    words: tuple[str, ...]
    keys: tuple[str, ...]  # of its senses, as in Princeton's counts
    pointers: tuple[tuple[str, str], ...]  # symbol and synset
    gloss: str


def check(folder: Path) -> None:
    """Refuse a folder that does not hold WordNet 3.0."""
    lacking = [name for name in SPEECH.values() if not (folder / f"data.{name}").is_file()]
    if lacking:
        raise UsageError(f"{folder}: holds no data.{lacking[0]} of WordNet")
    with (folder / "data.noun").open("rb") as file:
        file.seek(DOG)
        if not file.read(13).startswith(b"%08d 05 n" % DOG):
            raise UsageError(f"{folder}: holds another WordNet than 3.0, whose ids ILSVRC uses")


def synsets(folder: Path, speech: str) -> Iterator[Synset]:
    """Read a data file, as wndb(5WN) describes it."""
    with (folder / f"data.{SPEECH[speech]}").open(encoding="latin-1") as file:
        for line in file:
            if not line.startswith("  "):  # the licence
                yield parsed(line, speech)


def parsed(line: str, speech: str) -> Synset:
    """Read one line."""
    head, _, gloss = line.partition(" | ")
    offset, lexicographer, _, count, *fields = head.split()
    size = 2 * int(count, 16)
    words = tuple(fields[0:size:2])
    ids = (int(code, 16) for code in fields[1:size:2])
    number = "nvar".index(speech) + 1
    keys = tuple(
        f"{word.lower()}%{number}:{lexicographer}:{code:02d}::"
        for word, code in zip(words, ids, strict=True)
    )
    end = size + 1 + 4 * int(fields[size])
    symbols, offsets, kinds = (fields[size + i : end : 4] for i in (1, 2, 3))
    named = (f"{'a' if kind == 's' else kind}{to}" for to, kind in zip(offsets, kinds, strict=True))
    return Synset(
        f"{speech}{offset}", words, keys, tuple(zip(symbols, named, strict=True)), gloss.strip()
    )


def counts(folder: Path) -> dict[str, int]:
    """Read how often each sense was met in tagged text, by its key."""
    listed, sensed = folder / "cntlist", folder / "index.sense"
    if listed.is_file():
        lines = (line.split() for line in listed.read_text(encoding="latin-1").splitlines())
        return {key: int(count) for count, key, _ in lines}
    if sensed.is_file():
        lines = (line.split() for line in sensed.read_text(encoding="latin-1").splitlines())
        return {key: int(count) for key, _, _, count in lines if count != "0"}
    raise UsageError(f"{folder}: holds neither cntlist nor index.sense, the counts of senses")


def senses(folder: Path, speech: str) -> dict[str, tuple[str, ...]]:
    """Read the synsets of every word, the most frequent sense first."""
    found = {}
    with (folder / f"index.{SPEECH[speech]}").open(encoding="latin-1") as file:
        for line in file:
            if not line.startswith("  "):
                word, _, count, *rest = line.split()
                found[word] = tuple(f"{speech}{offset}" for offset in rest[-int(count) :])
    return found


def exceptions(folder: Path, speech: str) -> dict[str, tuple[str, ...]]:
    """Read irregular forms and the words that they are forms of."""
    file = folder / f"{SPEECH[speech]}.exc"
    lines = file.read_text(encoding="latin-1").splitlines() if file.is_file() else []
    return {form: tuple(bases) for form, *bases in map(str.split, filter(None, lines))}
