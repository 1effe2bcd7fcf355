"""The same maps as Captum, pytorch-grad-cam and torch-cam, for every method that both have."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import sightline as sl
from sightline import registry
from sightline.attribution import averaging, cam, eigen_cam, occlusion
from sightline.attribution.networks import ModuleNetwork
from sightline.metrics.score_maps import normalized, prepare

pytestmark = pytest.mark.filterwarnings("ignore")  # what other libraries warn of is not ours


def read(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


nets, peers = read("networks"), read("peers")
LABELS = torch.tensor([0, 3, 4])
SIGNED = {"blur": 0, "channels": "sum"}
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


class Modules(nn.Module):
    """As `Pooled`, with modules alone, since other libraries hook them."""

    def __init__(self):
        super().__init__()
        self.early, self.act1 = nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.ReLU()
        self.late, self.act2 = nn.Conv2d(6, 8, 3, stride=2, padding=1), nn.ReLU()
        self.pool, self.flat = nn.AdaptiveAvgPool2d(1), nn.Flatten()
        self.head = nn.Linear(8, 5)

    def forward(self, images):
        features = self.act2(self.late(self.act1(self.early(images))))
        return self.head(self.flat(self.pool(features)))


@pytest.fixture
def network():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Modules().eval()


def ours(method, network, **options):
    """Give the raw map of a registered explainer."""
    module = registry.load("explainer", method)
    wrapped = ModuleNetwork(network, options.pop("layer", ""))
    return module.explain(wrapped, nets.images(), LABELS, module.Options(**options))


def close(made, wanted):
    """Compare in units of the largest value."""
    scale = wanted.abs().max()
    assert scale > 0
    torch.testing.assert_close(made / scale, (wanted / scale).to(made), **CLOSE)


def captum(name, network, *more, **options):
    attribution = getattr(peers.library("captum.attr"), name)(network, *more)
    leaf = nets.images().requires_grad_()
    return attribution.attribute(leaf, target=LABELS, **options).detach()


@pytest.mark.parametrize(
    ("method", "theirs"),
    [("vb", "Saliency"), ("gb", "GuidedBackprop"), ("input-x-gradient", "InputXGradient")],
)
def test_gradients_are_captum_s(network, method, theirs):
    more = {"abs": False} if theirs == "Saliency" else {}
    close(ours(method, network, **SIGNED), captum(theirs, network, **more).sum(1))


@pytest.mark.parametrize(
    ("rule", "theirs"),
    [
        ("gauss-legendre", "gausslegendre"),
        ("midpoint", "riemann_middle"),
        ("right", "riemann_right"),
    ],
)
def test_integrated_gradients_are_captum_s(network, rule, theirs):
    wrapped = ModuleNetwork(network)
    black = averaging.reference(wrapped, nets.images(), "black").contiguous()
    wanted = captum("IntegratedGradients", network, baselines=black, n_steps=50, method=theirs)
    made = ours("ig-vb", network, samples=50, rule=rule, factor=True, **SIGNED)
    close(made, wanted.sum(1))


def test_integrated_guided_gradients_are_the_mean_of_captum_s(network):
    guided = peers.library("captum.attr").GuidedBackprop(network)
    images, start = (
        nets.images(),
        averaging.reference(ModuleNetwork(network), nets.images(), "black"),
    )
    total = 0
    for place, weight in averaging.points(10, "midpoint"):
        leaf = (start + place * (images - start)).requires_grad_()
        total = total + weight * guided.attribute(leaf, target=LABELS)
    close(ours("ig-gb", network, samples=10, **SIGNED), total.detach().sum(1))


@pytest.mark.parametrize(("method", "theirs"), [("sg-vb", "Saliency"), ("sg-gb", "GuidedBackprop")])
def test_smoothgrad_is_captum_s_with_the_same_noise(network, method, theirs, monkeypatch):
    tunnel = peers.library("captum.attr")
    single = nets.images()[:1]
    noise = [s[2] - single[0] for s in averaging._noised(single, 8, 0.15, 0)]
    monkeypatch.setattr(torch, "normal", lambda mean, std: torch.stack(noise))
    attribution = tunnel.NoiseTunnel(getattr(tunnel, theirs)(network))
    more = {"abs": False} if theirs == "Saliency" else {}
    wanted = attribution.attribute(
        single.clone().requires_grad_(), nt_type="smoothgrad", nt_samples=8, target=0, **more
    )
    module = registry.load("explainer", method)
    options = module.Options(samples=8, **SIGNED)
    made = module.explain(ModuleNetwork(network), single, LABELS[:1], options)
    close(made, wanted.detach().sum(1))


def test_cam_is_captum_s_layer_grad_cam(network):
    wanted = captum("LayerGradCam", network, network.act2)
    close(ours("cam", network, layer="act2"), wanted[:, 0] * 1.0)


def test_occlusion_is_captum_s(network):
    """Patches of 8 pixels, 8 apart, hidden by the image's mean colour."""
    colour = nets.images().mean((2, 3), keepdim=True).expand(-1, -1, 32, 32)
    wanted = captum(
        "Occlusion", network, sliding_window_shapes=(3, 8, 8), strides=(3, 8, 8), baselines=colour
    )
    made = occlusion.explain(
        ModuleNetwork(network), nets.images(), LABELS, occlusion.Options(patch=0.25, steps=4)
    )
    close(made, wanted[:, 0])


def grad_cam(name, network, **attributes):
    """Give pytorch-grad-cam's maps: cut off at zero, brought to the images' size and to [0, 1]."""
    library = peers.library("pytorch_grad_cam")
    made = getattr(library, name)(model=network, target_layers=[network.act2])
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def as_theirs(raw):
    """Do to a raw map what pytorch-grad-cam does to its own: scaled, enlarged, scaled again."""
    maps = raw.clamp(min=0).double().numpy()
    order = {"interpolation": "linear", "order": "normalize-first"}
    return np.stack([normalized(prepare(one, size=32, **order), "min-max") for one in maps])


@pytest.mark.parametrize(
    ("method", "theirs", "more"),
    [
        ("grad-cam", "GradCAM", {}),
        ("grad-cam-plus-plus", "GradCAMPlusPlus", {"epsilon": 1e-6}),
        ("layer-cam", "LayerCAM", {}),
        ("score-cam", "ScoreCAM", {"limit": 0, "upsampling": "aligned"}),
    ],
)
def test_the_family_of_cam_is_pytorch_grad_cam_s(network, method, theirs, more):
    made = ours(method, network, layer="act2", **more)
    with grad_cam(theirs, network) as library:
        wanted = sl.localize(network, nets.images(), LABELS, method=library)
    np.testing.assert_allclose(as_theirs(made), wanted, atol=1e-5)


def test_eigen_cam_is_pytorch_grad_cam_s_but_for_the_sign(network):
    made = ours("eigen-cam", network, layer="act2", centered=True)
    with grad_cam("EigenCAM", network) as library:
        wanted = sl.localize(network, nets.images(), LABELS, method=library)
    for one, map_ in zip(wanted, made, strict=True):
        found = [np.abs(as_theirs(sign * map_[None])[0] - one).max() for sign in (1, -1)]
        assert min(found) < 1e-5


@pytest.mark.parametrize(
    ("method", "theirs"), [("grad-cam", "GradCAM"), ("layer-cam", "LayerCAM"), ("cam", "CAM")]
)
def test_the_family_of_cam_is_torch_cam_s(network, method, theirs):
    methods = peers.library("torchcam.methods")
    with getattr(methods, theirs)(network, "act2") as library:
        scores = network(nets.images())
        (wanted,) = library(LABELS.tolist(), scores, normalized=False)
        through = sl.localize(network, nets.images(), LABELS, method=library)
    made = ours(method, network, layer="act2")
    close(made * (64 if theirs == "CAM" else 1), wanted.detach())  # the weights, over 64 cells
    assert not any(module._forward_hooks for module in network.modules())
    own = sl.localize(network, nets.images(), LABELS, method=method, layer="act2")
    np.testing.assert_allclose(through, own, atol=1e-5)


def test_captum_s_objects_are_used_as_they_are(network):
    attributions = peers.library("captum.attr")
    for theirs, method, more in (
        (attributions.Saliency(network), "vb", {}),
        (attributions.InputXGradient(network), "input-x-gradient", {}),
        (attributions.IntegratedGradients(network), "ig-vb", {"n_steps": 20}),
    ):
        made = sl.localize(network, nets.images(), LABELS, method=theirs, blur=15, **more)
        known = {"samples": 20, "rule": "gauss-legendre", "reference": "mean", "factor": True}
        own = sl.localize(
            network, nets.images(), LABELS, method=method, blur=15, **(known if more else {})
        )
        np.testing.assert_allclose(made, own, atol=2e-5)


def test_captum_s_layer_attributions_keep_their_sign(network):
    layer = peers.library("captum.attr").LayerGradCam(network, network.act2)
    made = sl.localize(network, nets.images(), LABELS, method=layer)
    own = sl.localize(network, nets.images(), LABELS, method="cam", layer="act2")
    np.testing.assert_allclose(made, own, atol=1e-5)


def test_timm_s_attention_is_found():
    peers.library("timm")
    import timm

    from sightline.attribution import attention_gradients, attention_rollout
    from sightline.attribution.attention import layers_of

    torch.manual_seed(0)
    for fused in (True, False):
        vit = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=5, depth=3).eval()
        for block in vit.blocks:
            block.attn.fused_attn = fused
        images = nets.images(2, 64)
        found = layers_of(ModuleNetwork(vit), images, LABELS[:2])
        assert [tuple(layer.attention.shape) for layer in found] == [(2, 3, 17, 17)] * 3
        assert all(torch.isfinite(layer.gradient).all() for layer in found)
        for module in (attention_rollout, attention_gradients):
            made = module.explain(ModuleNetwork(vit), images, LABELS[:2], module.Options())
            assert made.shape == (2, 4, 4)
    assert cam.NEEDS == eigen_cam.NEEDS == "stages"
