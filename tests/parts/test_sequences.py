"""Part sequences: their length, repeats, the first and the last image."""

import numpy as np
import pytest

from sightline.parts import named, sequences
from sightline.parts.orderings.contract import Ranked
from sightline.parts.prepared import Listed, Masks, Prepared

CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")
SIZE = (30, 40)  # height, width
TIGHT, CONTEXT = (10, 5, 40, 25), (5, 0, 45, 30)
ONE = Listed("x#1", "x.png", "dog", "dog", 0, (60, 40), TIGHT, CONTEXT)


def block(x0: int, y0: int, x1: int, y1: int) -> np.ndarray:
    mask = np.zeros(SIZE, bool)
    mask[y0:y1, x0:x1] = True
    return mask


HEAD, BODY, EYE = block(5, 5, 15, 15), block(15, 5, 35, 25), block(8, 8, 10, 10)
MASKS = Masks({"body": BODY, "head": HEAD, "eye": EYE}, HEAD | BODY)
CROP = np.random.default_rng(0).integers(0, 256, (*SIZE, 3)).astype(np.uint8)


def made(order: str, contents: tuple[str, ...] = CONTENTS, first: str = "empty"):
    orders = {("given", "dog"): [Ranked(part, 0.0) for part in order.split()]}
    chosen = named.chosen("content", contents)
    plan = sequences.plan(ONE, MASKS, orders, chosen, first)
    return plan, dict(sequences.pictures(plan, CROP, chosen))


@pytest.mark.parametrize("content", CONTENTS)
def test_a_sequence_has_a_step_a_part_and_ends_with_the_crop(content: str) -> None:
    plan, pictures = made("head tail eye body", (content,))
    (series,) = plan.series
    assert [(s.number, s.part, s.there) for s in series.steps] == [
        (1, "head", True),
        (2, "tail", False),
        (3, "eye", True),
        (4, "body", True),
        (5, "unlabeled-rest", True),
    ]
    last = pictures[series.steps[-1].shown]
    expected = CROP[5:25, 5:35] if content == "intra-object" else CROP
    assert last.dtype == np.uint8
    assert (last == expected).all()
    assert series.steps[0].shown == series.steps[1].shown == series.steps[2].shown
    assert len(plan.images) == len(pictures) == 3  # head, head and body, the crop


def test_intra_object_shows_the_parts_alone() -> None:
    plan, pictures = made("eye head body tail", ("intra-object",))
    first, second, third, *_ = (pictures[s.shown] for s in plan.series[0].steps)
    inner = np.s_[5:25, 5:35]
    for picture, mask in ((first, EYE), (second, HEAD), (third, HEAD | BODY)):
        assert (picture == CROP[inner] * mask[inner][..., None]).all()


def test_neighborhood_keeps_what_is_around_the_box() -> None:
    plan, pictures = made("head body eye tail", ("neighborhood",))
    first = pictures[plan.series[0].steps[0].shown]
    box = block(5, 5, 35, 25)
    assert (first[~box] == CROP[~box]).all()
    assert (first[HEAD] == CROP[HEAD]).all()
    assert not first[box & ~HEAD].any()


@pytest.mark.parametrize("content", ["low-detail", "higher-detail"])
def test_detail_is_whole_in_the_parts_and_lost_elsewhere(content: str) -> None:
    plan, pictures = made("head body eye tail", (content,))
    first, second = (pictures[s.shown] for s in plan.series[0].steps[:2])
    assert (first[HEAD] == CROP[HEAD]).all()
    assert (second[HEAD | BODY] == CROP[HEAD | BODY]).all()
    assert np.abs(first[25:].astype(int) - CROP[25:]).mean() > 10


def test_higher_detail_is_nearer_to_the_crop() -> None:
    apart = []
    for content in ("low-detail", "higher-detail", "higher-detail:half=0.2"):
        plan, pictures = made("head body eye tail", (content,))
        first = pictures[plan.series[0].steps[0].shown].astype(int)
        apart.append(float(np.abs(first - CROP).mean()))
    assert apart[0] > apart[1] > apart[2]


def test_without_a_first_part_nothing_is_revealed_unless_the_next_one_is() -> None:
    plan, pictures = made("tail head body eye")
    empty = {s.content: pictures[s.steps[0].shown] for s in plan.series}
    assert not empty["intra-object"].any()
    assert not empty["neighborhood"][5:25, 5:35].any()
    assert (empty["low-detail"] == empty["higher-detail"]).all()
    assert empty["low-detail"].std() < 0.5 * CROP.std()
    plan, _ = made("tail head body eye", first="next")
    assert all(s.steps[0].shown == s.steps[1].shown for s in plan.series)
    assert not any(s.steps[0].there for s in plan.series)


def test_images_of_several_orders_that_are_the_same_are_made_once() -> None:
    contents = named.chosen("content", CONTENTS)
    names = [["head", "body", "eye"], ["eye", "head", "body"], ["head", "eye", "body"]]
    orders = {
        (f"order {n}", "dog"): [Ranked(part, 0.0) for part in parts]
        for n, parts in enumerate(names)
    }
    plan = sequences.plan(ONE, MASKS, orders, contents, "empty")
    # head, head and body, eye; the two crops
    assert len(plan.images) == 3 * 4 + 2
    assert sum(len(s.steps) for s in plan.series) == 3 * 4 * 4


def test_a_content_scheme_s_options_are_in_its_name() -> None:
    plan, _ = made("head body eye tail", ("own=low-detail:half=0.3", "intra-object"))
    assert [s.content for s in plan.series] == ["own", "intra-object"]
    plan, _ = made("head body eye tail", ("low-detail", "low-detail:half=0.05,peak=2"))
    assert [s.content for s in plan.series] == ["low-detail", "low-detail:half=0.05,peak=2"]
    assert len({s.steps[0].shown.file for s in plan.series}) == 2


def test_all_sequences_of_a_category_are_of_one_length(prepared: Prepared) -> None:
    chosen = named.chosen("ordering", ("e-u", "e-us", "e-a", "e-as", "random", "area"))
    orders = sequences.orders(prepared, chosen)
    contents = named.chosen("content", CONTENTS)
    for one in prepared.objects:
        plan = sequences.plan(one, prepared.masks(one), orders, contents, "empty")
        assert {len(s.steps) for s in plan.series} == {len(prepared.schemes[one.category]) + 1}
        assert len(plan.series) == 24
