"""Every annotator gives sound answers that depend on nothing but what it was given."""

import importlib.util
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args

import cv2
import numpy as np
import pytest

from sightline import registry
from sightline.annotators.answers import packed, unpacked
from sightline.annotators.asking import opened
from sightline.annotators.contract import Answer, Gives, Heat, Item, Nothing, Proposals, Region
from sightline.types import Split

ELSEWHERE = {"torchvision-rpn"}  # run where their library is installed, in tests of their own
ANNOTATORS = [
    e.name
    for e in registry.describe("annotator")
    if e.source == "sightline" and e.name not in ELSEWHERE
]
KINDS = {"proposals": Proposals, "box": Proposals, "heat": Heat, "region": Region}
SIZE = WIDTH, HEIGHT = 96, 72
Make = Callable[[Path], dict[str, Any]]  # the options that an annotator cannot do without


def helper(name: str) -> Any:
    """Import a helper of the annotators' own tests."""
    file = Path(__file__).parents[1] / "annotators" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OPTIONS: dict[str, Make] = {
    "center": lambda folder: {},
    "selective-search": lambda folder: {},
    "clip": lambda folder: {"model": str(helper("tiny_clip").saved(folder / "clip"))},
    "cam": lambda folder: {},
    "edge": lambda folder: {},
    "rpn": lambda folder: {"weights": str(helper("random_rpn").saved(folder / "rpn.safetensors"))},
    "onnx-detector": lambda folder: {
        "model": str(helper("small_onnx").detector(folder / "m.onnx")),
    },
    "saliency": lambda folder: {
        "model": str(helper("small_onnx").brightness(folder / "m.onnx")),
    },
}


def split() -> Split:
    labels = np.array([0, 1])
    sizes = np.array([SIZE, SIZE])
    return Split("pictures", "val", ("a.png", "b.png"), ("a.png", "b.png"), labels, sizes, NAMES)


NAMES = ("duck", "frog")


def picture(seed: int) -> np.ndarray[Any, Any]:
    dice = np.random.default_rng(seed)
    image = cv2.GaussianBlur(dice.integers(0, 255, (HEIGHT, WIDTH, 3)).astype(np.uint8), (9, 9), 3)
    image[20:50, 30:70] = (200, 40 * seed, 30)
    return image


def item(number: int) -> Item:
    return Item(f"{number}.png", number, NAMES[number], 7)


@pytest.fixture(params=ANNOTATORS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def options(name: str, folder: Path) -> Any:
    return registry.load("annotator", name).Options(**OPTIONS[name](folder))


def test_every_annotator_has_its_options_here() -> None:
    assert set(ANNOTATORS) == set(OPTIONS)


def test_its_file_says_what_it_gives(name: str) -> None:
    module = registry.load("annotator", name)
    assert module.GIVES in get_args(Gives)
    assert is_dataclass(module.Options)
    assert all(
        get_args(field.type) or isinstance(field.type, type | str)
        for field in fields(module.Options)
    )


def ask(name: str, folder: Path, number: int) -> Answer:
    source = registry.load("annotator", name).open(options(name, folder), split())
    answer: Answer = source.propose(picture(number), item(number))
    return answer


def test_it_gives_the_same_sound_answer_in_any_order(name: str, tmp_path: Path) -> None:
    module = registry.load("annotator", name)
    source = module.open(options(name, tmp_path), split())
    first, second, again = (source.propose(picture(n), item(n)) for n in (0, 1, 0))
    assert packed(first) == packed(again) == packed(ask(name, tmp_path, 0))
    assert packed(second) == packed(ask(name, tmp_path, 1))
    kind = KINDS[module.GIVES]
    assert isinstance(first, kind | Nothing)
    assert packed(unpacked(packed(first))) == packed(first)
    if isinstance(first, Proposals):
        boxes = first.boxes
        assert boxes.shape == (len(first.scores), 4)
        assert np.isfinite(boxes).all()
        assert (boxes[:, 2:] > boxes[:, :2]).all()
        assert (boxes >= 0).all()
        assert (boxes <= [WIDTH, HEIGHT, WIDTH, HEIGHT]).all()
        assert len(boxes) == 1 or module.GIVES == "proposals"


def test_it_says_what_its_answers_follow_from(name: str, tmp_path: Path) -> None:
    module = registry.load("annotator", name)
    chosen = options(name, tmp_path)
    source = module.open(chosen, split())
    assert all(isinstance(key, str) for key in source.origin)
    assert isinstance(source.ledger, tuple)
    assert replace(chosen) == chosen
    assert asdict(chosen) == asdict(options(name, tmp_path))


def test_it_does_not_change_the_picture(name: str, tmp_path: Path) -> None:
    image = picture(0)
    before = image.copy()
    registry.load("annotator", name).open(options(name, tmp_path), split()).propose(image, item(0))
    assert np.array_equal(image, before)


def test_a_class_matters_only_where_the_file_says_so(name: str, tmp_path: Path) -> None:
    module = registry.load("annotator", name)
    source = module.open(options(name, tmp_path), split())
    one, other = (packed(source.propose(picture(0), Item("x", n, NAMES[n], 7))) for n in (0, 1))
    if not getattr(module, "CLASSES", False):
        assert one == other


def test_a_process_of_its_own_can_open_it(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), picture(0)[..., ::-1])
    work = opened(name, options(name, tmp_path), split())
    assert work((str(file), SIZE, item(0))) == packed(ask(name, tmp_path, 0))
