"""Pets, OpenImages30k, GLaS, CAMELYON, PASCAL-S: small folders as they were released."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from sightline.data.dataset import read_dataset
from sightline.data.datasets import glas
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask, read_source
from sightline.data.truth import read_annotations, read_truth
from sightline.errors import DataError
from sightline.types import BACKGROUND, FOREGROUND, IGNORE

from .conftest import gray, picture, xml

# Oxford-IIIT Pet


@pytest.fixture
def pets(write, tmp_path: Path) -> Path:
    root = write(
        {
            "annotations/list.txt": "#Image CLASS-ID SPECIES BREED ID\nAbyssinian_1 1 1 1\n",
            "annotations/trainval.txt": "Abyssinian_1 1 1 1\nbeagle_2 3 2 2\n",
            "annotations/test.txt": "beagle_3 3 2 2\n",
        }
    )
    trimap = np.full((30, 40), 2)
    trimap[5:20, 5:30] = 3
    trimap[8:16, 8:26] = 1
    for stem in ("Abyssinian_1", "beagle_2", "beagle_3"):
        picture(root / f"images/{stem}.jpg")
        gray(root / f"annotations/trimaps/{stem}.png", trimap)
    xml(root / "annotations/xmls/Abyssinian_1.xml", ("cat", 8, 9, 14, 15))
    return root


def test_pets_as_released(pets: Path) -> None:
    data = read_dataset(pets, split="train")
    assert data.split.dataset == "pets"
    assert data.split.ids == ("Abyssinian_1.jpg", "beagle_2.jpg")
    assert data.split.labels.tolist() == [0, 2]
    assert data.split.classes == ("Abyssinian", "breed 1", "beagle")
    assert all(file.is_file() for file in data.pictures)
    codes = read_mask(data.truth.masks("study", Ledger()), 0, None)
    assert codes[10, 10] == FOREGROUND
    assert codes[6, 6] == IGNORE
    assert codes[0, 0] == BACKGROUND
    assert (codes == FOREGROUND).sum() == 8 * 18
    (head,), others = data.truth.parts("study", Ledger())
    assert head.name == "head"
    assert head.source is not None
    assert read_source(head.source).sum() == 6 * 6
    assert others == ()
    assert read_truth(pets, split="test").split.ids == ("beagle_3.jpg",)


def test_a_missing_trimap_and_missing_photographs(pets: Path) -> None:
    (pets / "annotations/trimaps/beagle_3.png").unlink()
    (problem,) = read_annotations(f"pets:{pets}", split="test").problems
    assert problem.image == "beagle_3.jpg"
    assert "annotations.tar.gz (md5 95a8c909bbe2e81eed6a22bccdf3f68f)" in problem.remedy
    (pets / "images").rename(pets / "pictures")
    problems = read_annotations(f"pets:{pets}", split="train").problems
    assert ["5c4f3ee8e5d25df40f4fd59a7f44e54c" in p.remedy for p in problems] == [True]


# OpenImages30k


def test_openimages_by_its_folders(tmp_path: Path) -> None:
    half = np.zeros((30, 40))
    half[:, :20] = 255
    for image, mid in (("aa", "01226z"), ("bb", "0bt_c3")):
        place = tmp_path / f"val/{mid}"
        picture(place / f"{image}.jpg")
        gray(place / f"{image}_m{mid}_11.png", half)
        gray(place / f"{image}_m{mid}_22.png", half[::-1] * 0 + (np.arange(40) > 37) * 255)
        gray(place / f"{image}_ignore.png", 255 - half)
        picture(tmp_path / f"train/{mid}/{image}_1.jpg")
    truth = read_truth(f"openimages:{tmp_path}", split="val")
    assert truth.split.ids == ("val/01226z/aa.jpg", "val/0bt_c3/bb.jpg")
    assert truth.split.labels.tolist() == [0, 1]
    masks = truth.masks("hyperparameters", Ledger())
    assert [len(group) for group in masks.objects] == [2, 2]
    codes = read_mask(masks, 1, None)
    assert codes[3, 19] == FOREGROUND
    assert codes[3, 25] == IGNORE
    assert codes[3, 39] == FOREGROUND  # an object overrules what is to be ignored
    data = read_dataset(tmp_path, split="train-weaksup")
    assert data.split.ids == ("train/01226z/aa_1.jpg", "train/0bt_c3/bb_1.jpg")
    assert not data.truth.has_masks


def test_openimages_masks_alone_are_missing_their_photographs(shared: Path) -> None:
    """Eleven real masks of five images."""
    found = read_annotations(shared / "data/openimages_masks", split="val")
    assert found.split.dataset == "openimages"
    assert len(found.split.ids) == 5
    assert found.masks is not None
    assert sum(map(len, found.masks.objects)) + sum(map(len, found.masks.ignored)) == 11
    shares = [(read_mask(found.masks, item, None) == FOREGROUND).mean() for item in range(5)]
    assert [share for share in shares if share in (0, 1)] == [0, 1]  # the release has such masks
    with pytest.raises(DataError, match="image file is missing"):
        read_dataset(shared / "data/openimages_masks", split="val")


def test_openimages_lists_find_images_and_masks_of_the_release(tmp_path: Path) -> None:
    lists = tmp_path / "metadata/OpenImages/val"
    lists.mkdir(parents=True)
    (lists / "image_ids.txt").write_text("val/01226z/aa.jpg")
    (lists / "class_labels.txt").write_text("val/01226z/aa.jpg,0")
    (lists / "localization.txt").write_text("val/01226z/aa.jpg,val/01226z/aa_m.png,")
    place = tmp_path / "dataset/OpenImages/val/01226z"
    picture(place / "aa.jpg")
    gray(place / "aa_m.png", np.full((30, 40), 255))
    data = read_dataset(f"openimages:{tmp_path}", split="val")
    assert data.pictures == (place / "aa.jpg",)
    assert read_mask(data.truth.masks("study", Ledger()), 0, None).all()


# GLaS


@pytest.fixture
def glands(write) -> Path:
    lines = ["name,patient ID, grade (GlaS), grade (Sirinukunwattana et al. 2015)"]
    names = [f"train_{n}" for n in range(1, 86)] + ["testA_1", "testB_2"]
    for number, name in enumerate(names):
        lines.append(f"{name},7, {'benign' if number < 37 else 'malignant'}, adenomatous")
    root = write({"Warwick QU Dataset (Released 2016_07_08)/Grade.csv": "\n".join(lines)})
    for name in names:
        gray(root / f"Warwick QU Dataset (Released 2016_07_08)/{name}_anno.bmp", np.eye(4) * 3)
    return root


def test_glas_as_released(glands: Path) -> None:
    sizes = {"train": (29, 38), "val": (8, 10), "test": (0, 2)}
    seen: set[str] = set()
    for split, expected in sizes.items():
        truth = read_truth(f"glas:{glands}", split=split)
        assert np.bincount(truth.split.labels, minlength=2).tolist() == list(expected)
        assert not seen & set(truth.split.ids)
        seen |= set(truth.split.ids)
    assert len(seen) == 87
    assert sum(sizes["train"]) == glas.DATASET.images["train"]
    assert sum(sizes["val"]) == glas.DATASET.images["val"]
    masks = truth.masks("final-report", Ledger())
    assert (read_mask(masks, 0, None) == np.eye(4)).all()  # a gland has its number


def test_glas_by_a_released_list(glands: Path) -> None:
    listed = glands / "folds/split_0/fold_0/valid_s_0_f_0.csv"
    listed.parent.mkdir(parents=True)
    listed.write_text("train_3.bmp,train_3_anno.bmp,benign\ntrain_80.bmp,../x.bmp,malignant\n")
    found = read_annotations(glands, split="val")
    assert found.split.ids == ("train_3.bmp",)
    assert "valid_s_0_f_0.csv:2" in str(found.problems[0])
    assert "leads out of its folder" in found.problems[0].what


def test_three_labelled_images_of_each_class(glands: Path) -> None:
    ledger = Ledger()
    truth = read_truth(f"glas:{glands}", split="val:3")
    truth.masks("model-selection", ledger)
    assert np.bincount(truth.split.labels).tolist() == [3, 3]
    assert ledger.entries[0].split == "val:3:0"
    assert ledger.entries[0].per_class == (3, 3)
    whole = read_truth(f"glas:{glands}", split="val")
    assert set(truth.split.ids) < set(whole.split.ids)
    more = read_truth(f"glas:{glands}", split="val:5")
    assert set(truth.split.ids) < set(more.split.ids)
    other = read_truth(f"glas:{glands}", split="val:3:1")
    assert other.split.ids != truth.split.ids


def test_a_grade_that_is_none(glands: Path) -> None:
    file = next(glands.glob("*/Grade.csv"))
    file.write_text(file.read_text().replace(" malignant", " doubtful", 1))
    problems = read_annotations(glands, split="train").problems
    assert [p.line for p in problems] == [39]
    file.write_text("name,what\ntrain_1,benign\n")
    problems = read_annotations(glands, split="train").problems
    assert "no columns 'name' and 'grade (GlaS)'" in problems[0].what


# CAMELYON


@pytest.fixture
def patches(tmp_path: Path) -> Path:
    inner = "camelyon16/w-512xh-512"
    lines = []
    for number in range(8):
        normal = f"{inner}/normal-patches/split_0/fold_0/valid/Patch_{number}.png"
        tumor = f"{inner}/metastatic-patches/training/tumor/tumor_001/Patch_{number}.png"
        mask = tumor.replace("Patch_", "mask_")
        for name in (normal, tumor):
            picture(tmp_path / name, 512, 512, number)
        gray(tmp_path / mask, np.pad(np.full((100, 100), 255), ((0, 412), (412, 0))))
        lines += [f"{normal},,normal", f"{tumor},{mask},tumor"]
    listed = tmp_path / "folds/camelyon16-512-patch/split_0/fold_0/valid_s_0_f_0.csv"
    listed.parent.mkdir(parents=True)
    listed.write_text("\n".join(lines))
    return tmp_path


def test_camelyon_normal_patches_have_no_foreground(patches: Path) -> None:
    data = read_dataset(f"camelyon:{patches}", split="val")
    assert data.split.classes == ("normal", "metastatic")
    assert np.bincount(data.split.labels).tolist() == [8, 8]
    masks = data.truth.masks("study", Ledger())
    for item, label in enumerate(data.split.labels):
        codes = read_mask(masks, item, None)
        assert codes.shape == (512, 512)
        assert codes.sum() == label * 100 * 100


def test_camelyon_draws_six_labelled_images_of_each_class(patches: Path) -> None:
    truth = read_truth(patches, split="train-fullsup:6")
    assert truth.split.name == "val:6:0"
    assert truth.split.dataset == "camelyon"
    assert np.bincount(truth.split.labels).tolist() == [6, 6]
    assert truth.split.ids == read_truth(patches, split="val:6").split.ids


def test_camelyon_without_the_list_of_a_split(patches: Path) -> None:
    (problem,) = read_annotations(patches, split="test").problems
    assert "lists of the splits are not there; get https" in str(problem)


# PASCAL-S


def fixations(root: Path, version: str = "7") -> Path:
    """Write three images' fixations: rows y, x, subject."""
    for number in (1, 2):
        picture(root / f"datasets/imgs/pascal/{number}.jpg")
    cells = np.empty((1, 2), object)
    cells[0, 0] = np.array([[5.0, 7, 1], [9, 3, 1], [1, 1, 2]])
    cells[0, 1] = np.array([[30.0, 40, 2]])
    file = root / "datasets/fixations/pascalFix.mat"
    file.parent.mkdir(parents=True, exist_ok=True)
    savemat(file, {"fixCell": cells})
    return root


def test_pascal_s_as_released(tmp_path: Path) -> None:
    data = read_dataset(fixations(tmp_path))
    assert data.split.dataset == "pascal-s"
    assert data.split.ids == ("1.jpg", "2.jpg")
    first, second = data.truth.fixations("study", Ledger())
    assert [(f.subject, f.order, f.x, f.y) for f in first] == [
        ("1", 0, 6, 4),
        ("1", 1, 2, 8),
        ("2", 0, 0, 0),
    ]
    assert [(f.x, f.y) for f in second] == [(39, 29)]  # the last pixel of 40 x 30


def test_pascal_s_of_the_newer_kind_of_file_names_what_reads_it(tmp_path: Path) -> None:
    root = fixations(tmp_path)
    file = root / "datasets/fixations/pascalFix.mat"
    file.write_bytes(b"MATLAB 7.3".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(99))
    with pytest.raises(DataError, match=r"version 7.3; install h5py"):
        read_dataset(root)
