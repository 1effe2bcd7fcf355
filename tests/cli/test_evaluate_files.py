"""Files that `sightline evaluate` writes: tables, overlaps, rows."""

import json

import numpy as np
import pandas as pd
import pytest

from sightline import rows
from sightline.types import ResultRow

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
    scene.save(0, np.full((24, 32), np.nan))  # would stop the work
    flags = ("--masks", scene.masks, "--per-threshold", tmp_path / "x.npz")
    answer = sightline("evaluate", scene.maps, scene.truth, *flags)
    assert answer.code == 2
    assert "--per-image" in answer.refusal()


@pytest.mark.parametrize(("flag", "name"), [("--per-image", "x.txt"), ("--per-threshold", "x.npy")])
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


@pytest.mark.parametrize("maps", ["maps", "baseline:center-gaussian"])
def test_only_what_is_named_decides_what_is_kept(scene, sightline, evaluations, monkeypatch, maps):
    """The folder in which one stands, where rows and other files grow, is no input."""
    monkeypatch.chdir(scene.root)
    call = ("evaluate", maps, "truth", "--threshold-from", "0.3", "--out", "rows")
    assert sightline(*call).code == 0
    (scene.root / "notes.txt").write_text("more")
    assert sightline(*call).code == 0
    assert len(evaluations) == 1


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
    scene.predictions(["7"] * 6)


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
    predictions = scene.predictions(map(str, scene.labels))
    (scene.root / "threshold.json").write_text(threshold_file(0.35))
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
    evidence = kept.name.replace(rows.SUFFIX, ".evidence.npz")
    assert hashes == {
        name: rows.file_hash(tmp_path / "rows" / name)
        for name in ("images.csv", "images.curve.csv", evidence)
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
