"""Our region proposal network: its boxes, its file, and that it learns."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from sightline.annotators import rpn, rpn_network
from sightline.annotators.contract import Item, Nothing
from sightline.annotators.rpn_boxes import KINDS, anchors, overlaps, paired_overlaps, told, untold
from sightline.annotators.rpn_training import Training, _kept, _part, train
from sightline.data.dataset import read_dataset
from sightline.errors import UsageError
from sightline.types import Split

QUICK = {"side": 96, "views": 2, "epochs": 30}


def test_a_box_that_is_told_comes_back():
    base = anchors(4)
    assert base.shape == (4 * 4 * KINDS, 4)
    boxes = torch.tensor([[0.3, 0.35, 0.6, 0.65]]).expand(len(base), 4)
    torch.testing.assert_close(untold(told(boxes, base), base), boxes, atol=1e-5, rtol=1e-5)


def test_anchors_are_centered_on_cells_row_by_row():
    middle = anchors(4).reshape(4, 4, KINDS, 2, 2).mean(3)
    torch.testing.assert_close(middle[1, 2, :, 0], torch.full((KINDS,), 0.625))
    torch.testing.assert_close(middle[1, 2, :, 1], torch.full((KINDS,), 0.375))


def test_overlaps_are_shared_over_united():
    one = torch.tensor([[0, 0, 2, 2], [0, 0, 1, 1.0]])
    other = torch.tensor([[1, 1, 3, 3], [0, 0, 1, 1.0]])
    assert torch.allclose(overlaps(one, other), torch.tensor([[1 / 7, 1 / 4], [0, 1.0]]))
    assert torch.allclose(paired_overlaps(one, other), torch.tensor([1 / 7, 1.0]))


def test_a_part_takes_its_boxes_along():
    image = np.zeros((40, 80, 3), np.uint8)
    boxes = np.array([[0.5, 0.25, 0.75, 0.5]])
    rng = np.random.default_rng(0)
    whole, inside = _part(image, boxes, 32, 0, rng)
    assert whole.shape == (32, 32, 3)
    assert inside.tolist() == boxes.tolist()
    _, mirrored = _part(image, boxes, 32, 1, rng)
    assert mirrored.tolist() == [[0.25, 0.25, 0.5, 0.5]]


def test_what_is_mostly_outside_a_part_is_no_object_in_it():
    boxes = np.array([[-0.6, 0, 0.4, 0.5], [-0.4, 0, 0.6, 0.5], [1.2, 0, 1.4, 1]])
    assert _kept(boxes).tolist() == [[0, 0, 0.6, 0.5]]


def test_it_learns_where_objects_are_and_says_from_what(pictures, tmp_path):
    data = read_dataset(pictures.root, split="val")
    how = Training(**QUICK)
    learned = train([data], how, show_progress=False)
    assert (learned.photographs, learned.boxes) == (5, 5)
    assert learned.losses[-1] < 0.6 * learned.losses[0]
    assert [(e.purpose, e.labels, e.split) for e in learned.ledger] == [("training", 5, "val")]
    again = train([data], how, show_progress=False)
    files = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for one, file in zip((learned, again), files, strict=True):
        rpn_network.write(one.head, file, {"side": 96}, one.ledger)
    assert files[0].read_bytes() == files[1].read_bytes()
    source = rpn.open(rpn.Options(weights=str(files[0])), data.split)
    assert source.ledger == learned.ledger
    assert len(source.origin["weights"]) == 64


def test_its_proposals_are_apart_and_ranked(tmp_path, pictures):
    from sightline.annotators.answers import ranked
    from sightline.metrics.geometry import iou

    source = opened(tmp_path, overlap=0.5, most=20)
    image = np.random.default_rng(0).integers(0, 255, (60, 90, 3)).astype(np.uint8)
    answer = source.propose(image, Item("x"))
    assert 1 < len(answer.boxes) <= 20
    assert (np.diff(answer.scores) <= 0).all()
    assert (answer.boxes <= [90, 60, 90, 60]).all()
    pairs = iou(answer.boxes, answer.boxes, "true") - np.eye(len(answer.boxes))
    assert pairs.max() <= 0.5 + 1e-9
    assert ranked(answer, 90, 60)[1] == 0


def opened(folder, **options):
    from importlib import util
    from pathlib import Path

    file = Path(__file__).with_name("random_rpn.py")
    spec = util.spec_from_file_location("random_rpn", file)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    weights = module.saved(folder / "rpn.safetensors")
    return rpn.open(rpn.Options(weights=str(weights), **options), EMPTY)


EMPTY = Split("x", "val", (), (), np.empty(0, np.int64), np.empty((0, 2), np.int64))


def test_no_object_is_said(tmp_path):
    answer = opened(tmp_path, least=0.999).propose(np.zeros((50, 50, 3), np.uint8), Item("x"))
    assert answer == Nothing("no proposal has an objectness of 0.999 or more")


def test_files_of_the_wrong_kind_are_refused(tmp_path):
    with pytest.raises(UsageError, match="annotate train rpn"):
        rpn.open(rpn.Options(), EMPTY)
    with pytest.raises(UsageError, match="no such file"):
        rpn.open(rpn.Options(weights=str(tmp_path / "none")), EMPTY)
    text = tmp_path / "text.safetensors"
    text.write_text("not at all")
    with pytest.raises(UsageError, match="is no safetensors file"):
        rpn.open(rpn.Options(weights=str(text)), EMPTY)
    other = tmp_path / "other.safetensors"
    save_file({"a": torch.zeros(2)}, other)
    with pytest.raises(UsageError, match="holds no weights of our rpn"):
        rpn.open(rpn.Options(weights=str(other)), EMPTY)


def test_the_command_trains_writes_and_tells(sightline, pictures, tmp_path):
    out = tmp_path / "rpn.safetensors"
    flags = ("--side", 96, "--views", 1, "--epochs", 1)
    said = sightline(
        *("annotate", "train", "rpn", "--data", pictures.root, "--splits", "val"),
        *("--out", out, *flags, "--json", "-"),
    )
    content = said.json
    assert (content["photographs"], content["boxes"], content["side"]) == (5, 5, 96)
    assert content["ledger"][0]["purpose"] == "training"
    done = sightline(
        *("annotate", "rpn", "--weights", out, "--data", pictures.root, "--split", "val"),
        *("--out", tmp_path / "boxes", "--stages", "--scoring", "objectness", "--workers", 1),
        *("--crop-side", 64),
    )
    assert done.code == 0, done.err
    assert "upper bound, chosen by IoU" in done.out
    assert "of data, split val, for training" in done.out
    folder = tmp_path / "boxes" / "val" / "rows"
    found = {f.name.partition(".")[0]: json.loads(f.read_text()) for f in folder.iterdir()}
    assert set(found) == {
        *("pointing-game", "pointing-game-top20", "top20-objectness"),
        *("top20-pointing-game-scoring", "upper-bound", "peak"),
    }
    values = {name: row["result"]["value"] for name, row in found.items()}
    assert values["upper-bound"] == max(v for n, v in values.items() if n != "peak")
    assert {e["purpose"] for e in found["peak"]["ledger"]} == {"study", "training"}
    assert found["upper-bound"]["result"]["annotator"] == "rpn"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "name one of: rpn"),
        (("clip",), "name one of: rpn"),
        (("rpn",), "--data, --splits and --out are needed"),
        (("rpn", "--side", 100), "--side"),
    ],
)
def test_wrong_calls_are_refused(sightline, tmp_path, flags, said):
    assert said in sightline("annotate", "train", *flags, "--out", tmp_path / "x").refusal()


def test_test_labels_are_not_learned_from(sightline, pictures, tmp_path):
    (pictures.root / "val").rename(pictures.root / "test")
    words = ("annotate", "train", "rpn", "--data", pictures.root, "--splits", "test")
    said = sightline(*words, "--out", tmp_path / "x.safetensors").refusal()
    assert "test labels may not be used for 'training'" in said
