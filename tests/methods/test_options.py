"""Options know what is feasible, and which of them a search draws."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from sightline import registry
from sightline.errors import UsageError
from sightline.hyperparameters import (
    AtLeast,
    LogUniform,
    ReciprocalUniform,
    Uniform,
    Whole,
    space,
    validate,
)


@dataclass(frozen=True)
class Options:
    low: Annotated[float, "searched", Uniform(0, 1)] = 0.2
    high: Annotated[float, "searched, from low on", Uniform("low", 1)] = 0.7
    reading: Annotated[Literal["paper", "released"], "of the paper"] = "paper"
    plain: Literal["a", "b"] = "a"
    width: Annotated[int, "not searched", AtLeast(1)] = 8
    free: int = -5

    def __post_init__(self):
        validate(self)


def test_a_search_draws_what_has_a_distribution_and_nothing_else():
    assert list(space(Options)) == ["low", "high"]


def test_a_bound_may_be_another_option():
    drawn = {"low": 0.4}
    assert space(Options)["high"].draw(0.5, drawn) == pytest.approx(0.7)
    Options(low=0.7, high=0.7)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"low": -0.1}, "--low: -0.1 is not from 0 to 1"),
        ({"low": float("nan")}, "--low: nan"),
        ({"low": 0.8}, "--high: 0.7 is not from 0.8 to 1"),
        ({"reading": "mine"}, "--reading: mine is none of paper, released"),
        ({"plain": "c"}, "--plain: c is none of a, b"),
        ({"width": 0}, "--width: 0 is not from 1 on"),
        ({"width": float("inf")}, "--width: inf"),
    ],
)
def test_what_is_not_feasible_is_refused_by_the_name_of_its_flag(wrong, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        Options(**wrong)


def test_the_search_spaces_are_those_of_the_papers():
    """Table 4 of the journal; the rows of B2 are printed in the wrong order there."""
    unit = Uniform(0, 1)
    expected = {
        "cam": {},
        "has": {"drop_rate": unit, "drop_area": unit},
        "acol": {"erasing_threshold": unit},
        "spg": {
            "low_b1": unit,
            "high_b1": Uniform("low_b1", 1),
            "low_b2": unit,
            "high_b2": Uniform("low_b2", 1),
            "low_c": unit,
            "high_c": Uniform("low_c", 1),
        },
        "adl": {"drop_rate": unit, "erasing_threshold": unit},
        "nl-ccam": {},
        "f-cam": {  # Table S1 of Realistic Model Selection leaves it out
            "foreground_seeds": Whole(1, 10),
            "background_seeds": Whole(1, 10),
            "background_share": unit,
            "crf_weight": LogUniform(1e-10, 1e-7),
            "size_weight": LogUniform(0.01, 10),
        },
        "cutmix": {"size_prior": ReciprocalUniform(), "mix_rate": unit},
        "few-shot": {},
        "random": {},
    }
    for name, options in expected.items():
        found = space(registry.load("method", name).Options)
        assert list(found.items()) == list(options.items()), name
