"""Preparing parts: crops, tables, what is left out and what is missing."""

import csv
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from sightline.data.dataset import read_dataset
from sightline.errors import DataError, UsageError
from sightline.parts.annotated import read_annotated
from sightline.parts.missing import read_drawn, shortlist
from sightline.parts.prepared import Prepared, context_of, has_room
from sightline.parts.preparing import Choices, prepare
from sightline.parts.schemes import AS_IS, Schemes, read_schemes
from sightline.parts.showing import presence

from .conftest import ALL, KINDS
from .parts_data import EYE, HEAD, HEIGHT, WIDTH, write

AS = Schemes(AS_IS, "drop")


def lines(file: Path) -> list[dict[str, str]]:
    with file.open() as stream:
        return list(csv.DictReader(stream))


def test_boxes_grow_by_a_share_in_all_or_on_each_side_within_the_image() -> None:
    assert context_of((50, 40, 150, 90), (300, 200), 0.18, "total") == (41, 35, 159, 95)
    assert context_of((50, 40, 150, 90), (300, 200), 0.18, "each") == (32, 31, 168, 99)
    assert context_of((2, 0, 102, 50), (104, 50), 0.18, "total") == (0, 0, 104, 50)


def test_an_image_must_be_larger_in_one_direction() -> None:
    assert has_room((0, 0, 100, 100), (118, 100), 0.18)
    assert not has_room((0, 0, 100, 100), (117, 117), 0.18)


def test_crops_are_the_photograph_s_pixels(prepared: Prepared) -> None:
    one = next(o for o in prepared.objects if o.name == "dog-1#1")
    assert one.tight == (6, 8, 48, 36)
    photograph = cv2.imread(str(prepared.root.parent / "data/dog-1.png"))[:, :, ::-1]
    x0, y0, x1, y1 = one.context
    assert one.context == (2, 5, 52, 39)
    assert (prepared.context(one) == photograph[y0:y1, x0:x1]).all()
    tight = cv2.imread(str(prepared.root / "tight/dog-1#1.png"))[:, :, ::-1]
    assert (tight == photograph[8:36, 6:48]).all()
    masks = prepared.masks(one)
    head = np.zeros((HEIGHT, WIDTH), bool)
    head[HEAD[1] : HEAD[3], HEAD[0] : HEAD[2]] = True
    assert (masks.parts["head"] == head[y0:y1, x0:x1]).all()


def test_tables_tell_parts_the_rest_and_fixations_in_the_crop(prepared: Prepared) -> None:
    parts = [one for one in lines(prepared.root / "parts.csv") if one["object"] == "dog-1#1"]
    assert [one["part"] for one in parts] == ["torso", "head", "eye", "tail", "unlabeled-rest"]
    assert int(parts[2]["pixels"]) == (EYE[2] - EYE[0]) * (EYE[3] - EYE[1])
    covered = prepared.masks(prepared.objects[0]).whole.sum()
    assert int(parts[-1]["pixels"]) == 50 * 34 - covered
    first = prepared.fixations["dog-1#1"][0]
    assert (first.x, first.y) == (43.5 - 2, 13.5 - 5)
    row = json.loads((prepared.root / "prepare.row.json").read_text())["result"]
    assert row["fixations_outside"] == 4  # one of every object
    assert row["objects"] == 4
    assert prepared.schemes["dog"] == ("eye", "head", "tail", "torso")


def test_the_histogram_counts_shares_of_the_category_s_parts(prepared: Prepared) -> None:
    counts = presence(prepared)
    assert counts["dog"] == [0, 0, 0, 0, 0, 2, 0, 0, 0, 1]
    assert counts["cat"] == [0] * 9 + [1]


def test_a_stopped_call_goes_on_with_the_same_choices_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sightline.parts import preparing

    source = read_annotated(str(write(tmp_path / "data", KINDS)))
    real, made = preparing._made, []

    def stopping(one: object, *rest: object) -> object:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(one)
        return real(one, *rest)

    monkeypatch.setattr(preparing, "_made", stopping)
    with pytest.raises(KeyboardInterrupt):
        prepare(source, AS, tmp_path / "out", Choices())
    with pytest.raises(UsageError, match=r"holds no objects\.csv"):
        Prepared(tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):  # other choices begin anew, with what is made already
        prepare(source, AS, tmp_path / "other", Choices(context=0.3))
    made.clear()
    again = []
    monkeypatch.setattr(preparing, "_made", lambda one, *r: again.append(one) or real(one, *r))
    prepare(source, AS, tmp_path / "out", Choices())
    assert len(again) == 2
    whole = tmp_path / "whole"
    prepare(source, AS, whole, Choices())
    for name in ("objects.csv", "parts.csv", "schemes.csv", "masks/dog-3#1.npz"):
        assert (whole / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


@pytest.mark.parametrize(
    ("kinds", "choices", "reason"),
    [
        ({"dog-1": ()}, {}, "no part of it is annotated"),
        ({"dog-1": ("tail",)}, {}, "it is 7 x 4 pixels, less than 16 in a direction"),
        ({"dog-1": ("torso",)}, {"fewest": 2}, "only 1 of its parts are to be seen"),
        ({"dog-1": ALL}, {"context": 0.9}, "its image is not 90% larger than it in any direction"),
    ],
)
def test_what_cannot_be_used_is_left_out_with_its_reason(
    tmp_path: Path, kinds: dict[str, tuple[str, ...]], choices: dict[str, float], reason: str
) -> None:
    file = write(tmp_path / "data", {"cat-1": ALL, **kinds})
    content = json.loads(file.read_text())
    for one in [a for a in content["annotations"] if a["image_id"] == 1]:
        one["segmentation"] = [[10, 10, 28, 10, 28, 28, 10, 28]]  # a small cat of good proportions
        one["bbox"] = [10, 10, 18, 18]
    if not kinds["dog-1"]:  # an object of its own, without parts
        content["categories"].append({"id": 99, "name": "dog"})
        own = {"id": 999, "image_id": 2, "category_id": 99, "bbox": [2, 2, 30, 30]}
        content["annotations"].append({**own, "segmentation": [[2, 2, 32, 2, 32, 32, 2, 32]]})
    file.write_text(json.dumps(content))
    fewest = {"fewest": 2} if "fewest" in choices else {}
    prepare(read_annotated(str(file)), AS, tmp_path / "out", Choices(**{**choices, **fewest}))
    assert [one["reason"] for one in lines(tmp_path / "out/left_out.csv")] == [reason]


def test_nothing_at_all_is_an_error_that_says_why(tmp_path: Path) -> None:
    file = write(tmp_path / "data", {"dog-1": ("tail",)})
    with pytest.raises(UsageError, match=r"no object could be prepared \(it is 7 x 4 pixels"):
        prepare(read_annotated(str(file)), AS, tmp_path / "out", Choices())
    with pytest.raises(UsageError, match="there is no part scheme for 'dog'"):
        prepare(read_annotated(str(file)), Schemes("own", "drop"), tmp_path / "2", Choices())


def test_pascal_part_as_released(shared: Path, tmp_path: Path) -> None:
    source = read_annotated(f"pascal-part:{shared / 'data/pascal_part'}")
    row = prepare(source, read_schemes("pascal", "drop"), tmp_path, Choices())
    assert row.result["objects"] == 36
    assert row.result["merged"] == 2
    assert not row.result["unknown_annotations"]
    reasons = [one["reason"] for one in lines(tmp_path / "left_out.csv")]
    assert "there is no part scheme for 'chair'" in reasons
    assert {entry.purpose for entry in row.ledger} == {"study"}
    prepared = Prepared(tmp_path)
    for one in prepared.objects:
        masks = prepared.masks(one)
        cut = [mask for name, mask in masks.parts.items() if name not in ("arm", "leg")]
        assert all((mask <= masks.whole).all() for mask in cut)  # limbs are merged over gaps
        assert prepared.context(one).shape[:2] == masks.whole.shape


def test_pets_are_head_and_body(shared: Path, tmp_path: Path) -> None:
    source = read_annotated(str(shared / "data/pets"), split="val")
    few = type(source)(source.dataset, source.split, source.objects[:12], source.ledger)
    prepare(few, read_schemes("pets", "drop"), tmp_path, Choices(room="any"))
    prepared = Prepared(tmp_path)
    for one in prepared.objects:
        masks = prepared.masks(one)
        assert set(masks.parts) == {"head", "body"}
        assert (masks.parts["head"] ^ masks.parts["body"] == masks.whole).all()
    assert set(prepared.categories) <= {"cat", "dog"}


def test_pond_has_parts_and_fixations(tmp_path: Path) -> None:
    from sightline.data.build.recipes.pond import Options, make

    make(Options(images=40, size=64), tmp_path / "pond", seed=0, workers=1)
    source = read_annotated(str(tmp_path / "pond"), split="test")
    assert read_dataset(tmp_path / "pond", split="test").truth.has_fixations
    prepare(source, AS, tmp_path / "out", Choices(room="any"))
    prepared = Prepared(tmp_path / "out")
    assert prepared.fixations
    for one in prepared.objects:
        masks = prepared.masks(one)
        assert (np.logical_or.reduce(list(masks.parts.values())) == masks.whole).all()


def test_the_shortlist_has_what_lacks_least_first(prepared: Prepared) -> None:
    found = shortlist(prepared, AS)
    assert [(one.object.name, one.missing) for one in found] == [
        ("dog-2#1", ("eye", "tail")),
        ("dog-3#1", ("head", "tail")),
    ]
    assert all(
        one.advice == "too small" for one in found
    )  # 64 pixels are what is worth the trouble
    assert found[0].half == 1


def test_parts_drawn_elsewhere_are_added(prepared: Prepared, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.csv"
    drawn.write_text("object,part,points\ndog-2#1,eye,30 6 34 6 34 10 30 10\n")
    source = read_annotated(str(tmp_path / "data/parts.json"))
    parts, few = read_drawn(drawn, prepared, AS)
    assert not few
    before = prepared.masks(prepared.objects[1])
    row = prepare(source, AS, prepared.root, Choices(), drawn=parts)
    after = Prepared(prepared.root)
    assert "eye" in after.masks(after.objects[1]).parts
    assert "eye" not in before.parts
    assert row.result["parts"] == 4 + 2 + 4 + 2 + 1


def test_labelme_s_files_are_read_by_the_crop_s_name(prepared: Prepared, tmp_path: Path) -> None:
    folder = tmp_path / "drawn"
    folder.mkdir()
    shape = {"label": "tail", "points": [[2, 2], [9, 2], [9, 9]]}
    (folder / "dog-2#1.json").write_text(json.dumps({"shapes": [shape]}))
    parts, _ = read_drawn(folder, prepared, AS)
    assert parts["dog-2#1"][0][0] == "tail"
    assert parts["dog-2#1"][0][1].sum() > 10


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dog-9#1,eye,1 1 5 1 5 5", "no object is called 'dog-9#1'"),
        ("dog-2#1,eye,1 1 5 1", "a polygon of 4 numbers where 3 pairs or more are needed"),
        ("dog-2#1,eye,1 1 five 1 5 5", "a polygon of 0 numbers"),
        ("dog-2#1,eye,900 900 950 900 950 950", "covers no pixel of its crop"),
    ],
)
def test_a_wrong_polygon_is_named(
    prepared: Prepared, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "drawn.csv"
    file.write_text(f"object,part,points\n{line}\n")
    with pytest.raises(DataError, match=message):
        read_drawn(file, prepared, AS)


def test_a_coco_file_in_partimagenet_s_naming_is_read(tmp_path: Path) -> None:
    file = write(tmp_path / "data", {"dog-1": ("torso", "head")})
    content = json.loads(file.read_text())
    for category in content["categories"]:
        part = category["name"].partition(":")[2]
        category |= {"name": f"Dog {part.title()}", "supercategory": "Dog"}
    file.write_text(json.dumps(content))
    (one,) = read_annotated(str(file)).objects
    assert one.kind == "Dog"
    assert [name for name, _ in one.parts] == ["Torso", "Head"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["annotations"][0].update(category_id=77), "names no known image or category"),
        (lambda c: c["annotations"][0].update(segmentation=[]), "has no segmentation"),
        (lambda c: c["annotations"][0].update(segmentation=[[1, 2]]), "a ring of 2 numbers"),
        (lambda c: c["images"][0].update(file_name="none.png"), "image none.png is missing"),
        (lambda c: c.pop("images"), "is no COCO file"),
        (lambda c: [k.update(name="dog") for k in c["categories"]], "no category is a part"),
    ],
)
def test_a_wrong_coco_file_is_one_line(tmp_path: Path, change: object, message: str) -> None:
    file = write(tmp_path / "data", {"dog-1": ALL})
    content = json.loads(file.read_text())
    change(content)  # type: ignore[operator]
    file.write_text(json.dumps(content))
    with pytest.raises((DataError, UsageError), match=message):
        read_annotated(str(file))


def test_data_without_parts_is_refused(shared: Path) -> None:
    with pytest.raises(UsageError, match="no object parts are known"):
        read_annotated(str(shared / "data/pets"), split="test")
