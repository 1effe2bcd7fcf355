"""Maps over images for a notebook."""

import base64
import re

import cv2
import numpy as np
import pytest

import sightline as sl
from sightline.drawing.overlay import TRUE
from sightline.errors import DataError, UsageError

IMAGES = [np.full((40, 60, 3), 90, np.uint8), np.full((30, 30, 3), 90, np.uint8)]
MAPS = [np.zeros((20, 30)), np.eye(10)]


def test_tiles_show_themselves_and_are_saved(tmp_path):
    MAPS[0][5:15, 5:15] = 1
    made = sl.gallery(IMAGES, MAPS, [[(5, 5, 15, 15)], [(1, 1, 9, 9)]], threshold=0.5, labels="ab")
    shown = re.findall(r"base64,([^']+)'", made._repr_html_())
    assert len(shown) == 2
    tile = cv2.imdecode(np.frombuffer(base64.b64decode(shown[0]), np.uint8), cv2.IMREAD_COLOR)
    assert tile.shape[1] == 192
    assert (made.tiles[0] == TRUE).all(axis=2).any()  # the dashed box is there
    assert cv2.imread(str(made.save(tmp_path / "g.png"))) is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"maps": MAPS[:1]}, "1 maps were given for 2 images"),
        ({"boxes": [[(1, 1, 2, 2)]]}, "1 boxes were given"),
        ({"images": [IMAGES[0], np.zeros((5, 5))]}, "give uint8 of height x width x 3"),
        ({"columns": 0}, "columns"),
    ],
)
def test_what_does_not_fit_is_said(change, said):
    with pytest.raises(UsageError, match=said):
        sl.gallery(**({"images": IMAGES, "maps": MAPS} | change))


def test_a_map_that_cannot_be_scored_is_not_drawn():
    with pytest.raises(DataError, match="image 1"):
        sl.gallery(IMAGES, [MAPS[0], MAPS[1] * np.nan])


def test_accumulators_show_their_curve():
    boxes = sl.BoxAccumulator("reference-v2")
    assert "0 images" in boxes._repr_html_()
    boxes.update(MAPS[0], [(5, 5, 15, 15)])
    assert boxes._repr_html_().count("<polyline") == 3
    masks = sl.MaskAccumulator()
    assert "no image" in masks._repr_html_()
    masks.update(MAPS[0], (MAPS[0] > 0).astype(np.uint8))
    assert "recall" in masks._repr_html_()


def test_a_row_shows_number_protocol_seed_and_labels_first():
    row = sl.evaluate([MAPS[0]] * 3, [[(5, 5, 15, 15)]] * 3, protocol="reference-v2")
    head = row._repr_html_().partition("<details>")[0]
    for text in ("MaxBoxAccV2", "95 % interval", "seed 0", "reference-v2", "labels consumed"):
        assert text in head
