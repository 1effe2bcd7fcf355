"""Whatever is registered keeps the contract of its kind; a kind or a name without a case fails."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

import sightline as sl
from sightline import registry
from sightline.data.annotations import Request
from sightline.data.truth import read_truth
from sightline.metrics.protocol import Protocol

CHECKED_KINDS = {"protocol", "format", "dataset", "layout", "baseline"}
SIZE = (40, 30)  # width, height


def own(kind: str) -> list[str]:
    return [entry.name for entry in registry.describe(kind) if entry.source == "sightline"]


def reference(root: Path) -> Path:
    root.mkdir()
    (root / "image_ids.txt").write_text("x.png")
    (root / "class_labels.txt").write_text("x.png,0")
    (root / "image_sizes.txt").write_text("x.png,40,30")
    (root / "localization.txt").write_text("x.png,5,6,20,25")
    return root


def coco(root: Path) -> Path:
    content = {
        "images": [{"id": 1, "file_name": "x.png", "width": 40, "height": 30}],
        "categories": [{"id": 7, "name": "bird"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 7, "bbox": [5, 6, 15, 19]}],
    }
    root.mkdir()
    (root / "truth.json").write_text(json.dumps(content))
    return root / "truth.json"


def voc(root: Path) -> Path:
    root.mkdir()
    (root / "x.xml").write_text(
        "<annotation><size><width>40</width><height>30</height></size><object><name>bird</name>"
        "<bndbox><xmin>5</xmin><ymin>6</ymin><xmax>20</xmax><ymax>25</ymax></bndbox></object>"
        "</annotation>"
    )
    return root


def csv_table(root: Path) -> Path:
    root.mkdir()
    text = "image,x0,y0,x1,y1,width,height\nx.png,5,6,20,25,40,30\n"
    (root / "truth.csv").write_text(text)
    return root / "truth.csv"


def mask_folder(root: Path) -> Path:
    mask = np.zeros(SIZE[::-1], np.uint8)
    mask[6:26, 5:21] = 255
    for kind in ("images", "masks"):
        (root / kind).mkdir(parents=True)
        cv2.imwrite(str(root / kind / "x.png"), mask)
    return root


SAMPLES: dict[str, Callable[[Path], Path]] = {
    "reference": reference,
    "coco": coco,
    "voc": voc,
    "csv-table": csv_table,
    "mask-folder": mask_folder,
}


def test_every_kind_is_checked_here_or_in_a_file_of_its_own() -> None:
    elsewhere = {file.stem.removeprefix("test_") for file in Path(__file__).parent.glob("*.py")}
    apart = {kind for kind in registry.kinds() if any(n.startswith(kind) for n in elsewhere)}
    assert set(registry.kinds()) == CHECKED_KINDS | apart


def test_every_format_has_a_sample() -> None:
    assert set(own("format")) == set(SAMPLES)


@pytest.mark.parametrize("kind", registry.kinds())
def test_every_file_has_a_title(kind: str) -> None:
    for entry in registry.describe(kind):
        assert entry.title.endswith(".") or entry.title.endswith("!"), entry.name


@pytest.mark.parametrize("name", own("format"))
def test_a_format_knows_its_own_and_gives_one_item(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name](tmp_path / "sample")
    request = Request("sample", "val")
    claimed = [n for n in own("format") if registry.load("format", n).recognises(sample, request)]
    assert claimed[0] == name
    truth = read_truth(sample)
    assert len(truth.split.ids) == 1
    assert truth.has_boxes or truth.has_masks
    row = sl.evaluate([np.full(SIZE[::-1], 0.5)], truth, resamples=10)
    assert row.result["images"] == 1


@pytest.mark.parametrize("name", own("protocol"))
def test_a_protocol_is_named_as_its_file_and_scores_a_perfect_map(name: str) -> None:
    protocol = registry.load("protocol", name).PROTOCOL
    assert isinstance(protocol, Protocol)
    assert protocol.name == name
    score_map = np.zeros((50, 60))
    score_map[10:30, 20:50] = 1
    if protocol.ground_truth_kind == "masks":
        truth = [score_map.astype(np.uint8)]
    else:
        truth = [np.array([[20, 10, 50, 30]])]
    row = sl.evaluate([score_map], truth, protocol, resamples=10)
    assert row.result["value"] == pytest.approx(100)
    assert row.result["protocol"]["name"] == name


@pytest.mark.parametrize("name", own("dataset"))
def test_a_data_set_states_what_was_published(name: str) -> None:
    known = registry.load("dataset", name).DATASET
    assert known.name == name
    assert known.labels in ("boxes", "masks", "fixations")
    assert all(count > known.classes for count in known.images.values())
    told = registry.load("dataset", name).__doc__ or ""
    assert known.images or "no count" in told or name == "pond"
    assert known.where
    assert all(item.url and item.holds for item in known.downloads)


@pytest.mark.parametrize("name", own("layout"))
def test_a_layout_belongs_to_a_data_set_and_takes_nothing_for_its_own(
    name: str, tmp_path: Path
) -> None:
    module = registry.load("layout", name)
    assert name in registry.names("dataset")
    assert registry.load("dataset", name).DATASET.downloads  # it can say what is missing
    reference(tmp_path / "lists")
    (tmp_path / "file.txt").touch()
    for place in ("", "lists", "file.txt", "nowhere"):
        assert module.splits(tmp_path / place) == ()


@pytest.mark.parametrize("name", own("baseline"))
def test_a_baseline_gives_the_same_sound_map_twice(name: str) -> None:
    module = registry.load("baseline", name)
    first, second = (module.score_map(module.Options()) for _ in range(2))
    assert first.ndim == 2
    assert first.tobytes() == second.tobytes()
    assert np.isfinite(first).all()
    assert first.min() >= 0
    assert first.max() <= 1
