"""`boxes:FOLDER` in place of maps."""

import re

import pytest


def test_predicted_boxes(scene, evaluate, tmp_path):
    folder = tmp_path / "predicted"
    folder.mkdir()
    lines = [scene.box_line(i) for i in range(5)] + [f"{scene.ids[5]},0,0,0,0"]
    (folder / "localization.txt").write_text("\n".join(lines))
    result = evaluate(maps=f"boxes:{folder}")
    assert (result["images"], result["warnings"]) == (
        6,
        {"empty_boxes": 1, "predicted_at_or_past_edge": 0},
    )
    for delta in ("30", "50", "70"):
        assert result["per_delta"][delta] == pytest.approx(100 * 5 / 6)
    assert result["value"] == pytest.approx(100 * 5 / 6, abs=0.5)
    assert evaluate(maps=f"boxes:{folder / 'localization.txt'}").numbers == result.numbers


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
