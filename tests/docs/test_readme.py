"""What the README shows of Python runs as it stands there."""

import re
from pathlib import Path

import numpy as np
import pytest

import sightline as sl
from sightline import rows

TEXT = (Path(__file__).resolve().parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
FILES, NETWORKS = BLOCKS


def test_folders_and_accumulators(scene, monkeypatch) -> None:
    monkeypatch.chdir(scene.root)
    data = [(np.clip(scene.scores(i), 0, 1), [scene.boxes[i]]) for i in range(6)]
    known: dict[str, object] = {"data": data}
    exec(FILES, known)
    assert known["result"].result["images"] == 6
    assert known["acc"].compute()["value"] > 0


def test_a_network_gives_maps_and_a_score_in_five_lines() -> None:
    """The network sees brightness alone; a bright square is what it looks for."""
    torch = pytest.importorskip("torch")
    assert len([line for line in NETWORKS.splitlines() if line.strip()]) <= 5
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 1, 8, stride=8),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(1, 2),
    )
    torch.nn.init.constant_(model[0].weight, 0.01)
    model[3].weight.data = torch.tensor([[1.0], [-1.0]])
    images = torch.zeros(4, 3, 64, 64)
    boxes = [[(8 * i, 16, 8 * i + 24, 40)] for i in range(4)]
    for image, [(x0, y0, x1, y1)] in zip(images, boxes, strict=True):
        image[:, y0:y1, x0:x1] = 1
    known = {"model": model, "images": images, "labels": [0] * 4, "boxes": boxes}
    exec(NETWORKS, known)
    assert known["maps"].shape == (4, 64, 64)
    assert known["row"].result["value"] == 100
    against = dict(known, labels=[1] * 4)
    exec(NETWORKS, against)
    np.testing.assert_allclose(against["maps"], 1 - known["maps"], atol=1e-6)  # the labels count


def test_what_the_readme_calls_is_public() -> None:
    for name in re.findall(r"\bsl\.(\w+)", " ".join(BLOCKS)):
        assert name in sl.__all__


def test_the_table_of_pets_is_the_row_that_is_kept() -> None:
    row = rows.load(Path(__file__).resolve().parents[2] / "recipes" / "rows" / "pets.row.json")
    for name, title in {
        "center-gaussian": "center-Gaussian",
        "cam": "CAM",
        "few-shot": "few-shot, 10 masks a class",
    }.items():
        found = [row.result[name][metric] for metric in ("boxes", "pixels")]
        cells = [
            "{:.2f} ({:.2f} to {:.2f})".format(one["value"], *one["interval"]) for one in found
        ]
        assert f"| {title} | {cells[0]} | {cells[1]} |" in TEXT
