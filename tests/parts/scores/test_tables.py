"""Tables of classifiers, against numbers worked out by hand."""

import numpy as np
import pytest

from sightline.errors import UsageError
from sightline.parts.scores import averages, hardness, layouts, rankings, reporting

from .made import scores

PEOPLE = [0.1, 0.2, 0.9]


def grid(value):
    """Give two categories x two schemes x three images."""
    return [
        {"category": c, "part_scheme": p, "image": f"{c}{i}", "cds": value(c, p, i)}
        for c in ("cat", "dog")
        for p in ("e-u", "e-us", "random")
        for i in range(3)
    ]


def test_medians_over_images_then_means():
    def value(category, scheme, image):
        return {"random": 1.0, "e-u": PEOPLE[image], "e-us": 0.5}[scheme] * (category == "dog")

    lines = grid(value)
    (cell,), _ = averages.contents(scores(lines), "cds", times=0)
    assert cell.value == pytest.approx((0.2 + 0.5) / 2 / 2)  # the random order is left out
    (cell,), _ = averages.contents(scores(lines, average="mean"), "cds", times=0)
    assert cell.value == pytest.approx((0.4 + 0.5) / 2 / 2)
    (cell,), _ = averages.contents(scores(lines, average="pooled-median"), "cds", times=0)
    assert cell.value == pytest.approx(0.5 / 2)


def test_the_median_of_an_even_number_is_the_mean_of_the_middle_two():
    made = scores([{"image": str(i), "cds": v} for i, v in enumerate([0.1, 0.2, 0.4, 0.9])])
    (cell,), _ = averages.contents(made, "cds", times=0)
    assert cell.value == pytest.approx(0.3)


def test_gains_are_parts_of_the_old_value():
    # as printed for GoogLeNet: 23.20 %, not 30.20 %
    assert averages.improvement(0.4544, 0.3490) == pytest.approx(23.20, abs=0.005)
    assert averages.improvement(0.4136, 0.4147) == pytest.approx(-0.27, abs=0.005)
    lines = [
        {"content": content, "cds": value}
        for content, value in (
            ("intra-object", 0.5),
            ("neighborhood", 0.4),
            ("low-detail", 0.4),
            ("higher-detail", 0.5),
        )
    ]
    _, changes = averages.contents(scores(lines), "cds", times=0)
    assert [(one.content, round(one.percent, 6)) for one in changes] == [
        ("neighborhood", 20),
        ("higher-detail", -25),
    ]


def test_intervals_hold_the_value_and_shrink_with_images():
    rng = np.random.default_rng(0)

    def width(images):
        lines = [{"image": str(i), "cds": float(rng.random())} for i in range(images)]
        (cell,), _ = averages.contents(scores(lines), "cds", times=200)
        assert cell.low <= cell.value <= cell.high
        return cell.high - cell.low

    assert width(400) < width(20) / 2


def test_part_schemes_keep_the_random_one():
    table = averages.part_schemes(
        scores(grid(lambda c, p, i: 0.2 if p == "random" else 0.4)), "cds"
    )
    assert table["a"].to_dict() == pytest.approx({"e-u": 0.4, "e-us": 0.4, "random": 0.2})


def test_best_and_worst_count_combinations_and_break_ties_by_the_mean():
    values = {("a", "e-u"): 0.1, ("b", "e-u"): 0.2, ("a", "e-us"): 0.9, ("b", "e-us"): 0.3}
    lines = [{"classifier": c, "part_scheme": p, "cds": value} for (c, p), value in values.items()]
    lowest, highest = rankings.extremes(scores(lines), "cds")
    assert (lowest.classifier, lowest.wins, lowest.of, lowest.tied) == ("b", 1, 2, ("a",))
    assert (highest.classifier, highest.tied) == ("a", ("b",))
    same = [line | {"cds": 0.5} for line in lines]
    lowest, _ = rankings.extremes(scores(same), "cds")
    assert lowest.wins == 2  # both win everything
    assert lowest.tied == ("b",)


def test_errors_are_those_of_the_last_image():
    lines = [
        {"image": "x", "hits": "10"},
        {"image": "y", "hits": "01"},
        {"image": "z", "hits": "11"},
    ]
    assert rankings.errors(scores(lines)).loc["a", "dog"] == pytest.approx(1 / 3)


def test_with_four_contents_the_p_value_is_what_was_printed():
    x = np.array([0.1, 0.2, 0.35, 0.4])
    y = np.array([0.3, 0.1, 0.5, 0.2])
    pearson, p, _, _ = rankings.correlated(x, y)
    assert p == pytest.approx(1 - abs(pearson))  # .0227 -> .98, -.33204 -> .6680
    assert np.isnan(rankings.correlated(x, np.ones(4))).all()
    lines = [
        {"content": c, "cds": v, "error": 1 - v, "hits": "01"}
        for c, v in zip(("a", "b", "c", "d"), (0.1, 0.2, 0.3, 0.5), strict=True)
    ]
    everything, complete = rankings.correlations(scores(lines), "cds")
    assert everything.pearson == pytest.approx(-1)
    assert np.isnan(complete.pearson)  # a complete image is the same in all contents


def test_hardness_is_a_median_and_the_gallery_shows_both_ends():
    lines = [
        {"image": f"i{i:02d}", "classifier": c, "cds": i / 20 + (0.1 if c == "b" else 0)}
        for i in range(20)
        for c in ("a", "b")
    ]
    table = hardness.hardness(scores(lines).frame, "content")
    assert table.loc[("dog", "i04"), "intra-object"] == pytest.approx(0.25)
    (row,) = hardness.gallery(table)
    names = [f"i{i:02d}" for i in (0, 1, 2, 8, 9, 10, 11, 17, 18, 19)]
    assert list(row.images) == names
    by_classifier = hardness.hardness(scores(lines).frame, "classifier")
    assert [row.name for row in hardness.gallery(by_classifier)] == ["a", "b"]


def test_captchas_come_before_the_least_hardness():
    lines = [
        {"image": "hard", "steps": 10, "cds": 0.95, "classifier": "a"},
        {"image": "hard", "steps": 10, "cds": 0.80, "classifier": "b"},
        {"image": "easy", "steps": 10, "cds": 0.20, "classifier": "a"},
    ]
    (only,) = hardness.captchas(scores(lines).frame)
    assert (only.image, only.first, only.last) == ("hard", 2, 7)  # 1 < i < 8
    assert only.threshold == pytest.approx(0.8)


def test_every_layout_is_made_with_its_numbers():
    alone = grid(lambda c, p, i: 0.1 * i)
    made = scores([*alone, *(line | {"classifier": "b"} for line in alone)])
    with pytest.raises(UsageError, match="one classifier alone"):
        layouts.extremes(scores(alone), "cds")
    for name, layout in layouts.LAYOUTS.items():
        table = layout(made)
        assert table.name == name
        assert table.lines
        assert table.numbers
        assert len({tuple(line) for line in table.lines}) == 1, name  # the same columns


def test_layouts_belong_to_published_tables():
    from sightline import published

    known = set(published.tables()["name"])
    assert set(reporting.PUBLISHED) <= known
    assert {name for name in known if name.startswith("002")} == set(reporting.PUBLISHED)
    assert all(reporting.knows(name) for name in reporting.PUBLISHED)


def test_the_print_stands_beside_its_cell():
    contents = ("intra-object", "neighborhood", "low-detail", "higher-detail")
    lines = [{"classifier": "googlenet", "content": c, "cds": 0.4} for c in contents]
    made = reporting.beside_print(layouts.contents(scores(lines), "cds", times=0), "002-T2")
    printed = {(line["metric"], line["content"]): line["printed"] for line in made.numbers}
    assert printed["cds", "neighborhood"] == "0.4319"
    assert printed["improvement", "higher-detail"] == "30.20 %"
    assert any("should be 23.20" in note for note in made.notes)


def test_rows_without_scores(tmp_path):
    assert reporting.make([], [tmp_path]) == ([], [])
    with pytest.raises(UsageError, match="the rows hold no part scores"):
        reporting.make(["002-T2"], [tmp_path])


@pytest.mark.parametrize(("images", "said"), [(1, True), (9, True), (10, False)])
def test_an_interval_of_few_images_is_said_to_be_too_narrow(images, said):
    lines = [{"image": str(i), "cds": 0.1 * (i % 4)} for i in range(images)]
    made = layouts.contents(scores(lines), "cds", times=10)
    assert any(note.startswith("TOO NARROW") for note in made.notes) == said
