"""Box accuracies over a set of images: every choice of threshold against a plain recount."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.errors import DataError, UsageError
from sightline.metrics.box import measure
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.kernels import reference
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import preset, threshold_grid

from .maps import blobs

N = 14
DELTAS = (30, 50, 70)
GRID = threshold_grid()
IDS = [f"{i:02}" for i in range(N)]
SEARCHES = ["reference-v1", "reference-v2", "exact", "center-row-journal"]


@cache
def measurements(name, **choices):
    protocol = preset(name, **choices)
    return [measure(*pair, protocol) for pair in zip(*blobs(N), strict=True)]


def accumulated(name, ranks=None, **choices):
    collected = BoxAccumulator(preset(name, **choices))
    for i, measurement in enumerate(measurements(name, **choices)):
        given_ranks = {} if ranks is None else {"ranks": tuple(ranks[i])}
        collected.add(measurement, image=IDS[i], **given_ranks)
    return collected


def overlaps_of(name, **choices):
    return np.array([m.overlaps for m in measurements(name, **choices)])  # (N, thresholds)


def percent(hits):
    return pytest.approx(100 * np.mean(hits), abs=1e-9)


def test_the_set_is_neither_too_easy_nor_too_hard():
    for name in SEARCHES:
        assert 5 < accumulated(name).compute()["value"] < 95
    assert accumulated("reference-v2", threshold_choice="joint").compute()["value"] < 80


@pytest.mark.parametrize("name", ["reference-v1", "reference-v2"])
def test_a_threshold_for_each_iou(name):
    result = accumulated(name, iou_thresholds=DELTAS).compute()
    overlaps = overlaps_of(name, iou_thresholds=DELTAS)
    for delta in DELTAS:
        accuracy = 100 * (overlaps >= delta / 100).mean(axis=0)
        assert result["per_delta"][str(delta)] == pytest.approx(accuracy.max(), abs=1e-9)
        assert result["threshold"][str(delta)] == GRID[accuracy.argmax()]
    assert result["value"] == pytest.approx(np.mean(list(result["per_delta"].values())))


def test_one_threshold_for_all_ious():
    result = accumulated("reference-v2", threshold_choice="joint").compute()
    overlaps = overlaps_of("reference-v2")
    accuracy = np.array([100 * (overlaps >= delta / 100).mean(axis=0) for delta in DELTAS])
    best = accuracy.mean(axis=0).argmax()
    assert result["value"] == pytest.approx(accuracy[:, best].mean(), abs=1e-9)
    assert set(result["threshold"].values()) == {GRID[best]}
    assert list(result["per_delta"].values()) == pytest.approx(accuracy[:, best].tolist())
    assert result["value"] <= accumulated("reference-v2").compute()["value"]


def test_one_exact_threshold_for_all_ious():
    maps, truths = blobs(N)
    protocol = preset("exact", threshold_choice="joint")
    result = accumulated("exact", threshold_choice="joint").compute()

    def mean_accuracy(threshold):
        pairs = zip(maps, truths, strict=True)
        best = np.array([reference.best_overlap(m, threshold, t, protocol) for m, t in pairs])
        return 100 * np.mean([(best >= delta / 100).mean() for delta in DELTAS])

    (chosen,) = set(result["threshold"].values())
    assert result["value"] == pytest.approx(mean_accuracy(chosen), abs=1e-9)
    scores = np.unique(np.concatenate([np.ravel(m) for m in maps]))
    tried = scores[:: len(scores) // 200]
    assert result["value"] >= max(map(mean_accuracy, tried)) - 1e-9


@pytest.mark.parametrize("name", ["reference-v2", "exact"])
def test_a_threshold_for_each_image(name):
    result = accumulated(name, threshold_choice="per-image-oracle").compute()
    best = np.array([m.oracle for m in measurements(name)])
    for delta in DELTAS:
        assert result["per_delta"][str(delta)] == percent(best >= delta / 100)
    assert set(result["threshold"].values()) == {None}
    searched = accumulated(name).compute()
    assert searched["oracle"]["per_delta"] == pytest.approx(result["per_delta"], abs=1e-9)
    assert searched["oracle"]["mean_iou"] == pytest.approx(100 * best.mean())
    assert searched["value"] < result["value"]


@pytest.mark.parametrize("comparison", [">", ">="])
@pytest.mark.parametrize("name", SEARCHES)
def test_the_chosen_thresholds_handed_back_as_given_ones_give_the_same_score(name, comparison):
    searched = accumulated(name, comparison=comparison).compute()
    given_ones = {
        "threshold_choice": "transferred",
        "thresholds": tuple(searched["threshold"].values()),
    }
    again = accumulated(name, comparison=comparison, **given_ones).compute()
    assert again["per_delta"] == searched["per_delta"]
    assert again["threshold"] == searched["threshold"]
    assert again["metric"] == searched["metric"].removeprefix("Max")


@pytest.mark.parametrize("name", ["reference-v2", "exact"])
@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.437, 0.999, 1.0])
def test_one_given_threshold_serves_all_ious(name, threshold):
    choices = {"threshold_choice": "fixed", "thresholds": (threshold,)}
    result = accumulated(name, **choices).compute()
    overlaps = overlaps_of(name, **choices)[:, 0]
    for delta in DELTAS:
        assert result["per_delta"][str(delta)] == percent(overlaps >= delta / 100)
    assert set(result["threshold"].values()) == {threshold}
    assert result["mean_iou"] == pytest.approx(100 * overlaps.mean(), abs=1e-9)


@pytest.mark.parametrize("name", SEARCHES)
def test_mean_iou_is_the_best_mean_over_images(name):
    collected = accumulated(name)
    mean = overlaps_of(name).mean(axis=0)
    assert collected.mean_overlap() == pytest.approx(mean, abs=1e-10)
    result = collected.compute()
    assert result["mean_iou"] == pytest.approx(100 * mean.max(), abs=1e-8)
    assert mean[np.searchsorted(GRID, result["mean_iou_threshold"])] == pytest.approx(
        mean.max(), abs=1e-10
    )


def test_the_curve_counts_at_each_threshold():
    curve = accumulated("exact").curve()
    for row, delta in zip(curve, DELTAS, strict=True):
        expected = 100 * (overlaps_of("exact") >= delta / 100).mean(axis=0)
        assert row == pytest.approx(expected, abs=1e-9)
    assert (curve.max(axis=1) <= list(accumulated("exact").compute()["per_delta"].values())).all()


def test_an_overlap_just_at_the_iou_threshold_is_a_hit():
    score_map = np.zeros((4, 8))
    score_map[1, 2:4] = 1
    truth = [[2, 1, 6, 2]]  # two of four pixels
    collected = BoxAccumulator(preset("exact", iou_thresholds=(50, 51)))
    collected.update(score_map, truth)
    assert collected.compute()["per_delta"] == {"50": 100.0, "51": 0.0}


def test_pointing_and_energy_are_means_over_the_images():
    result = accumulated("exact").compute()
    found = measurements("exact")
    assert result["pointing"] == percent([m.pointing for m in found])
    assert result["energy"] == percent([m.energy for m in found])


def test_boxes_are_given_in_the_images_pixels_or_the_maps():
    maps, truths = blobs(N)
    own, larger = BoxAccumulator("exact"), BoxAccumulator("exact")
    height, width = maps[0].shape
    for score_map, truth in zip(maps, truths, strict=True):
        own.update(score_map, truth)
        larger.update(score_map, 4 * truth, image_size=(4 * width, 4 * height))
    assert own.compute() == larger.compute() == {**accumulated("exact").compute()}


def test_a_single_box_needs_no_list_around_it():
    one, many = BoxAccumulator(), BoxAccumulator()
    one.update(np.eye(5), [0, 0, 4, 4])
    many.update(np.eye(5), [[0, 0, 4, 4]])
    assert one.compute() == many.compute()


def test_a_set_without_any_hit_scores_zero():
    for name in ("reference-v2", "exact"):
        collected = BoxAccumulator(name)
        collected.update(np.pad([[1.0]], 4), [[0, 0, 1, 1]])
        result = collected.compute()
        assert result["per_delta"]["70"] == 0
        assert result["images"] == 1


def test_masks_and_boxes_have_accumulators_of_their_own():
    with pytest.raises(UsageError, match="'pixels' is for masks; use a MaskAccumulator"):
        BoxAccumulator("pixels")
    with pytest.raises(UsageError, match="'exact' is for boxes; use a BoxAccumulator"):
        MaskAccumulator("exact")


def test_no_image_is_an_error():
    with pytest.raises(ValueError, match="no image was scored"):
        BoxAccumulator().compute()


RANKS = np.array([[i % 3 == 0, i % 3 <= 1] for i in range(N)], float)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(("map_class", "column"), [("top-1", 0), ("top-5", 1)])
def test_the_map_of_a_predicted_class_counts_where_the_class_is_found(name, map_class, column):
    known = accumulated(name, RANKS).compute()
    predicted = accumulated(name, RANKS, map_class=map_class).compute()
    inside = known["top1_localization" if column == 0 else "top5_localization"]
    assert predicted["value"] == inside["value"] < known["value"]
    assert predicted["per_delta"] == inside["per_delta"]
    assert predicted["threshold"] == inside["threshold"]


@pytest.mark.parametrize("column", [0, 1])
def test_localization_with_classification_searches_its_own_threshold(column):
    result = accumulated("reference-v2", RANKS).compute()
    name = ("top1", "top5")[column]
    found = RANKS[:, column] > 0
    for delta in DELTAS:
        hits = (overlaps_of("reference-v2") >= delta / 100) & found[:, None]
        accuracy = 100 * hits.mean(axis=0)
        located = result[f"{name}_localization"]
        assert located["per_delta"][str(delta)] == pytest.approx(accuracy.max(), abs=1e-9)
        assert located["threshold"][str(delta)] == GRID[accuracy.argmax()]
    assert result[f"{name}_classification"] == percent(found)


def test_without_ranks_nothing_is_said_of_classes():
    assert not any(key.startswith("top") for key in accumulated("reference-v2").compute())
    partly = RANKS.copy()
    partly[3, 1] = np.nan
    result = accumulated("reference-v2", partly).compute()
    assert "top1_localization" in result
    assert "top5_localization" not in result


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("map_class", ["gt-known", "top-1", "top-5"])
def test_records_of_images_sum_up_to_the_score(name, map_class):
    collected = accumulated(name, RANKS, map_class=map_class)
    evidence, result = collected.evidence(), collected.compute()
    hit = evidence.hit_at(evidence.best_positions())
    assert (100 * hit.mean(axis=1)).tolist() == pytest.approx(list(result["per_delta"].values()))
    allowed = {"gt-known": np.ones(N), "top-1": RANKS[:, 0], "top-5": RANKS[:, 1]}[map_class]
    assert not hit[:, allowed == 0].any()


def test_records_of_images_are_the_overlaps_at_the_threshold():
    collected = accumulated("reference-v2")
    evidence, thresholds = collected.evidence(), collected.compute()["threshold"]
    hit = evidence.hit_at(evidence.best_positions())
    for row, delta in zip(hit, DELTAS, strict=True):
        at = np.searchsorted(GRID, thresholds[str(delta)])
        expected = overlaps_of("reference-v2")[:, at] >= delta / 100
        assert row.tolist() == expected.tolist()


CHOICES = [
    ("reference-v2", {}),
    ("reference-v2", {"threshold_choice": "joint"}),
    ("reference-v2", {"threshold_choice": "per-image-oracle"}),
    ("reference-v2", {"threshold_choice": "transferred", "thresholds": (0.1, 0.3, 0.5)}),
    ("exact", {}),
    ("exact", {"threshold_choice": "joint"}),
    ("exact", {"threshold_choice": "fixed", "thresholds": (0.3,)}),
]


@pytest.mark.parametrize(("name", "choices"), CHOICES)
def test_evidence_of_equal_weights_is_the_score(name, choices):
    collected = accumulated(name, **choices)
    score = collected.evidence().score(np.ones((1, N), np.int32))[0]
    assert score == pytest.approx(collected.compute()["value"], abs=1e-9)


@pytest.mark.parametrize(("name", "choices"), CHOICES)
@settings(max_examples=12)
@given(weights=npst.arrays(np.int32, N, elements=st.integers(0, 3)).filter(np.any))
def test_evidence_scores_a_resample_as_if_its_images_were_repeated(name, choices, weights):
    repeated = BoxAccumulator(preset(name, **choices))
    for measurement, weight in zip(measurements(name, **choices), weights, strict=True):
        for _ in range(weight):
            repeated.add(measurement)
    score = accumulated(name, **choices).evidence().score(weights[None])[0]
    assert score == pytest.approx(repeated.compute()["value"], abs=1e-9)


@pytest.mark.parametrize(("name", "choices"), CHOICES)
def test_chosen_and_stacked_evidence_keep_each_image(name, choices):
    evidence = accumulated(name, **choices).evidence()
    keep = np.arange(N) % 3 != 1
    weights = np.arange(N, dtype=np.int32)[None] % 4 * keep
    whole = evidence.score(weights)
    assert evidence.chosen(keep).images == keep.sum()
    assert evidence.chosen(keep).score(np.ascontiguousarray(weights[:, keep])) == whole
    both = evidence.stacked(evidence)
    assert both.images == 2 * N
    assert both.score(np.hstack([weights, 0 * weights])) == whole
    assert both.score(np.hstack([0 * weights, weights])) == whole


def test_only_some_images_may_hit_but_all_of_them_count():
    evidence = accumulated("reference-v2").evidence()
    keep = np.arange(N) < 5
    kept = evidence.only(keep)
    assert kept.images == N
    assert kept.hits().max() <= 5
    once = np.ones((1, N), np.int32)
    nobody = evidence.only(np.zeros(N, bool))
    assert nobody.score(once).tolist() == [0]


def test_evidence_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="one kind"):
        accumulated("exact").evidence().stacked(object())


def test_memory_is_a_few_bytes_an_image():
    assert accumulated("reference-v2").bytes_per_image < 500


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.full((9, 9), -0.5), "outside"),
        (np.full((9, 9), 200.0), "outside"),
        (np.full((9, 9), np.nan), "map holds NaN"),
        (np.full((9, 9), np.inf), "map holds infinite values"),
        (np.ones((9, 9, 1)), "3 dimensions"),
        (np.ones((0, 9)), "map is empty"),
    ],
)
def test_unsound_maps_are_refused_by_name_and_not_counted(scores, words):
    collected = BoxAccumulator()
    with pytest.raises(DataError, match=words) as caught:
        collected.update(scores, [0, 0, 4, 4], image="bird.png")
    assert str(caught.value).startswith("bird.png: ")
    assert len(collected.records) == 0


@pytest.mark.parametrize("boxes", [[], [[-3, 0, 4, 4]], [[5, 5, 2, 2]], [[0, 0, np.nan, 2]]])
def test_unsound_boxes_are_refused_by_name_and_not_counted(boxes):
    collected = BoxAccumulator()
    with pytest.raises(DataError, match=r"^bird.png: (a box is|image has no box)"):
        collected.update(np.eye(9), boxes, image="bird.png")
    assert len(collected.records) == 0


@pytest.mark.parametrize(("map_class", "column"), [("top-1", 0), ("top-5", 1)])
def test_a_predicted_class_needs_the_prediction_of_every_image(map_class, column):
    partly = RANKS.copy()
    partly[3, column] = np.nan
    for ranks in (None, partly):
        collected = accumulated("reference-v2", ranks, map_class=map_class)
        with pytest.raises(UsageError, match=f"needs the {map_class} prediction of every image"):
            collected.compute()
