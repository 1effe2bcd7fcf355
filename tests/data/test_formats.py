"""Formats of ground truth: what each reads, what it refuses, and who is asked first."""

import json
import subprocess
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from sightline import registry
from sightline.data.annotations import Annotations, Request
from sightline.data.formats import coco, csv_table, mask_folder, voc
from sightline.data.formats._segmentation import decode_counts
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import read_truth
from sightline.errors import DataError
from sightline.types import IGNORE, Polygons, RunLengths

SQUARE = [1, 1, 4, 1, 4, 3, 1, 3]


def read(module: ModuleType, path: Path, **options: Any) -> Annotations:
    found: Annotations = module.read(path, Request("made-up", "val", **options))
    return found


def complaint(found: Annotations) -> str:
    """Return the one problem, as a user sees it."""
    assert len(found.problems) == 1, [str(problem) for problem in found.problems]
    assert "\n" not in str(found.problems[0])
    return str(found.problems[0])


def boxes_of(found: Annotations) -> list[list[list[float]]]:
    assert found.boxes is not None
    ends = found.boxes.offsets.tolist()
    return [found.boxes.corners[start:end].tolist() for start, end in pairwise(ends)]


def draw(file: Path, value: int = 255) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(file), np.full((4, 6), value, np.uint8))
    return file


# COCO


def coco_file(folder: Path, annotations: Iterable[Any], **sections: Any) -> Path:
    """Write two images and two categories, whose ids are out of order."""
    content = {
        "images": [
            {"id": 7, "file_name": "a/x.jpg", "width": 6, "height": 4},
            {"id": 3, "file_name": "y.jpg", "width": 6, "height": 4},
        ],
        "categories": [{"id": 9, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": list(annotations),
        **sections,
    }
    file = folder / "instances.json"
    file.write_text(json.dumps(content))
    return file


def thing(number: int, image: Any = 7, category: Any = 2, **more: Any) -> dict[str, Any]:
    entry = {"id": number, "image_id": image, "category_id": category, "bbox": [1, 1, 3, 2]}
    return {**entry, "iscrowd": 0, **more}


def test_coco_gives_an_item_per_image_and_category(tmp_path: Path) -> None:
    file = coco_file(
        tmp_path, [thing(1, category=9), thing(2, bbox=[0, 0.5, 2, 2]), thing(3, 3), thing(4)]
    )
    found = read(coco, file)
    assert not found.problems
    assert found.split.ids == ("a/x.jpg/0", "a/x.jpg/1", "y.jpg")
    assert found.split.images == ("a/x.jpg", "a/x.jpg", "y.jpg")
    assert found.split.labels.tolist() == [0, 1, 0]
    assert found.split.classes == ("dog", "cat")
    assert found.split.sizes.tolist() == [[6, 4]] * 3
    assert boxes_of(found) == [[[0, 0.5, 2, 2.5], [1, 1, 4, 3]], [[1, 1, 4, 3]], [[1, 1, 4, 3]]]
    assert found.masks is None


def test_coco_counts_what_it_leaves_out(tmp_path: Path) -> None:
    crowd = thing(2, category=9, iscrowd=1)
    found = read(coco, coco_file(tmp_path, [thing(1, bbox=[0, 0, 6.01, 2]), crowd]))
    assert found.split.ids == ("a/x.jpg",)
    assert found.warnings == {
        "boxes_at_or_past_edge": 1,
        "crowd_only": 1,
        "images_without_annotation": 1,
    }


def test_coco_segmentations_of_every_kind(tmp_path: Path) -> None:
    runs = {"size": [4, 6], "counts": [5, 2, 2, 2, 2, 2, 9]}
    packed = {"size": [4, 6], "counts": "5220007"}  # the same: differences from the fourth on
    file = coco_file(
        tmp_path,
        [
            thing(1, segmentation=[SQUARE]),
            thing(2, 3, segmentation=runs),
            thing(3, 3, 9, segmentation=packed),
        ],
    )
    found = read(coco, file)
    assert not found.problems
    assert found.masks is not None
    kinds = [type(source) for (source,) in found.masks.objects]
    assert kinds == [Polygons, RunLengths, RunLengths]
    first, second, third = (read_mask(found.masks, i, None) for i in range(3))
    assert first.sum() == 6
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("122O", [1, 2, 2, 1]),  # O is -1, to be added to the last but one
        ("Z11", [42, 1]),
        ("", []),
        ("0g05", [0, 0x17, 5]),  # g says that more follows
    ],
)
def test_compressed_run_lengths(text: str, counts: list[int]) -> None:
    assert decode_counts(text) == counts


def pack(counts: list[int]) -> str:
    """Compress run lengths, to have something to decode."""
    text = ""
    for index, count in enumerate(counts):
        value, more = count - (counts[index - 2] if index > 2 else 0), True
        while more:
            bits, value = value & 0x1F, value >> 5
            more = value != (-1 if bits & 0x10 else 0)
            text += chr(48 + (bits | 0x20 * more))
    return text


def test_compressed_run_lengths_round_trip() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        counts = random.integers(0, 10 ** random.integers(1, 7), 20).tolist()
        assert decode_counts(pack(counts)) == counts


def test_coco_crowds_are_ignored_in_their_category(tmp_path: Path) -> None:
    whole = {"size": [4, 6], "counts": [0, 24]}
    entries = [
        thing(1, segmentation=[SQUARE]),
        thing(2, iscrowd=1, segmentation=whole),
        thing(3, category=9, segmentation=[SQUARE]),
    ]
    found = read(coco, coco_file(tmp_path, entries))
    assert found.masks is not None
    assert [len(group) for group in found.masks.ignored] == [1, 0]
    assert (read_mask(found.masks, 0, None) == IGNORE).sum() == 18


def test_coco_masks_must_be_complete(tmp_path: Path) -> None:
    found = read(coco, coco_file(tmp_path, [thing(1, segmentation=[SQUARE]), thing(2)]))
    assert found.masks is None
    assert found.warnings["objects_without_segmentation"] == 1


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (thing(5, image=8), "annotation 5: image_id 8 is not among the images"),
        (thing(5, image=[7]), "annotation 5: image_id [7] is not"),
        (thing(5, category=1), "annotation 5, y.jpg: category_id 1 is not among the categories"),
        (thing(5, bbox=[1, 1, -3, 2]), "annotation 5, y.jpg: bbox has a negative width"),
        (thing(5, bbox=[1, 1, float("nan"), 2]), "annotation 5, y.jpg: bbox holds a number"),
        (thing(5, bbox=[1, 1, 10**400, 2]), "annotation 5, y.jpg: bbox holds a number"),
        (thing(5, bbox=[1, 1, 3]), "bbox has 3 numbers where x, y, width, height are needed"),
        (thing(5, bbox=None), "annotation 5, y.jpg: bbox is missing"),
        (thing(5, bbox=[1, 1, "3", 2]), "bbox is missing or is not a list of numbers"),
        (thing(5, bbox=[-1, 1, 3, 2]), "annotation 5, y.jpg: box -1, 1, 2, 3 has a negative"),
        (thing(5, bbox=[6, 1, 3, 2]), "annotation 5, y.jpg: box 6, 1, 9, 3 lies outside"),
        (thing(5, iscrowd="no"), "annotation 5, y.jpg: iscrowd is 'no'"),
        (thing(5, segmentation=[[1, 2, 3, 4]]), "segmentation has a ring of 4 numbers"),
        (thing(5, segmentation=[[1, 2, 3, 4, 5, 6, 7]]), "segmentation has a ring of 7 numbers"),
        (thing(5, segmentation="outline"), "segmentation has a ring of 0 numbers"),
        (thing(5, segmentation={"size": [6, 4], "counts": [24]}), "segmentation has size [6, 4]"),
        (thing(5, segmentation={"size": [4, 6], "counts": [9]}), "counts of 9 pixels where 6 x 4"),
        (thing(5, segmentation={"size": [4, 6], "counts": "~"}), "are no run lengths"),
        (thing(5, segmentation={"size": [4, 6], "counts": "5P"}), "in the middle of a number"),
        (thing(5, segmentation={"size": [4, 6], "counts": [-1, 25]}), "are no run lengths"),
        (17, "annotation number 2: image_id None is not among the images"),
    ],
)
def test_coco_names_a_wrong_annotation(tmp_path: Path, entry: Any, words: str) -> None:
    if isinstance(entry, dict) and entry["image_id"] == 7:
        entry = {**entry, "image_id": 3}
    file = coco_file(tmp_path, [thing(1, segmentation=[SQUARE]), entry])
    found = read(coco, file)
    assert words in complaint(found)
    assert str(file) in found.problems[0].file
    assert found.split.ids == ("a/x.jpg",)


X = {"id": 7, "file_name": "a/x.jpg", "width": 6, "height": 4}
Y = {"id": 3, "file_name": "y.jpg", "width": 6, "height": 4}


@pytest.mark.parametrize(
    ("images", "words", "left"),
    [
        ([X, Y, {**X, "file_name": "z.jpg"}], "image number 3, z.jpg: image id 7 is listed", 1),
        ([X, Y, {**X, "id": 1}], "image number 3, a/x.jpg: file name is listed twice", 1),
        ([{**X, "width": 0}, Y], "image number 1, a/x.jpg: width 0 and height 4 are not", 1),
        ([{**X, "height": 4.5}, Y], "width 6 and height 4.5 are not positive whole", 1),
        ([X, {"id": 3, "width": 6, "height": 4}], "image number 2: 'file_name' is missing", 1),
        ([{**X, "file_name": "../x.jpg"}, Y], "../x.jpg: image id '../x.jpg' is", 1),
        ([{**X, "file_name": "/x.jpg"}, Y], "image id '/x.jpg' is an absolute path", 1),
        ([X, Y, {"file_name": "z.jpg", "width": 6, "height": 4}], "'id' is missing", 2),
        ([X, Y, None], "image number 3: 'id' is missing", 2),
    ],
)
def test_coco_names_a_wrong_image(tmp_path: Path, images: Any, words: str, left: int) -> None:
    file = coco_file(tmp_path, [thing(1), thing(2, 3)], images=images)
    found = read(coco, file)
    assert words in complaint(found)
    assert len(found.split.ids) == left


def test_coco_names_a_wrong_category(tmp_path: Path) -> None:
    twice = [{"id": 2, "name": "cat"}, {"id": 2, "name": "dog"}]
    found = read(coco, coco_file(tmp_path, [thing(1)], categories=twice))
    assert "category number 2: category id 2 is listed twice" in complaint(found)
    unnamed = [{"id": 2, "name": "cat"}, {"id": 3}]
    found = read(coco, coco_file(tmp_path, [thing(1)], categories=unnamed))
    assert "category number 2: needs an 'id'" in complaint(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"images": [],\n "annotations": [}', ":2: not JSON: "),
        ("", ":1: not JSON: "),
        ("[]", "holds no list of images or annotations or categories"),
        ('{"images": [], "categories": {}, "annotations": []}', "no list of categories"),
        ("[" * 100000, "not usable JSON"),
        ("1" * 5000, "not usable JSON"),
    ],
)
def test_coco_names_a_file_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    assert words in complaint(read(coco, file))
    with pytest.raises(DataError, match=r"x\.json"):
        read_truth(file)


def test_coco_reads_a_byte_order_mark_and_refuses_latin_1(tmp_path: Path) -> None:
    file = coco_file(tmp_path, [thing(1)])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read(coco, file).split.ids == ("a/x.jpg",)
    file.write_bytes(b'{"images": [],\n"\xff')
    assert f"{file}:2: not UTF-8 text" in complaint(read(coco, file))


def test_coco_takes_masks_by_name_unless_classes_would_share_one(tmp_path: Path) -> None:
    masks = draw(tmp_path / "masks" / "a" / "x.png").parents[1]
    found = read(coco, coco_file(tmp_path, [thing(1)]), masks=masks)
    assert found.masks is not None
    found = read(coco, coco_file(tmp_path, [thing(1), thing(2, category=9)]), masks=masks)
    assert "a/x.jpg: one mask named by its image cannot tell" in complaint(found)


def test_coco_on_real_photographs(shared: Path) -> None:
    truth = read_truth(shared / "data" / "coco256" / "val2017.json")
    assert len(truth.split.ids) == 373
    assert len(set(truth.split.images)) == 128
    assert len(truth.split.classes) == 80
    assert truth.split.classes[58] == "potted plant"
    corners = truth.boxes("study", Ledger()).corners
    assert corners.shape == (898, 4)
    first = truth.split.ids.index("000000000139.jpg/58")
    assert corners[truth._known.boxes.offsets[first]].tolist() == pytest.approx(  # type: ignore[union-attr]
        [118.49, 71.25, 130.84, 106.0]
    )
    assert not truth.has_masks
    other = read_truth(shared / "data" / "coco256" / "train2017.json")
    assert other.warnings["images_without_annotation"] == 2


# VOC


def voc_object(name: str, box: str = "1 1 4 3", more: str = "") -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), box.split(), strict=False)
    corners = "".join(f"<{side}>{value}</{side}>" for side, value in sides)
    part = "<part><name>head</name><bndbox><xmin>9</xmin></bndbox></part>"
    return f"<object><name>{name}</name>{more}<bndbox>{corners}</bndbox>{part}</object>\n"


def voc_file(folder: Path, name: str, *objects: str, size: str = "6 4", start: str = "") -> Path:
    width, height = size.split()
    file = folder / "Annotations" / f"{name}.xml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"{start}<annotation>\n<size><width>{width}</width><height>{height}</height></size>\n"
        f"{''.join(objects)}</annotation>\n"
    )
    return file


def test_voc_gives_an_item_per_image_and_name(tmp_path: Path) -> None:
    voc_file(tmp_path, "b.1", voc_object("dog"), voc_object("cat", "0 0 6 4"), voc_object("dog"))
    voc_file(tmp_path, "a", voc_object("dog", "1.5 1 2 2", "<difficult>1</difficult>"))
    voc_file(tmp_path, "empty")
    found = read(voc, tmp_path)
    assert not found.problems
    assert found.split.ids == ("a", "b.1/0", "b.1/1")
    assert found.split.images == ("a", "b.1", "b.1")
    assert found.split.classes == ("cat", "dog")
    assert found.split.labels.tolist() == [1, 0, 1]
    assert found.split.sizes.tolist() == [[6, 4]] * 3
    assert boxes_of(found) == [[[1.5, 1, 2, 2]], [[0, 0, 6, 4]], [[1, 1, 4, 3], [1, 1, 4, 3]]]
    assert found.warnings == {
        "boxes_at_or_past_edge": 1,
        "difficult_objects": 1,
        "images_without_annotation": 1,
    }


def test_voc_corners_that_count_from_one() -> None:
    assert voc.one_based((1, 1, 500, 375)) == (0, 0, 500, 375)


EXPLOSION = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'


@pytest.mark.parametrize(
    ("objects", "options", "words"),
    [
        ([voc_object("dog", "4 1 1 3")], {}, "bad.xml, object 1, bad: box 4, 1, 1, 3"),
        ([voc_object("dog", "1 1 4")], {}, "object 1 (dog) has no <bndbox> with numbers xmin"),
        ([voc_object("dog", "1 1 4 x")], {}, "object 1 (dog) has no <bndbox>"),
        ([voc_object("dog", "1 1 4 nan")], {}, "object 1 (dog) has no <bndbox>"),
        ([voc_object("dog"), voc_object("")], {}, "object 2 has no <name>"),
        ([voc_object("dog")], {"size": "0 4"}, "has no <size> with a positive"),
        ([voc_object("dog")], {"size": "6.5 4"}, "has no <size> with a positive"),
        ([voc_object("dog"), "<object>"], {}, "bad.xml:4, bad: broken XML: mismatched"),
        ([voc_object("dog")], {"start": EXPLOSION}, "declares a document type"),
        ([voc_object("dog")], {"start": "<!DOCTYPE annotation>"}, "declares a document type"),
        ([voc_object("dog")], {"start": "<?xml version='1.0' encoding='x'?>"}, "broken XML"),
        ([voc_object("dog")], {"start": "<?xml version='1.0' encoding='big5'?>"}, "broken XML"),
    ],
)
def test_voc_names_a_wrong_file(
    tmp_path: Path, objects: list[str], options: dict[str, str], words: str
) -> None:
    voc_file(tmp_path, "good", voc_object("dog"))
    voc_file(tmp_path, "bad", *objects, **options)
    found = read(voc, tmp_path)
    assert words in complaint(found)
    assert found.split.ids == ("good",)


def test_voc_refuses_entities_in_any_encoding(tmp_path: Path) -> None:
    file = voc_file(tmp_path, "x", voc_object("dog"), start=EXPLOSION)
    file.write_bytes(file.read_text().encode("utf-16"))
    assert "declares a document type" in complaint(read(voc, tmp_path))


def test_voc_refuses_other_xml(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<project/>")
    assert "is <project> where <annotation> is needed" in complaint(read(voc, tmp_path))


# Image folder with a mask folder


def test_masks_are_called_as_their_images(tmp_path: Path) -> None:
    for name in ("a/1.jpg", "a/2.jpg", "b/3.png", "b/.hidden.png"):
        draw(tmp_path / "images" / name)
    for name in ("a/1.png", "a/2_mask.png", "b/3.png", "b/._3.png"):
        draw(tmp_path / "masks" / name)
    found = read(mask_folder, tmp_path)
    assert not found.problems
    assert found.split.ids == ("a/1.jpg", "a/2.jpg", "b/3.png")
    assert found.split.labels.tolist() == [0, 0, 1]
    assert found.split.classes == ("a", "b")
    assert found.masks is not None
    names = [source.name for (source,) in found.masks.objects]  # type: ignore[union-attr]
    assert names == ["1.png", "2_mask.png", "3.png"]


def test_png_is_preferred_and_a_suffix_of_the_images_own_will_do(tmp_path: Path) -> None:
    for name in ("images/1.bmp", "images/2.bmp", "masks/1.bmp", "masks/2.png"):
        draw(tmp_path / name)
    found = read(mask_folder, tmp_path)
    assert not found.problems
    assert found.split.labels.tolist() == [-1, -1]  # not nested: no classes
    assert not found.split.classes
    draw(tmp_path / "masks" / "1.png")
    assert "1.bmp: mask has no image" in complaint(read(mask_folder, tmp_path))


def test_images_without_masks_and_masks_without_images_are_named(tmp_path: Path) -> None:
    for name in ("images/1.jpg", "images/2.jpg", "masks/1.png", "masks/deep/3.png"):
        draw(tmp_path / name)
    found = read(mask_folder, tmp_path)
    lonely, orphan = map(str, found.problems)
    assert "2.jpg: image has no mask; put 2.png or 2.jpg or 2_mask.png into" in lonely
    assert f"{tmp_path / 'masks' / 'deep' / '3.png'}: mask has no image" in orphan
    assert found.split.ids == ("1.jpg",)


def test_two_images_do_not_share_a_mask(tmp_path: Path) -> None:
    for name in ("images/1.jpg", "images/1.png", "masks/1.png"):
        draw(tmp_path / name)
    found = read(mask_folder, tmp_path)
    assert len(found.problems) == 2
    assert all("could belong to image 1." in problem.what for problem in found.problems)
    assert not found.split.ids


@pytest.mark.parametrize(
    ("images", "masks", "files"),
    [
        ("photos", "labels", ("photos/x.jpg", "labels/x.png")),
        ("photos", "photos/labels", ("photos/x.jpg", "photos/labels/x.png")),
        ("photos", "photos", ("photos/x.jpg", "photos/x_mask.png")),
        ("photos", "photos", ("photos/x.png", "photos/x_mask.png")),
        ("all/photos", "all", ("all/photos/x.jpg", "all/x.png")),
    ],
)
def test_wherever_the_mask_folder_is(
    tmp_path: Path, images: str, masks: str, files: tuple[str, str]
) -> None:
    for name in files:
        draw(tmp_path / name)
    truth = read_truth(tmp_path / images, masks=tmp_path / masks)
    assert truth.split.ids == (Path(files[0]).name,)
    assert truth.has_masks


def test_an_image_is_never_its_own_mask(tmp_path: Path) -> None:
    draw(tmp_path / "x.png")
    assert "image has no mask" in complaint(read(mask_folder, tmp_path, masks=tmp_path))


def test_mask_folder_on_real_photographs(shared: Path) -> None:
    pets = shared / "data" / "pets"
    truth = read_truth(pets / "images", masks=pets / "masks", ignore_value=128)
    assert len(truth.split.ids) == 2405
    assert truth.has_masks
    assert not truth.has_boxes


# Tables


def table(folder: Path, *lines: str, end: str = "\n") -> Path:
    file = folder / "table.csv"
    file.write_bytes(end.join(lines).encode())
    return file


BOX_HEADER = "image,x0,y0,x1,y1,width,height"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_table_of_boxes(tmp_path: Path, end: str) -> None:
    lines = [
        "\ufeffimage,x0,y0,x1,y1,width,height",
        "a.jpg,1,1,4,3,6,4",
        "",
        "b.jpg,0,0,5,3,6,4",
        '"a.jpg", 0,0.5,2,2,6,4',
    ]
    found = read(csv_table, table(tmp_path, *lines, end=end))
    assert not found.problems
    assert found.split.ids == ("a.jpg", "b.jpg")
    assert found.split.labels.tolist() == [-1, -1]
    assert found.split.sizes.tolist() == [[6, 4], [6, 4]]
    assert boxes_of(found) == [[[1, 1, 4, 3], [0, 0.5, 2, 2]], [[0, 0, 5, 3]]]


def test_table_labels_are_numbers_or_names(tmp_path: Path) -> None:
    rows = ["a,1,1,4,3,6,4,", "b,1,1,4,3,6,4,"]
    numbers = table(tmp_path, f"{BOX_HEADER},label", rows[0] + "4", rows[1] + "2")
    found = read(csv_table, numbers)
    assert found.split.labels.tolist() == [4, 2]
    assert not found.split.classes
    named = table(
        tmp_path, f"{BOX_HEADER},label", rows[0] + "dog", rows[1] + "cat", rows[1] + "dog"
    )
    found = read(csv_table, named)
    assert found.split.classes == ("cat", "dog")
    assert found.split.ids == ("a", "b/0", "b/1")
    assert found.split.images == ("a", "b", "b")
    assert found.split.labels.tolist() == [1, 0, 1]


def test_table_of_masks(tmp_path: Path) -> None:
    for name in ("1.png", "2.png", "i.png"):
        draw(tmp_path / "m" / name)
    file = table(tmp_path, "label,image,mask,ignore", "0,a,1.png,i.png", "0,a,2.png,", "3,b,1.png,")
    found = read(csv_table, file, masks=tmp_path / "m")
    assert not found.problems
    assert found.masks is not None
    assert [len(group) for group in found.masks.objects] == [2, 1]
    assert [len(group) for group in found.masks.ignored] == [1, 0]
    assert found.split.labels.tolist() == [0, 3]
    assert found.boxes is None
    beside = table(tmp_path, "image,mask", "a,m/1.png")
    assert not read(csv_table, beside).problems


def test_table_of_boxes_takes_masks_by_name(tmp_path: Path) -> None:
    draw(tmp_path / "m" / "a.png")
    found = read(csv_table, table(tmp_path, BOX_HEADER, "a.jpg,1,1,4,3,6,4"), masks=tmp_path / "m")
    assert found.masks is not None
    assert found.boxes is not None


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("image;x0;y0;x1;y1", "unknown column 'image;x0;y0;x1;y1'"),
        ("image,x0,y0,x1,y1,width,height,score", "unknown column 'score'"),
        ("image,x0,y0,x1,y1", "no column 'width'"),
        ("image,x0,y0,y1,width,height", "no column 'x1'"),
        ("x0,y0,x1,y1,width,height", "no column 'image'"),
        ("image,label", "no column 'x0'"),
        ("image,mask,width", "no column 'height'"),
        ("image,mask,mask", "a column is named twice"),
        ("", "no column 'image'"),
    ],
)
def test_table_header_names_the_columns_expected(tmp_path: Path, header: str, words: str) -> None:
    file = table(tmp_path, header, "a,1")
    text = complaint(read(csv_table, file))
    assert f"{file}:1: {words}; the columns are image, then x0, y0, x1, y1" in text


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("b,1,1,4,3,6", "6 columns where 8 are needed"),
        ("b,1,1,4,3,6,4,0,9", "9 columns where 8 are needed"),
        ("b,one,1,4,3,6,4,0", "x0 is 'one' where a number is needed"),
        ("b,1,1,4,nan,6,4,0", "y1 is 'nan' where a number is needed"),
        ("b,1,1,4,,6,4,0", "y1 is '' where a number is needed"),
        ("b,4,1,1,3,6,4,0", "box 4, 1, 1, 3 is inverted"),
        ("b,-1,1,1,3,6,4,0", "has a negative corner"),
        ("b,6,1,9,3,6,4,0", "lies outside its image of 6 x 4"),
        ("b,1,1,4,3,0,4,0", "size 0 x 4 is not positive whole numbers"),
        ("b,1,1,4,3,6,4.5,0", "size 6 x 4.5 is not positive whole numbers"),
        ("b,1,1,4,3,6,4,", "label is empty"),
        ("b,1,1,4,3,6,4,-1", "label -1 is out of range"),
        ("b,1,1,4,3,6,4,dog", "label 'dog' is a name where the first is a whole number"),
        ("../b,1,1,4,3,6,4,0", "'../b' is"),
        ("/b,1,1,4,3,6,4,0", "'/b' is an absolute path"),
        ('b,"1,1,4,3,6,4,0', "not a table: unexpected end of data"),
    ],
)
def test_table_names_a_wrong_line(tmp_path: Path, row: str, words: str) -> None:
    file = table(tmp_path, f"{BOX_HEADER},label", "a,1,1,4,3,6,4,0", row)
    found = read(csv_table, file)
    assert words in complaint(found)
    assert (found.problems[0].file, found.problems[0].line) == (str(file), 3)
    assert found.split.ids == ("a",)


def test_table_lines_of_one_image_agree(tmp_path: Path) -> None:
    found = read(csv_table, table(tmp_path, BOX_HEADER, "a,1,1,4,3,6,4", "a,1,1,4,3,6,5"))
    assert ":3, a: size differs from that of an earlier line" in complaint(found)
    assert not found.split.ids
    header = f"{BOX_HEADER},label"
    found = read(csv_table, table(tmp_path, header, "a,1,1,4,3,6,4,dog", "b,1,1,4,3,6,4,5"))
    assert "label '5' is a whole number where the first is a name" in complaint(found)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("b,,", "names no mask"),
        ("b,,1.png", "image has no ground truth"),
        ("b,gone.png,", "gone.png is missing"),
        ("b,../1.png,", "mask name '../1.png' is"),
        ("b,1.png,/i.png", "mask name '/i.png' is an absolute path"),
    ],
)
def test_table_names_a_wrong_mask(tmp_path: Path, row: str, words: str) -> None:
    draw(tmp_path / "1.png")
    found = read(csv_table, table(tmp_path, "image,mask,ignore", "a,1.png,", row))
    assert words in complaint(found)
    assert found.problems[0].line == 3
    assert found.split.ids == ("a",)


def test_table_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(f"{BOX_HEADER}\na,1,1,4,3,6,4\n\xff,1,1,4,3,6,4".encode("latin-1"))
    assert f"{file}:3: not UTF-8 text" in complaint(read(csv_table, file))


# Who is asked first


def test_formats_are_asked_by_name() -> None:
    assert registry.names("format") == ("coco", "csv-table", "mask-folder", "reference", "voc")
    assert all(entry.title for entry in registry.describe("format"))


def test_each_folder_is_claimed_once(tmp_path: Path) -> None:
    request = Request("made-up", "val", masks=tmp_path / "masks")
    draw(tmp_path / "images" / "x.jpg")
    draw(tmp_path / "masks" / "x.png")
    formats = {name: registry.load("format", name) for name in registry.names("format")}

    def claimed_by() -> list[str]:
        return [name for name, module in formats.items() if module.recognises(tmp_path, request)]

    assert claimed_by() == ["mask-folder"]
    voc_file(tmp_path, "x", voc_object("dog"))
    assert claimed_by() == ["voc"]
    (tmp_path / "image_ids.txt").touch()
    assert "mask-folder" not in claimed_by()


def test_a_folder_of_images_needs_masks_to_be_ground_truth(tmp_path: Path) -> None:
    draw(tmp_path / "x.jpg")
    assert not mask_folder.recognises(tmp_path, Request("made-up", "val"))
    assert not mask_folder.recognises(tmp_path / "x.jpg", Request("made-up", "val", masks=tmp_path))


def test_reading_ground_truth_needs_no_image_library() -> None:
    code = (
        "import sys; from sightline import registry;"
        "[registry.load('format', name) for name in registry.names('format')];"
        "sys.exit('cv2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
