"""The lemma in a world whose posterior is known: Pond."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.data.pond import place
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.world import world
from sightline.illposedness import lab, pond
from sightline.illposedness.empty import with_empty_scenes

IMAGES = 480
EVERY = range(16)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGHTLINE_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def seen(dials):
    return pond.counted(place.folder(lab._place(dials, IMAGES, 0)) / "train-weaksup", dials)


@pytest.mark.parametrize("home", [0.2, 0.5, 0.76, 0.77, 0.8, 0.95])
def test_accuracy_reaches_1_exactly_where_the_ratio_exceeds_1(home):
    dials = Dials(alike=1.0, home=home, scale=0.7)
    counts, known = seen(dials), pond.posterior(dials)
    ratios = [counts.verdict(c, known).ratio for c in EVERY]
    reached = [counts.best(c, known).value for c in EVERY]
    assert [value == 1 for value in reached] == [ratio > 1 for ratio in ratios]
    assert (min(ratios) > 1) == (home < 0.7647)  # h / (3 h + 13 (1 - h) / 4) = 1 / 4 at .7647


def test_the_ratio_is_the_one_that_the_world_tells():
    """Where every cue that may occur does occur, and no thing lies around."""
    dials = Dials(alike=1.0, home=0.8, clutter=0.0, occlusion=0.0)
    counts, known = seen(dials), pond.posterior(dials)
    told = [world().posterior_ratio(i, dials) for i in EVERY]
    made = [counts.verdict(c, known).ratio for c in EVERY]
    assert np.isclose(made, told).sum() >= 14  # a rare coat may lack in few images
    assert all(mine >= theirs - 1e-12 for mine, theirs in zip(made, told, strict=True))


def test_the_estimate_comes_near_the_posterior():
    dials = Dials(alike=1.0, home=0.95, group="aquatic bird", several=0.0)
    made, known = seen(dials).posterior(), pond.posterior(dials)
    rows = [4 + BACKGROUNDS.index(name) for name in ("water", "reeds", "sand", "lawn")]
    np.testing.assert_allclose(made[rows], known[rows], atol=0.06)


def test_pixels_are_all_there():
    dials = Dials(size=64)
    counts = seen(dials)
    assert counts.pixels.sum() == 64 * 64 * sum(counts.images)
    assert counts.foreground.tolist() == [True] * 16 + [False] * 7


def test_empty_scenes_thin_out_the_background():
    dials = Dials(alike=1.0, home=0.85)
    plain, thinned = pond.posterior(dials), pond.posterior(dials, 0.5)
    np.testing.assert_array_equal(plain[:16], thinned[:16])  # they show no coat
    lawn, mallard = 16 + BACKGROUNDS.index("lawn"), 9
    names = [world().species[i].name for i in world().members()]
    mallard = names.index("mallard")
    mass = 3 * 0.85 + 13 * 0.15 / 4
    assert plain[lawn, mallard] == pytest.approx(0.85 / mass)
    assert thinned[lawn, mallard] == pytest.approx(0.85 / (mass + 0.5 * 16 / 5))


def test_both_remedies_raise_the_ratio_above_1():
    found = lab.remedies(Dials(), images=IMAGES)
    assert found["rare cue"].ratio < 1 < found["more of it"].ratio
    assert found["as it is"].ratio < 1 < found["background images"].ratio
    for point in found.values():
        assert point.perfect == point.separable
        assert (point.posterior == 100) == (point.ratio > 1)
        assert point.posterior >= point.background


def test_a_training_split_with_scenes_of_nothing(tmp_path):
    from sightline.data.dataset import read_dataset
    from sightline.data.photographs import read_photograph

    dials = Dials(alike=1.0, home=0.85)
    folder = place.folder(lab._place(dials, IMAGES, 0))
    assert with_empty_scenes(folder, tmp_path / "none", dials, 0, 0.0) == folder
    out = with_empty_scenes(folder, tmp_path / "more", dials, 0, 0.25)
    own, more = (read_dataset(where, split="train-weaksup") for where in (folder, out))
    count = len(own.pictures)
    assert len(more.pictures) == count + round(0.25 * count)
    assert more.split.labels[:count].tolist() == own.split.labels.tolist()
    assert set(more.split.labels[count:].tolist()) == {16}
    assert more.split.classes[16] == "nothing"
    assert read_photograph(more.pictures[-1]).shape == (64, 64, 3)
    assert with_empty_scenes(folder, tmp_path / "more", dials, 0, 0.25) == out


def test_a_trained_cam_is_measured(tmp_path):
    training = lab.Training(tmp_path, epochs=1)
    dials = Dials(alike=1.0, home=0.5, group="frog", scale=0.8, size=48)
    point = lab.measured(dials, 40, 0, training=training)
    assert point.background - 0.01 <= point.cam <= 100
    assert [entry.purpose for entry in point.ledger] == ["study"]
    assert lab.measured(dials, 40, 0, training=training).cam == point.cam  # the run is kept


def test_the_sweep_crosses_1():
    points = lab.sweep(lab.unlike(Dials()), (0.5, 0.9), images=IMAGES)
    assert [point.ratio > 1 for point in points] == [True, False]
    assert points[0].posterior == 100 > points[1].posterior
    assert replace(Dials(), alike=1.0) == lab.unlike(Dials())
    assert lab.unlike(Dials(alike=0.5)).alike == 0.5
