"""Top-1 and top-5 localization."""

import pytest


def test_top1_and_top5_localization(scene, evaluate):
    right, second, wrong = "{0},7,8,9,10", "7,{0},8,9,10", "7,8,9,10,11"
    ranked = [
        form.format(label)
        for form, label in zip([right] * 3 + [second] * 2 + [wrong], scene.labels, strict=True)
    ]
    flags = ("--protocol", "reference-v1", "--predictions", scene.predictions(ranked))
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
    result = evaluate("--predictions", scene.predictions(map(str, scene.labels)))
    assert result["top1_classification"] == 100
    assert result["top1_localization"]["value"] == result["value"]
    assert not any(key.startswith("top5") for key in result)


def test_predictions_by_name_with_a_header(scene, evaluate):
    file = scene.predictions(f"class {label}" for label in scene.labels)
    file.write_text("image,first\n" + file.read_text())
    result = evaluate("--predictions", file, truth=scene.table())
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
    file = scene.predictions(map(str, scene.labels))
    lines = file.read_text().split("\n")
    file.write_text("\n".join([*lines[1:], line]))
    answer = sightline("evaluate", scene.maps, scene.truth, "--predictions", file)
    message = answer.refusal()
    assert what in message
    assert (f"{file}:6" if line else "birds/0.jpg") in message
    result = evaluate("--predictions", file, "--on-error", "skip")
    assert result["images"] == 5
    assert result["skipped"] == len({text.split(":")[1] for text in result["left_out"]})


def test_a_table_that_a_spreadsheet_wrote(scene, evaluate):
    file = scene.predictions(map(str, scene.labels))
    text = file.read_text().replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert evaluate("--predictions", file)["top1_classification"] == 100


def test_blank_lines_count_in_the_number_of_a_line(scene, sightline):
    file = scene.predictions(map(str, scene.labels))
    file.write_text(f"\n\n{file.read_text()}\nbirds/0.jpg,1")
    answer = sightline("evaluate", scene.maps, scene.truth, "--predictions", file)
    assert f"{file}:9, birds/0.jpg: image is predicted twice" in answer.refusal()


def test_predictions_that_fit_no_image_at_all_leave_nothing(scene, sightline):
    file = scene.root / "predictions.csv"
    file.write_text("other.jpg,1\n")
    flags = ("--predictions", file, "--on-error", "skip")
    assert str(file) in sightline("evaluate", scene.maps, scene.truth, *flags).refusal()


def test_a_class_of_the_map_that_needs_predictions(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--map-class", "top-1")
    assert "--predictions" in answer.refusal()
    assert answer.code == 2
