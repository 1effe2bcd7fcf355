"""Pond as a world of discrete cues: whose coat an object wears, and which background is behind it.

Everything is known, so the true posterior is written down and not estimated: coats are exchanged
within a group by the dial `alike`, and `home` is p(background where a class is at home | class), as
the paper's p(water | duck). Things around and in front are drawn alike for all classes.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sightline.data.masks import GRAY
from sightline.data.pictures import read_picture
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.painting import CUES
from sightline.data.pond.world import world
from sightline.illposedness.cues import CueWorld
from sightline.illposedness.lemma import Floats

AROUND = tuple(cue for cue in CUES if cue not in BACKGROUNDS)  # things, and what is in front


def cue_names(dials: Dials) -> tuple[str, ...]:
    """Name the cues: coats, backgrounds, and what is around."""
    coats = tuple(f"coat of {world().species[i].name}" for i in world().members(dials.group))
    return (*coats, *BACKGROUNDS, *AROUND)


def posterior(dials: Dials, empty: float = 0.0) -> Floats:
    """Give the true p(species | cue), (cues, species).

    Args:
        dials: of the world.
        empty: images without an object, as a share of those with one; their backgrounds are even.
    """
    known, members = world(), world().members(dials.group)
    coats = [known.posterior_given_coat(coat, dials.alike) for coat in members]
    table = [[given.get(i, 0.0) for i in members] for given in coats]
    for name in BACKGROUNDS:
        given = known.posterior(name, dials.home, dials.group)
        mass = _mass(name, dials)
        diluted = mass / (mass + empty * len(members) / len(BACKGROUNDS)) if mass else 0.0
        table.append([given[i] * diluted for i in members])
    table += [[1 / (len(members) * (1 + empty))] * len(members) for _ in AROUND]
    return np.array(table)


def _mass(background: str, dials: Dials) -> float:
    """Give the sum over species of p(background | species)."""
    others = (1 - dials.home) / (len(BACKGROUNDS) - 1)
    homes = [world().species[i].background for i in world().members(dials.group)]
    return sum(dials.home if home == background else others for home in homes)


def counted(folder: Path, dials: Dials) -> CueWorld:
    """Count the pixels of every cue in a split that Pond has drawn."""
    members = world().members(dials.group)
    labels = {world().species[i].name: place for place, i in enumerate(members)}
    pixels = np.zeros((len(cue_names(dials)), len(members)))
    images = [0] * len(members)
    others = [CUES[cue] for cue in (*BACKGROUNDS, *AROUND)]
    for scene in _scenes(folder):
        values = read_picture(folder / "parts" / scene["image"], GRAY, "map of cues")
        counts = np.bincount(values.ravel(), minlength=256).astype(float)
        label = labels[scene["species"]]
        pixels[len(members) :, label] += counts[others]
        pixels[labels[scene["coat"]], label] += counts.sum() - counts[others].sum()
        images[label] += 1
    foreground = np.arange(len(pixels)) < len(members)
    names = tuple(world().species[i].name for i in members)
    return CueWorld(cue_names(dials), foreground, names, pixels, tuple(images))


def _scenes(folder: Path) -> Iterator[dict[str, str]]:
    with (folder / "scenes.csv").open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)
