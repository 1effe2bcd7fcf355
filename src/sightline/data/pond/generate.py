"""A whole data set: three splits, the classes' table, and what the dials came to."""

import csv
import io
from collections import Counter
from pathlib import Path

from sightline.data.pond import writing
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.painting import CUES
from sightline.data.pond.scene import plan
from sightline.data.pond.world import world
from sightline.rows import write_whole

SHARES = {"train-fullsup": 0.1, "test": 0.2}  # the rest is train-weaksup
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


def statistics(
    dials: Dials, seed: int, counts: dict[str, int]
) -> tuple[Summary, list[dict[str, str | int | float]]]:
    """Count what chance made of the dials, without drawing anything."""
    plans = [
        plan(dials, seed, split, number, noisy=split == writing.NOISY)
        for split, count in counts.items()
        for number in range(count)
    ]
    total = len(plans)
    at_home = Counter(one.background for one in plans if one.at_home)
    everywhere = Counter(one.background for one in plans)
    wrong = sum(
        world().label(one.told, dials.labels) != world().label(one.species, dials.labels)
        for one in plans
    )
    summary: Summary = (
        *((f"images of {split}", count) for split, count in counts.items()),
        ("classes", len(world().classes(dials.labels))),
        ("background at home", f"{100 * sum(at_home.values()) / total:.1f} %"),
        ("another's coat", f"{100 * sum(p.coat != p.species for p in plans) / total:.1f} %"),
        ("with something in front", f"{100 * sum(bool(p.occluders) for p in plans) / total:.1f} %"),
        ("of several objects", sum(len(one.objects) > 1 for one in plans)),
        ("labels exchanged", wrong),
    )
    rows: list[dict[str, str | int | float]] = [
        {
            "background": name,
            "images": everywhere[name],
            "of classes at home there": at_home[name],
            "classes at home there": sum(s.background == name for s in world().species),
        }
        for name in BACKGROUNDS
    ]
    return summary, rows
