"""Every species of Pond is a class of its own that can be drawn, part by part."""

import re
from pathlib import Path

import numpy as np
import pytest

from sightline import registry
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.outlines import figure
from sightline.data.pond.painting import MOST_PARTS, owner_of, paint
from sightline.data.pond.scene import TELLING, plan
from sightline.data.pond.world import world

OWN = [entry.name for entry in registry.describe("species") if entry.source == "sightline"]
CALM = Dials(size=128, tucked=0, occlusion=0, clutter=0, several=0, scale=0.8, spread=0, centered=1)


def species(name: str):
    return registry.load("species", name).SPECIES


def test_the_world_is_as_large_as_it_should_be():
    assert len(world().species) == len(OWN) >= 12
    assert len(world().groups) >= 5
    assert len({one.synset for one in world().species}) == len(OWN)
    assert {one.background for one in world().species} == set(BACKGROUNDS)


def test_species_of_a_group_are_at_home_in_different_places_or_few():
    for group in world().groups:
        homes = [one.background for one in world().species if one.coarse == group]
        assert len(set(homes)) == len(homes) >= 2


@pytest.mark.parametrize("name", OWN)
def test_a_species_is_named_as_its_file_and_as_wordnet_does(name):
    one = species(name)
    assert one.name.replace(" ", "-") == name
    for synset in (one.synset, one.coarse_synset):
        assert re.fullmatch(r"n\d{8}", synset)
    assert one.synset != one.coarse_synset
    assert one.lemma == one.lemma.strip() != ""
    groups = {other.coarse_synset for other in world().species if other.coarse == one.coarse}
    assert groups == {one.coarse_synset}
    assert one.rests in ("floats", "stands", "hovers")


def test_synsets_that_imagenet_has_are_written_as_there(shared: Path):
    known = set((shared / "data/ilsvrc_synsets.txt").read_text().split())
    ours = {one.name for one in world().species if one.synset in known}
    assert ours == {
        "box turtle", "bullfrog", "canoe", "damselfly", "dragonfly", "flamingo", "goldfish",
        "tree frog",
    }  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_a_species_has_a_few_parts_of_which_some_tell(name):
    for view in species(name).views:
        names = [part.name for part in view.parts]
        assert 4 <= len(names) == len(set(names)) <= 9 < MOST_PARTS
        assert any(part.tells >= TELLING for part in view.parts)
        assert all(part.on in ("", *names) for part in view.parts)
        coloured = [part for part in view.parts if part.wears_coat]
        assert all(part.colour in ("coat", "light", "dark") for part in coloured)
        assert coloured, "a group cannot look alike without coats"


@pytest.mark.parametrize("name", OWN)
def test_every_part_can_be_seen(name):
    one, drawn = species(name), set()
    label = [other.name for other in world().species].index(one.name)
    for turn in range(8):
        painted = paint(plan(CALM, 0, "test", label + turn * len(OWN), noisy=False), CALM.size)
        drawn |= set(np.unique(painted.owners).tolist())
    view = one.views[0]
    hidden = [part.name for i, part in enumerate(view.parts) if owner_of(0, i) not in drawn]
    assert hidden == []


@pytest.mark.parametrize("name", OWN)
def test_marks_stay_on_their_parts(name):
    """What is painted on a part may reach over its edge by little: it belongs to no mask."""
    one = species(name)
    for index in range(len(one.views)):
        drawn = figure(one, index)
        for mark in (shape for shape in drawn.shapes if shape.is_mark):
            own = [s for s in drawn.shapes if s.part == mark.part and not s.is_mark]
            x, y = (axis[mark.start : mark.stop] for axis in (drawn.x, drawn.y))
            left = min(drawn.x[s.start : s.stop].min() for s in own)
            right = max(drawn.x[s.start : s.stop].max() for s in own)
            top = min(drawn.y[s.start : s.stop].min() for s in own)
            bottom = max(drawn.y[s.start : s.stop].max() for s in own)
            slack = 0.02
            assert x.min() > left - slack, mark
            assert x.max() < right + slack, mark
            assert y.min() > top - slack, mark
            assert y.max() < bottom + slack, mark
