"""Selection by hand: epochs, configurations, and the four cells of Tables S4 and S5."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.errors import UsageError
from sightline.protocol import criteria, selection
from sightline.protocol.criteria import Criterion, parse, series
from sightline.protocol.epochs import VAL
from sightline.protocol.selection import best_epoch, ceiling, check, cost, select

from .recorded import record

TRUTH50 = Criterion("ground-truth", "50")
PSEUDO50 = Criterion("clip", "50")

# Configuration a: best on validation after epoch 2, at the middle threshold; on the test split the
# best threshold of that epoch is the first. Configuration b is worse on validation, better on test.
A = record(
    "a",
    val=[[20, 30, 10], [40, 60, 20], [10, 20, 30]],
    test=[[20, 30, 10], [50, 45, 20], [10, 90, 30]],
    pseudo={"clip": [[10, 10, 10], [20, 30, 40], [15, 15, 15]]},
    top1=[10, 20, 90],
    test_top1=[10, 20, 80],
)
B = record(
    "b",
    val=[[10, 10, 10], [20, 20, 55], [10, 10, 10]],
    test=[[10, 10, 10], [30, 70, 48], [10, 10, 10]],
    pseudo={"clip": [[50, 10, 10], [20, 20, 20], [10, 10, 10]]},
    top1=[70, 20, 30],
    test_top1=[85, 20, 30],
)


@pytest.mark.parametrize(
    ("criterion", "epoch"),
    [
        (Criterion("class-accuracy"), 3),
        (TRUTH50, 2),
        (Criterion("ground-truth", "v2"), 2),
        (Criterion("ground-truth", "iou"), 2),
        (PSEUDO50, 2),
    ],
)
def test_the_epoch_is_the_best_one_by_the_criterion(criterion, epoch):
    assert A.epochs[best_epoch(A, criterion)] == epoch


def test_the_first_of_equal_epochs_is_chosen():
    tied = record(val=[[30, 30], [50, 20], [20, 50]])
    assert tied.epochs[best_epoch(tied, TRUTH50)] == 2


def test_the_value_of_v2_is_the_mean_of_each_levels_own_best():
    assert series(A, Criterion("ground-truth", "v2")) == pytest.approx([30, 60, 30])
    assert series(A, Criterion("ground-truth", "30")) == pytest.approx([40, 70, 40])
    assert series(A, Criterion("ground-truth", "iou")) == pytest.approx([15, 30, 15])


@pytest.mark.parametrize(
    ("cell", "configuration", "at50"),
    [
        ("BT-TT", "b", 70),  # the best of a's epoch 2 is 50
        ("BT-VT", "b", 48),  # at the thresholds of validation a has 45, with .5, and b 48, with .8
        ("BV-TT", "a", 50),
        ("BV-VT", "a", 45),
    ],
)
def test_the_four_cells_of_the_ground_truth(cell, configuration, at50):
    found = select([A, B], TRUTH50).cells[cell]
    assert found.pick.place == configuration
    assert found.pick.epoch == 2
    assert found.values["50"] == at50
    assert found.values["v2"] == pytest.approx(at50)
    assert found.values["30"] == at50 + 10


def test_a_pseudo_source_takes_its_own_thresholds_along():
    found = select([A, B], PSEUDO50)
    assert [pick.epoch for pick in found.epochs] == [2, 1]
    assert found.validation.place == "b"  # 50 against 40
    assert found.cells["BV-VT"].values["50"] == 10
    assert found.cells["BT-VT"].pick.place == "a"  # its threshold .8 gives 20 on the test split
    assert found.cells["BT-VT"].values["50"] == 20
    assert found.cells["BT-TT"].values["50"] == 50


def test_class_accuracy_has_no_threshold_and_bt_means_test_class_accuracy():
    found = select([A, B], Criterion("class-accuracy"))
    assert set(found.cells) == {"BT-TT", "BV-TT"}
    assert found.cells["BV-TT"].pick.place == "a"  # 90 against 70
    assert found.cells["BV-TT"].values["50"] == 90
    assert found.cells["BT-TT"].pick.place == "b"  # 85 against 80
    assert found.cells["BT-TT"].values["50"] == 10


def test_without_a_test_split_there_are_picks_but_no_cells():
    bare = record(val=[[20], [30]])
    found = select([bare], TRUTH50)
    assert found.cells == {}
    assert found.validation.epoch == 2


def test_raw_iou_at_its_own_threshold():
    cells = select([A], TRUTH50).cells
    assert cells["BV-TT"].values["iou"] == 25  # half of 50
    assert cells["BV-VT"].values["iou"] == 22.5  # validation's best threshold gives 45


def test_weight_norm_and_box_area_need_no_labels():
    made = record(
        val=[[1]] * 6,
        test=[[1], [2], [3], [4], [5], [6]],
        series={"weight-norm": [5, 4, 3, 2, 9, 9], f"{VAL}/box-area": [10, 50, 20, 21, 20, 60]},
    )
    assert best_epoch(made, Criterion("weight-norm")) == 3
    area = Criterion("box-area-variance")
    assert best_epoch(made, area, window=3) == 4  # 20, 21, 20
    assert best_epoch(made, area, window=2) == 3  # 20, 21 comes before 21, 20
    assert np.isnan(series(made, area, window=3)[:2]).all()
    assert set(select([made], area, window=3).cells) == {"BV-TT"}
    with pytest.raises(UsageError, match="no epoch can be chosen"):
        best_epoch(made, area, window=7)


def test_masks_have_one_number_and_no_threshold():
    masks = [
        replace(
            record(name, val=[[0]] * 2),
            accuracy={},
            overlap={},
            precision={
                (VAL, "ground-truth"): np.array(val),
                ("test", "ground-truth"): np.array(test),
            },
        )
        for name, val, test in (("a", [30.0, 60.0], [20.0, 40.0]), ("b", [50.0, 20.0], [45.0, 5.0]))
    ]
    found = select(masks, parse("ground-truth", masks=True))
    assert {name: cell.values for name, cell in found.cells.items()} == {
        "BT-TT": {"pxap": 45.0},
        "BV-TT": {"pxap": 40.0},
    }


def test_the_ceiling_is_the_best_of_everything():
    assert ceiling([A, B], "50") == 90


def test_the_cost_of_a_criterion_and_its_interval():
    values, worth = np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])
    found = cost((values, worth), (worth, worth))
    assert found.difference == -10  # 20 against 30
    assert found.low == -10
    assert found.high == 0
    same = cost((worth, worth), (worth, worth))
    assert (same.difference, same.low, same.high) == (0, 0, 0)


def test_what_cannot_stand_in_one_table_is_refused():
    with pytest.raises(UsageError, match="its test split was not recorded"):
        check([A, record("bare", val=[[1, 1, 1]])])
    with pytest.raises(UsageError, match="different IoU levels or thresholds"):
        check([A, record("other", val=[[1]], test=[[1]])])


@pytest.mark.parametrize("text", ["rpn", "weight-norm", "box-area-variance", "ground-truth:pxap"])
def test_a_criterion_that_was_not_recorded_is_named_with_those_that_were(text):
    with pytest.raises(UsageError, match="was not recorded; there are ground-truth, clip, class-"):
        select([A], parse(text))


@pytest.mark.parametrize("text", ["clip:90", "class-accuracy:50", ":50"])
def test_criteria_that_mean_nothing_are_refused(text):
    with pytest.raises(UsageError, match="criterion"):
        parse(text)


def test_names_are_complete():
    assert parse("clip").name == "clip:v2"
    assert parse("clip", masks=True).name == "clip:pxap"
    assert parse("clip:iou").name == "clip:iou"
    assert parse("class-accuracy").name == "class-accuracy"
    assert criteria.METRICS[:3] == ("30", "50", "70")


def test_how_many_epochs_later_a_criterion_stops():
    assert selection.epoch_differences([A, B], PSEUDO50, TRUTH50).tolist() == [0, -1]
