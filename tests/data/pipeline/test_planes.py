import cv2
import numpy as np
import pytest

from sightline.data.pipeline.planes import planes_of
from sightline.errors import DataError
from sightline.types import Boxes, Masks, Pixels

SIZES = np.array([[4, 3], [5, 2], [0, 0]])


def test_boxes_are_filled_by_item():
    corners = np.array([[0, 0, 1, 1], [2, 1, 9, 9], [0.4, 0.6, 2.6, 2]])
    plane = planes_of(Boxes(corners, np.array([0, 2, 3, 3])), SIZES)
    assert plane(0).tolist() == [[1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert plane(1).tolist() == [[0, 0, 0, 0, 0], [1, 1, 1, 0, 0]]
    assert plane(1).dtype == np.uint8


def test_boxes_need_a_size():
    plane = planes_of(Boxes(np.zeros((0, 4)), np.zeros(4, np.int64)), SIZES)
    with pytest.raises(DataError, match="size of item 2 is not known"):
        plane(2)


def test_masks_are_read_when_asked_for(tmp_path):
    trimap = np.array([[255, 128], [0, 255]], np.uint8)
    cv2.imwrite(str(tmp_path / "a.png"), trimap)
    codes = np.array([[0, 255], [1, 0]], np.uint8)
    masks = Masks(
        objects=((tmp_path / "a.png",), (tmp_path / "absent.png",), (Pixels(codes),)),
        ignored=((), (), ()),
        ignore_value=128,
    )
    plane = planes_of(masks, np.array([[4, 2], [2, 2], [0, 0]]))
    assert plane(0).tolist() == [[1, 1, 255, 255], [0, 0, 1, 1]]
    assert plane(2).tolist() == codes.tolist()
    with pytest.raises(DataError, match=r"absent\.png"):
        plane(1)
