"""Draws depend on the seed and the names alone."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.build.sampling import draw, portion, shuffled

STEADY = settings(derandomize=True, deadline=None, database=None, max_examples=40)
NAMES = st.lists(st.text(max_size=4), unique=True, max_size=12)


@STEADY
@given(NAMES, st.integers(0, 9), st.randoms())
def test_the_order_of_names_does_not_matter(names, seed, random):
    other = list(names)
    random.shuffle(other)
    assert shuffled(names, seed) == shuffled(other, seed)
    assert sorted(shuffled(names, seed)) == sorted(names)


@STEADY
@given(NAMES, st.integers(0, 12), st.integers(0, 9))
def test_a_larger_draw_holds_a_smaller_one(names, count, seed):
    assert set(draw(names, count, seed)) <= set(draw(names, count + 1, seed))
    assert len(draw(names, count, seed)) == min(count, len(names))


@STEADY
@given(NAMES, st.text(max_size=4), st.integers(0, 9))
def test_a_name_more_changes_nothing_for_the_others(names, more, seed):
    kept = [name for name in shuffled([*names, more], seed) if name != more]
    assert kept == [name for name in shuffled(names, seed) if name != more]


def test_all_names_are_drawn_alike():
    names = [f"{i}.jpg" for i in range(10)]
    times = {name: sum(name in draw(names, 3, seed) for seed in range(2000)) for name in names}
    assert all(abs(count - 600) < 100 for count in times.values())  # five standard deviations


def test_a_portion_is_the_nearest_count_and_one_at_least():
    assert [portion(0.1, total) for total in (0, 1, 14, 15, 16, 1300)] == [0, 1, 1, 2, 2, 130]
    assert portion(1, 7) == 7
