"""The table of explainers, out of the rows that `sightline explain` writes."""

import pytest

from sightline import rows
from sightline.protocol.layouts import Material, make
from sightline.types import LedgerEntry, ResultRow

STUDY = LedgerEntry("pets", "test", "study", "masks", 100, 100, (2, 3))


def wrote(folder, name, value, *, backbone="vgg-gap", metric="PxAP", p=None, labels="given"):
    """Write the row of an explainer; with a p-value it was tested against CAM."""
    test = {"maps": "cam", "difference": value - 60, "low": value - 62, "high": value - 58}
    result = {
        "protocol": {"name": "pixels" if metric == "PxAP" else "reference-v2"},
        "truth": {"dataset": "pets", "split": "test", "fingerprint": "f"},
        "metric": metric,
        "value": value,
        "images": 100,
        "interval": [value - 2, value + 2],
        "maps": f"explainer:{name}",
        "explained": {"labels": labels, "method": "cam", "backbone": backbone},
        **({"against": test | {"p_value": p}} if p is not None else {}),
    }
    row = ResultRow(result, {"seconds_an_image": 0.5}, (STUDY,))
    rows.save(row, folder / backbone / f"{name}-{metric}.row.json")


@pytest.fixture
def folder(tmp_path):
    for backbone, shift in (("vgg-gap", 0.0), ("resnet50", 1.0)):
        wrote(tmp_path, "cam", 60 + shift, backbone=backbone)
        wrote(tmp_path, "vb", 54.0 + shift, backbone=backbone, p=0.001)
    wrote(tmp_path, "ig-vb", 59.5, p=0.4)
    return tmp_path


def table(folder, name="explainers"):
    (made,), _ = make([name], Material([folder]))
    return made


def test_columns_are_networks_and_their_mean(folder):
    made = table(folder)
    cam, ig, vb = (
        next(line for line in made.lines if line["method"] == name)
        for name in ("cam", "ig-vb", "vb")
    )
    assert cam == {
        "method": "cam",
        "pets vgg-gap": "60.0",
        "pets resnet50": "61.0",
        "pets mean": "60.5",
    }
    assert vb["pets vgg-gap"] == "54.0 (-6.0 [-8.0, -4.0])"
    assert vb["pets mean"] == "54.5"
    assert ig == {"method": "ig-vb", "pets vgg-gap": "59.5 (-0.5 [-2.5, +1.5] ~)"}
    assert made.title == "Explainers of the same networks against cam"


def test_the_long_form_has_intervals_tests_and_costs(folder):
    line = next(one for one in table(folder).numbers if one["method"] == "ig-vb")
    assert (line["low"], line["high"], line["p_value"]) == (57.5, 61.5, 0.4)
    assert (line["against"], line["images"], line["seconds_an_image"]) == ("cam", 100, 0.5)


def test_printed_numbers_stand_beside_ours(folder):
    found = {(n["method"], n["backbone"]): n["printed"] for n in table(folder, "000-T8").numbers}
    assert found["vb", "vgg-gap"] == "54.9"
    assert found["cam", "mean"] == "60.0"


def test_metrics_are_columns_of_their_own_and_have_no_common_mean(folder):
    wrote(folder, "cam", 80.0, metric="MaxBoxAccV2")
    line = next(one for one in table(folder).lines if one["method"] == "cam")
    assert line["pets vgg-gap PxAP"] == "60.0"
    assert line["pets vgg-gap MaxBoxAccV2"] == "80.0"
    assert "pets mean MaxBoxAccV2" not in line
    assert line["pets mean PxAP"] == "60.5"


def test_notes_name_labels_and_say_what_was_explained(folder):
    wrote(folder, "gb", 55.0, labels="predicted", p=0.01)
    notes = table(folder).notes
    assert any("likeliest" in note for note in notes)
    assert any("vb (vgg-gap)" in note and "no localization labels" in note for note in notes)


def test_the_page_takes_the_table(folder, sightline):
    answer = sightline("report", folder, "--out", folder / "report", "--latex")
    assert answer.code == 0, answer.err
    assert "pets mean" in answer.out
    assert "ig-vb" in (folder / "report" / "index.html").read_text()
