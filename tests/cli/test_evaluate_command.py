"""`sightline evaluate` on what is sound: every kind of maps and ground truth, every flag."""

import csv
import json
import re
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from sightline import rows
from sightline.types import ResultRow

KEYS = {  # what the interface promises
    *("protocol", "images", "metric", "value", "per_delta", "threshold", "mean_iou", "pointing"),
    *("interval", "skipped", "warnings", "ledger", "seconds", "images_per_second"),
}
NUMBERS = ("value", "per_delta", "threshold", "mean_iou", "pointing", "energy", "interval")


def numbers(result):
    return {key: result[key] for key in NUMBERS if key in result}


@pytest.fixture
def evaluate(sightline, scene):
    """Evaluate the scene, or other maps or another truth, and give the JSON."""

    def call(*flags, maps=None, truth=None):
        return sightline(
            "evaluate", maps or scene.maps, truth or scene.truth, *flags, "--json", "-"
        ).json

    return call


# What is printed


def test_json_on_standard_output_is_alone_and_complete(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--json", "-")
    assert (answer.code, answer.err) == (0, "")
    result = json.loads(answer.out)
    assert result.keys() >= KEYS
    assert (result["metric"], result["images"], result["skipped"]) == ("MaxBoxAccV2", 6, 0)
    assert result["protocol"]["name"] == "reference-v2"
    assert set(result["per_delta"]) == set(result["threshold"]) == {"30", "50", "70"}
    assert result["value"] == pytest.approx(np.mean(list(result["per_delta"].values())))
    low, high = result["interval"]
    assert 0 <= low <= result["value"] <= high <= 100
    assert result["ledger"]["labels"] == 6
    assert result["ledger"]["entries"][0]["purpose"] == "final-report"


def test_json_in_a_file_leaves_the_text_on_standard_output(scene, sightline, tmp_path):
    file = tmp_path / "new/result.json"
    answer = sightline("evaluate", scene.maps, scene.truth, "--json", file)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("MaxBoxAccV2 ")
    assert json.loads(file.read_text()).keys() >= KEYS


def test_the_text_names_score_interval_protocol_threshold_labels_and_count(scene, sightline):
    text = sightline("evaluate", scene.maps, scene.truth).out
    result = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    first, *rest = text.splitlines()
    assert first.startswith(f"MaxBoxAccV2 {result['value']:.2f}, 95 % interval")
    for needed in (
        f"IoU 50   {result['per_delta']['50']:.2f} at threshold {result['threshold']['50']:.3f}",
        "protocol   reference-v2; threshold: oracle on this split",
        "6 boxes of 6 images (2 images a class)",
        "6 scored, 0 skipped",
    ):
        assert any(needed in line for line in rest), needed


def test_the_same_call_gives_the_same_result(evaluate):
    one, two = evaluate("--threads", "1"), evaluate("--threads", "3")
    for result in (one, two):
        for volatile in ("seconds", "images_per_second"):
            del result[volatile]
    assert one == two


def test_the_command_works_as_it_is_installed(scene, python):
    answer = python("-m", "sightline", "evaluate", scene.maps, scene.truth, "--json", "-")
    assert answer.err == ""
    assert answer.json["images"] == 6


def test_every_flag_is_told_in_the_help_and_works(scene, sightline, tmp_path):
    """A flag that is added without being tried here fails this test."""
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("\n".join(f"{name},0,1,2,3,4" for name in scene.ids))
    tried = {
        "--protocol": "exact",
        "--against": "baseline:center-gaussian",
        "--threshold-from": "0.3",
        "--per-image": tmp_path / "images.csv",
        "--per-threshold": tmp_path / "thresholds.npz",
        "--out": tmp_path / "rows",
        "--json": tmp_path / "result.json",
        "--split": "val",
        "--normalize": "max",
        "--interpolation": "linear",
        "--masks": scene.maps,
        "--ignore-value": "128",
        "--predictions": predictions,
        "--purpose": "study",
        "--force": None,
        "--on-error": "skip",
        "--seed": "3",
        "--resamples": "20",
        "--threads": "1",
        "--evaluation-size": "16",
        "--levels": "exact",
        "--comparison": ">=",
        "--connectivity": "4",
        "--contours": "largest",
        "--largest-by": "pixels",
        "--holes": "False",
        "--box-ends": "true",
        "--iou-thresholds": "40",
        "--threshold-choice": "joint",
        "--truth-boxes": "first",
        "--map-class": "gt-known",
        "--pointing-tolerance": "2",
    }
    told = flags_of(sightline("evaluate", "--help").out)
    assert told == set(tried)
    for flag, value in tried.items():
        extra = ["--normalize", "min-max"] if flag == "--evaluation-size" else []
        if flag != "--masks":
            given = [flag] if value is None else [flag, value]
            answer = sightline("evaluate", scene.maps, scene.truth, *given, *extra)
            assert (answer.code, answer.err) == (0, ""), flag


def flags_of(text):
    return set(re.findall(r"^│ (--[a-z-]+)", text, re.M)) - {"--help"}


def test_a_baseline_brings_its_own_flags(scene, sightline):
    text = sightline("evaluate", "baseline:center-gaussian", scene.truth, "--help").out
    assert flags_of(text) >= {"--center", "--sigma", "--size"}


def test_the_center_of_the_gaussian_is_an_option(evaluate):
    def shifted(center):
        return evaluate("--center", center, maps="baseline:center-gaussian")

    by_default = evaluate(maps="baseline:center-gaussian")
    assert numbers(shifted("112")) == numbers(by_default)
    assert shifted("111.5")["baseline"] == {"center": 111.5}
    assert shifted("20")["mean_iou"] != by_default["mean_iou"]
    assert by_default["maps"] == "baseline:center-gaussian"


# Maps


@pytest.mark.parametrize(
    "dtype", [*"?bBhHiIlLqQefdg", ">f4", "<f8", ">u2"], ids=lambda code: np.dtype(code).str
)
def test_maps_of_every_number_type(scene, evaluate, dtype):
    for i in range(6):
        scene.save(i, (scene.scores(i) > 0.5).astype(float))
    expected = evaluate()
    for i in range(6):
        scene.save(i, (scene.scores(i) > 0.5).astype(dtype))
    assert numbers(evaluate()) == numbers(expected)
    assert expected["value"] > 0


def test_maps_in_another_memory_order(scene, evaluate):
    expected = evaluate()
    for i in range(6):
        scene.save(i, np.asfortranarray(scene.scores(i)))
    assert numbers(evaluate()) == numbers(expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_maps_as_grayscale_png(scene, evaluate, dtype):
    top = np.iinfo(dtype).max
    pictures = [(top * scene.scores(i)).astype(dtype) for i in range(6)]
    for i, picture in enumerate(pictures):
        scene.save(i, picture / top)
    expected = evaluate()
    for i, picture in enumerate(pictures):
        scene.file(i).unlink()
        scene.save(i, picture, ".png")
    assert numbers(evaluate()) == numbers(expected)


def test_suffixes_in_capitals(scene, evaluate):
    expected = evaluate()
    for i in range(6):
        scene.file(i).rename(scene.file(i).with_suffix(".NPY"))
    assert numbers(evaluate()) == numbers(expected)


def test_maps_named_with_the_extension_of_the_image(scene, evaluate):
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        scene.file(i).rename(scene.maps / f"{name}.npy")
    assert numbers(evaluate()) == numbers(expected)


def test_maps_named_by_image_and_class(scene, evaluate):
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        folder = scene.maps / (name if i % 2 else name.removesuffix(".jpg"))
        folder.mkdir()
        scene.file(i).rename(folder / f"{scene.labels[i]}.npy")
        np.save(folder / "77.npy", np.zeros((3, 3)))  # the map of another class is no matter
    assert numbers(evaluate()) == numbers(expected)


def test_maps_of_an_image_with_several_classes(scene, evaluate, sightline, tmp_path):
    truth = tmp_path / "classes.csv"
    lines = ["image,x0,y0,x1,y1,width,height,label", "a.jpg,2,2,9,9,32,24,1"]
    truth.write_text("\n".join([*lines, "a.jpg,20,10,30,20,32,24,3", "b.jpg,2,2,9,9,32,24,1"]))
    maps = tmp_path / "several"
    (maps / "a").mkdir(parents=True)
    for name, (x0, y0, x1, y1) in {
        "a/1": (2, 2, 9, 9),
        "a/3": (20, 10, 30, 20),
        "b": (2, 2, 9, 9),
    }.items():
        scores = np.zeros((24, 32))
        scores[y0:y1, x0:x1] = 1
        np.save(maps / f"{name}.npy", scores)
    result = evaluate(maps=maps, truth=truth)
    assert (result["images"], result["value"]) == (3, 100)
    (maps / "a/3.npy").rename(maps / "a.npy")
    message = sightline("evaluate", maps, truth).refusal()
    assert "a.jpg/3" in message
    assert "a/3.npy" in message


def test_files_of_other_kinds_among_the_maps_are_no_matter(scene, evaluate):
    expected = evaluate()
    (scene.maps / "notes.txt").write_text("made with CAM")
    (scene.maps / ".DS_Store").write_bytes(b"\0")
    (scene.maps / "birds/._0.npy").write_bytes(b"\0")
    (scene.maps / "birds/0_overlay.jpg").write_bytes(b"\0")
    assert numbers(evaluate()) == numbers(expected)


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("bare", [False, True], ids=["with extension", "without"])
def test_maps_in_shards(scene, evaluate, tmp_path, suffix, parts, bare):
    expected = evaluate()
    folder = tmp_path / "shards"
    folder.mkdir()
    for part in range(parts):
        maps = {
            scene.ids[i].removesuffix(".jpg" if bare else "/"): scene.scores(i)
            for i in range(part, 6, parts)
        }
        write_shard(folder / f"{part}{suffix}", maps)
    assert numbers(evaluate(maps=folder)) == numbers(expected)
    if parts == 1:
        assert numbers(evaluate(maps=folder / f"0{suffix}")) == numbers(expected)


def write_shard(file, maps):
    if file.suffix == ".npz":
        np.savez_compressed(file, **maps)
        return
    columns = {
        "id": list(maps),
        "height": [scores.shape[0] for scores in maps.values()],
        "width": [scores.shape[1] for scores in maps.values()],
        "dtype": [str(scores.dtype) for scores in maps.values()],
        "scores": [scores.tobytes() for scores in maps.values()],
    }
    pd.DataFrame(columns).to_parquet(file, row_group_size=2)


def test_maps_at_the_size_of_the_original_image(scene, evaluate):
    """Boxes are stated in the image's pixels; twice the image with the same map is the same."""
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        scene.edit("image_sizes", i + 1, f"{name},64,48")
        box = ",".join(str(2 * corner) for corner in scene.boxes[i])
        scene.edit("localization", i + 1, f"{name},{box}")
    assert numbers(evaluate()) == numbers(expected)
    for i in range(6):
        scene.save(i, np.kron(scene.scores(i), np.ones((2, 2))))
    full_size = evaluate()
    assert full_size["value"] == pytest.approx(expected["value"], abs=10)
    assert full_size["warnings"] == {"maps_not_224x224": 6}


def test_normalization_is_done_only_when_asked_for(scene, evaluate, sightline):
    for i in range(6):
        scene.save(i, 7 * scene.scores(i))
    assert "--normalize" in sightline("evaluate", scene.maps, scene.truth).refusal()
    by_maximum, by_both = evaluate("--normalize", "max"), evaluate("--normalize", "min-max")
    for i in range(6):
        scene.save(i, scene.scores(i) / scene.scores(i).max())
    assert numbers(evaluate()) == pytest.approx(numbers(by_maximum))
    assert by_maximum["normalize"] == "max"
    for i in range(6):
        scores = scene.scores(i) - scene.scores(i).min()
        scene.save(i, scores / scores.max())
    assert numbers(evaluate()) == pytest.approx(numbers(by_both))


def test_maps_are_resized_before_they_are_normalized(scene, evaluate):
    flags = ("--evaluation-size", "224", "--normalize", "min-max")
    result = evaluate(*flags)
    assert (result["interpolation"], result["warnings"]) == ("cubic", {})
    for i in range(6):
        large = cv2.resize(scene.scores(i), (224, 224), interpolation=cv2.INTER_CUBIC)
        scene.save(i, (large - large.min()) / (large.max() - large.min()))
    assert numbers(evaluate()) == pytest.approx(numbers(result))
    assert evaluate(*flags, "--interpolation", "area")["interpolation"] == "area"


# Ground truth


def as_coco(scene, folder):
    file = folder / "truth.json"
    names = sorted(set(scene.labels))
    file.write_text(
        json.dumps(
            {
                "images": [
                    {"id": i, "file_name": name, "width": 32, "height": 24}
                    for i, name in enumerate(scene.ids)
                ],
                "annotations": [
                    {
                        "id": i,
                        "image_id": i,
                        "category_id": scene.labels[i],
                        "bbox": [x0, y0, x1 - x0, y1 - y0],
                    }
                    for i, (x0, y0, x1, y1) in enumerate(scene.boxes)
                ],
                "categories": [{"id": label, "name": f"class {label}"} for label in names],
            }
        )
    )
    return file


def as_voc(scene, folder):
    for i, name in enumerate(scene.ids):
        corners = zip(("xmin", "ymin", "xmax", "ymax"), scene.boxes[i], strict=True)
        box = "".join(f"<{side}>{corner}</{side}>" for side, corner in corners)
        file = (folder / "voc" / name).with_suffix(".xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "<annotation><size><width>32</width><height>24</height></size><object>"
            f"<name>class {scene.labels[i]}</name><bndbox>{box}</bndbox></object></annotation>"
        )
    return folder / "voc"


def as_table(scene, folder):
    file = folder / "truth.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["image", "x0", "y0", "x1", "y1", "width", "height", "label"])
        for name, box, label in zip(scene.ids, scene.boxes, scene.labels, strict=True):
            writer.writerow([name, *box, 32, 24, f"class {label}"])
    return file


@pytest.mark.parametrize("write", [as_coco, as_voc, as_table], ids=lambda write: write.__name__)
def test_boxes_in_every_format(scene, evaluate, tmp_path, write):
    result = evaluate(truth=write(scene, tmp_path))
    assert numbers(result) == numbers(evaluate())
    assert result["ledger"]["entries"][0]["per_class"] == [2, 2]


def test_a_data_set_known_by_name_with_its_split(scene, evaluate, tmp_path):
    (tmp_path / "CUB").mkdir()
    scene.truth.rename(tmp_path / "CUB/val")
    result = evaluate("--split", "val", truth=f"cub:{tmp_path / 'CUB'}")
    assert result["truth"]["dataset"] == "cub"
    assert result["truth"]["split"] == "val"


def test_names_of_classes_name_maps(scene, evaluate, tmp_path):
    truth = as_table(scene, tmp_path)
    expected = evaluate(truth=truth)
    for i, name in enumerate(scene.ids):
        (scene.maps / name).mkdir()
        scene.file(i).rename(scene.maps / name / f"class {scene.labels[i]}.npy")
    assert numbers(evaluate(truth=truth)) == numbers(expected)


# Masks


def as_mask_folder(scene, folder):
    for name in scene.ids:
        file = folder / "set/images" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        assert cv2.imwrite(str(file), np.zeros((24, 32, 3), np.uint8))
    (scene.masks / "birds/ignore.png").unlink()
    scene.masks.rename(folder / "set/masks")
    return folder / "set"


def test_masks_give_the_pixel_metric(scene, evaluate):
    masks = scene.add_masks()
    for i in range(6):
        mask = cv2.imread(str(masks / f"birds/{i}.png"), cv2.IMREAD_UNCHANGED)
        scene.save(i, mask / 255)
    result = evaluate("--masks", masks)
    assert result.keys() >= KEYS - {"per_delta"}
    assert (result["metric"], result["protocol"]["name"]) == ("PxAP", "pixels")
    assert (result["value"], result["mean_iou"], result["pointing"]) == (100, 100, 100)
    assert result["ledger"]["entries"][0]["kind"] == "masks"


def test_ignored_pixels_count_for_nothing(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks, "--protocol", "pixels")
    scores = scene.scores(0)
    scores[:, 20:] = 1  # all of this is ignored
    scene.save(0, scores)
    assert evaluate("--masks", masks)["value"] == expected["value"]
    scores[:, 19:] = 1
    scene.save(0, scores)
    assert evaluate("--masks", masks)["value"] < expected["value"]


def test_a_pixel_value_can_mean_ignore(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks)
    file = masks / "birds/0.png"
    mask = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
    mask[:, 20:] = 128
    assert cv2.imwrite(str(file), mask)
    scene.edit("localization", 1, "birds/0.jpg,birds/0.png,")
    result = evaluate("--masks", masks, "--ignore-value", "128")
    assert result["value"] == expected["value"]
    assert result["value"] != evaluate("--masks", masks)["value"]


def test_an_image_folder_with_a_mask_folder(scene, evaluate, tmp_path):
    scene.add_masks()
    scene.edit("localization", 1, "birds/0.jpg,birds/0.png,")
    expected = evaluate("--masks", scene.masks)
    result = evaluate(truth=as_mask_folder(scene, tmp_path))
    assert numbers(result) == numbers(expected)


def test_masks_of_another_size_than_the_maps(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks)
    for file in masks.rglob("*.png"):
        mask = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
        assert cv2.imwrite(str(file), np.kron(mask, np.ones((3, 3), np.uint8)))
    assert numbers(evaluate("--masks", masks)) == numbers(expected)


# Protocols


@pytest.mark.parametrize(
    ("protocol", "metric", "deltas"),
    [
        ("reference-v1", "MaxBoxAcc", ["50"]),
        ("reference-v2", "MaxBoxAccV2", ["30", "50", "70"]),
        ("exact", "MaxBoxAccV2", ["30", "50", "70"]),
        ("fixed-threshold", "BoxAcc", ["50"]),
        ("center-row-conference", "MaxBoxAcc", ["50"]),
        ("center-row-journal", "MaxBoxAccV2", ["30", "50", "70"]),
    ],
)
def test_every_preset_for_boxes(evaluate, protocol, metric, deltas):
    result = evaluate("--protocol", protocol)
    assert (result["protocol"]["name"], result["metric"]) == (protocol, metric)
    assert list(result["per_delta"]) == deltas


def test_a_choice_that_differs_from_the_preset_is_part_of_its_name(evaluate):
    result = evaluate("--contours", "largest", "--iou-thresholds", "50", "75")
    name = result["protocol"]["name"]
    assert name == "reference-v2 (contours=largest, iou_thresholds=50/75)"
    assert list(result["per_delta"]) == ["50", "75"]
    assert evaluate("--contours", "all")["protocol"]["name"] == "reference-v2"


def test_a_threshold_for_each_image_is_called_so(evaluate, sightline, scene):
    result = evaluate("--threshold-choice", "per-image-oracle")
    assert "per image" in result["metric"]
    assert result["threshold_from"] == "oracle for each image"
    assert result["value"] >= evaluate()["value"]
    text = sightline("evaluate", scene.maps, scene.truth, "--protocol", "reference-v1").out
    assert "oracle on this split (unknown)" in text


def test_one_threshold_for_all_is_never_better_than_one_for_each(evaluate):
    joint = evaluate("--threshold-choice", "joint")
    assert len(set(joint["threshold"].values())) == 1
    assert joint["value"] <= evaluate()["value"]


# Thresholds from elsewhere


def test_a_threshold_given_as_a_number(evaluate):
    result = evaluate("--threshold-from", "0.35")
    assert (result["metric"], result["threshold_from"]) == ("BoxAccV2", "fixed")
    assert set(result["threshold"].values()) == {0.35}
    assert len(result["ledger"]["entries"]) == 1


def test_a_fixed_threshold_leaves_what_other_thresholds_would_give_alone(evaluate):
    """The oracle of each image ranges over all thresholds, or must not be called one."""
    fixed, searched = evaluate("--threshold-from", "0.9"), evaluate()
    assert fixed["oracle"]["mean_iou"] == pytest.approx(searched["oracle"]["mean_iou"])


def val_and_test(scene, sightline, *flags):
    """Evaluate on a validation split, then on a test split with its thresholds."""
    answer = sightline("evaluate", scene.maps, scene.truth, "--split", "val", *flags)
    assert answer.code == 0, answer.err
    scene.edit("localization", 1, "birds/0.jpg,4,3,10,15")
    scene.edit("localization", 7, "birds/1.jpg,20,3,30,15")


def transferred(scene, sightline, origin):
    return sightline(
        *("evaluate", scene.maps, scene.truth, "--split", "test"),
        *("--threshold-from", origin, "--json", "-"),
    )


def test_thresholds_of_another_split_from_what_json_wrote(scene, sightline, tmp_path):
    file = tmp_path / "val.json"
    val_and_test(scene, sightline, "--purpose", "threshold", "--json", file)
    result = transferred(scene, sightline, file).json
    chosen = json.loads(file.read_text())["threshold"]
    assert (result["threshold"], result["threshold_from"]) == (chosen, "transferred")
    entries = result["ledger"]["entries"]
    assert [(e["split"], e["purpose"], e["labels"]) for e in entries] == [
        ("val", "threshold", 6),
        ("test", "final-report", 7),
    ]
    assert result["ledger"]["labels"] == 13


def test_thresholds_of_another_split_from_a_kept_row(scene, sightline, tmp_path):
    val_and_test(scene, sightline, "--out", tmp_path / "rows")
    (row,) = rows.find([tmp_path / "rows"])
    result = transferred(scene, sightline, row).json
    assert result["threshold"] == rows.load(row).result["threshold"]
    assert [entry["split"] for entry in result["ledger"]["entries"]] == ["val", "test"]
    # the threshold on the test split itself can only be better
    own = sightline("evaluate", scene.maps, scene.truth, "--split", "test", "--json", "-").json
    assert result["value"] <= own["value"]


def test_a_transferred_threshold_of_masks(scene, sightline, tmp_path):
    flags = ("--masks", scene.add_masks(), "--json")
    file = tmp_path / "val.json"
    sightline("evaluate", scene.maps, scene.truth, "--split", "val", *flags, file)
    chosen = json.loads(file.read_text())["threshold"]["mean_iou"]
    result = sightline(
        "evaluate", scene.maps, scene.truth, *flags, "-", "--threshold-from", file
    ).json
    (at,) = result["at_threshold"].values()
    assert list(map(float, result["at_threshold"])) == [chosen]
    assert at["mean_iou"] == pytest.approx(result["mean_iou"])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "5",
        "null",
        "{}",
        '{"ledger": {"entries": []}}',
        '{"threshold": {"30": 0.5}, "ledger": {"entries": []}}',
        '{"threshold": {"30": 7, "50": 7, "70": 7}, "ledger": {"entries": []}}',
        '{"threshold": {"30": null, "50": null, "70": null}, "ledger": {"entries": []}}',
        '{"threshold": {"30": "a", "50": 0.2, "70": 0.2}, "ledger": {"entries": []}}',
        '{"threshold": {"30": NaN, "50": 0.2, "70": 0.2}, "ledger": {"entries": []}}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": [5]}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": [{"split": "v"}]}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": null}',
        '{"result": 5, "ledger": []}',
        "\xff\xfe",
    ],
)
def test_what_gives_no_threshold_is_named(scene, sightline, tmp_path, content):
    file = tmp_path / "val.json"
    file.write_bytes(content.encode("latin-1"))
    answer = transferred(scene, sightline, file)
    assert str(file) in answer.refusal()
    assert answer.code == 1


@pytest.mark.parametrize("number", ["1.5", "-0.1", "nan", "inf"])
def test_a_threshold_outside_the_range_of_scores_is_wrong_usage(scene, sightline, number):
    answer = sightline("evaluate", scene.maps, scene.truth, f"--threshold-from={number}")
    answer.refusal()
    assert answer.code == 2


def test_a_result_that_is_not_there(scene, sightline, tmp_path):
    answer = transferred(scene, sightline, tmp_path / "val.json")
    assert str(tmp_path / "val.json") in answer.refusal()
    assert answer.code == 2


# A second set of maps


def test_a_set_of_maps_against_itself_differs_in_nothing(scene, evaluate):
    test = evaluate("--against", scene.maps)["against"]
    assert (test["difference"], test["low"], test["high"], test["p_value"]) == (0, 0, 0, 1)
    assert (test["images"], test["maps"]) == (6, "maps")


def test_better_maps_against_worse(scene, evaluate, sightline):
    result = evaluate("--against", "baseline:center-gaussian")
    test = result["against"]
    alone = evaluate(maps="baseline:center-gaussian")
    assert test["value"] == alone["value"]
    assert test["difference"] == pytest.approx(result["value"] - alone["value"])
    assert test["low"] <= test["difference"] <= test["high"]
    assert 0 < test["p_value"] <= 1
    text = sightline(
        "evaluate", scene.maps, scene.truth, "--against", "baseline:center-gaussian"
    ).out
    assert f"difference {test['difference']:+.2f}" in text
    opposite = evaluate("--against", scene.maps, maps="baseline:center-gaussian")["against"]
    assert opposite["difference"] == pytest.approx(-test["difference"])
    assert opposite["p_value"] == test["p_value"]


def second_maps(scene):
    """Copy the maps, then spoil the third of them."""
    folder = scene.root / "second"
    scene.maps.rename(folder)
    for i in range(6):
        scene.save(i, scene.scores(i))
    file = folder / "birds/2.npy"
    np.save(file, np.full((3, 3), np.nan))
    return folder, file


def test_bad_input_in_the_second_set_stops_too(scene, sightline):
    folder, file = second_maps(scene)
    message = sightline("evaluate", scene.maps, scene.truth, "--against", folder).refusal()
    assert str(file) in message


def test_bad_input_in_the_second_set_is_listed_too(scene, sightline):
    folder, file = second_maps(scene)
    flags = ("--against", folder, "--on-error", "skip")
    result = sightline("evaluate", scene.maps, scene.truth, *flags, "--json", "-").json
    assert (result["images"], result["against"]["images"]) == (6, 5)
    assert any(str(file) in line for line in result["left_out"])


def test_a_comparison_is_of_the_images_that_both_sets_have(scene, evaluate):
    folder, _ = second_maps(scene)
    scene.file(0).unlink()
    test = evaluate("--against", folder, "--on-error", "skip")["against"]
    for i in (0, 2):
        for name in ("image_ids", "class_labels", "image_sizes", "localization"):
            lines = (scene.truth / f"{name}.txt").read_text().split("\n")
            kept = [line for line in lines if not line.startswith(f"birds/{i}.jpg")]
            scene.list(name, *kept)
        (folder / f"birds/{i}.npy").unlink()
        scene.file(i).unlink(missing_ok=True)
    alone = evaluate("--against", folder)["against"]
    for key in ("images", "difference", "low", "high", "p_value", "value"):
        assert test[key] == alone[key], key


# Predicted classes


def predict(scene, ranked):
    file = scene.root / "predictions.csv"
    lines = [f"{name},{classes}" for name, classes in zip(scene.ids, ranked, strict=True)]
    file.write_text("\n".join(lines))
    return file


def test_top1_and_top5_localization(scene, evaluate):
    right, second, wrong = "{0},7,8,9,10", "7,{0},8,9,10", "7,8,9,10,11"
    ranked = [
        form.format(label)
        for form, label in zip([right] * 3 + [second] * 2 + [wrong], scene.labels, strict=True)
    ]
    flags = ("--protocol", "reference-v1", "--predictions", predict(scene, ranked))
    result = evaluate(*flags)
    assert result["value"] == 100  # every map finds its box at some one threshold
    assert result["top1_classification"] == 50
    assert result["top1_localization"]["value"] == 50
    assert result["top5_classification"] == pytest.approx(100 * 5 / 6)
    assert result["top5_localization"]["value"] == pytest.approx(100 * 5 / 6)
    for choice, expected in (("top-1", 50), ("top-5", 100 * 5 / 6)):
        chosen = evaluate(*flags, "--map-class", choice)
        assert chosen["value"] == pytest.approx(expected)
        assert chosen["interval"][0] < chosen["value"]


def test_fewer_than_five_classes_leave_the_top_5_open(scene, evaluate):
    result = evaluate("--predictions", predict(scene, map(str, scene.labels)))
    assert result["top1_classification"] == 100
    assert result["top1_localization"]["value"] == result["value"]
    assert not any(key.startswith("top5") for key in result)


def test_predictions_by_name_with_a_header(scene, evaluate, tmp_path):
    file = predict(scene, [f"class {label}" for label in scene.labels])
    file.write_text("image,first\n" + file.read_text())
    result = evaluate("--predictions", file, truth=as_table(scene, tmp_path))
    assert result["top1_classification"] == 100


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("birds/0.jpg", "no class"),
        ("birds/0.jpg,duck", "'duck'"),
        ("birds/0.jpg,-1", "out of range"),
        ("birds/0.jpg,1,2,1", "twice"),
        ("birds/7.jpg,1", "unknown image"),
        ("", "no prediction"),
    ],
)
def test_bad_predictions_are_named_with_their_line_or_left_out(
    scene, sightline, evaluate, line, what
):
    file = predict(scene, map(str, scene.labels))
    lines = file.read_text().split("\n")
    file.write_text("\n".join([*lines[1:], line]))
    answer = sightline("evaluate", scene.maps, scene.truth, "--predictions", file)
    message = answer.refusal()
    assert what in message
    assert (f"{file}:6" if line else "birds/0.jpg") in message
    result = evaluate("--predictions", file, "--on-error", "skip")
    assert result["images"] == 5
    assert result["skipped"] == len({text.split(":")[1] for text in result["left_out"]})


def test_predictions_that_fit_no_image_at_all_leave_nothing(scene, sightline):
    file = scene.root / "predictions.csv"
    file.write_text("other.jpg,1\n")
    flags = ("--predictions", file, "--on-error", "skip")
    assert str(file) in sightline("evaluate", scene.maps, scene.truth, *flags).refusal()


def test_a_class_of_the_map_that_needs_predictions(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--map-class", "top-1")
    assert "--predictions" in answer.refusal()
    assert answer.code == 2


# Purposes


def test_test_labels_are_for_the_report_or_a_study_alone(scene, sightline):
    flags = ("evaluate", scene.maps, scene.truth, "--split", "test", "--purpose")
    for purpose in ("threshold", "hyperparameters", "model-selection", "training"):
        answer = sightline(*flags, purpose)
        assert answer.code == 2
        assert purpose in answer.refusal()
        assert "--force" in answer.err
    for purpose in ("final-report", "study"):
        entry = sightline(*flags, purpose, "--json", "-").json["ledger"]["entries"][0]
        assert (entry["purpose"], entry["forced"]) == (purpose, False)


def test_force_is_recorded(scene, sightline):
    flags = ("evaluate", scene.maps, scene.truth, "--split", "test", "--purpose", "threshold")
    result = sightline(*flags, "--force", "--json", "-").json
    assert result["ledger"]["entries"][0]["forced"] is True
    assert "(forced)" in sightline(*flags, "--force").out


def test_force_where_nothing_is_forbidden_changes_nothing(evaluate):
    entry = evaluate("--split", "val", "--purpose", "threshold", "--force")["ledger"]["entries"][0]
    assert entry["forced"] is False


def test_openings_of_a_test_split_are_counted_by_distinct_result(scene, sightline, openings_log):
    def opened(*flags):
        result = sightline(
            "evaluate", scene.maps, scene.truth, "--split", "test", *flags, "--json", "-"
        ).json
        return result["ledger"]["results_on_this_truth"]

    assert [opened(), opened(), opened("--protocol", "exact"), opened()] == [1, 1, 2, 2]
    assert len(openings_log.read_text().splitlines()) == 2


@pytest.mark.parametrize("damage", [b"\xff\xfe\n", b"{\n", b"5\n", b"[]\n", b'{"truth": '])
def test_a_damaged_log_of_openings_withholds_no_score(scene, evaluate, openings_log, damage):
    openings_log.parent.mkdir(parents=True, exist_ok=True)
    openings_log.write_bytes(damage)
    assert evaluate()["images"] == 6
    assert evaluate()["ledger"]["results_on_this_truth"] == 1


def test_a_log_that_cannot_be_written_withholds_no_score(evaluate, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_HOME", "/proc/nowhere/log")
    assert evaluate()["images"] == 6


# Boxes in place of maps


def test_predicted_boxes(scene, evaluate, tmp_path):
    folder = tmp_path / "predicted"
    folder.mkdir()
    lines = [scene.box_line(i) for i in range(5)] + [f"{scene.ids[5]},0,0,0,0"]
    (folder / "localization.txt").write_text("\n".join(lines))
    result = evaluate(maps=f"boxes:{folder}")
    assert (result["images"], result["warnings"]) == (6, {"empty_boxes": 1})
    for delta in ("30", "50", "70"):
        assert result["per_delta"][delta] == pytest.approx(100 * 5 / 6)
    assert result["value"] == pytest.approx(100 * 5 / 6, abs=0.5)
    assert numbers(evaluate(maps=f"boxes:{folder / 'localization.txt'}")) == numbers(result)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("birds/0.jpg,9,9,3,3", "inverted"),
        ("birds/0.jpg,-9,9,3,3", "negative"),
        ("birds/0.jpg,9,9,3", "four numbers"),
        ("birds/0.jpg,nan,9,13,13", "box"),
        ("birds/0.jpg,1,1,inf,13", "box"),
        ("birds/1.jpg,9,9,13,13", "two boxes"),
        ("birds/7.jpg,9,9,13,13", "unknown"),
    ],
)
def test_bad_predicted_boxes(scene, sightline, evaluate, line, what):
    file = scene.root / "localization.txt"
    file.write_text("\n".join([*(scene.box_line(i) for i in range(1, 6)), line]))
    message = sightline("evaluate", f"boxes:{scene.root}", scene.truth).refusal()
    assert f"{file}:6" in message
    assert what in message
    result = evaluate("--on-error", "skip", maps=f"boxes:{scene.root}")
    assert result["images"] < 6
    names = {re.search(r"birds/\d.jpg", text)[0] for text in result["left_out"]}
    assert result["skipped"] == len(names)
    assert result["images"] + len(names & set(scene.ids)) == 6


def test_blank_lines_among_predicted_boxes_are_no_matter(scene, evaluate):
    file = scene.root / "localization.txt"
    file.write_text("\n".join([*(scene.box_line(i) for i in range(6)), "", ""]))
    assert evaluate(maps=f"boxes:{scene.root}")["images"] == 6


def test_predicted_boxes_that_are_no_text(scene, sightline):
    file = scene.root / "localization.txt"
    file.write_bytes(b"\xff\xfe\x00")
    assert str(file) in sightline("evaluate", f"boxes:{scene.root}", scene.truth).refusal()


@pytest.mark.parametrize(
    "flags",
    [
        ("--protocol", "exact"),
        ("--per-image", "x.csv"),
        ("--per-threshold", "x.npz"),
        ("--against", "maps"),
        ("--threshold-from", "0.2"),
        ("--normalize", "max"),
        ("--out", "rows"),
    ],
    ids=lambda flags: flags[0],
)
def test_flags_that_mean_nothing_for_boxes_are_refused(scene, sightline, flags):
    answer = sightline("evaluate", f"boxes:{scene.truth}", scene.truth, *flags)
    assert answer.code == 2
    assert flags[0] in answer.refusal()


# Files


def test_one_line_an_image_and_the_curve_beside_it(scene, sightline, tmp_path):
    file = tmp_path / "new/images.csv"
    flags = ("--per-image", file, "--json", "-")
    result = sightline("evaluate", scene.maps, scene.truth, *flags).json
    images, curve = pd.read_csv(file), pd.read_csv(tmp_path / "new/images.curve.csv")
    assert list(images["image"]) == sorted(scene.ids)
    assert len(curve) == 1000
    for delta, value in result["per_delta"].items():
        assert 100 * images[f"hit_{delta}"].mean() == pytest.approx(value)
        assert curve[f"box_acc_{delta}"].max() == pytest.approx(value)
    assert 100 * images["pointing"].mean() == pytest.approx(result["pointing"])
    assert 100 * images["oracle_iou"].mean() == pytest.approx(result["oracle"]["mean_iou"])
    assert 100 * images["iou_at_mean_iou_threshold"].mean() == pytest.approx(result["mean_iou"])
    assert 100 * curve["mean_iou"].max() == pytest.approx(result["mean_iou"])


def test_the_same_as_parquet(scene, sightline, tmp_path):
    for suffix in (".csv", ".parquet"):
        file = tmp_path / f"images{suffix}"
        assert sightline("evaluate", scene.maps, scene.truth, "--per-image", file).code == 0
    for name in ("images", "images.curve"):
        read, written = (
            pd.read_csv(tmp_path / f"{name}.csv"),
            pd.read_parquet(tmp_path / f"{name}.parquet"),
        )
        pd.testing.assert_frame_equal(read, written, check_dtype=False)


def test_one_line_an_image_for_masks(scene, sightline, tmp_path):
    file = tmp_path / "images.csv"
    flags = ("--masks", scene.add_masks(), "--per-image", file, "--json", "-")
    result = sightline("evaluate", scene.maps, scene.truth, *flags).json
    images, curve = pd.read_csv(file), pd.read_csv(tmp_path / "images.curve.csv")
    assert 100 * images["mask_iou"].mean() == pytest.approx(result["mean_iou"])
    assert len(curve) == 1001
    steps = -np.diff(curve["recall"], append=0)
    area = np.nansum(steps * curve["precision"])
    assert 100 * area == pytest.approx(result["value"])


def test_the_best_iou_at_every_threshold(scene, sightline, tmp_path):
    file = tmp_path / "new/thresholds.npz"
    flags = ("--per-threshold", file, "--json", "-")
    result = sightline("evaluate", scene.maps, scene.truth, *flags).json
    with np.load(file, allow_pickle=False) as kept:
        assert set(kept.files) == {"ids", "thresholds", "best_iou"}
        assert kept["ids"].tolist() == sorted(scene.ids)
        np.testing.assert_array_equal(kept["thresholds"], np.arange(0, 1, 1 / 1000))
        best = kept["best_iou"]
    assert (best.dtype, best.shape) == (np.float32, (6, 1000))
    for delta, value in result["per_delta"].items():
        assert 100 * (best >= int(delta) / 100).mean(axis=0).max() == pytest.approx(value)


def test_thresholds_of_masks_are_refused_before_the_work(scene, sightline, tmp_path):
    scene.add_masks()
    flags = ("--masks", scene.masks, "--per-threshold", tmp_path / "x.npz")
    answer = sightline("evaluate", scene.maps, scene.truth, *flags)
    assert answer.code == 2
    assert "--per-image" in answer.refusal()


@pytest.mark.parametrize(
    ("flag", "name"), [("--per-image", "x.txt"), ("--per-threshold", "x.npy")]
)
def test_a_wrong_name_is_refused_before_the_work(scene, sightline, tmp_path, flag, name):
    nowhere = scene.root / "nowhere"
    answer = sightline("evaluate", nowhere, scene.truth, flag, tmp_path / name)
    assert (answer.code, name in answer.refusal()) == (2, True)


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        ("--per-image", "x.csv"),
        ("--per-image", "x.parquet"),
        ("--per-threshold", "x.npz"),
        ("--json", "x.json"),
        ("--out", "x"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_line(scene, sightline, flag, name):
    (scene.root / "file").write_text("in the way")
    place = scene.root / "file" / name
    answer = sightline("evaluate", scene.maps, scene.truth, flag, place)
    assert answer.code in (1, 2)
    assert answer.err.startswith("sightline: ")
    assert answer.err.count("\n") == 1
    assert str(scene.root / "file") in answer.err


# Rows that are kept


@pytest.fixture
def evaluations(monkeypatch):
    """Count how often maps are really scored."""
    from sightline.evaluation import outputs

    calls = []
    real = outputs.run
    monkeypatch.setattr(outputs, "run", lambda *given: calls.append(given) or real(*given))
    return calls


def test_a_kept_row_is_not_computed_again(scene, evaluate, evaluations, tmp_path):
    first = evaluate("--out", tmp_path / "rows")
    second = evaluate("--out", tmp_path / "rows")
    assert len(evaluations) == 1
    assert first == second
    (file,) = rows.find([tmp_path / "rows"])
    row = rows.load(file)
    assert isinstance(row, ResultRow)
    assert row.result["value"] == first["value"]
    assert row.ledger[0].labels == 6


@pytest.mark.parametrize(
    "flags",
    [
        ("--protocol", "exact"),
        ("--seed", "1"),
        ("--normalize", "max"),
        ("--split", "val"),
        ("--against", "baseline:center-gaussian"),
        ("--iou-thresholds", "50"),
    ],
    ids=lambda flags: flags[0],
)
def test_another_question_is_another_row(scene, evaluate, evaluations, tmp_path, flags):
    evaluate("--out", tmp_path / "rows")
    evaluate("--out", tmp_path / "rows", *flags)
    assert len(evaluations) == 2
    assert len(list(rows.find([tmp_path / "rows"]))) == 2


def touched_map(scene):
    scene.save(0, np.zeros((24, 32)))


def touched_truth(scene):
    scene.edit("localization", 1, "birds/0.jpg,4,3,9,15")


def touched_predictions(scene):
    predict(scene, ["7"] * 6)


def touched_threshold(scene):
    (scene.root / "threshold.json").write_text(threshold_file(0.9))


def threshold_file(number):
    chosen = dict.fromkeys(("30", "50", "70"), number)
    return json.dumps({"threshold": chosen, "ledger": {"entries": []}})


@pytest.mark.parametrize(
    "touch", [touched_map, touched_truth, touched_predictions, touched_threshold]
)
@pytest.mark.parametrize("prefix", ["", "cub:"])
def test_a_changed_input_is_computed_anew(scene, evaluate, tmp_path, touch, prefix):
    predictions = predict(scene, map(str, scene.labels))
    (scene.root / "threshold.json").write_text(threshold_file(0.1))
    flags = ("--out", tmp_path / "rows", "--predictions", predictions)
    flags += ("--threshold-from", scene.root / "threshold.json")
    truth = f"{prefix}{scene.truth}"
    before = evaluate(*flags, truth=truth)
    touch(scene)
    after = evaluate(*flags, truth=truth)
    fresh = evaluate(*flags[2:], truth=truth)
    for key in ("value", "per_delta", "top1_localization"):
        assert after[key] == fresh[key]
    assert (before["value"], before["top1_localization"]) != (
        after["value"],
        after["top1_localization"],
    )


def test_a_changed_mask_is_computed_anew(scene, evaluate, tmp_path):
    flags = ("--masks", scene.add_masks(), "--out", tmp_path / "rows")
    before = evaluate(*flags)
    scene.paint(scene.masks / "birds/1.png", (0, 0, 32, 24))
    assert evaluate(*flags)["value"] != before["value"]


def test_files_beside_a_kept_row_are_part_of_it(scene, evaluate, tmp_path):
    file = tmp_path / "rows/images.csv"
    flags = ("--out", tmp_path / "rows", "--per-image", file)
    evaluate(*flags)
    (kept,) = rows.find([tmp_path / "rows"])
    hashes = {artifact.path: artifact.sha256 for artifact in rows.load(kept).artifacts.values()}
    assert hashes == {
        name: rows.file_hash(tmp_path / "rows" / name)
        for name in ("images.csv", "images.curve.csv")
    }


def test_a_file_that_has_gone_is_written_again(scene, evaluate, tmp_path):
    file = tmp_path / "images.csv"
    flags = ("--out", tmp_path / "rows", "--per-image", file)
    evaluate(*flags)
    file.unlink()
    evaluate(*flags)
    assert file.is_file()


def test_a_spoilt_row_is_named(scene, sightline, evaluate, tmp_path):
    evaluate("--out", tmp_path / "rows")
    (file,) = rows.find([tmp_path / "rows"])
    file.write_text('{"result": ')
    message = sightline("evaluate", scene.maps, scene.truth, "--out", tmp_path / "rows").refusal()
    assert str(file) in message


# Wrong values of flags


@pytest.mark.parametrize(
    "flags",
    [
        ("--threads", "-1"),
        ("--resamples", "0"),
        ("--resamples", "-5"),
        ("--seed", "-1"),
        ("--evaluation-size", "0"),
        ("--evaluation-size", "-3"),
        ("--iou-thresholds", "0"),
        ("--iou-thresholds", "101"),
        ("--iou-thresholds", "50", "50"),
        ("--iou-thresholds",),
        ("--pointing-tolerance", "-1"),
        ("--connectivity", "6"),
        ("--normalize", "sum"),
        ("--purpose", "fun"),
        ("--seed", "one"),
        ("--threshold-choice", "fixed"),
        ("--contours", "largest", "--connectivity", "4"),
        ("--protocol", "reference-v3"),
        ("--against", "nowhere"),
        ("--nonsense",),
        ("--center", "3"),
        ("a third place",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_code_2(scene, sightline, flags):
    answer = sightline("evaluate", scene.maps, scene.truth, *flags)
    answer.refusal()
    assert answer.code == 2


@pytest.mark.parametrize("flags", [("--size", "0"), ("--size", "-4"), ("--sigma", "0")])
def test_wrong_options_of_a_baseline(scene, sightline, flags):
    answer = sightline("evaluate", "baseline:center-gaussian", scene.truth, *flags)
    answer.refusal()
    assert answer.code == 2


def test_a_misspelt_name_brings_the_close_ones(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--protocol", "refrence-v2")
    assert "did you mean reference-v2" in answer.refusal()
    answer = sightline("evaluate", "baseline:centre-gaussian", scene.truth)
    assert "did you mean center-gaussian" in answer.refusal()


def test_relative_places_work(scene, sightline, monkeypatch):
    monkeypatch.chdir(scene.root)
    assert sightline("evaluate", "maps", "truth", "--out", "rows").code == 0
    assert list(rows.find([Path("rows")]))
