"""What must hold of every metric at once: over all presets and the variations that add a rule.

What a flip or a transposition leaves: with true box ends and boxes of all components, every box
metric stays the same. The released evaluator's ends do not: they are one too far, except at the
right and lower edge. Transposing treats both axes alike, so that all of its boxes together stay the
same too. A choice of one component among equals follows the reading order, and so does the peak
among equal scores. Pixel metrics have no direction at all.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline import registry
from sightline.metrics.box import measure
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.mask import MaskAccumulator, measure_mask
from sightline.metrics.protocol import preset
from sightline.metrics.statistics import bootstrap, paired_test

from .maps import blobs, picture

N = 9
VARIATIONS = {
    "joint": ("exact", {"threshold_choice": "joint"}),
    "per-image oracle": ("exact", {"threshold_choice": "per-image-oracle"}),
    "transferred": (
        "reference-v2",
        {"threshold_choice": "transferred", "thresholds": (0.2, 0.4, 0.6)},
    ),
    "top-1": ("reference-v2", {"map_class": "top-1"}),
    "top-5": ("exact", {"map_class": "top-5"}),
    "largest, 4-connected": (
        "exact",
        {"contours": "largest", "connectivity": 4, "pointing_tolerance": 3},
    ),
    "pixels at thresholds": (
        "pixels",
        {"threshold_choice": "fixed", "thresholds": (0.2, 0.5, 0.7), "comparison": ">"},
    ),
}
PROTOCOLS = {name: preset(name) for name in registry.names("protocol")} | {
    name: preset(base, **choices) for name, (base, choices) in VARIATIONS.items()
}
BOXES = {name: p for name, p in PROTOCOLS.items() if p.ground_truth_kind == "boxes"}
SEARCHED = {name: p for name, p in BOXES.items() if not p.thresholds}
every_metric = pytest.mark.parametrize("name", PROTOCOLS)


def mask_of(boxes, shape):
    mask = np.zeros(shape, np.uint8)
    for x0, y0, x1, y1 in boxes.astype(int):
        mask[y0:y1, x0:x1] = 1
        mask[y1 : y1 + 1, x0:x1] = 255
    return mask


def collect(protocol):
    masks = protocol.ground_truth_kind == "masks"
    return MaskAccumulator(protocol) if masks else BoxAccumulator(protocol)


@cache
def measured(name):
    """Measure all images once: parts are then only added up."""
    protocol = PROTOCOLS[name]
    pairs = zip(*blobs(N), strict=True)
    if protocol.ground_truth_kind == "masks":
        return [measure_mask(m, mask_of(truth, m.shape), protocol) for m, truth in pairs]
    return [measure(m, truth, protocol) for m, truth in pairs]


def part(name, images, maps_of=0):
    """Add some images; with `maps_of` each has the map and the boxes of one so many places on."""
    collected = collect(PROTOCOLS[name])
    for i in images:
        rank = {"ranks": (i % 3 == 0, i % 3 < 2)} if name in BOXES else {}
        collected.add(measured(name)[(i + maps_of) % N], image=f"image {i}", **rank)
    return collected


def score(protocol, maps, truths):
    """Score arrays from scratch; masks are drawn from the boxes."""
    collected = collect(protocol)
    for i, (score_map, truth) in enumerate(zip(maps, truths, strict=True)):
        ranks = (i % 3 == 0, i % 3 < 2)
        if protocol.ground_truth_kind == "masks":
            collected.update(score_map, mask_of(truth, score_map.shape), image=str(i))
        else:
            found = measure(score_map, truth, protocol)
            collected.add(found, image=str(i), ranks=ranks)
    return collected.compute()


def everything(collected):
    """Give all numbers that an accumulator gives, as plain values."""
    evidence = collected.evidence()
    columns = [collected.records.column(c) for c in ("pointing", "energy")]
    curve = collected.curve()
    if isinstance(collected, BoxAccumulator):
        columns += [curve, evidence.hits(), evidence.hit_at(evidence.best_positions())]
    else:
        columns += [curve.precision, curve.recall, collected.overlaps_at_best()]
    return (
        collected.compute(),
        bootstrap(evidence, resamples=30, seed=8),
        collected.records.sorted_ids(),
        [np.nan_to_num(column, nan=-1).tolist() for column in columns],
        collected.mean_overlap().tolist(),
    )


@cache
def in_one_pass(name):
    return everything(part(name, range(N)))


@st.composite
def partitions(draw):
    """Cut the images, in any order, into parts, some of them empty, and order the merging."""
    order = draw(st.permutations(range(N)))
    cuts = sorted(draw(st.lists(st.integers(0, N), max_size=4)))
    ends = zip([0, *cuts], [*cuts, N], strict=True)
    return draw(st.permutations([order[a:b] for a, b in ends]))


@every_metric
@settings(max_examples=20)
@given(parts=partitions())
def test_any_sharding_merges_to_the_result_of_one_pass(name, parts):
    merged = part(name, [])
    for images in parts:
        merged.merge(part(name, images))
    assert everything(merged) == in_one_pass(name)


@every_metric
@settings(max_examples=10)
@given(parts=partitions(), data=st.data())
def test_shards_merge_as_a_tree_too(name, parts, data):
    shards = [part(name, images) for images in parts]
    while len(shards) > 1:
        taken = shards.pop(data.draw(st.integers(0, len(shards) - 1)))
        shards[data.draw(st.integers(0, len(shards) - 1))].merge(taken)
    assert everything(shards[0]) == in_one_pass(name)


@every_metric
@settings(max_examples=10)
@given(first=st.permutations(range(N)), second=st.permutations(range(N)))
def test_paired_tests_do_not_depend_on_the_order_of_either_side(name, first, second):
    def tested(one_order, other_order):
        one, other = part(name, one_order), part(name, other_order, maps_of=1)
        return paired_test(one.evidence(), other.evidence(), resamples=20)

    assert tested(first, second) == tested(range(N), range(N))


@every_metric
def test_an_image_counted_twice_is_refused_and_changes_nothing(name):
    collected = part(name, range(N))
    with pytest.raises(ValueError, match="image 3' was counted already"):
        collected.add(measured(name)[3], image="image 3")
    with pytest.raises(ValueError, match="image 2' was counted in both parts"):
        collected.merge(part(name, [2]))
    assert everything(collected) == in_one_pass(name)


@every_metric
def test_merging_leaves_the_other_part_as_it_was(name):
    left, right = part(name, range(4)), part(name, range(4, N))
    before = everything(right)
    left.merge(right)
    left.add(measured(name)[0], image="another")
    assert everything(right) == before


@every_metric
def test_different_protocols_do_not_merge(name):
    other = next(p for p in PROTOCOLS.values() if p != PROTOCOLS[name])
    mixed = collect(PROTOCOLS[name])
    with pytest.raises(ValueError, match="same protocol"):
        mixed.merge(collect(other))
    renamed = preset("exact", pointing_tolerance=1)
    with pytest.raises(ValueError, match="same protocol"):
        mixed.merge(collect(renamed))


@every_metric
def test_the_order_of_images_does_not_matter(name):
    maps, truths = blobs(N)
    collected = collect(PROTOCOLS[name])
    for i in reversed(range(N)):
        if name in BOXES:
            collected.update(maps[i], truths[i], image=f"image {i}")
        else:
            collected.update(maps[i], mask_of(truths[i], maps[i].shape), image=f"image {i}")
    if PROTOCOLS[name].map_class == "gt-known":
        computed = part(name, range(N)).compute()
        assert collected.compute() == {k: computed[k] for k in computed if "top" not in k}


def rescaled(maps, curve):
    """Apply one rising curve to all maps."""
    return [curve(score_map) for score_map in maps]


def few_levels():
    """Make maps that reach 0 and 1 on few levels, so that curves keep them apart."""
    maps, truths = blobs(N, levels=15)
    return [np.where(m == m.min(), 0, m) for m in maps], truths


CURVES = {
    "square": np.square,
    "root": np.sqrt,
    "toward one": lambda x: np.log1p(99 * x) / np.log(100),
    "bend": lambda x: np.where(x < 0.5, x / 5, 0.1 + (x - 0.5) * 1.8),
}


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("name", SEARCHED)
def test_rising_curves_change_no_box_score_whose_threshold_is_searched(name, curve):
    """With 255 levels too, as long as the curve keeps the levels apart and 0 and 1 in place."""
    maps, truths = few_levels()
    bent = rescaled(maps, CURVES[curve])
    before, after = (score(SEARCHED[name], m, truths) for m in (maps, bent))
    for key in ("value", "per_delta", "oracle", "pointing"):
        assert after[key] == before[key]


def test_the_exact_threshold_follows_the_curve():
    maps, truths = few_levels()
    before = score(preset("exact"), maps, truths)["threshold"]
    after = score(preset("exact"), rescaled(maps, np.square), truths)["threshold"]
    assert after == {delta: threshold**2 for delta, threshold in before.items()}


@pytest.mark.parametrize("levels", [None, 15])
def test_exact_scores_keep_under_curves_that_no_grid_could_follow(levels):
    maps, truths = blobs(N, levels=levels)
    tiny = rescaled(maps, lambda x: 1e-6 * (1 + x))
    before, after = (score(preset("exact"), m, truths) for m in (maps, tiny))
    for key in ("value", "per_delta", "oracle", "pointing"):
        assert after[key] == before[key]


def test_a_curve_of_each_images_own_changes_no_threshold_of_its_own():
    maps, truths = few_levels()
    own = [score_map ** (1 + i / 3) for i, score_map in enumerate(maps)]
    oracle = PROTOCOLS["per-image oracle"]
    assert score(oracle, own, truths)["per_delta"] == score(oracle, maps, truths)["per_delta"]
    shared = [score(preset("exact"), m, truths)["value"] for m in (maps, own)]
    assert shared[0] != shared[1]


@pytest.mark.parametrize("curve", CURVES)
def test_rising_curves_change_no_pixel_average_precision(curve):
    maps, truths = few_levels()
    before, after = (
        score(preset("pixels"), m, truths) for m in (maps, rescaled(maps, CURVES[curve]))
    )
    for key in ("value", "mean_iou", "pointing"):
        assert after[key] == pytest.approx(before[key], abs=1e-9)


def flipped(maps, truths, ends):
    """Mirror from left to right. A pixel x becomes width - 1 - x, an edge x width - x."""
    last = 1 if ends == "reference" else 0
    width = maps[0].shape[1] - last
    mirrored = [t[:, [2, 1, 0, 3]] * [-1, 1, -1, 1] + [width, 0, width, 0] for t in truths]
    return [np.ascontiguousarray(m[:, ::-1]) for m in maps], mirrored


def transposed(maps, truths):
    return [np.ascontiguousarray(m.T) for m in maps], [t[:, [1, 0, 3, 2]] for t in truths]


DIRECTIONLESS = {
    name: p for name, p in BOXES.items() if p.contours == "all" and p.box_ends == "true"
} | {
    "true ends of the reference": preset("reference-v2", box_ends="true"),
    "4-connected": preset("exact", connectivity=4, holes=True),
}
SAME_BOTH_WAYS = ("value", "per_delta", "threshold", "mean_iou", "oracle", "pointing")


def assert_same(before, after, keys=SAME_BOTH_WAYS):
    for key in keys:
        if isinstance(before[key], float):
            assert after[key] == pytest.approx(before[key], abs=1e-9)
        else:
            assert after[key] == before[key]
    assert after["energy"] == pytest.approx(before["energy"], abs=1e-9)


@pytest.mark.parametrize("name", DIRECTIONLESS)
def test_flips_change_nothing_with_true_box_ends(name):
    maps, truths = blobs(N)
    protocol = DIRECTIONLESS[name]
    before = score(protocol, maps, truths)
    across = flipped(maps, truths, "true")
    assert_same(before, score(protocol, *across))
    down = transposed(*flipped(*transposed(maps, truths), "true"))
    assert_same(before, score(protocol, *down))


def test_flips_change_no_pixel_metric():
    maps, truths = blobs(N)
    masks = [mask_of(t, m.shape) for m, t in zip(maps, truths, strict=True)]
    results = []
    for turn in (lambda a: a, lambda a: a[:, ::-1], lambda a: a[::-1], lambda a: a.T):
        collected = MaskAccumulator()
        for score_map, mask in zip(maps, masks, strict=True):
            collected.update(turn(score_map), turn(mask))
        results.append(collected.compute())
    for result in results[1:]:
        assert_same(results[0], result, ("value", "threshold", "mean_iou", "pointing"))


@pytest.mark.parametrize("name", [n for n, p in BOXES.items() if p.contours == "all"])
def test_transposing_changes_nothing_where_all_boxes_count(name):
    maps, truths = blobs(N)
    protocol = BOXES[name]
    before = score(protocol, maps, truths)
    assert_same(before, score(protocol, *transposed(maps, truths)))


def test_a_flip_changes_the_released_evaluators_boxes():
    """One pixel at the left edge ends one too far; at the right edge it ends where it ends."""
    left, box = np.eye(5)[:1], np.zeros((1, 4))
    right, at_right = flipped([left], [box], "reference")
    protocol = preset("reference-v2")
    assert measure(left, box, protocol).oracle == 0.5
    assert measure(right[0], at_right[0], protocol).oracle == 1.0


@pytest.mark.parametrize("by", ["polygon", "pixels"])
def test_a_flip_changes_which_of_two_equal_components_is_the_largest(by):
    twins = picture("##..##", "##..##")
    protocol = preset("exact", contours="largest", largest_by=by)
    left, right = np.array([[0.0, 0, 2, 2]]), np.array([[4.0, 0, 6, 2]])
    chosen = [measure(twins, box, protocol).hits[:, 1:].tolist() for box in (left, right)]
    assert measure(twins, left, protocol).overlaps[-1] == (by == "pixels")
    assert measure(twins, right, protocol).overlaps[-1] == (by == "polygon")
    assert chosen[0] != chosen[1]
