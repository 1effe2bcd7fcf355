"""The choices behind a number: validation, presets, names of variations."""

from dataclasses import FrozenInstanceError, replace

import pytest

from sightline import registry
from sightline.errors import UsageError
from sightline.metrics.protocol import Protocol, preset, threshold_grid, vary

NAMES = registry.names("protocol")


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_is_named_as_its_file(name):
    assert preset(name).name == name


def test_the_presets_are_those_that_the_documentation_names():
    assert set(NAMES) >= {
        "reference-v1",
        "reference-v2",
        "exact",
        "pixels",
        "fixed-threshold",
        "center-row-conference",
        "center-row-journal",
    }


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("reference-v1", "MaxBoxAcc"),
        ("reference-v2", "MaxBoxAccV2"),
        ("exact", "MaxBoxAccV2"),
        ("pixels", "PxAP"),
        ("fixed-threshold", "BoxAcc"),
        ("center-row-conference", "MaxBoxAcc"),
        ("center-row-journal", "MaxBoxAccV2"),
    ],
)
def test_the_metric_has_the_papers_name(name, metric):
    assert preset(name).metric == metric


@pytest.mark.parametrize(
    ("choices", "metric"),
    [
        ({"threshold_choice": "per-image-oracle"}, "BoxAccV2 (threshold per image)"),
        (
            {"threshold_choice": "per-image-oracle", "contours": "largest"},
            "BoxAcc (threshold per image)",
        ),
        ({"threshold_choice": "transferred", "thresholds": (0.3, 0.4, 0.5)}, "BoxAccV2"),
        ({"threshold_choice": "joint"}, "MaxBoxAccV2"),
        ({"contours": "largest"}, "MaxBoxAcc"),
    ],
)
def test_the_metric_of_a_variation(choices, metric):
    assert preset("reference-v2", **choices).metric == metric


def test_the_reference_presets_are_the_released_evaluators_choices():
    v1, v2 = preset("reference-v1"), preset("reference-v2")
    assert replace(v2, name=v1.name, contours="largest", iou_thresholds=(50,)) == v1
    assert (v2.levels, v2.comparison, v2.holes, v2.box_ends) == (
        "quantized",
        ">",
        True,
        "reference",
    )
    assert (v1.largest_by, v2.iou_thresholds) == ("polygon", (30, 50, 70))


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"iou_thresholds": ()}, "IoU thresholds"),
        ({"iou_thresholds": (0,)}, "IoU thresholds"),
        ({"iou_thresholds": (50, 101)}, "IoU thresholds"),
        ({"iou_thresholds": (-30,)}, "IoU thresholds"),
        ({"threshold_choice": "fixed"}, "'fixed' needs one threshold"),
        ({"threshold_choice": "transferred"}, "'transferred' needs one threshold"),
        ({"threshold_choice": "fixed", "thresholds": (0.1, 0.2)}, "one for each"),
        ({"thresholds": (0.2,)}, "only with the choice"),
        ({"threshold_choice": "joint", "thresholds": (0.2,)}, "only with the choice"),
        ({"contours": "largest", "connectivity": 4}, "8-connected components only"),
        ({"pointing_tolerance": -1}, "0 or more"),
        ({"iou_thresholds": (50, 50)}, "given twice"),
        ({"threshold_choice": "fixed", "thresholds": (1.5,)}, r"lie in \[0, 1\]"),
        ({"threshold_choice": "fixed", "thresholds": (-0.2,)}, r"lie in \[0, 1\]"),
        ({"threshold_choice": "fixed", "thresholds": (float("nan"),)}, r"lie in \[0, 1\]"),
        ({"evaluation_size": 0}, "1 or more"),
        ({"contours": "larges"}, "contours 'larges' does not exist; there are all, largest"),
        ({"threshold_choice": "joit"}, "threshold_choice 'joit' does not exist"),
        ({"comparison": ">>"}, "comparison '>>' does not exist; there are >, >="),
        ({"connectivity": 6}, "connectivity '6' does not exist; there are 4, 8"),
    ],
)
def test_combinations_that_mean_nothing_are_refused(choices, words):
    with pytest.raises(UsageError, match=words) as caught:
        preset("reference-v2", **choices)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "choices",
    [
        {"iou_thresholds": (100,)},
        {"iou_thresholds": (1, 99)},
        {"threshold_choice": "fixed", "thresholds": (0.2,)},
        {"threshold_choice": "transferred", "thresholds": (0.1, 0.2, 0.3)},
        {"contours": "largest", "connectivity": 4, "largest_by": "pixels"},
        {"contours": "all", "connectivity": 4},
    ],
)
def test_combinations_that_mean_something_are_allowed(choices):
    made = preset("reference-v2", **choices)
    assert all(getattr(made, key) == value for key, value in choices.items())


def test_a_variation_says_so_in_its_name():
    varied = preset("exact", iou_thresholds=(50, 75), contours="largest")
    assert varied.name == "exact (contours=largest, iou_thresholds=50/75)"
    assert vary(varied, {"holes": True}).name.startswith(f"{varied.name} (holes=True")


def test_the_order_of_choices_does_not_matter():
    choices = {"holes": False, "connectivity": 4}
    turned = dict(reversed(choices.items()))
    assert preset("reference-v2", **choices) == preset("reference-v2", **turned)


def test_choices_that_change_nothing_leave_the_preset():
    exact = preset("exact")
    assert vary(exact, {}) is exact
    assert vary(exact, {"levels": "exact", "iou_thresholds": (30, 50, 70)}) is exact
    assert vary(exact, {"holes": True, "levels": "exact"}).name == "exact (holes=True)"


def test_unknown_names_and_choices_are_refused():
    with pytest.raises(UsageError, match="unknown protocol choice 'hole'"):
        preset("exact", hole=True)
    for choice in ("name", "metric"):  # neither is a choice, whatever its value
        with pytest.raises(UsageError, match=f"unknown protocol choice '{choice}'"):
            vary(preset("exact"), {choice: preset("exact").metric})
    with pytest.raises(UsageError, match="did you mean reference-v2"):
        preset("reference-v3")


def test_every_choice_is_written_down():
    written = preset("exact").as_dict()
    assert set(written) == set(Protocol.__dataclass_fields__)
    assert Protocol(**written) == preset("exact")


def test_protocols_are_values():
    assert preset("exact") == preset("exact")
    assert len({preset("exact"), preset("exact"), preset("reference-v1")}) == 2
    with pytest.raises(FrozenInstanceError):
        preset("exact").holes = True


@pytest.mark.parametrize("steps", [1000, 100, 250])
def test_the_grid_never_reaches_1(steps):
    grid = threshold_grid(steps)
    assert len(grid) == steps
    assert grid[-1] < 1
