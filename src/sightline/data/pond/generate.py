"""A whole data set: three splits, the classes' table, and what the dials came to."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sightline.data.pond import writing
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.painting import CUES
from sightline.data.pond.world import world
from sightline.rows import write_whole

SHARES = {"train-fullsup": 0.1, "test": 0.2}  # the rest is train-weaksup
TABLES = ("class_names.txt", "classes.csv", "cues.csv")
Row = Mapping[str, str | int | float]
Summary = tuple[tuple[str, str | int | float], ...]


def split_counts(images: int) -> dict[str, int]:
    """Tell how many images each split gets, one at least."""
    held = {split: max(1, round(share * images)) for split, share in SHARES.items()}
    return {"train-weaksup": images - sum(held.values()), **held}


def generate(
    out: Path, dials: Dials, seed: int, counts: dict[str, int], workers: int
) -> tuple[Path, ...]:
    """Draw what is not drawn yet and write all lists; a finished folder stays as it is."""
    undone = [split for split in counts if not _list(out, split).is_file()]
    if not finished(out, counts):
        wanted = writing.chunks(out, dials, seed, {split: counts[split] for split in undone})
        writing.draw(wanted, workers)
        for name, content in _tables(dials).items():
            write_whole(out / name, content)
        writing.finish(out, wanted, undone)
    for split in counts:
        writing.tidy(out / split)
    return (*(out / name for name in TABLES), *(_list(out, split) for split in counts))


def finished(out: Path, splits: Iterable[str]) -> bool:
    """Tell whether a folder holds everything."""
    files = [*(_list(out, split) for split in splits), *(out / name for name in TABLES)]
    return all(file.is_file() for file in files)


def _list(out: Path, split: str) -> Path:
    return out / split / "image_ids.txt"


def _tables(dials: Dials) -> dict[str, str]:
    names = "\n".join(world().classes(dials.labels, dials.group))
    cues = "\n".join(f"{cue},{value}" for cue, value in CUES.items())
    contents = (f"{names}\n", _classes(dials), f"cue,value\n{cues}\n")
    return dict(zip(TABLES, contents, strict=True))


def _classes(dials: Dials) -> str:
    """Tell of each species its label, its nouns, its home and its parts, the most telling first."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["species", "label", "synset", "lemma", "group", "group_synset", "home", "parts"]
    )
    for i in world().members(dials.group):
        one = world().species[i]
        parts = " ".join(name.replace(" ", "_") for name in one.parts)
        label = world().label(i, dials.labels, dials.group)
        nouns = (one.synset, one.lemma, one.coarse, one.coarse_synset)
        table.writerow([one.name, label, *nouns, one.background, parts])
    return text.getvalue()


def statistics(out: Path, dials: Dials, counts: dict[str, int]) -> tuple[Summary, list[Row]]:
    """Count in the tables of scenes what chance made of the dials."""
    found, at_home, everywhere = Counter[str](), Counter[str](), Counter[str]()
    for one in _scenes(out, counts):
        everywhere[one["background"]] += 1
        at_home[one["background"]] += one["at_home"] == "1"
        found["background at home"] += one["at_home"] == "1"
        found["another's coat"] += one["coat"] != one["species"]
        found["with something in front"] += one["occluded"] != "0"
        found["of several objects"] += one["objects"] != "1"
        found["labels exchanged"] += one["told"] != one["label"]
    total = sum(counts.values())
    classes = len((out / "class_names.txt").read_text(encoding="utf-8").splitlines())
    summary: Summary = (
        *((f"images of {split}", count) for split, count in counts.items()),
        ("classes", classes),
        *((name, f"{100 * number / total:.1f} %") for name, number in found.items()),
    )
    rows: list[Row] = [
        {
            "background": name,
            "images": everywhere[name],
            "of classes at home there": at_home[name],
            "classes at home there": sum(
                world().species[i].background == name for i in world().members(dials.group)
            ),
        }
        for name in BACKGROUNDS
    ]
    return summary, rows


def _scenes(out: Path, splits: Iterable[str]) -> Iterator[dict[str, str]]:
    for split in splits:
        with (out / split / "scenes.csv").open(encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines)
