import importlib.util
import struct
import warnings
from pathlib import Path

import pytest
import torch

from sightline.attribution import cam, occlusion
from sightline.attribution.model_files import read_model
from sightline.errors import SightlineError, UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)
LABELS = torch.tensor([0, 3, 4])


def exported(file, count, *, dynamic):
    shapes = ({0: torch.export.Dim("batch", min=1, max=64)},) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = nets.images(count)
        program = torch.export.export(nets.pooled().eval(), (batch,), dynamic_shapes=shapes)
        torch.export.save(program, file)
    return file


def scripted(file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(nets.pooled().eval(), nets.images()).save(file)
    return file


def field(number, value):
    """Write a field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(number):
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def onnx(file, batch):
    """Write the network "mean over height and width" by hand, three classes."""

    def tensor(name, sizes):
        dims = b"".join(field(1, field(1, s) if isinstance(s, int) else field(2, s)) for s in sizes)
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))

    axes = field(1, "axes") + field(8, 2) + field(8, 3) + field(20, 7)
    keep = field(1, "keepdims") + field(3, 0) + field(20, 2)
    axes, keep = (part[:-2] + bytes([0xA0, 1, part[-1]]) for part in (axes, keep))
    node = field(1, "x") + field(2, "y") + field(4, "ReduceMean") + field(5, axes) + field(5, keep)
    inputs, outputs = tensor("x", [batch, 3, 32, 32]), tensor("y", [batch, 3])
    graph = field(1, node) + field(2, "g") + field(11, inputs) + field(12, outputs)
    file.write_bytes(field(1, 7) + field(7, graph) + field(8, field(2, 13)))
    return file


@pytest.mark.parametrize(("count", "dynamic"), [(3, True), (1, False)])
def test_an_exported_program_answers_and_shows_its_stage(tmp_path, count, dynamic):
    network = read_model(exported(tmp_path / "net.pt2", count, dynamic=dynamic))
    plain, batch = nets.pooled(), nets.images()
    torch.testing.assert_close(network.answers(batch), plain(batch).detach())
    wanted = nets.textbook_cam(plain, batch, LABELS) / 64
    for start in range(0, 3, count):
        part = slice(start, start + count)
        made = cam.explain(network, batch[part], LABELS[part], cam.Options())
        torch.testing.assert_close(made, wanted[part], rtol=1e-5, atol=1e-7)


def test_a_program_for_batches_of_one_size_is_refused(tmp_path):
    with pytest.raises(UsageError, match="batches of 3 alone"):
        read_model(exported(tmp_path / "net.pt2", 3, dynamic=False))


@pytest.mark.parametrize("layer", [torch.nn.BatchNorm2d(3), torch.nn.Dropout(0.3)])
def test_a_program_in_train_mode_is_refused(tmp_path, layer):
    module = torch.nn.Sequential(layer, nets.pooled())
    file = tmp_path / "net.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(module.train(), (nets.images(1),)), file)
        with pytest.raises(UsageError, match="exported in train mode"):
            read_model(file)
        torch.export.save(torch.export.export(module.eval(), (nets.images(1),)), file)
    assert read_model(file).answers(nets.images(1)).shape == (1, 5)


def test_torchscript_answers_alone(tmp_path):
    network, batch = read_model(scripted(tmp_path / "net.pt")), nets.images()
    torch.testing.assert_close(network.answers(batch), nets.pooled()(batch).detach())
    with pytest.raises(UsageError, match="TorchScript shows no stages"):
        cam.explain(network, batch, LABELS, cam.Options())
    made = occlusion.explain(network, batch, LABELS, occlusion.Options(steps=3, patch=0.4))
    assert made.shape == (3, 32, 32)


@pytest.mark.parametrize("batch", ["n", 1, 2])
def test_onnx_answers_alone_whatever_its_batch(tmp_path, batch):
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime")
    network, given = read_model(onnx(tmp_path / "net.onnx", batch)), nets.images()
    torch.testing.assert_close(network.answers(given), given.mean((2, 3)), atol=1e-6, rtol=1e-5)
    with pytest.raises(UsageError, match="ONNX shows no stages"):
        cam.explain(network, given, LABELS, cam.Options())


def test_what_is_no_network_is_refused_in_one_line(tmp_path):
    weights = tmp_path / "weights.pth"
    torch.save(nets.pooled().state_dict(), weights)
    with pytest.raises(UsageError, match="holds weights alone"):
        read_model(weights)
    with pytest.raises(UsageError, match="no such model file"):
        read_model(tmp_path / "absent.pt")
    text = tmp_path / "notes.pt"
    text.write_text("hello")
    with pytest.raises(UsageError, match="neither ONNX"):
        read_model(text)


def test_half_a_file_is_refused_in_one_line(tmp_path):
    whole = exported(tmp_path / "net.pt2", 3, dynamic=True).read_bytes()
    half = tmp_path / "half.pt2"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match="neither ONNX"):
        read_model(half)
    damaged = tmp_path / "damaged.pt2"
    place = whole.index(b"model.json") + 200
    damaged.write_bytes(whole[:place] + struct.pack("<q", 0) * 8 + whole[place + 64 :])
    with pytest.raises(SightlineError) as refused:
        read_model(damaged)
    assert str(refused.value).count("\n") == 0


def test_onnx_that_is_none_is_refused(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime")
    file = tmp_path / "net.onnx"
    file.write_bytes(b"nothing")
    with pytest.raises(SightlineError, match="cannot be read as a network"):
        read_model(file)
