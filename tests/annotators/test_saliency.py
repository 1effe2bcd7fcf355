"""Salient-object models as ONNX files."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from sightline.annotators import saliency
from sightline.annotators.boxing import inside_of, largest_box
from sightline.annotators.contract import Heat, Item, Nothing, Region
from sightline.errors import SightlineError, UsageError
from sightline.types import Split


def read(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


small = read("small_onnx")
NO_SPLIT = Split("own", "val", (), (), np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
PLAIN = {"mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0), "scale": "255"}


def opened(file, **options):
    return saliency.open(saliency.Options(model=str(file), **options), NO_SPLIT)


def picture():
    """A bright rectangle of 16 x 12 at 8, 6 in the dark."""
    image = np.full((24, 32, 3), 20, np.uint8)
    image[6:18, 8:24] = (250, 240, 230)
    return image


def ask(source, image=None):
    return source.propose(picture() if image is None else image, Item("a.png"))


def box(answer, size=(32, 24)):
    return largest_box(inside_of(answer, size)).tolist()


def test_the_map_is_the_model_s_and_the_box_is_around_it(tmp_path):
    made = ask(opened(small.brightness(tmp_path / "m.onnx"), **PLAIN))
    assert isinstance(made, Heat)
    np.testing.assert_allclose(made.scores, picture().mean(2) / 255, rtol=1e-6)
    assert box(made) == [8, 6, 24, 18]


@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.UINT8], ids=["float", "bytes"])
def test_channels_and_bytes(tmp_path, last, kind):
    file = small.brightness(tmp_path / "m.onnx", last=last, kind=kind)
    # channels last: the mask is (1, 1, h, w) as well
    made = ask(opened(file, **PLAIN))
    scale = 255 if kind == TensorProto.FLOAT else 1
    np.testing.assert_allclose(made.scores, picture().mean(2) / scale, rtol=1e-6)


def test_pixels_are_normalized_as_told(tmp_path):
    file = small.brightness(tmp_path / "m.onnx")
    made = ask(opened(file, mean=(0.5, 0.25, 0.0), std=(0.5, 1.0, 2.0)))  # by the maximum, 250
    wanted = ((picture() / 250 - [0.5, 0.25, 0]) / [0.5, 1, 2]).mean(2)
    np.testing.assert_allclose(made.scores, wanted, rtol=1e-5)


def test_the_size_is_the_model_s_or_the_one_given(tmp_path):
    free = small.brightness(tmp_path / "free.onnx", shape=(1, 3, None, None))
    assert ask(opened(free, size=64)).scores.shape == (64, 64)
    fixed = small.brightness(tmp_path / "fixed.onnx", shape=(1, 3, 12, 16))
    made = ask(opened(fixed, size=64, **PLAIN))
    assert made.scores.shape == (12, 16)
    assert box(made) == pytest.approx([8, 6, 24, 18], abs=1)


def test_a_threshold_gives_a_mask(tmp_path):
    file = small.brightness(tmp_path / "m.onnx")
    made = ask(opened(file, threshold=0.5, **PLAIN))
    assert isinstance(made, Region)
    assert box(made) == [8, 6, 24, 18]
    image = picture()
    image[0:3, 0:3] = 100  # 35 % of the range
    low, high = (box(ask(opened(file, threshold=t, **PLAIN), image)) for t in (0.3, 0.5))
    assert low == high  # the larger region
    image[0:6, 0:8] = 100
    assert box(ask(opened(file, threshold=0.3, **PLAIN), image)) == [0, 0, 24, 18]


def test_outputs_and_channels_by_name(tmp_path):
    file = small.brightness(tmp_path / "m.onnx")
    dark, bright = (opened(file, output="twice", channel=c, **PLAIN) for c in (0, 1))
    np.testing.assert_allclose(ask(dark).scores, -ask(bright).scores)


def test_a_black_image_does_not_divide_by_nothing(tmp_path):
    made = ask(opened(small.brightness(tmp_path / "m.onnx")), np.zeros((24, 32, 3), np.uint8))
    assert np.isfinite(made.scores).all()
    assert inside_of(made, (32, 24)) == Nothing("the map is the same everywhere")


def test_a_map_that_is_not_finite_is_no_box(tmp_path):
    assert ask(opened(small.undefined(tmp_path / "m.onnx"))) == Nothing("the map is not finite")


def test_the_origin_is_the_file_s_hash(tmp_path):
    one = small.brightness(tmp_path / "a.onnx")
    same = small.brightness(tmp_path / "b.onnx")
    other = small.brightness(tmp_path / "c.onnx", shape=(1, 3, 12, 16))
    assert opened(one).origin == opened(same).origin != opened(other).origin


def nothing_there(file):
    return file.with_name("absent.onnx")


def text(file):
    file.write_text("no model")
    return file


def weights(file):
    import torch

    torch.save({"a": torch.zeros(2)}, file)
    return file


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (nothing_there, "no such file; name an .onnx file with --model"),
        (text, "is no ONNX model ("),
        (weights, "is no ONNX model ("),
        (small.two_inputs, "takes a [1, 3, 8, 8], b [1, 3, 8, 8]; one batch of images is needed"),
        (small.one_channel, "takes images of [1, 1, 8, 8]; 3 channels are needed"),
        (small.whole_number_input, "takes tensor(int64); float or uint8 is needed"),
    ],
)
def test_files_of_the_wrong_kind_are_one_line(tmp_path, make, told):
    file = make(tmp_path / "m.onnx")
    with pytest.raises(SightlineError) as caught:
        opened(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file_at_all():
    with pytest.raises(UsageError, match=r"^--model is missing; name an \.onnx file$"):
        opened("")


def test_an_output_that_does_not_exist(tmp_path):
    with pytest.raises(UsageError, match="has mask, twice, single, no 'edges'"):
        opened(small.brightness(tmp_path / "m.onnx"), output="edges")


def test_an_output_that_is_no_mask_fails_on_the_image(tmp_path):
    file = small.brightness(tmp_path / "m.onnx")
    with pytest.raises(
        SightlineError, match=r"output 'single' is float32 1, no mask; name another"
    ):
        ask(opened(file, output="single"))
    with pytest.raises(SightlineError, match=r"output 'twice' is float32 2x24x32, no mask"):
        ask(opened(file, output="twice", channel=2))


def test_a_model_that_fails_on_an_image(tmp_path):
    with pytest.raises(SightlineError, match=r"m\.onnx: fails on an image \(") as caught:
        ask(opened(small.failing(tmp_path / "m.onnx")))
    assert "\n" not in str(caught.value)


def test_onnx_runtime_is_told_of_where_it_is_absent(tmp_path, monkeypatch):
    import sys

    file = small.brightness(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        SightlineError, match=r"needs ONNX Runtime; pip install 'sightline\[pseudo\]'"
    ):
        opened(file)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"std": (0.0, 1.0, 1.0)}, "--std takes three positive numbers"),
        ({"threshold": 1.5}, "--threshold: 1.5 is not from 0 to 1"),
        ({"size": 0}, "--size: 0 is not from 16 on"),
        ({"scale": "some"}, "--scale: some is none of 255, maximum"),
    ],
)
def test_options_that_mean_nothing(options, told):
    with pytest.raises(UsageError) as caught:
        saliency.Options(**options)
    assert told in str(caught.value)
