"""Part orderings: the paper's equations by hand."""

import re
from pathlib import Path

import numpy as np
import pytest

from sightline.errors import DataError, UsageError
from sightline.parts.named import read
from sightline.parts.orderings.contract import Seen
from sightline.types import Fixation

PARTS = ("body", "head", "eye", "tail")


def block(*corners: int) -> np.ndarray:
    mask = np.zeros((20, 20), bool)
    x0, y0, x1, y1 = corners
    mask[y0:y1, x0:x1] = True
    return mask


def seen(*looked: tuple[str, int, float, float], **parts: np.ndarray) -> Seen:
    fixations = tuple(Fixation(*one) for one in looked)
    return Seen(parts, np.logical_or.reduce(list(parts.values())), fixations)


DOG = seen(  # object of 200 pixels: body 100, head 100 with an eye of 4
    ("a", 0, 15.5, 5.5),  # head
    ("a", 1, 5.5, 5.5),  # body
    ("a", 2, 19.5, 19.5),  # nothing, which keeps its place in the sequence
    ("a", 3, 5.5, 6.5),  # body
    ("b", 1, 3.0, 3.0),  # body; the order of looking counts, not that of the table
    ("b", 0, 11.5, 1.5),  # eye, which lies in the head
    body=block(0, 0, 10, 10),
    head=block(10, 0, 20, 10),
    eye=block(11, 1, 13, 3),
)


def order(text: str, *objects: Seen, parts: tuple[str, ...] = PARTS) -> dict[str, float]:
    chosen = read("ordering", text)
    made = chosen.module.order("dog", parts, objects, chosen.options)
    assert sorted(one.part for one in made) == sorted(parts)
    return {one.part: one.value for one in made}


def test_fixations_are_counted() -> None:
    assert order("e-u", DOG) == pytest.approx(
        {"body": 3 / 5, "eye": 1 / 5, "head": 1 / 5, "tail": 0}
    )
    assert list(order("e-u", DOG)) == ["body", "eye", "head", "tail"]  # ties by name, absent last


def test_earlier_fixations_weigh_more() -> None:
    head, body, eye = 1.0, 3 / 4 + 1 / 4 + 1 / 2, 1.0  # (N - j + 1) / N of 4 and of 2
    total = head + body + eye
    made = order("e-us", DOG)
    assert made == pytest.approx(
        {"body": body / total, "head": head / total, "eye": eye / total, "tail": 0}
    )


def test_areas_are_shares_of_the_object() -> None:
    by_area = {"body": 3 / 5 * 2, "head": 1 / 5 * 2, "eye": 1 / 5 * 50}
    total = sum(by_area.values())
    made = order("e-a", DOG)
    assert made == pytest.approx({"tail": 0, **{k: v / total for k, v in by_area.items()}})
    assert next(iter(made)) == "eye"
    weighted = order("e-as", DOG)
    assert weighted["eye"] == pytest.approx(1.0 * 50 / (1.0 * 50 + 1.0 * 2 + 1.5 * 2))


def test_a_fixation_in_nested_parts_may_count_for_all() -> None:
    made = order("e-u:nested=all", DOG)
    assert made == pytest.approx({"body": 3 / 6, "head": 2 / 6, "eye": 1 / 6, "tail": 0})


def test_images_count_alike_and_those_without_fixations_in_parts_add_nothing() -> None:
    other = seen(("a", 0, 15.0, 15.0), tail=block(12, 12, 18, 18))
    nothing = seen(("a", 0, 1.0, 19.0), tail=block(12, 12, 18, 18))
    made = order("e-u", DOG, other, nothing)
    assert made == pytest.approx({"tail": 1 / 2, "body": 3 / 10, "eye": 1 / 10, "head": 1 / 10})


def test_fixations_outside_of_the_picture_are_in_no_part() -> None:
    outside = seen(
        ("a", 0, -1.0, 5.0), ("a", 1, 25.0, 5.0), ("a", 2, 1.0, 1.0), body=block(0, 0, 9, 9)
    )
    assert order("e-u", outside)["body"] == 1


def test_nobody_s_fixations_are_no_ordering() -> None:
    with pytest.raises(UsageError, match="nobody's fixations are known"):
        order("e-u")


def test_a_random_order_is_that_of_its_seed() -> None:
    parts = tuple("abcdefghij")
    first, again = order("random", parts=parts), order("random:seed=0", parts=parts)
    other = order("random:seed=1", parts=parts)
    assert list(first) == list(again) != list(other)
    assert sorted(first) == sorted(other)


def test_large_parts_come_first() -> None:
    assert list(order("area", DOG)) == ["body", "head", "eye", "tail"]


def test_a_scheme_s_own_order_is_taken_from_either_end() -> None:
    assert list(order("listed")) == list(PARTS)
    assert list(order("listed:reverse=true")) == list(PARTS)[::-1]


def test_a_list_gives_the_order(tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("category,part\ndog,tail\ncat,eye\ndog,head\n")
    assert list(order(f"given:file={file}")) == ["tail", "head", "body", "eye"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("category,part\ndog,wing\n", "orders.csv:2: dog has no 'wing'"),
        ("category,part\ndog,eye\ndog,eye\n", "orders.csv:3: 'eye' is listed twice"),
        ("category,part\ncat,eye\n", "orders.csv: lists no part of 'dog'"),
        ("category\ndog\n", "orders.csv:1: has no column 'part'"),
    ],
)
def test_a_wrong_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(text)
    with pytest.raises(DataError) as error:
        order(f"given:file={file}")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e-x", "unknown ordering 'e-x'"),
        ("random:sead=1", "has no option 'sead'; there are seed"),
        ("random:seed=x", "seed 'x' is no int"),
        ("random:seed=-1", "is not from 0 on"),
        ("e-u:nested=some", "'some' is none of smallest, all"),
        ("mine=random:sead=1", "ordering 'random' has no option"),
        ("given", "needs file: write given:file=..."),
    ],
)
def test_a_wrong_name_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read("ordering", text)
