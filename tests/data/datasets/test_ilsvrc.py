"""ILSVRC as released, and ImageNetV2."""

from pathlib import Path

import pytest

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.truth import read_annotations, read_truth
from sightline.errors import DataError

from .conftest import picture, xml

TENCH, SNAKE = "n01440764", "n01751748"  # classes 0 and 65


@pytest.fixture(params=["Data/CLS-LOC", "ILSVRC/Data/CLS-LOC", ""])
def root(request, tmp_path: Path) -> Path:
    """Write the archive's own folders, those of the other archive, or none."""
    data = tmp_path / request.param
    for name in (f"train/{TENCH}/{TENCH}_1.JPEG", f"train/{SNAKE}/{SNAKE}_9.JPEG"):
        picture(data / name)
    for number in (1, 2):
        picture(data / f"val/ILSVRC2012_val_0000000{number}.JPEG")
    picture(data / "val2/0/0.jpeg")
    picture(data / "val2/65/3.jpeg")
    outer = tmp_path / ("ILSVRC" if request.param.startswith("ILSVRC") else "")
    place = outer / "Annotations/CLS-LOC/val"
    xml(place / "ILSVRC2012_val_00000001.xml", (SNAKE, 3, 4, 20, 21))
    xml(place / "ILSVRC2012_val_00000002.xml", (TENCH, 0, 0, 5, 5), (TENCH, 7, 8, 30, 28))
    return tmp_path


def test_the_released_validation_images_are_the_test_split(root: Path) -> None:
    truth = read_truth(f"ilsvrc:{root}", split="test")
    assert truth.split.dataset == "ilsvrc"
    assert truth.split.ids == tuple(f"val/ILSVRC2012_val_0000000{n}.JPEG" for n in (1, 2))
    assert truth.split.labels.tolist() == [65, 0]
    boxes = truth.boxes("final-report", Ledger())
    assert boxes.corners.tolist() == [[3, 4, 20, 21], [0, 0, 5, 5], [7, 8, 30, 28]]
    assert boxes.offsets.tolist() == [0, 1, 3]


def test_training_images_have_classes_alone(root: Path) -> None:
    data = read_dataset(root, split="train")
    assert data.split.ids == (f"train/{TENCH}/{TENCH}_1.JPEG", f"train/{SNAKE}/{SNAKE}_9.JPEG")
    assert data.split.labels.tolist() == [0, 65]
    assert data.split.classes[65] == "sea snake"
    assert not data.truth.has_boxes
    assert all(file.is_file() for file in data.pictures)


def test_the_proxy_set(root: Path) -> None:
    with pytest.raises(DataError, match="no list of a proxy set; draw 10 %"):
        read_dataset(root, split="train-proxy")
    (root / "image_ids_proxy.txt").write_text(f"train/{SNAKE}/{SNAKE}_9.JPEG\n")
    data = read_dataset(root, split="train-proxy")
    assert data.split.name == "train-proxy"
    assert data.split.labels.tolist() == [65]


def test_imagenet_v2(root: Path) -> None:
    found = read_annotations(root, split="val")
    assert found.split.ids == ("val2/0/0.jpeg", "val2/65/3.jpeg")
    assert found.split.labels.tolist() == [0, 65]
    (problem,) = found.problems
    assert "boxes of ImageNetV2 are not there; get https" in str(problem)
    lists = root / "metadata/val"
    lists.mkdir(parents=True)
    for kind, cells in {
        "image_ids": "",
        "class_labels": ",65",
        "image_sizes": ",40,30",
        "localization": ",1,2,30,20",
    }.items():
        (lists / f"{kind}.txt").write_text(f"val2/65/3.jpeg{cells}")
    assert read_truth(f"ilsvrc:{root}", split="train-fullsup").split.labels.tolist() == [65]


def test_validation_images_in_folders_of_their_classes(tmp_path: Path) -> None:
    picture(tmp_path / f"train/{TENCH}/a.JPEG")
    picture(tmp_path / f"val/{TENCH}/ILSVRC2012_val_00000007.JPEG")
    xml(tmp_path / "Annotations/CLS-LOC/val/ILSVRC2012_val_00000007.xml", (TENCH, 1, 2, 3, 4))
    data = read_dataset(tmp_path, split="test")
    assert data.split.ids == (f"val/{TENCH}/ILSVRC2012_val_00000007.JPEG",)
    assert data.split.labels.tolist() == [0]


def test_what_is_missing_is_named_with_how_to_get_it(tmp_path: Path) -> None:
    picture(tmp_path / "val/ILSVRC2012_val_00000001.JPEG")
    problems = read_annotations(tmp_path, split="test").problems
    assert any("ILSVRC2012_bbox_val_v3.tgz" in problem.remedy for problem in problems)
    problems = read_annotations(tmp_path, split="train").problems
    assert [problem.remedy.count("1d675b47d978889d74fa0da5fadfb00e") for problem in problems] == [1]


def test_a_photograph_that_is_missing_is_named(root: Path) -> None:
    next(root.rglob("ILSVRC2012_val_00000001.JPEG")).unlink()
    with pytest.raises(DataError, match="image file is missing; restore it"):
        read_dataset(root, split="test")


def test_unusable_annotations_are_named(root: Path) -> None:
    place = next(root.rglob("ILSVRC2012_val_00000002.xml"))
    xml(place, (TENCH, 0, 0, 5, 5), (SNAKE, 7, 8, 30, 28))
    (problem,) = read_annotations(root, split="test").problems
    assert "objects of 2 of the 1,000 classes where one is needed" in str(problem)
    place.unlink()
    (problem,) = read_annotations(root, split="test").problems
    assert "val/ILSVRC2012_val_00000002.JPEG" in str(problem)
    assert "no boxes of the image" in problem.what
    next(root.rglob(f"train/{TENCH}")).rename(next(root.rglob("train")) / "n00000000")
    (problem,) = read_annotations(root, split="train").problems
    assert "'n00000000' is none of the 1,000 classes" in problem.what
