"""torchvision's proposals, where it is installed; nothing of it that is compiled is used."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline.annotators import torchvision_rpn
from sightline.annotators.contract import Item
from sightline.annotators.nms import suppressed
from sightline.errors import SightlineError, UsageError

SIDE = 96


def peers():
    file = Path(__file__).parents[1] / "attribution" / "peers.py"
    spec = importlib.util.spec_from_file_location("peers", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def network():
    detection = peers().library("torchvision.models.detection")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = detection.fasterrcnn_resnet50_fpn(
            weights=None, weights_backbone=None, min_size=SIDE, rpn_post_nms_top_n_test=1000
        )
        torch.nn.init.normal_(made.rpn.head.cls_logits.weight, std=0.001)
        torch.nn.init.normal_(made.rpn.head.bbox_pred.weight, std=0.01)
    return made.eval()


@pytest.fixture(scope="module", params=[".pth", ".safetensors"])
def file(request, network, tmp_path_factory):
    from safetensors.torch import save_file

    where = tmp_path_factory.mktemp("weights") / f"rcnn{request.param}"
    (save_file if request.param == ".safetensors" else torch.save)(network.state_dict(), where)
    return where


def picture():
    return np.random.default_rng(0).integers(0, 256, (72, 120, 3), np.uint8)


def opened(file, **options):
    return torchvision_rpn.open(torchvision_rpn.Options(model=str(file), **options), None)


def theirs(network, image, monkeypatch):
    """Let torchvision filter as it does, with suppression written plainly."""
    from torchvision.ops import boxes as box_ops

    def batched(boxes, scores, levels, overlap):
        kept = []
        for level in levels.unique():
            places = torch.where(levels == level)[0]
            mine = suppressed(boxes[places].double().numpy(), scores[places].numpy(), overlap)
            kept.append(places[torch.from_numpy(mine)])
        together = torch.cat(kept)
        return together[scores[together].argsort(descending=True, stable=True)]

    monkeypatch.setattr(box_ops, "batched_nms", batched)
    pixels = torch.from_numpy(image.transpose(2, 0, 1).copy()).float() / 255
    with torch.no_grad():
        images, _ = network.transform([pixels])
        boxes, _ = network.rpn(images, network.backbone(images.tensors))
    height, width = images.image_sizes[0]
    return boxes[0].numpy() * [120 / width, 72 / height, 120 / width, 72 / height]


@pytest.mark.filterwarnings("ignore")
def test_proposals_are_torchvision_s(network, file, monkeypatch):
    made = opened(file, side=SIDE).propose(picture(), Item("a.png"))
    wanted = theirs(network, picture(), monkeypatch)
    assert len(made.boxes) > 20
    assert (np.diff(made.scores) <= 0).all()
    assert (made.boxes >= 0).all()
    assert (made.boxes <= [120, 72, 120, 72]).all()
    np.testing.assert_allclose(made.boxes[:20], wanted[:20], atol=0.01)
    assert abs(len(made.boxes) - len(wanted)) <= 0.05 * len(wanted)  # torchvision drops slivers


@pytest.mark.filterwarnings("ignore")
def test_number_and_overlap(file):
    few = opened(file, side=SIDE, most=5).propose(picture(), Item("a.png"))
    more = opened(file, side=SIDE, overlap=0.9).propose(picture(), Item("a.png"))
    alike = opened(file, side=SIDE, overlap=0.5).propose(picture(), Item("a.png"))
    assert len(few.boxes) == 5
    assert len(more.boxes) > len(alike.boxes)


@pytest.mark.filterwarnings("ignore")
def test_weights_of_another_network(network, tmp_path):
    for content, told in (
        ({"weight": torch.zeros(3)}, "backbone.body.conv1.weight is missing"),
        ({**network.state_dict(), "rpn.head.cls_logits.bias": torch.zeros(9)}, "size mismatch"),
        (torch.zeros(3), "holds no weights of fasterrcnn_resnet50_fpn"),
    ):
        torch.save(content, tmp_path / "w.pth")
        with pytest.raises(SightlineError) as caught:
            opened(tmp_path / "w.pth")
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)


class Evil:
    def __reduce__(self):
        return (print, ("run",))


@pytest.mark.filterwarnings("ignore")
def test_a_file_that_is_a_program_is_not_run(network, tmp_path, capsys):
    torch.save({"a": Evil()}, tmp_path / "w.pth")
    with pytest.raises(SightlineError, match="cannot be read as weights alone"):
        opened(tmp_path / "w.pth")
    assert capsys.readouterr().out == ""


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(UsageError, match="--model: '' is no file; name weights of torchvision"):
        opened("")
    with pytest.raises(UsageError, match=r"absent\.pth' is no file"):
        opened(tmp_path / "absent.pth")


def test_torchvision_is_told_of_where_it_is_absent(tmp_path, monkeypatch):
    (tmp_path / "w.pth").write_bytes(b"0")
    monkeypatch.setitem(sys.modules, "torchvision.models.detection", None)
    with pytest.raises(SightlineError, match="torchvision cannot be imported") as caught:
        opened(tmp_path / "w.pth")
    assert "\n" not in str(caught.value)
