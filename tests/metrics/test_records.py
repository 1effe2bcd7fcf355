"""Tables of per-image numbers: their order, their merging, what they refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.metrics.records import Columns

NAMES = ("first", "second")


def table(*rows):
    made = Columns(NAMES)
    for image, value in rows:
        made.append(image, (value, -value))
    return made


def test_rows_come_out_in_the_order_of_their_ids():
    made = table(("b", 1), ("a/2", 2), ("a", 3), ("a/10", 4))
    assert made.sorted_ids() == ["a", "a/10", "a/2", "b"]
    assert made.column("first").tolist() == [3, 4, 2, 1]
    assert made.column("second").tolist() == [-3, -4, -2, -1]
    assert made.order().tolist() == [2, 3, 1, 0]


def test_rows_without_an_id_are_numbered_and_come_first():
    made = table((None, 5), ("a", 6), (None, 7))
    assert made.sorted_ids() == [0, 1, "a"]
    assert made.column("first").tolist() == [5, 7, 6]


def test_numbers_are_ordered_as_numbers():
    made = table(*((None, value) for value in range(12)))
    assert made.column("first").tolist() == list(range(12))


def test_append_gives_the_position():
    made = Columns(NAMES)
    assert [made.append(image, (0, 0)) for image in ("b", "a", None)] == [0, 1, 2]


@given(
    st.lists(st.tuples(st.text(max_size=3), st.floats(-9, 9)), unique_by=lambda r: r[0]), st.data()
)
def test_merged_parts_are_the_whole_in_whatever_order(rows, data):
    whole = table(*rows)
    shuffled = data.draw(st.permutations(rows))
    cut = data.draw(st.integers(0, len(rows)))
    left, right = table(*shuffled[:cut]), table(*shuffled[cut:])
    left.extend(right)
    assert left.sorted_ids() == whole.sorted_ids()
    for name in NAMES:
        assert left.column(name).tolist() == whole.column(name).tolist()


def test_unnamed_rows_are_numbered_on_when_tables_are_merged():
    left, right = table((None, 1), ("a", 2)), table((None, 3), ("b", 4), (None, 5))
    left.extend(right)
    left.append(None, (6, -6))
    assert left.sorted_ids() == [0, 1, 2, 3, "a", "b"]
    assert left.column("first").tolist() == [1, 3, 5, 6, 2, 4]


def test_an_image_is_counted_once():
    made = table(("a", 1))
    with pytest.raises(ValueError, match="image 'a' was counted already"):
        made.append("a", (2, 2))
    assert made.column("first").tolist() == [1]


def test_an_image_in_both_parts_is_refused_and_nothing_is_added():
    left, right = table(("a", 1), ("c", 2)), table(("b", 3), ("c", 4), ("a", 5))
    with pytest.raises(ValueError, match="image 'a' was counted in both parts"):
        left.extend(right)
    assert left.sorted_ids() == ["a", "c"]
    assert len(left) == 2


def test_bytes_are_those_of_the_numbers():
    assert table(("a", 1), ("b", 2), ("c", 3)).bytes == 3 * 2 * 8


def test_an_empty_table_has_no_rows():
    empty = Columns(NAMES)
    assert (len(empty), empty.bytes, empty.column("first").tolist()) == (0, 0, [])
    empty.extend(Columns(NAMES))
    assert empty.sorted_ids() == []


def test_a_table_cannot_be_merged_into_itself():
    made = table((None, 1), (None, 2))
    with pytest.raises(ValueError, match="into itself"):
        made.extend(made)
    assert len(made) == 2
