"""Every species of Pond is a class of its own that can be drawn, part by part."""

import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from sightline import registry
from sightline.data.pond.dials import BACKGROUNDS, GROUPS, Dials
from sightline.data.pond.painting import CUES, MOST_PARTS, owner_of, paint
from sightline.data.pond.scene import TELLING, Light, plan
from sightline.data.pond.world import world

OWN = [entry.name for entry in registry.describe("species") if entry.source == "sightline"]
CALM = Dials(size=128, tucked=0, occlusion=0, clutter=0, several=0, scale=0.8, spread=0, centered=1)


def species(name: str):
    return registry.load("species", name).SPECIES


def test_the_world_is_as_large_as_it_should_be():
    assert len(world().species) == len(OWN) >= 12
    assert len(world().groups) >= 5
    assert world().groups == GROUPS, "name new groups in dials.py"
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
def test_every_part_of_every_view_can_be_seen(name):
    one, drawn = species(name), set()
    label = [other.name for other in world().species].index(one.name)
    for turn in range(24):
        decided = plan(CALM, 0, "test", label + turn * len(OWN), noisy=False)
        owners = paint(decided, CALM.size).owners
        drawn |= {(decided.objects[0].view, code) for code in np.unique(owners).tolist()}
    hidden = [
        (view.name, part.name)
        for index, view in enumerate(one.views)
        for i, part in enumerate(view.parts)
        if (index, owner_of(0, i)) not in drawn
    ]
    assert hidden == []


def test_views_of_a_species_share_its_parts():
    """Parts of all views together are few, so that a view shows most of them."""
    several = [one for one in world().species if len(one.views) > 1]
    assert len(several) >= 6
    for one in several:
        for view in one.views:
            shared = {part.name for part in view.parts} & {p.name for p in one.views[0].parts}
            assert len(shared) >= 4, one.name
        assert len(one.parts) <= 9, one.name


@pytest.mark.parametrize("name", OWN)
def test_all_that_is_painted_belongs_to_a_mask(name):
    """Against a picture of the same place without the object, what differs is the object.

    Contours are one line wider than their part, whose edge is soft, and shadows are no object.
    """
    one = species(name)
    label = [other.name for other in world().species].index(one.name)
    for turn in range(4):
        decided = plan(CALM, 0, "test", label + turn * len(OWN), noisy=False)
        decided = replace(decided, background="sky", light=Light(1.0, 0.0, 0.0, 0))
        with_it = paint(decided, CALM.size)
        without = paint(replace(decided, objects=()), CALM.size)
        differs = (with_it.picture != without.picture).any(axis=2)
        owned = (with_it.owners < CUES["water"]).astype(np.uint8)
        grown = cv2.dilate(owned, np.ones((5, 5), np.uint8)) > 0
        assert np.count_nonzero(differs & ~grown) <= 2
        assert (differs | (owned == 0)).mean() > 0.995
