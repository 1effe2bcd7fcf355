"""COCO and VOC as they are unpacked, and what makes a folder none of the known ones."""

import json
from pathlib import Path

import pytest

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.truth import read_annotations, read_truth
from sightline.errors import UsageError

from .conftest import picture, xml


def coco(file: Path, *images: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    listed = [
        {"id": i, "file_name": name, "width": 40, "height": 30} for i, name in enumerate(images)
    ]
    things = [
        {"id": i, "image_id": i, "category_id": 7, "bbox": [1, 2, 10, 11]}
        for i in range(len(images))
    ]
    categories = [{"id": 7, "name": "owl"}]
    content = {"images": listed, "annotations": things, "categories": categories}
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("folder", ["annotations/instances_{}2017.json", "{}2017.json"])
@pytest.mark.parametrize("images", ["{}2017", "images/{}2017", "images"])
def test_coco_as_unpacked(tmp_path: Path, folder: str, images: str) -> None:
    for split in ("train", "val"):
        coco(tmp_path / folder.format(split), f"{split}.jpg")
        (tmp_path / f"annotations/captions_{split}2017.json").parent.mkdir(exist_ok=True)
        (tmp_path / f"annotations/captions_{split}2017.json").write_text("{}")
        picture(tmp_path / images.format(split) / f"{split}.jpg")
    data = read_dataset(tmp_path, split="train-fullsup")
    assert (data.split.name, data.split.ids) == ("val", ("val.jpg",))
    assert data.pictures == (tmp_path / images.format("val") / "val.jpg",)
    assert data.truth.boxes("study", Ledger()).corners.tolist() == [[1, 2, 11, 13]]
    with pytest.raises(UsageError, match="it holds train, val: pass one of them"):
        read_truth(tmp_path)
    with pytest.raises(UsageError, match="no split 'test' here; it holds train, val"):
        read_truth(tmp_path, split="test")


@pytest.mark.parametrize("lists_of_the_whole", [False, True])
def test_the_whole_is_not_taken_for_a_split_that_is_missing(
    tmp_path: Path, lists_of_the_whole: bool
) -> None:
    for place in ("train/cat", "val/cat", "masks/cat"):
        picture(tmp_path / place / "a.png")
    if lists_of_the_whole:
        (tmp_path / "image_ids.txt").write_text("train/cat/a.png\n")
        (tmp_path / "class_labels.txt").write_text("train/cat/a.png,0\n")
    with pytest.raises(UsageError, match="no split 'test' here; it holds train, val"):
        read_dataset(tmp_path, split="test", images=tmp_path)
    coco(tmp_path / "annotations/instances_test.json", "a.png")
    if not lists_of_the_whole:  # what a format itself calls a split is one, folder or not
        data = read_dataset(tmp_path, split="test", images=tmp_path / "train/cat")
        assert data.split.ids == ("a.png",)


def test_one_coco_file_may_be_any_split(tmp_path: Path) -> None:
    coco(tmp_path / "owls.json", "a.jpg")
    picture(tmp_path / "a.jpg")
    for name in ("test", "mine", ""):
        data = read_dataset(tmp_path / "owls.json", split=name)
        assert data.split.name == (name or "unknown")
        assert data.pictures == (tmp_path / "a.jpg",)


def test_voc_as_unpacked(tmp_path: Path) -> None:
    for name in ("2007_000001", "2007_000002", "2007_000003"):
        xml(tmp_path / f"Annotations/{name}.xml", ("cat", 1, 2, 20, 21), ("dog", 3, 4, 9, 9))
        picture(tmp_path / f"JPEGImages/{name}.jpg")
    xml(tmp_path / "Annotations/2007_000001.xml", ("ant", 1, 2, 20, 21))
    lists = tmp_path / "ImageSets/Main"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("2007_000001\n")
    (lists / "val.txt").write_text("2007_000002\n2007_000009\n2007_000002\n")
    train = read_dataset(tmp_path, split="train")
    assert train.split.ids == ("2007_000001",)
    assert train.split.classes == ("ant", "cat", "dog")  # of the whole folder
    assert train.pictures == (tmp_path / "JPEGImages/2007_000001.jpg",)
    found = read_annotations(tmp_path, split="val")
    assert found.split.ids == ("2007_000002/1", "2007_000002/2")
    complaints = {problem.image: problem.what for problem in found.problems}
    assert complaints == {
        "2007_000002": "image is listed twice",
        "2007_000009": "annotation is missing",
    }
    with pytest.raises(UsageError, match="it holds train, val"):
        read_truth(tmp_path)


def test_a_broken_file_of_another_split_does_not_matter(tmp_path: Path) -> None:
    xml(tmp_path / "Annotations/a.xml", ("cat", 1, 2, 20, 21))
    (tmp_path / "Annotations/b.xml").write_text("<broken")
    (tmp_path / "ImageSets/Main").mkdir(parents=True)
    (tmp_path / "ImageSets/Main/train.txt").write_text("a")
    (tmp_path / "ImageSets/Main/val.txt").write_text("b")
    assert not read_annotations(tmp_path, split="train").problems
    assert len(read_annotations(tmp_path, split="val").problems) == 1


def test_lists_go_before_what_else_lies_there(tmp_path: Path) -> None:
    """A root with images and masks, and lists of its splits, is read by the lists."""
    for place in ("images/a.jpg", "masks/a.png"):
        picture(tmp_path / place)
    lists = tmp_path / "metadata/val"
    lists.mkdir(parents=True)
    (lists / "image_ids.txt").write_text("a.jpg")
    (lists / "class_labels.txt").write_text("a.jpg,4")
    assert read_dataset(tmp_path, split="val").split.labels.tolist() == [4]
    with pytest.raises(UsageError, match="it holds val: pass"):
        read_dataset(tmp_path)


@pytest.mark.parametrize("split", ["train", "test"])
def test_official_files_tell_what_the_released_lists_tell(
    shared: Path, tmp_path: Path, split: str
) -> None:
    """CUB's own four files, written from the released lists, read to the same."""
    released = shared / "data/wsol_metadata/CUB" / split

    def rows(kind: str, cells: int) -> dict[str, list[int]]:
        lines = (released / f"{kind}.txt").read_text().split("\n")
        parts = (line.rsplit(",", cells) for line in lines)
        return {name: list(map(int, values)) for name, *values in parts}

    labels, boxes = rows("class_labels", 1), rows("localization", 4)
    official: dict[str, list[str]] = {"images": [], "image_class_labels": []}
    official |= {"train_test_split": [], "bounding_boxes": []}
    for number, (name, (x0, y0, x1, y1)) in enumerate(boxes.items(), start=1):
        official["images"].append(f"{number} {name}")
        official["train_test_split"].append(f"{number} {int(split == 'train')}")
        official["image_class_labels"].append(f"{number} {labels[name][0] + 1}")
        official["bounding_boxes"].append(f"{number} {x0}.0 {y0}.0 {x1 - x0}.0 {y1 - y0}.0")
    for kind, lines in official.items():
        (tmp_path / f"{kind}.txt").write_text("\n".join(lines))
    (tmp_path / "images").mkdir()
    one, other = (read_truth(f"cub:{root}", split=split) for root in (tmp_path, released.parent))
    assert one.split.ids == other.split.ids
    assert one.split.labels.tolist() == other.split.labels.tolist()
    mine, theirs = (truth.boxes("study", Ledger()).corners for truth in (one, other))
    assert (mine == theirs).all()
