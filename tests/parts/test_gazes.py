"""Fixations by name, and by what images show."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.io import savemat

from sightline.errors import DataError
from sightline.parts.annotated import read_annotated
from sightline.parts.gazes import match, read_gazes

from .parts_data import write


@pytest.fixture
def objects(tmp_path: Path):
    file = write(tmp_path / "data", {"dog-1": ("torso",), "cat-1": ("torso",)})
    return read_annotated(str(file)).objects


def test_a_table_names_images_with_or_without_suffix(objects, tmp_path: Path) -> None:
    file = tmp_path / "looked.csv"
    file.write_text("image,subject,order,x,y\ndog-1,a,0,3,4\ncat-1.png,a,0,5,6\nfox,a,0,1,1\n")
    gazes = read_gazes(str(file), objects, tmp_path)
    assert gazes.by_image["dog-1.png"][0].x == 3
    assert gazes.by_image["cat-1.png"][0].y == 6
    assert gazes.unmatched == ("fox",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dog-1,a,first,3,4", "looked.csv:2: order are no whole numbers"),
        ("dog-1,a,0,3,nan", "looked.csv:2: x, y are no numbers"),
        ("fox,a,0,3,4", "names no image of this data set"),
    ],
)
def test_a_wrong_table_is_refused(objects, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "looked.csv"
    file.write_text(f"image,subject,order,x,y\n{line}\n")
    with pytest.raises(DataError, match=re.escape(message)):
        read_gazes(str(file), objects, tmp_path)


def test_pascal_s_is_matched_by_content_and_scaled(objects, tmp_path: Path) -> None:
    """Number 1 is the cat at twice the size and compressed, number 2 is nobody."""
    pictures = tmp_path / "salobj/datasets/imgs/pascal"
    pictures.mkdir(parents=True)
    cat = next(one for one in objects if one.kind == "cat")
    large = cv2.resize(cv2.imread(str(cat.picture)), None, fx=2, fy=2)
    cv2.imwrite(str(pictures / "1.jpg"), large, [cv2.IMWRITE_JPEG_QUALITY, 80])
    noise = np.random.default_rng(9).integers(0, 255, (6, 8, 3)).astype(np.uint8)
    cv2.imwrite(str(pictures / "2.jpg"), cv2.resize(noise, (80, 60)))
    cells = np.empty((2, 1), object)
    cells[0, 0] = np.array([[21.0, 41.0, 1.0], [11.0, 31.0, 1.0]])  # y, x, subject from 1
    cells[1, 0] = np.array([[1.0, 1.0, 1.0]])
    (tmp_path / "salobj/datasets/fixations").mkdir()
    savemat(tmp_path / "salobj/datasets/fixations/pascalFix.mat", {"fixCell": cells})
    gazes = read_gazes(f"pascal-s:{tmp_path / 'salobj'}", objects, tmp_path / "out")
    assert set(gazes.by_image) == {"cat-1.png"}
    assert gazes.unmatched == ("2.jpg",)
    first, second = gazes.by_image["cat-1.png"]
    assert (first.x, first.y, second.x, second.y) == (20, 10, 15, 5)
    table = (tmp_path / "out/matches.csv").read_text().splitlines()
    assert table[1].startswith("1.jpg,cat-1.png,")
    assert table[2] == "2.jpg,,,"
    assert {entry.kind for entry in gazes.ledger} == {"fixations"}


def test_real_photographs_match_themselves_recompressed_and_nothing_else(
    shared: Path, tmp_path: Path
) -> None:
    files = sorted((shared / "data/pascal_part").glob("*.jpg"))
    known = {file.stem: file for file in files}
    wanted = {}
    for number, file in enumerate(files[:10]):
        picture = cv2.imread(str(file))
        small = cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
        target = tmp_path / f"{number}.jpg"
        cv2.imwrite(str(target), small, [cv2.IMWRITE_JPEG_QUALITY, 60])
        wanted[str(number)] = target
    half = dict(list(known.items())[5:])
    matches, unmatched = match(wanted, half, tmp_path / "out")
    assert unmatched == [str(n) for n in range(5)]
    assert matches == {str(n): files[n].stem for n in range(5, 10)}
