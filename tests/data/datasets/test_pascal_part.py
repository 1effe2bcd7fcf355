"""PASCAL-Part: real files, and small ones that the test makes."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask, read_source
from sightline.data.truth import read_annotations, read_truth
from sightline.errors import UsageError

from .conftest import picture


def block(*corners: int) -> np.ndarray:
    mask = np.zeros((30, 40), np.uint8)
    x0, y0, x1, y1 = corners
    mask[y0:y1, x0:x1] = 1
    return mask


def thing(name: str, number: int, mask: np.ndarray, **parts: np.ndarray) -> dict[str, object]:
    inner = [{"part_name": part, "mask": pixels} for part, pixels in parts.items()]
    return {
        "class": name,
        "class_ind": number,
        "mask": mask,
        "parts": np.array(inner, object) if inner else np.zeros((0, 0)),
    }


def save(file: Path, *things: dict[str, object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    savemat(file, {"anno": {"imname": file.stem, "objects": structs(things)}})


def structs(things: tuple[dict[str, object], ...]) -> np.ndarray:
    """Write objects as MATLAB's array of structures."""
    kinds = [(name, object) for name in ("class", "class_ind", "mask", "parts")]
    rows = np.empty((1, len(things)), kinds)
    for i, one in enumerate(things):
        parts = one["parts"]
        if isinstance(parts, np.ndarray) and parts.dtype == object:
            made = np.empty((1, len(parts)), [("part_name", object), ("mask", object)])
            for j, part in enumerate(parts):
                made[0, j] = (part["part_name"], part["mask"])
            parts = made
        rows[0, i] = (one["class"], one["class_ind"], one["mask"], parts)
    return rows


@pytest.fixture
def root(tmp_path: Path) -> Path:
    save(
        tmp_path / "Annotations_Part/2008_000001.mat",
        thing("dog", 12, block(2, 3, 20, 25), head=block(2, 3, 9, 9), tail=block(0, 0, 0, 0)),
        thing("dog", 12, block(25, 3, 35, 9)),
        thing("boat", 4, block(0, 0, 40, 2)),
    )
    save(tmp_path / "Annotations_Part/2008_000002.mat", thing("bird", 3, block(1, 1, 5, 6)))
    for name in ("2008_000001", "2008_000002"):
        picture(tmp_path / f"JPEGImages/{name}.jpg")
    return tmp_path


def test_objects_and_parts(root: Path) -> None:
    data = read_dataset(root)
    assert data.split.dataset == "pascal-part"
    assert data.split.name == "unknown"
    assert data.split.ids == ("2008_000001/3", "2008_000001/11", "2008_000002")
    assert data.split.labels.tolist() == [3, 11, 2]
    assert [data.split.classes[i] for i in (3, 11, 2)] == ["boat", "dog", "bird"]
    boxes = data.truth.boxes("study", Ledger())
    assert boxes.corners.tolist() == [[0, 0, 40, 2], [2, 3, 20, 25], [25, 3, 35, 9], [1, 1, 5, 6]]
    masks = data.truth.masks("study", Ledger())
    assert read_mask(masks, 1, None).sum() == 18 * 22 + 10 * 6
    _, (head, tail), bird = data.truth.parts("study", Ledger())
    assert (head.name, head.instance) == ("head", 0)
    assert head.source is not None
    assert (read_source(head.source) == block(2, 3, 9, 9)).all()
    assert tail.source is None  # no pixel of it is marked
    assert bird == ()


def test_voc_lists_are_the_splits(root: Path) -> None:
    lists = root / "ImageSets/Main"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("2008_000001\n")
    (lists / "val.txt").write_text("2008_000002\n")
    assert read_truth(root, split="val").split.ids == ("2008_000002",)
    assert len(read_truth(root, split="train").split.ids) == 2
    with pytest.raises(UsageError, match="it holds train, val"):
        read_truth(root)
    (lists / "val.txt").write_text("2008_000002\n2008_000099\n")
    (problem,) = read_annotations(root, split="val").problems
    assert (problem.image, problem.what) == ("2008_000099", "annotation is missing")
    assert "roozbehm.info" in problem.remedy


def test_damaged_files_are_named(root: Path) -> None:
    folder = root / "Annotations_Part"
    whole = (folder / "2008_000002.mat").read_bytes()
    (folder / "2008_000003.mat").write_bytes(whole[: len(whole) // 2])
    (folder / "2008_000004.mat").write_bytes(b"")
    savemat(folder / "2008_000005.mat", {"other": 1})
    save(folder / "2008_000006.mat", thing("cat", 8, block(0, 0, 0, 0)))
    save(folder / "2008_000007.mat", thing("unicorn", 21, block(0, 0, 2, 2)))
    save(
        folder / "2008_000008.mat",
        thing("cat", 8, block(0, 0, 2, 2)[:9]),
        thing("cow", 10, block(0, 0, 2, 2)),
    )
    found = read_annotations(root)
    assert len(found.split.ids) == 3
    complaints = {problem.image: problem.what for problem in found.problems}
    assert sorted(complaints) == [f"2008_00000{n}" for n in range(3, 9)]
    assert "no readable MATLAB file" in complaints["2008_000003"]
    assert "holds no objects" in complaints["2008_000005"]
    assert "the mask of a cat is empty" in complaints["2008_000006"]
    assert "unknown classes: unicorn" in complaints["2008_000007"]
    assert "several sizes" in complaints["2008_000008"]


def test_real_annotations(shared: Path) -> None:
    """Counts of the files themselves."""
    data = read_dataset(shared / "data/pascal_part")
    assert len(set(data.split.images)) == 18
    parts = data.truth.parts("study", Ledger())
    items = dict(zip(data.split.ids, parts, strict=True))
    assert len(items["2008_000652"]) == 18  # one person, with 18 parts
    assert {part.instance for part in items["2010_005511"]} == {0, 1, 2}
    assert items["2010_000145"] == ()  # a boat
    masks = data.truth.masks("study", Ledger())
    boxes = data.truth.boxes("study", Ledger())
    for item in range(len(data.split.ids)):
        codes = read_mask(masks, item, None)
        assert codes.shape == tuple(data.split.sizes[item][::-1])
        corners = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]].astype(int)
        inside = np.zeros(codes.shape, bool)
        for x0, y0, x1, y1 in corners:
            inside[y0:y1, x0:x1] = True
        assert not codes[~inside].any()
        assert codes[inside].any()
