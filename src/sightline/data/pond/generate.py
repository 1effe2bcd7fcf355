"""A whole data set: three splits, the classes' table, and what the dials came to."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from sightline.data.pond import writing
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.painting import CUES
from sightline.data.pond.world import world
from sightline.rows import write_whole

SHARES = {"train-fullsup": 0.1, "test": 0.2}  # the rest is train-weaksup
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
    whole = (out / "class_names.txt", out / "classes.csv", out / "cues.csv")
    lists = {split: out / split / "image_ids.txt" for split in counts}
    undone = {split: n for split, n in counts.items() if not lists[split].is_file()}
    if undone or not all(file.is_file() for file in whole):
        wanted = writing.chunks(out, dials, seed, undone)
        writing.draw(wanted, workers)
        lines = [f"{cue},{value}" for cue, value in CUES.items()]
        write_whole(whole[0], "\n".join(world().classes(dials.labels)) + "\n")
        write_whole(whole[1], _classes(dials.labels))
        write_whole(whole[2], "\n".join(["cue,value", *lines, ""]))
        writing.finish(out, wanted, undone)
    return (*whole, *lists.values())


def _classes(granularity: str) -> str:
    """Tell of each species its label, its nouns, its home and its parts, the most telling first."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["species", "label", "synset", "lemma", "group", "group_synset", "home", "parts"]
    )
    for i, one in enumerate(world().species):
        parts = " ".join(name.replace(" ", "_") for name in one.parts)
        label = world().label(i, granularity)
        nouns = (one.synset, one.lemma, one.coarse, one.coarse_synset)
        table.writerow([one.name, label, *nouns, one.background, parts])
    return text.getvalue()


def statistics(out: Path, counts: dict[str, int]) -> tuple[Summary, list[Row]]:
    """Count in the tables of scenes what chance made of the dials."""
    scenes: list[dict[str, str]] = []
    for split in counts:
        with (out / split / "scenes.csv").open(encoding="utf-8", newline="") as lines:
            scenes += csv.DictReader(lines)
    at_home = Counter(one["background"] for one in scenes if one["at_home"] == "1")
    everywhere = Counter(one["background"] for one in scenes)
    summary: Summary = (
        *((f"images of {split}", count) for split, count in counts.items()),
        ("classes", len({one["label"] for one in scenes})),
        ("background at home", _percent(one["at_home"] == "1" for one in scenes)),
        ("another's coat", _percent(one["coat"] != one["species"] for one in scenes)),
        ("with something in front", _percent(one["occluded"] != "0" for one in scenes)),
        ("of several objects", _percent(one["objects"] != "1" for one in scenes)),
        ("labels exchanged", _percent(one["told"] != one["label"] for one in scenes)),
    )
    rows: list[Row] = [
        {
            "background": name,
            "images": everywhere[name],
            "of classes at home there": at_home[name],
            "classes at home there": sum(s.background == name for s in world().species),
        }
        for name in BACKGROUNDS
    ]
    return summary, rows


def _percent(found: Iterable[bool]) -> str:
    values = list(found)
    return f"{100 * sum(values) / len(values):.1f} %"
