"""Overlays show what they are given where it is."""

from pathlib import Path

import cv2
import numpy as np

from sightline.drawing.overlay import FOUND, TRUE, labelled, overlay, save, sheet

IMAGE = np.full((60, 80, 3), 100, np.uint8)


def test_a_found_box_is_drawn_on_its_last_pixels() -> None:
    picture = overlay(IMAGE, np.zeros((5, 5)), found=[(10, 20, 50, 40)])
    for x, y in ((10, 20), (49, 20), (10, 39), (49, 39)):
        assert tuple(picture[y, x]) == FOUND
    assert tuple(picture[40, 30]) != FOUND


def test_a_true_box_is_dashed() -> None:
    picture = overlay(IMAGE, np.zeros((5, 5)), true=[(10, 20, 50, 40)])
    top = (picture[20, 10:50] == TRUE).all(axis=1)
    assert top[0]
    assert not top.all()


def test_the_map_is_brightest_at_its_peak() -> None:
    score_map = np.zeros((60, 80))
    score_map[40:, 60:] = 1
    picture = overlay(IMAGE, score_map).astype(int).sum(axis=2)
    assert picture[55, 75] > picture[5, 5]


def test_the_image_itself_is_left_alone() -> None:
    before = IMAGE.copy()
    overlay(IMAGE, np.ones((3, 3)), true=[(0, 0, 80, 60)], found=[(0, 0, 80, 60)])
    assert (before == IMAGE).all()


def test_a_sheet_holds_all_tiles_and_saves_in_true_colors(tmp_path: Path) -> None:
    red = np.zeros((20, 30, 3), np.uint8)
    red[..., 0] = 255
    whole = sheet([labelled(red, "red")] * 5, columns=3)
    assert whole.shape == (4 + 2 * (38 + 4), 4 + 3 * (30 + 4), 3)
    save(whole, str(tmp_path / "sheet.png"))
    read = cv2.imread(str(tmp_path / "sheet.png"))
    assert read is not None
    assert tuple(read[10, 10]) == (0, 0, 255)
