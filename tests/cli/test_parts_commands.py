"""`sightline parts prepare` and `sequences`, as they are typed."""

import json

import cv2
import numpy as np
import pytest

from sightline.parts.answers import read

CORNERS = {"torso": (12, 16, 40, 36), "head": (34, 8, 48, 22), "tail": (6, 18, 13, 22)}
CLASSIFIER = """
LABELS = ["dog", "cat"]
def classify(pictures):
    return ["dog" if one.mean() > 60 else "cat" for one in pictures]
"""


@pytest.fixture
def coco(tmp_path):
    """Write three images of dogs and one of a cat, the last dog without a tail."""
    root = tmp_path / "data"
    root.mkdir()
    kinds = ["dog", "dog", "dog", "cat"]
    names = [f"{kind}:{part}" for kind in ("dog", "cat") for part in CORNERS]
    content = {
        "categories": [{"id": i, "name": name} for i, name in enumerate(names)],
        "images": [],
        "annotations": [],
    }
    for key, kind in enumerate(kinds):
        noise = np.random.default_rng(key).integers(0, 255, (6, 8, 3)).astype(np.uint8)
        cv2.imwrite(str(root / f"{key}.png"), cv2.resize(noise, (60, 48)))
        content["images"].append({"id": key, "file_name": f"{key}.png", "width": 60, "height": 48})
        for part, (x0, y0, x1, y1) in CORNERS.items():
            if (key, part) == (2, "tail"):
                continue
            content["annotations"].append(
                {
                    "id": len(content["annotations"]),
                    "image_id": key,
                    "category_id": names.index(f"{kind}:{part}"),
                    "bbox": [x0, y0, x1 - x0, y1 - y0],
                    "segmentation": [[x0, y0, x1, y0, x1, y1, x0, y1]],
                }
            )
    (root / "parts.json").write_text(json.dumps(content))
    (root / "looked.csv").write_text(
        "image,subject,order,x,y\n"
        + "".join(f"{key}.png,a,0,44,10\n{key}.png,a,1,20,20\n" for key in range(4))
    )
    (root / "mine.py").write_text(CLASSIFIER)
    return root


@pytest.fixture
def prepared(sightline, coco, tmp_path):
    out = tmp_path / "prepared"
    words = ["parts", "prepare", coco / "parts.json", "--fixations", coco / "looked.csv"]
    answer = sightline(*words, "--out", out)
    assert answer.code == 0, answer.err
    return out


def test_prepare_tells_what_came_of_it(sightline, coco, tmp_path):
    out = tmp_path / "prepared"
    words = ["parts", "prepare", coco / "parts.json", "--fixations", coco / "looked.csv"]
    answer = sightline(*words, "--out", out)
    assert answer.err == ""
    assert "dog       3        3      89 %" in answer.out
    assert "missing    1 objects lack parts" in answer.out
    for name in ("objects.csv", "sheet.png", "presence.csv", "shortlist.csv", "left_out.csv"):
        assert (out / name).is_file(), name
    found = sightline(*words, "--out", out, "--json", "-").json
    assert found["categories"] == {"cat": 1, "dog": 3}
    assert found["fixations"] == 8


def test_sequences_to_disk(sightline, prepared, tmp_path):
    out = tmp_path / "sequences"
    found = sightline(
        *("parts", "sequences", prepared, "--out", out, "--orderings", "e-us", "area"),
        *("--strips", 2, "--json", "-"),
    ).json
    assert found["sequences"] == 4 * 2 * 4
    assert found["steps"] == 4 * 2 * 4 * 4
    assert len(list((out / "images").rglob("*.png"))) == found["images"] < found["steps"]
    assert len(list((out / "strips").glob("*.png"))) == 2
    orders = (out / "orders.csv").read_text().splitlines()
    assert orders[0] == "category,part_scheme,rank,part,probability"
    assert "dog,e-us,1,head,0.666667" in orders


def test_sequences_to_a_classifier(sightline, prepared, coco, tmp_path):
    out = tmp_path / "answers"
    answer = sightline(
        *("parts", "sequences", prepared, "--out", out, "--orderings", "e-u"),
        *("--contents", "intra-object", "low-detail:half=0.03"),
        *("--classifiers", f"callable:file={coco / 'mine.py'}"),
    )
    assert answer.code == 0, answer.err
    assert "sequences" in answer.out
    (file,) = out.glob("*.parquet")
    lines = list(read(file))
    assert len(lines) == 4 * 2 * 4
    assert {one.content for one in lines} == {"intra-object", "low-detail:half=0.03"}
    assert {one.labels for one in lines} == {("dog",), ("cat",)}


def test_schemes_are_copied_to_be_edited(sightline, tmp_path):
    answer = sightline("parts", "prepare", "--write-schemes", "pascal", "--out", tmp_path / "own")
    assert answer.code == 0
    assert (tmp_path / "own/dog.csv").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prepare"], "--out is missing"),
        (["prepare", "--out", "x"], "name the data"),
        (["prepare", "{coco}", "--out", "x", "--scheme", "dogs"], "no part scheme 'dogs'"),
        (["prepare", "{coco}", "--out", "x", "--context", "-1"], "--context is from 0 to 10"),
        (["prepare", "{coco}", "--out", "{tmp}/x", "--scheme", "pets"], "only 1 of its"),
        (["sequences", "{tmp}", "--out", "x"], "holds no objects.csv"),
        (["sequences", "{prepared}"], "--out is missing"),
        (["sequences", "{prepared}", "--out", "{tmp}/s", "--orderings", "e-x"], "unknown ordering"),
        (
            ["sequences", "{prepared}", "--out", "{tmp}/s", "--contents", "low-detail:half=0"],
            "half and peak are larger than 0",
        ),
        (
            ["sequences", "{prepared}", "--out", "{tmp}/s", "--orderings", "area", "area"],
            "ordering 'area' is given twice",
        ),
        (
            ["sequences", "{prepared}", "--out", "{tmp}/s", "--classifiers", "lite9"],
            "unknown classifier 'lite9'",
        ),
        (["sequences", "{prepared}", "--out", "{tmp}/s", "--batch", "0"], "--batch is from 1"),
    ],
)
def test_what_is_wrong_is_one_line(sightline, prepared, coco, tmp_path, words, message):
    known = {"coco": coco / "parts.json", "tmp": tmp_path, "prepared": prepared}
    given = [word.format(**known) for word in words]
    if message == "only 1 of its":
        given += ["--fewest", "4"]
        message = "no object could be prepared"
    assert message in sightline("parts", *given).refusal()


def test_orderings_of_fixations_need_some(sightline, coco, tmp_path):
    out = tmp_path / "prepared"
    assert sightline("parts", "prepare", coco / "parts.json", "--out", out).code == 0
    refusal = sightline("parts", "sequences", out, "--out", tmp_path / "s").refusal()
    assert "cat: nobody's fixations are known; give --fixations to 'parts prepare'" in refusal
    fine = sightline("parts", "sequences", out, "--out", tmp_path / "s", "--orderings", "random")
    assert fine.code == 0


def test_a_damaged_folder_is_one_line(sightline, prepared, tmp_path):
    words = ["parts", "sequences", prepared, "--out", tmp_path / "s", "--orderings", "area"]
    mask = next((prepared / "masks").rglob("*.npz"))
    content = mask.read_bytes()
    mask.write_bytes(content[:40])
    assert "holds no masks of parts" in sightline(*words).refusal()
    mask.write_bytes(content)
    table = prepared / "objects.csv"
    text = table.read_text()
    table.write_text(text.replace(",60,48,", ",60,wide,", 1))
    assert "objects.csv:2: " in sightline(*words).refusal()


def test_what_was_stopped_says_how_to_go_on(sightline, prepared, coco, tmp_path, monkeypatch):
    from sightline.parts import preparing, writing

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "save", stopped)
    words = ["parts", "sequences", prepared, "--out", tmp_path / "s", "--orderings", "area"]
    assert "the same command goes on" in sightline(*words).refusal()
    monkeypatch.setattr(preparing, "write_object", stopped)
    words = ["parts", "prepare", coco / "parts.json", "--out", tmp_path / "p"]
    assert "the same command goes on" in sightline(*words).refusal()


def test_broken_annotations_are_left_out_if_asked(sightline, coco, tmp_path):
    (coco / "1.png").write_bytes(b"no picture")
    words = ["parts", "prepare", coco / "parts.json", "--out", tmp_path / "p"]
    assert "1.png: is not an image" in sightline(*words).refusal()
    fine = sightline(*words, "--on-error", "skip")
    assert fine.code == 0, fine.err
    assert "1.png: is not an image" in (tmp_path / "p/left_out.csv").read_text()
