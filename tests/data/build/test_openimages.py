"""The OpenImages30k recipe on a set whose answer was worked out by hand."""

import csv
import json
import random
from pathlib import Path

import pytest

from sightline.data.photographs import inspect
from sightline.data.truth import read_truth

from .pictures import drawn, save, save_mask, scene, tree

ASKED = ["--minimum", 2, 1, 1, "--per-class", 2, 1, 1, "--images"]
EMPTY = "........ ........ ........ ........"


@pytest.fixture
def make(sightline, annotated, tmp_path):
    def call(*flags, out="out", asked=ASKED, images=annotated.root / "images"):
        words = ["data", "make", "openimages", "--data", annotated.root, "--out", tmp_path / out]
        return sightline(*words, *asked, images, *flags)

    return call


def rows(file: Path) -> list[str]:
    with file.open() as stream:
        return [" ".join(row) for row in csv.reader(stream)]


def test_the_answer_is_the_one_worked_out_by_hand(make, tmp_path):
    answer = make("--json", "-").json
    out = tmp_path / "out"
    assert make().out in (Path(__file__).parents[3] / "docs/building.md").read_text()
    assert rows(out / "funnel.csv") == [
        "step train val test classes",
        "with masks 10 5 3 4",  # m1, m2 and vm have two classes
        "of one class 8 4 3 4",
        "of a class with enough 5 2 2 2",  # one cat alone in train, no dog in val
        "drawn 4 2 2 2",
        "sound 4 2 2 2",
    ]
    assert rows(out / "classes.csv") == [
        "class name train val test label",
        "/m/0a Apple 2 1 1 0",
        "/m/0b Book 3 1 1 1",
        "/m/0c Cat 1 2 1 ",
        "/m/0d Dog 2 0 0 ",
    ]
    assert answer["summary"]["of several classes"] == "3 of 18 (16.7 %), left out"
    assert (out / "class_names.txt").read_text() == "Apple\nBook\n"
    train = (out / "train/class_labels.txt").read_text().split("\n")
    assert train[:2] == ["0a/a1.jpg,0", "0a/a2.jpg,0"]
    assert [line[:4] + line[5:] for line in train[2:]] == ["0b/b.jpg,1"] * 2  # two of b1, b2, b3
    assert not (out / "train/localization.txt").exists()
    assert (out / "val/localization.txt").read_text() == (
        "0a/va.jpg,masks/0a/va.png,\n0b/vb.jpg,masks/0b/vb.png,masks/0b/vb_ignore.png"
    )
    assert (out / "test/localization.txt").read_text() == (
        "0a/ta.jpg,masks/0a/ta.png,\n0b/tb.jpg,masks/0b/tb.png,"
    )
    assert {file.name: drawn(file) for file in sorted(out.glob("*/masks/*/*.png"))} == {
        "va.png": ".##..... .####... ..###... ........",  # the union of two apples
        "vb.png": "........ ....##.. ....##.. ........",
        "vb_ignore.png": "........ ......## ......## ........",  # the group without the book
        "ta.png": "#....... ........ ........ ........",
        "tb.png": "........ ........ ........ .......#",
    }


def test_what_was_made_is_a_ground_truth_with_images(make, sightline, tmp_path):
    make()
    truth = read_truth(tmp_path / "out", split="val")
    assert truth.split.classes == ("Apple", "Book")
    assert truth.split.sizes.tolist() == [[16, 8]] * 2  # of the images; masks are half as large
    assert sightline("data", "check", tmp_path / "out", "--split", "test").code == 0
    assert inspect(tmp_path / "out/train/images/0a/a1.jpg").size == (16, 8)


def test_a_draw_depends_on_the_seed_alone(make, annotated, tmp_path):
    make("--workers", 1)
    for file in annotated.root.glob("*annotations*.csv"):
        header, *lines = file.read_text().splitlines()
        random.Random(5).shuffle(lines)
        file.write_text("\n".join([header, *lines]))
    make("--workers", 3, out="again")
    assert tree(tmp_path / "out") == tree(tmp_path / "again")
    books = set()
    for seed in range(20):
        make("--seed", seed, out=f"seed{seed}")
        books.add((tmp_path / f"seed{seed}/train/image_ids.txt").read_text())
    assert len(books) == 3  # each pair of three books


def test_boxes_and_labels_can_count_as_classes_too(make, annotated, tmp_path):
    make("--counted", "boxes")
    assert "of one class 8 3 3 4" in rows(tmp_path / "out/funnel.csv")  # vb has an apple too
    assert (tmp_path / "out/class_names.txt").read_text() == "Apple\n"
    header, lines = "ImageID,Source,LabelName,Confidence", ["ta,v,/m/0c,0", "tb,v,/m/0c,1"]
    annotated.write("test", "human-imagelabels-boxable", header, lines)
    for split in ("train", "validation"):
        annotated.write(split, "human-imagelabels-boxable", header, [])
    make("--counted", "labels", out="labels")
    assert "of one class 8 3 2 4" in rows(tmp_path / "labels/funnel.csv")  # tb holds a cat


def test_without_images_the_lists_name_files_that_are_elsewhere(make, annotated, sightline):
    (annotated.root / "images").rename(annotated.root.parent / "elsewhere")
    out = annotated.root.parent / "out"
    words = ["--data", annotated.root, "--out", out, *ASKED[:-1]]
    assert "none known" in sightline("data", "make", "openimages", *words).out
    assert not (out / "val/images").exists()
    assert (out / "val/image_ids.txt").read_text() == "0a/va.jpg\n0b/vb.jpg"
    assert not (out / "val/image_sizes.txt").exists()


BROKEN = {
    "column missing": (
        lambda s: s.edit("train", "object-segmentation", 1, "MaskPath,ImageID,Label"),
        "train-annotations-object-segmentation.csv:1: no column LabelName, only MaskPath, ImageID",
    ),
    "short line": (
        lambda s: s.edit("train", "object-segmentation", 3, "x.png,a2"),
        "train-annotations-object-segmentation.csv:3: 2 columns where the header has 10",
    ),
    "unknown class": (
        lambda s: s.edit("train", "object-segmentation", 4, s.line("b1 0z")),
        "train-annotations-object-segmentation.csv:4: unknown class '/m/0z'; add it to the class",
    ),
    "id leads out": (
        lambda s: s.edit("test", "object-segmentation", 2, s.line("../x 0a")),
        "test-annotations-object-segmentation.csv:2: image id '../x' is a path that leads out of",
    ),
    "mask leads out": (
        lambda s: s.edit("test", "object-segmentation", 2, "../x.png,ta,/m/0a,1,0,1,0,1,.9,"),
        "test-annotations-object-segmentation.csv:2, ta: mask name '../x.png' is a path that leads",
    ),
    "mask listed twice": (
        lambda s: s.edit("test", "object-segmentation", 4, s.line("ta 0a 1")),
        "test-annotations-object-segmentation.csv:4, ta: mask ta_m0a_1.png is listed twice",
    ),
    "box not in fractions": (
        lambda s: s.edit("validation", "bbox", 2, "vb,x,/m/0b,1,50,100,0,1,0,0,1"),
        "validation-annotations-bbox.csv:2, vb: box 50, 0, 100, 1 is not x0, y0, x1, y1 in",
    ),
    "no group flag": (
        lambda s: s.edit("validation", "bbox", 2, "vb,x,/m/0b,1,0,1,0,1,0,0,maybe"),
        "validation-annotations-bbox.csv:2, vb: IsGroupOf is 'maybe'",
    ),
    "mask missing": (
        lambda s: s.mask("test", "ta 0a 1").unlink(),
        "test-annotations-object-segmentation.csv:2, ta: mask ta_m0a_1.png is missing; put it",
    ),
    "mask twice": (
        lambda s: save_mask(EMPTY, s.root / "masks/more/ta_m0a_1.png"),
        "mask ta_m0a_1.png lies twice, as",
    ),
    "masks of two sizes": (
        lambda s: save_mask("## ##", s.mask("validation", "va 0a 2")),
        "0a/va.jpg: one of its masks is 8 x 4, another 2 x 2; replace the wrong one",
    ),
    "mask of another shape": (
        lambda s: save_mask("#.#. #.#. #.#. #.#.", s.mask("test", "ta 0a 1")),
        "0a/ta.jpg: its masks are 4 x 4, of another shape than the image of 16 x 8; find the masks",
    ),
    "mask empty": (
        lambda s: save_mask(EMPTY, s.mask("test", "ta 0a 1")),
        "0a/ta.jpg: no pixel of its masks is inside; replace the masks",
    ),
    "mask cut": (
        lambda s: s.mask("test", "ta 0a 1").write_bytes(b"\x89PNG\r\n\x1a\n"),
        "ta_m0a_1.png, 0a/ta.jpg: mask is truncated",
    ),
    "image absent": (
        lambda s: (s.root / "images/train/a2.jpg").unlink(),
        "images/train/a2.jpg: image is listed but absent; restore its file",
    ),
    "image empty": (
        lambda s: (s.root / "images/train/a2.jpg").write_bytes(b""),
        "images/train/a2.jpg, 0a/a2.jpg: is empty",
    ),
    "no boxes": (
        lambda s: s.file("test", "bbox").unlink(),
        "no test-annotations-bbox.csv; download it into the folder",
    ),
    "no split": (
        lambda s: s.file("test", "object-segmentation").unlink(),
        "no annotations of the split 'test'; it needs test-annotations-object-segmentation.csv",
    ),
    "not text": (
        lambda s: s.file("test", "bbox").write_bytes(b"ImageID\n\n\xff\n"),
        "test-annotations-bbox.csv",
    ),
    "names without comma": (
        lambda s: (s.root / "class-descriptions-boxable.csv").write_text("/m/0a,Apple\nBook\n"),
        "class-descriptions-boxable.csv:2: is not a class, a comma and its name",
    ),
}
SKIPPED = ["mask missing", "mask twice", "masks of two sizes", "mask of another shape"]
SKIPPED += ["mask empty", "mask cut", "image absent", "image empty"]


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_one_line_that_names_it(case, make, annotated, tmp_path):
    spoil, words = BROKEN[case]
    spoil(annotated)
    text = make().refusal()
    assert words in text
    assert ("--on-error skip goes on without" in text) == (case in SKIPPED)
    assert not (tmp_path / "out/test").exists()
    assert not (tmp_path / "out/recipe.json").exists()


@pytest.mark.parametrize("case", SKIPPED)
def test_what_is_wrong_can_be_left_out_and_is_listed(case, make, annotated, tmp_path):
    spoil, words = BROKEN[case]
    spoil(annotated)
    answer = make("--on-error", "skip", "--json", "-").json
    assert answer["summary"]["left out as unsound"] == 1
    assert words in (tmp_path / "out/problems.csv").read_text().replace('""', '"')
    counts = [
        row[name] for row in answer["tables"]["funnel"][-1:] for name in ("train", "val", "test")
    ]
    assert sum(counts) == 7


def test_several_problems_are_counted_and_listed(make, annotated, tmp_path):
    for name in ("ta 0a 1", "tb 0b 1"):
        save_mask(EMPTY, annotated.mask("test", name))
    table = tmp_path / "out/problems.csv"
    assert f"(and 1 more, all in {table}); --on-error skip" in make().refusal()
    assert len(rows(table)) == 3
    for name in ("ta 0a 1", "tb 0b 1"):
        save_mask("#....... ........ ........ ........", annotated.mask("test", name))
    assert make().code == 0
    assert not table.exists()


def test_a_folder_keeps_what_one_call_made(make, tmp_path):
    make()
    before = tree(tmp_path / "out")
    assert make().code == 0
    assert tree(tmp_path / "out") == before
    assert "other options made (see recipe.json)" in make("--seed", 1).refusal()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/mine.txt").write_text("precious")
    assert "is not empty; choose a new folder with --out" in make(out="other").refusal()


def test_too_much_is_asked(make, annotated):
    text = make(asked=["--minimum", 9, 9, 9, "--images"]).refusal()
    assert "no class has 9, 9, 9 images of it alone in train, val, test" in text
    assert "counts start at 1" in make("--per-class", 0, 1, 1).refusal()
    assert "--counted: tags is none of masks, boxes, labels" in make("--counted", "tags").refusal()
    assert "no such folder of images" in make(images=annotated.root / "nowhere").refusal()


def coco(root: Path) -> Path:
    """Write the same questions as COCO files: an instance, a crowd, an image of two classes."""
    names = {"cat": 7, "dog": 3}
    for split, wanted in {"train": 3, "val": 1, "test": 1}.items():
        images, annotations = [], []
        for number in range(wanted * 2 + 1):
            images.append({"id": number, "file_name": f"{number}.jpg", "width": 8, "height": 4})
            labels = ["cat", "dog"] if number == wanted * 2 else [["cat", "dog"][number % 2]]
            for label in labels:
                ring = {"segmentation": [[1, 1, 5, 1, 5, 3, 1, 3]], "bbox": [1, 1, 4, 2]}
                one = {"id": len(annotations), "image_id": number, "category_id": names[label]}
                annotations.append(one | ring | {"iscrowd": 0})
            save(scene(number, (8, 4)), root / "images" / split / f"{number}.jpg")
        crowd = {"size": [4, 8], "counts": [0, 4, 28]}  # the first column
        place = {"image_id": 0, "category_id": names["cat"], "bbox": [0, 0, 1, 4]}
        annotations.append({"id": 99, "iscrowd": 1, "segmentation": crowd} | place)
        content = {"images": images, "annotations": annotations}
        content["categories"] = [{"id": key, "name": name} for name, key in names.items()]
        (root / f"instances_{split}2017.json").write_text(json.dumps(content))
    return root


def test_coco_files_go_through_the_same_recipe(sightline, tmp_path):
    words = ["--data", coco(tmp_path / "coco"), "--out", tmp_path / "out"]
    asked = ["--minimum", 3, 1, 1, "--per-class", 2, 1, 1]
    assert sightline("data", "make", "openimages", *words, *asked).code == 0
    assert rows(tmp_path / "out/funnel.csv")[1:] == [
        "with masks 7 3 3 2",
        "of one class 6 2 2 2",
        "of a class with enough 6 2 2 2",
        "drawn 4 2 2 2",
        "sound 4 2 2 2",
    ]
    assert (tmp_path / "out/class_names.txt").read_text() == "cat\ndog\n"
    masks = tmp_path / "out/val/masks"
    assert drawn(masks / "cat/0.png") == "........ .####... .####... ........"
    assert drawn(masks / "cat/0_ignore.png") == "#....... #....... #....... #......."
    assert not (masks / "dog/1_ignore.png").exists()
    words[-1] = tmp_path / "other"
    text = sightline("data", "make", "openimages", *words, "--counted", "boxes").refusal()
    assert "--counted boxes is for OpenImages' tables" in text
