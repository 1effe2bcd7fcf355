"""Folders of photographs of which at most the class is known."""

import cv2
import numpy as np
import pytest

from sightline.data.bare import holds_pictures, read_bare
from sightline.data.truth import read_truth
from sightline.errors import UsageError


def picture(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(file), np.full((20, 30, 3), 90, np.uint8))


def test_a_folder_for_each_class(tmp_path):
    for name in ("dog/b.png", "cat/a.jpg", "cat/c.PNG", "cat/.hidden.png", "cat/notes.txt"):
        if name.endswith(".txt"):
            (tmp_path / name).write_text("x")
        else:
            picture(tmp_path / name)
    assert holds_pictures(str(tmp_path))
    data = read_bare(str(tmp_path))
    assert data.split.ids == ("cat/a.jpg", "cat/c.PNG", "dog/b.png")
    assert data.split.labels.tolist() == [0, 0, 1]
    assert data.split.classes == ("cat", "dog")
    assert all(file.is_file() for file in data.pictures)
    assert not data.truth.has_boxes


def test_pictures_alone_and_pictures_of_one_class(tmp_path):
    picture(tmp_path / "images" / "x.png")
    assert read_bare(str(tmp_path)).split.labels.tolist() == [-1]
    (tmp_path / "class_names.txt").write_text("heron\n")
    data = read_bare(str(tmp_path))
    assert (data.split.labels.tolist(), data.split.classes) == ([0], ("heron",))
    (tmp_path / "class_names.txt").write_text("heron\npike\n")
    with pytest.raises(UsageError, match="2 classes, but nothing says"):
        read_bare(str(tmp_path))


def test_a_split_is_a_subfolder(tmp_path):
    picture(tmp_path / "val" / "cat" / "a.png")
    picture(tmp_path / "train" / "cat" / "b.png")
    assert read_bare(str(tmp_path), "train-fullsup").split.ids == ("cat/a.png",)
    with pytest.raises(UsageError, match="a split is a subfolder"):
        read_bare(str(tmp_path), "val:5")


def test_an_own_folder_is_annotated_and_is_then_a_ground_truth(sightline, tmp_path):
    for name in ("dog/b.png", "cat/a.png"):
        picture(tmp_path / "own" / name)
    out = tmp_path / "boxes"
    done = sightline(
        "annotate", "center", "--data", tmp_path / "own", "--split", "val", "--out", out
    )
    assert done.code == 0, done.err
    truth = read_truth(out, split="val")
    assert truth.split.classes == ("cat", "dog")
    assert truth.split.sizes.tolist() == [[30, 20], [30, 20]]
    refused = sightline("annotate", "center", "--data", tmp_path / "own", "--stages", "--out", out)
    assert "--stages compares with true boxes" in refused.refusal()


def test_without_classes_everything_is_an_object(sightline, tmp_path):
    picture(tmp_path / "own" / "a.png")
    done = sightline("annotate", "center", "--data", tmp_path / "own", "--out", tmp_path / "boxes")
    assert done.code == 0, done.err
    folder = tmp_path / "boxes" / "unknown"
    assert read_truth(folder).split.classes == ("object",)
    assert len(read_truth(folder / "coco.json").split.ids) == 1


def test_a_folder_without_pictures_is_refused_as_before(sightline, tmp_path):
    (tmp_path / "empty").mkdir()
    said = sightline("annotate", "center", "--data", tmp_path / "empty").refusal()
    assert "not recognised as ground truth" in said
    assert not holds_pictures(str(tmp_path / "nowhere"))
