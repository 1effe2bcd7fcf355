"""Scenes: the same for a seed, as the dials say, and each dial changes its own matter alone."""

import hashlib
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest

from sightline.data.pond.canvas import ramp
from sightline.data.pond.dials import BACKGROUNDS, SETTINGS, Dials, background_given_class, dials
from sightline.data.pond.dice import Dice
from sightline.data.pond.known import know
from sightline.data.pond.painting import CUES, owner_of, paint
from sightline.data.pond.scene import Plan, plan
from sightline.data.pond.world import world
from sightline.errors import UsageError

KINDS = len(world().species)
MANY = 200 * KINDS


def plans(chosen: Dials, count: int = MANY, *, noisy: bool = False) -> list[Plan]:
    return [plan(chosen, 0, "test", number, noisy=noisy) for number in range(count)]


def test_images_of_a_seed_are_pinned():
    """Raise DRAWING in `place.py` when this changes, so that no stale data set is read."""
    digest = hashlib.sha256()
    for setting in SETTINGS:
        for size in (48, 96):
            chosen = dials(setting, {"size": size})
            for number in range(KINDS):
                painted = paint(plan(chosen, 7, "test", number, noisy=False), size)
                for plane in (painted.picture, painted.owners, painted.amodal):
                    digest.update(plane.tobytes())
    assert digest.hexdigest()[:16] == "5ddcaa42326c1502"


def test_seeds_splits_and_numbers_differ():
    chosen = Dials(size=48)
    pictures = {
        paint(plan(chosen, seed, split, number, noisy=False), 48).picture.tobytes()
        for seed in (0, 1)
        for split in ("test", "train-fullsup")
        for number in (0, KINDS)
    }
    assert len(pictures) == 8


@pytest.mark.parametrize("size", [48, 64, 200, 512])
def test_any_size_shows_the_same_scene(size):
    small, large = (
        paint(plan(Dials(size=s, clutter=1), 3, "test", 5, noisy=False), s) for s in (48, size)
    )
    assert large.picture.shape == (size, size, 3)
    share = [np.mean(one.owners < CUES["water"]) for one in (small, large)]
    assert share[0] == pytest.approx(share[1], abs=0.02)


@pytest.mark.parametrize(
    ("share", "error"),
    [(0.2, 0.036), (0.95, 0.02), (0.0, 0.0), (1.0, 0.0)],
)
def test_backgrounds_follow_their_dial(share, error):
    """Five standard deviations of a share of 3,200 images are 3.6 %."""
    seen = Counter((one.species, one.background) for one in plans(Dials(home=share)))
    for background in BACKGROUNDS:
        given = [
            seen[i, background] / (MANY / KINDS)
            - background_given_class(one.background, share)[background]
            for i, one in enumerate(world().species)
        ]
        assert abs(np.mean(given)) < 0.03
        assert np.abs(given).max() < 0.15
    at_home = sum(n for (i, b), n in seen.items() if world().species[i].background == b) / MANY
    assert at_home == pytest.approx(share, abs=max(error, 1e-9))


def test_the_posterior_given_the_background_is_bayes():
    seen = Counter((one.species, one.background) for one in plans(Dials(home=0.7), 2 * MANY))
    for background in BACKGROUNDS:
        total = sum(seen[i, background] for i in range(KINDS))
        expected = world().posterior(background, 0.7)
        assert sum(expected.values()) == pytest.approx(1)
        for i in range(KINDS):
            spread = np.sqrt(expected[i] * (1 - expected[i]) / total)
            assert abs(seen[i, background] / total - expected[i]) < 4.5 * spread
    even = world().posterior("water", 1 / len(BACKGROUNDS))
    assert list(even.values()) == pytest.approx([1 / KINDS] * KINDS)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_posterior_ratio_is_that_of_the_dials(setting):
    """Measured as frequencies of species given each cue, the ratio's error is a few percent."""
    chosen, known = dials(setting, {}), world()
    members = known.members(chosen.group)
    drawn = plans(chosen, 3 * MANY)
    coats = Counter((p.coat, p.species) for p in drawn)
    backgrounds = Counter((p.background, p.species) for p in drawn)
    for i in members:
        given_coat = min(
            coats[cue, i] / sum(coats[cue, other] for other in members)
            for cue in known.mates(i)
            if coats[cue, i]
        )
        given_background = max(
            backgrounds[cue, i] / sum(backgrounds[cue, other] for other in members)
            for cue in BACKGROUNDS
        )
        ratio = known.posterior_ratio(i, chosen)
        assert given_coat / given_background == pytest.approx(ratio, rel=0.25)
        assert (ratio > 1) == (setting == "well-posed")


def test_the_posterior_ratio_by_hand():
    known = world()
    dragonfly = next(i for i, one in enumerate(known.species) if one.name == "dragonfly")
    sure = replace(SETTINGS["well-posed"], group="odonate", home=1.0)
    assert known.posterior_ratio(dragonfly, sure) == pytest.approx(1.0)
    alike = replace(sure, alike=0.5)  # the other's coat tells a quarter
    assert known.posterior_ratio(dragonfly, alike) == pytest.approx(0.25)
    even = replace(SETTINGS["well-posed"], alike=1.0)
    assert known.posterior_ratio(dragonfly, even) == pytest.approx((1 / 2) / (1 / 16))


def test_a_group_has_its_own_labels():
    frogs = plans(Dials(group="frog", noise=0.5), 64, noisy=True)
    known = world()
    assert {known.species[p.species].name for p in frogs} == {"bullfrog", "tree frog"}
    assert {known.label(p.told, "fine", "frog") for p in frogs} == {0, 1}
    assert known.classes("fine", "frog") == ("bullfrog", "tree frog")


def test_coats_come_from_the_group_as_often_as_asked():
    for share in (0.0, 0.6, 1.0):
        drawn = plans(Dials(alike=share))
        expected = np.mean([share * (1 - 1 / len(world().mates(one.species))) for one in drawn])
        assert np.mean([one.coat != one.species for one in drawn]) == pytest.approx(
            expected, abs=0.04
        )
        assert all(one.coat in world().mates(one.species) for one in drawn)


def test_occluders_instances_and_noise_follow_their_dials():
    drawn = plans(Dials(occlusion=0.4, several=0.3, noise=0.25), noisy=True)
    assert np.mean([bool(one.occluders) for one in drawn]) == pytest.approx(0.4, abs=0.04)
    assert np.mean([len(one.objects) > 1 for one in drawn]) == pytest.approx(0.3, abs=0.04)
    assert np.mean([one.told != one.species for one in drawn]) == pytest.approx(0.25, abs=0.04)
    coarse = plans(Dials(labels="coarse", noise=1.0), 64, noisy=True)
    known = world()
    assert all(known.label(p.told, "coarse") != known.label(p.species, "coarse") for p in coarse)


def test_lengths_and_places_follow_their_dials():
    chosen = Dials(scale=0.5, spread=0.4, several=0.0)
    lengths = [one.objects[0].length for one in plans(chosen)]
    assert min(lengths) >= 0.3
    assert max(lengths) <= 0.7
    assert np.mean(lengths) == pytest.approx(0.5, abs=0.01)
    centered = [one.objects[0].matrix for one in plans(replace(chosen, centered=1.0), 64)]
    assert all((m[2], m[5]) == pytest.approx((0.5, 0.5)) for m in centered)
    anywhere = np.array([(o.objects[0].matrix[2], o.objects[0].matrix[5]) for o in plans(chosen)])
    assert anywhere.mean(axis=0) == pytest.approx((0.5, 0.5), abs=0.02)
    assert (anywhere.std(axis=0) > 0.15).all()


OTHER = {
    "home": 1.0, "alike": 1.0, "tucked": 0.9, "scale": 0.3, "spread": 0.1, "centered": 0.8,
    "clutter": 1.0, "occlusion": 1.0, "several": 1.0, "noise": 1.0,
}  # fmt: skip
CHANGES = {
    "home": {"background", "at_home", "objects"},  # feet are not seen under water
    "alike": {"coat"},
    "tucked": {"objects"},
    "scale": {"objects", "occluders"},
    "spread": {"objects", "occluders"},
    "centered": {"objects", "occluders"},
    "clutter": {"things"},
    "occlusion": {"occluders"},
    "several": {"objects"},
    "noise": {"told"},
}


def test_every_dial_is_tried():
    assert {item.name for item in fields(Dials)} == set(OTHER) | {"size", "labels", "group"}


@pytest.mark.parametrize("dial", OTHER)
def test_a_dial_changes_its_own_matter_alone(dial):
    base = Dials()
    before, after = (
        plans(d, 128, noisy=True) for d in (base, replace(base, **{dial: OTHER[dial]}))
    )
    changed = {
        item.name
        for one, other in zip(before, after, strict=True)
        for item in fields(Plan)
        if getattr(one, item.name) != getattr(other, item.name)
    }
    assert changed - CHANGES[dial] == set()
    assert changed & CHANGES[dial]


def test_more_objects_leave_the_first_as_it_is():
    one, several = (plans(Dials(several=share), 64) for share in (0.0, 1.0))
    assert [p.objects[0] for p in one] == [p.objects[0] for p in several]
    assert all(len(p.objects) in (2, 3) for p in several)


def test_size_and_granularity_change_no_plan():
    base = Dials()
    for other in (replace(base, size=512), replace(base, labels="coarse")):
        assert plans(base, 64) == plans(other, 64)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"home": 1.5}, "home"),
        ({"size": 47}, "size"),
        ({"size": 513}, "size"),
        ({"labels": "medium"}, "labels"),
        ({"scale": 0.0}, "scale"),
        ({"group": "bird"}, "group"),
        ({"group": "frog", "labels": "coarse"}, "one coarse class"),
        ({"noise": float("nan")}, "noise"),
    ],
)
def test_dials_out_of_range_are_refused_by_name(given, said):
    with pytest.raises(UsageError, match=said):
        Dials(**given)


def test_an_unknown_setting_is_refused_by_name():
    with pytest.raises(UsageError, match="well-posed, ill-posed"):
        dials("posed", {})


def test_masks_boxes_and_parts_agree():
    busy = Dials(size=96, several=0.6, occlusion=0.6, clutter=1.0)
    for number in range(3 * KINDS):
        decided = plan(busy, 1, "test", number, noisy=False)
        painted = paint(decided, busy.size)
        known = know(decided, painted, busy)
        seen = painted.owners < owner_of(len(decided.objects), 0)
        assert ((known.mask == 255) == seen).all()
        assert set(np.unique(known.mask)) <= {0, 255}
        assert not (seen & (painted.amodal == 0)).any(), "seen where it is not"
        cues = set(np.unique(painted.owners[~seen]).tolist())
        assert cues <= {CUES[decided.background], CUES["thing"], CUES["occluder"]}
        counts = np.bincount(painted.owners.ravel(), minlength=256)
        for line in known.lines["parts"]:
            _, _, instance, value, pixels = line.split(",")
            assert int(pixels) == counts[int(value)]
            bit = painted.amodal & (1 << int(instance))
            assert (bit[painted.owners == int(value)] != 0).all()
        boxes = [list(map(int, x.split(",")[1:])) for x in known.lines["localization"]]
        ys, xs = np.nonzero(seen)
        assert min(b[0] for b in boxes) == xs.min()
        assert min(b[1] for b in boxes) == ys.min()
        assert max(b[2] for b in boxes) == xs.max() + 1
        assert max(b[3] for b in boxes) == ys.max() + 1
        for line in known.lines["objects"]:
            _, which, _, _, pixels, hidden, *_ = line.split(",")
            assert int(pixels) + int(hidden) == np.count_nonzero(painted.amodal >> int(which) & 1)


def test_whole_boxes_hold_the_amodal_mask():
    chosen = Dials(size=96, several=0.0)
    for number in range(2 * KINDS):
        decided = plan(chosen, 2, "test", number, noisy=False)
        painted = paint(decided, chosen.size)
        (line,) = know(decided, painted, chosen).lines["objects"]
        x0, y0, x1, y1 = map(float, line.split(",")[-4:])
        ys, xs = np.nonzero(painted.amodal)
        assert x0 - 1 <= xs.min()
        assert y0 - 1 <= ys.min()
        assert xs.max() + 1 <= x1 + 1
        assert ys.max() + 1 <= y1 + 1
        inside = x0 > 0 and y0 > 0 and x1 < 96 and y1 < 96
        if inside:
            assert (xs.min(), ys.min()) == pytest.approx((x0, y0), abs=1.5)
            assert (xs.max() + 1, ys.max() + 1) == pytest.approx((x1, y1), abs=1.5)


def test_gazes_go_to_what_tells():
    on_object = on_telling = total = telling_area = 0
    for number in range(6 * KINDS):
        chosen = Dials(size=96, several=0.0)
        decided = plan(chosen, 0, "test", number, noisy=False)
        painted = paint(decided, chosen.size)
        view = world().species[decided.species].views[decided.objects[0].view]
        telling = [owner_of(0, i) for i, part in enumerate(view.parts) if part.tells >= 2.5]
        seen = painted.owners < CUES["water"]
        told = np.isin(painted.owners, telling)
        telling_area += told.sum() / max(1, seen.sum())
        orders: dict[str, list[int]] = {}
        for line in know(decided, painted, chosen).lines["fixations"]:
            _, subject, order, x, y = line.split(",")
            orders.setdefault(subject, []).append(int(order))
            row, column = int(float(y)), int(float(x))
            total += 1
            on_object += bool(seen[row, column])
            on_telling += bool(told[row, column])
        assert all(found == list(range(len(found))) for found in orders.values())
        assert len(orders) == 3
    assert on_object / total > 0.7
    assert on_telling / on_object > 1.2 * telling_area / (6 * KINDS)


def test_every_image_shows_its_object():
    for setting in SETTINGS:
        for one in plans(dials(setting, {}), 10 * KINDS):
            assert (paint(one, 48).owners < CUES["water"]).sum() >= 12, one


def test_dice_are_the_same_everywhere():
    dice = Dice(3, 5, "test")
    drawn = [dice.uniform(), dice.around(0, 1), dice.integer(10), dice.weighted([0, 2, 1])]
    assert drawn == pytest.approx([0.5739750254781129, -0.35978608242609944, 5, 1])
    assert Dice(3, 5, "other").uniform() != Dice(3, 5, "test").uniform()


def test_dice_weigh():
    dice = Dice(0, 0, "weights")
    drawn = Counter(dice.weighted([1, 0, 3]) for _ in range(4000))
    assert drawn[1] == 0
    assert drawn[2] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_ramp_goes_through_its_colours():
    made = ramp([(0, 0, 0), (100, 200, 50), (200, 200, 50)])[:, 0]
    assert made[0].tolist() == [0, 0, 0]
    assert made[128].tolist() == [100, 200, 50]
    assert (np.diff(made.astype(int), axis=0) >= 0).all()
