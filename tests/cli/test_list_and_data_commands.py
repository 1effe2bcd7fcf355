"""`sightline list`, `sightline data list`, `sightline data check`."""

import json

import numpy as np
import pytest

from sightline import registry

# list


def test_everything_registered_is_listed(sightline):
    answer = sightline("list")
    assert (answer.code, answer.err) == (0, "")
    for kind in registry.kinds():
        assert f"{kind}:" in answer.out.splitlines()
        for name in registry.names(kind):
            assert f"  {name} " in answer.out


def test_one_kind_alone(sightline):
    text = sightline("list", "baseline").out
    assert text.startswith("baseline:\n  center-gaussian")
    assert "--center" in text
    assert "Choe et al." in text
    assert "protocol:" not in text


def test_the_list_as_json(sightline, tmp_path):
    entries = sightline("list", "--json", "-").json
    named = {kind for kind in registry.kinds() if registry.names(kind)}
    assert {entry["kind"] for entry in entries} == named
    assert all(entry["title"] and entry["source"] == "sightline" for entry in entries)
    file = tmp_path / "list.json"
    assert sightline("list", "--json", file).out == sightline("list").out
    assert json.loads(file.read_text()) == entries


def test_data_sets_and_formats_are_listed(sightline):
    answer = sightline("data", "list")
    for name in (*registry.names("dataset"), *registry.names("format")):
        assert name in answer.out
    listed = sightline("data", "list", "--json", "-").json
    assert [entry["name"] for entry in listed["datasets"]] == list(registry.names("dataset"))
    assert [entry["name"] for entry in listed["formats"]] == list(registry.names("format"))


# data check


def test_a_whole_ground_truth(scene, sightline):
    answer = sightline("data", "check", scene.truth)
    assert (answer.code, answer.err) == (0, "")
    assert "whole" in answer.out.splitlines()[0]
    report = sightline("data", "check", scene.truth, "--json", "-").json
    assert report["problems"] == []
    assert report["counts"]["images"] == report["counts"]["boxes"] == 6
    assert report["counts"]["classes"] == 3


def test_every_problem_is_listed(scene, sightline):
    scene.edit("localization", 1, "birds/0.jpg,20,3,4,15")
    scene.edit("localization", 2, "birds/1.jpg,99,3,100,15")
    scene.edit("class_labels", 3, "birds/2.jpg,-4")
    scene.edit("image_ids", 7, "birds/3.jpg")
    answer = sightline("data", "check", scene.truth)
    assert (answer.code, answer.err) == (1, "")
    assert "4 problems" in answer.out.splitlines()[0]
    for place in ("localization.txt:1", "localization.txt:2", "class_labels.txt:3"):
        assert place in answer.out
    assert "image_ids.txt:7" in answer.out


def test_problems_as_json(scene, sightline):
    scene.edit("localization", 1, "birds/0.jpg,20,3,4,15")
    answer = sightline("data", "check", scene.truth, "--json", "-")
    assert (answer.code, answer.err) == (1, "")
    (problem,) = json.loads(answer.out)["problems"]
    assert "localization.txt:1, birds/0.jpg: box 20, 3, 4, 15 is inverted" in problem


def test_one_problem_is_called_one_problem(scene, sightline):
    scene.edit("localization", 1, "birds/0.jpg,20,3,4,15")
    assert "1 problem\n" in sightline("data", "check", scene.truth).out


def test_suspicious_labels_are_counted(scene, sightline):
    scene.edit("localization", 1, "birds/0.jpg,4,3,32,15")
    scene.edit("localization", 2, "birds/1.jpg,4,3,4,15")
    scene.edit("class_labels", 3, "birds/2.jpg,9")
    answer = sightline("data", "check", scene.truth)
    assert answer.code == 0
    for text in ("boxes at or past edge: 1", "zero area boxes: 1", "classes without image: 6"):
        assert text in answer.out


def test_masks_are_read(scene, sightline):
    masks = scene.add_masks()
    report = sightline("data", "check", scene.truth, "--masks", masks, "--json", "-").json
    assert report["problems"] == []
    assert report["counts"]["masks"] == 6
    assert report["counts"]["ignore regions"] == 1
    (masks / "birds/1.png").write_bytes(b"")
    (masks / "birds/2.png").unlink()
    answer = sightline("data", "check", scene.truth, "--masks", masks)
    assert answer.code == 1
    assert f"{masks / 'birds/1.png'}" in answer.out
    assert "localization.txt:3, birds/2.jpg" in answer.out


def test_a_published_count_that_differs(scene, sightline, tmp_path):
    (tmp_path / "CUB").mkdir()
    scene.truth.rename(tmp_path / "CUB/val")
    answer = sightline("data", "check", f"cub:{tmp_path / 'CUB'}", "--split", "val")
    assert answer.code == 1
    assert "6 images where 1000 were published" in answer.out


def test_a_label_beyond_the_classes_of_a_known_data_set(scene, sightline):
    """CUB has 200 classes, so that the last label is 199."""
    file = scene.edit("class_labels", 1, "birds/0.jpg,200")
    answer = sightline("evaluate", scene.maps, f"cub:{scene.truth}")
    assert f"{file}:1" in answer.refusal() or scene.ids[0] in answer.err
    assert "200" in answer.err
    scene.edit("class_labels", 1, "birds/0.jpg,199")
    assert sightline("evaluate", scene.maps, f"cub:{scene.truth}").code == 0


@pytest.mark.parametrize("place", ["nowhere", "cub:nowhere", "maps"])
def test_a_place_that_holds_no_ground_truth(scene, sightline, monkeypatch, place):
    monkeypatch.chdir(scene.root)
    answer = sightline("data", "check", place)
    assert place.removeprefix("cub:") in answer.refusal()
    assert answer.code == 2


def test_a_misspelt_name_of_a_data_set(scene, sightline):
    answer = sightline("data", "check", f"cubs:{scene.truth}")
    assert "cub" in answer.refusal()
    assert "data list" in answer.err or "did you mean" in answer.err


def test_a_ground_truth_that_cannot_be_read_at_all(tmp_path, sightline):
    file = tmp_path / "truth.json"
    file.write_text('{"images": [')
    answer = sightline("data", "check", file)
    assert answer.code == 1
    assert f"{file}:1" in answer.out + answer.err
    assert str(file) in sightline("evaluate", tmp_path, file).refusal()


def test_names_with_line_breaks_do_not_break_lines(tmp_path, sightline):
    file = tmp_path / "truth.json"
    image = {"id": 1, "file_name": "a\nb\x1b[2J.jpg", "width": 9, "height": 9}
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 3, 3]}
    file.write_text(
        json.dumps(
            {
                "images": [image],
                "annotations": [annotation],
                "categories": [{"id": 1, "name": "x"}],
            }
        )
    )
    (tmp_path / "maps").mkdir()
    assert "\x1b" not in sightline("evaluate", "baseline:center-gaussian", file).refusal()
    assert "\x1b" not in sightline("data", "check", file).out


# data cache


def test_decoded_photographs_are_found_and_deleted(sightline, tmp_path, monkeypatch):
    from sightline.data.pipeline.cache import Cache

    monkeypatch.setenv("SIGHTLINE_HOME", str(tmp_path))
    answer = sightline("data", "cache")
    assert answer.out == f"{tmp_path}/photographs: photographs of 0 lists, 0.0 MB, kept\n"
    photograph = tmp_path / "a.jpg"
    photograph.touch()
    cache = Cache(tmp_path / "photographs", [photograph], np.zeros((1, 2)), 100)
    cache.get(0, lambda _: np.zeros((100, 100, 3), np.uint8))
    found = sightline("data", "cache", "--json", "-").json
    assert found["folder"] == str(tmp_path / "photographs")
    assert list(found["files"].values()) == [found["bytes"]]
    assert found["bytes"] >= 30_000
    assert "photographs of 1 list, 0.0 MB, deleted" in sightline("data", "cache", "--clear").out
    assert sightline("data", "cache", "--json", "-").json["files"] == {}
