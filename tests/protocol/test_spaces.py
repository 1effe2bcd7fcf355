"""What a search draws: feasible ranges, ranges that hang on each other, grids."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import pytest

from sightline import registry
from sightline.errors import UsageError
from sightline.hyperparameters import Choice, Uniform, limits, space
from sightline.protocol import spaces

METHODS = registry.names("method")


def made(kind="feasible", method="spg", fixed=None, **settings):
    options = registry.load("method", method).Options
    usual = {"resolutions": (14, 28, 7), "epochs": 10, "fixed": fixed or {}}
    return spaces.ranges(kind, options, **{**usual, **settings})


def configurations(ranges, stop=200, start=0, seed=0, method="spg", own_draws=0):
    return spaces.configurations(
        ranges, seed=seed, method=method, start=start, stop=stop, own_draws=own_draws
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_draw_is_feasible(method):
    module = registry.load("method", method)
    for one in configurations(made(method=method), method=method):
        assert 1e-5 <= one.pop("lr") < 1
        assert one.pop("resolution") in (14, 28)
        module.Options(**one)  # which refuses what is not feasible
        assert set(one) == set(space(module.Options))


def test_upper_thresholds_are_drawn_from_the_lower_ones_on():
    drawn = configurations(made())
    for branch in ("b1", "b2", "c"):
        shares = []
        for one in drawn:
            low, high = one[f"low_{branch}"], one[f"high_{branch}"]
            assert low <= high < 1
            shares.append((high - low) / (1 - low))
        assert 0.4 < sum(shares) / len(shares) < 0.6  # evenly, from low to 1
        lows = [one[f"low_{branch}"] for one in drawn]
        assert 0.4 < sum(lows) / len(lows) < 0.6


def test_a_bound_is_drawn_first_wherever_it_stands():
    found = spaces.drawn(
        {"upper": Uniform("lower", 10), "lower": Uniform(5, 6)}, {"upper": 0, "lower": 0.5}.get, {}
    )
    assert found == {"upper": 5.5, "lower": 5.5}
    assert list(found) == ["upper", "lower"]


def test_ranges_that_hang_on_each_other_are_an_error():
    with pytest.raises(ValueError, match="hang on each other"):
        spaces.drawn({"a": Uniform("b", 1), "b": Uniform("a", 1)}, lambda name: 0.5, {})


def test_what_is_given_is_not_drawn_but_bounds_others():
    found = configurations(made(fixed={"lr": 0.5, "low_c": 0.9}))
    assert all("lr" not in one and "low_c" not in one for one in found)
    assert all(one["high_c"] >= 0.9 for one in found)


def test_draws_follow_from_seed_number_and_name_alone():
    many = configurations(made(), 30)
    assert configurations(made(), 8) == many[:8]
    assert configurations(made(), 30, start=20) == many[20:]
    assert configurations(made(), 30, seed=1)[0] != many[0]
    assert many[0]["lr"] == pytest.approx(1.0797461651460197e-05, rel=1e-12)  # on any machine


def test_methods_share_what_they_have_in_common_and_nothing_else():
    has, adl = (configurations(made(method=name), 30, method=name) for name in ("has", "adl"))
    assert [(a["lr"], a["resolution"]) for a in has] == [(a["lr"], a["resolution"]) for a in adl]
    assert [a["drop_rate"] for a in has] != [a["drop_rate"] for a in adl]


def test_learning_rates_are_alike_in_all_orders_of_magnitude():
    import math

    orders = [math.floor(math.log10(one["lr"])) for one in configurations(made(), 1000)]
    assert {order: round(orders.count(order), -2) for order in set(orders)} == dict.fromkeys(
        range(-5, 0), 200
    )


@pytest.mark.parametrize(
    ("epochs", "steps"), [(50, (5, 45)), (10, (2, 9))]
)  # of CUB and of ILSVRC, as the supplement prints them
def test_the_realistic_space_is_the_printed_one(epochs, steps):
    ranges = made("realistic", "cam", epochs=epochs)
    assert list(ranges.shared) == ["lr", "weight_decay", "decay_factor", "decay_every"]
    drawn = [one["decay_every"] for one in configurations(ranges, 2000, method="cam")]
    assert (min(drawn), max(drawn)) == steps
    assert ranges.own == {}


def test_steps_may_be_given():
    drawn = configurations(made("realistic", "cam", steps=(3, 4)), 50, method="cam")
    assert {one["decay_every"] for one in drawn} == {3, 4}
    with pytest.raises(UsageError, match="no number of epochs"):
        made("realistic", "cam", steps=(0, 4))


def test_the_grid_pairs_each_shared_configuration_with_each_own_one():
    found = configurations(made("realistic", "has"), 180 * 3, method="has", own_draws=3)
    shared = [(one["lr"], one["weight_decay"], one["decay_factor"]) for one in found]
    own = [(one["drop_rate"], one["drop_area"]) for one in found]
    assert len(set(shared)) == 180
    assert len(set(own)) == 3
    assert len(set(zip(shared, own, strict=True))) == 540
    assert own[:3] == own[3:6]


def test_a_backbone_of_other_resolutions_brings_its_own():
    found = configurations(made(resolutions=(16, 8)), 50)
    assert {one["resolution"] for one in found} == {16, 8}


def test_readings_of_a_paper_are_not_drawn():
    found = configurations(made(), 1)[0]
    assert not {"guided_by", "fewest", "width"} & set(found)
    assert "guided_by" in limits(registry.load("method", "spg").Options)


def test_even_numbers_are_even():
    drawn = sorted(spaces.even(0, "x", i) for i in range(1000))
    assert drawn[0] >= 0
    assert drawn[-1] < 1
    assert max(b - a for a, b in pairwise(drawn)) < 0.02


def test_bounds_of_other_kinds_name_nothing():
    @dataclass(frozen=True)
    class Options:
        side: Annotated[int, "", Choice(1, 2)] = 1

    assert spaces.named_by(space(Options)["side"]) == []
