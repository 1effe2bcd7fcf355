"""CUB-200-2011 as released, with CUB-V2 beside it."""

import shutil
from pathlib import Path

import pytest

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_source
from sightline.data.truth import read_annotations, read_truth
from sightline.errors import DataError, UsageError

from .conftest import picture

ALBATROSS, WREN = "001.Black_footed_Albatross/a_1.jpg", "200.Common_Yellowthroat/w_2.jpg"
LISTS = {
    "images.txt": f"1 {ALBATROSS}\n2 {WREN}\n3 001.Black_footed_Albatross/a_3.jpg\n",
    "train_test_split.txt": "1 0\n2 0\n3 1\n",
    "image_class_labels.txt": "1 1\n2 200\n3 1\n",
    "bounding_boxes.txt": "1 6.0 7.0 20.0 10.0\n2 0.0 0.0 40.0 30.0\n3 1.0 1.0 5.0 5.0\n",
    "classes.txt": "1 001.Black_footed_Albatross\n200 200.Common_Yellowthroat\n",
    "parts/parts.txt": "1 back\n7 left eye\n",
    "parts/part_locs.txt": "1 1 12.0 9.0 1\n1 7 0.0 0.0 0\n2 7 3.0 4.0 1\n",
}


@pytest.fixture
def birds(write) -> Path:
    root = write(LISTS, "CUB_200_2011")
    for number, line in enumerate(LISTS["images.txt"].splitlines()):
        picture(root / "images" / line.split()[1], seed=number)
    return root


def test_the_test_split(birds: Path) -> None:
    truth = read_truth(birds, split="test")
    assert truth.split.dataset == "cub"
    assert truth.split.ids == (ALBATROSS, WREN)
    assert truth.split.labels.tolist() == [0, 199]
    assert truth.split.sizes.tolist() == [[40, 30], [40, 30]]
    names = [truth.split.classes[label] for label in truth.split.labels]
    assert names == ["Black_footed_Albatross", "Common_Yellowthroat"]
    boxes = truth.boxes("study", Ledger())
    assert boxes.corners.tolist() == [[6, 7, 26, 17], [0, 0, 40, 30]]


def test_the_training_split_under_both_names(birds: Path) -> None:
    for name in ("train", "train-weaksup"):
        data = read_dataset(f"cub:{birds.parent}", split=name)  # the archive has an outer folder
        assert data.split.name == "train"
        assert data.split.ids == ("001.Black_footed_Albatross/a_3.jpg",)
        assert data.pictures == (birds / "images" / data.split.ids[0],)


def test_marked_points(birds: Path) -> None:
    first, second = read_truth(birds, split="test").parts("study", Ledger())
    assert [part.name for part in first] == ["back", "left eye"]
    assert first[1].source is None  # not to be seen
    assert [part.name for part in second] == ["left eye"]
    assert first[0].source is not None
    mask = read_source(first[0].source)
    assert mask.shape == (30, 40)
    assert mask.sum() == 25
    assert mask[7:12, 10:15].all()


def test_a_split_must_be_named(birds: Path) -> None:
    with pytest.raises(UsageError, match="it holds train, val, test: pass one"):
        read_truth(birds)
    with pytest.raises(UsageError, match="no split 'dev' here; it holds train, val, test"):
        read_truth(birds, split="dev")


def test_cub_v2_by_its_lists(birds: Path) -> None:
    picture(birds / "CUBV2/001.Black_footed_Albatross/30107316117.jpg")
    lists = birds / "metadata/CUB/val"
    lists.mkdir(parents=True)
    name = "001.Black_footed_Albatross/30107316117.jpg"
    for kind, cells in {
        "image_ids": "",
        "class_labels": ",0",
        "image_sizes": ",40,30",
        "localization": ",1,2,30,20",
    }.items():
        (lists / f"{kind}.txt").write_text(name + cells)
    for split in ("val", "train-fullsup"):
        data = read_dataset(f"cub:{birds}", split=split)
        assert data.split.ids == (name,)
        assert data.pictures == (birds / "CUBV2" / name,)
        assert data.truth.boxes("study", Ledger()).corners.tolist() == [[1, 2, 30, 20]]


def test_cub_v2_that_is_not_there(birds: Path) -> None:
    problems = [str(problem) for problem in read_annotations(birds, split="val").problems]
    assert any("photographs of CUB-V2 are not there; get https" in text for text in problems)
    assert any("boxes of CUB-V2 are not there" in text for text in problems)


@pytest.mark.parametrize("name", ["train_test_split.txt", "image_class_labels.txt", "images"])
def test_what_is_missing_is_named_with_how_to_get_it(birds: Path, name: str) -> None:
    place = birds / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    (problem, *_) = read_annotations(f"cub:{birds}", split="test").problems
    assert problem.file == str(place if name != "images" else birds)
    assert "https://data.caltech.edu" in problem.remedy
    assert "97eceeb196236b17998738112f37df78" in problem.remedy


def test_an_empty_folder_says_how_to_get_everything(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"CUB-200-2011 is not there; get https://data.caltech"
    ) as error:
        read_truth(f"cub:{tmp_path}", split="test")
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bounding_boxes.txt", "1 6 7 x 10\n2 0 0 9 9", "bounding_boxes.txt:1"),
        ("bounding_boxes.txt", "1 6 7 10\n2 0 0 9 9", "4 words where 5 are needed"),
        ("bounding_boxes.txt", "2 0 0 9 9", "image has no ground truth"),
        ("image_class_labels.txt", "1 one\n2 3", "image_class_labels.txt:1"),
        ("image_class_labels.txt", "1 201\n2 3", "label 200 is out of range"),
        ("images.txt", f"1 {ALBATROSS}\n2 {ALBATROSS}", "listed twice"),
    ],
)
def test_a_wrong_line_is_named(birds: Path, name: str, text: str, words: str) -> None:
    (birds / name).write_text(text)
    problems = read_annotations(birds, split="test").problems
    assert any(words in str(problem) for problem in problems), list(map(str, problems))
