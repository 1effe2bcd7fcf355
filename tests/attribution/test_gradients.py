import importlib.util
import warnings
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sightline as sl
from sightline import registry
from sightline.attribution import averaging, gb, ig_gb, ig_vb, sg_gb, sg_vb, smoothing, vb
from sightline.attribution.gradients import gradient_of
from sightline.attribution.model_files import read_model
from sightline.attribution.networks import ModuleNetwork
from sightline.backbones.contract import Normalization
from sightline.errors import UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)

LABELS = torch.tensor([0, 3, 4])
RAW = {"blur": 0, "channels": "sum"}
NAMES = ("vb", "gb", "sg-vb", "sg-gb", "ig-vb", "ig-gb")


class Active(nn.Module):
    """A convolution, a ReLU of some kind, pooling and a linear layer."""

    def __init__(self, act, positive=False):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 6, 3, padding=1), nn.Linear(6, 5)
        self.act = act
        if positive:
            nn.init.uniform_(self.conv.weight, 0.1, 1)
            nn.init.uniform_(self.head.weight, 0.1, 1)

    def forward(self, images):
        return self.head(self.act(self.conv(images)).mean((2, 3)))


def active(act, **more):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return Active(act, **more).eval()


def by_hand(network, images, labels, *, guided):
    """Write the gradient of `Active` out; its ReLU is one of z > 0, cut off at `top`."""
    z = network.conv(images)
    top = 6.0 if isinstance(network.act, nn.ReLU6) else float("inf")
    back = network.head.weight[labels][:, :, None, None] / z[0, 0].numel()
    back = back.clamp(min=0) if guided else back
    back = back * ((z > 0) & (z < top))
    return functional.conv_transpose2d(back, network.conv.weight, padding=1).detach()


def explained(module, network, images=None, labels=LABELS, **options):
    images = nets.images() if images is None else images
    wrapped = ModuleNetwork(network, normalization=Normalization((0.5,) * 3, (0.25,) * 3))
    return module.explain(wrapped, images, labels, module.Options(**options))


RELUS = {
    "module": nn.ReLU(),
    "in place": nn.ReLU(inplace=True),
    "relu6": nn.ReLU6(inplace=True),
    "function": functional.relu,
    "torch": torch.relu,
    "method in place": lambda z: z.relu_(),
    "clamp": lambda z: z.clamp(min=0),
    "clamp by a tensor": lambda z: torch.clamp(z, min=torch.tensor(0.0)),
    "threshold": lambda z: functional.threshold(z, 0, 0),
}


@pytest.mark.parametrize("act", RELUS.values(), ids=RELUS)
def test_gradients_are_those_written_out_however_the_relu_is_called(act):
    network, images = active(act), 4 * nets.images()
    plain = by_hand(network, images, LABELS, guided=False)
    guided = by_hand(network, images, LABELS, guided=True)
    assert (plain - guided).abs().max() > 0.5 * plain.abs().max()
    for module, wanted in ((vb, plain), (gb, guided)):
        made = explained(module, network, images, **RAW)
        torch.testing.assert_close(made, wanted.sum(1), rtol=1e-4, atol=1e-7)


def test_channels_become_one_by_the_rule_asked_for():
    network = active(torch.relu)
    found = by_hand(network, nets.images(), LABELS, guided=False)
    for rule, wanted in (("sum-abs", found.abs().sum(1)), ("max-abs", found.abs().amax(1))):
        made = explained(vb, network, blur=0, channels=rule)
        torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-7)


def test_the_map_is_smoothed_as_the_paper_has_it():
    point = torch.zeros(1, 3, 255, 255)
    point[0, 0, 127, 127] = 1
    made = smoothing.as_maps(point, "sum-abs", 127, 0)[0].double()
    deviation = 0.3 * ((127 - 1) * 0.5 - 1) + 0.8
    assert deviation == pytest.approx(19.4)
    along = np.exp(-((np.arange(-63, 64) / deviation) ** 2) / 2)
    along /= along.sum()
    np.testing.assert_allclose(made[64:191, 64:191], np.outer(along, along), atol=1e-7)
    assert made.sum() == pytest.approx(1, abs=1e-4)
    sharper = smoothing.as_maps(point, "sum-abs", 127, 2.0)[0]
    assert sharper.max() > 50 * made.max()


def test_smoothgrad_without_noise_is_vanilla_and_with_noise_is_not():
    network = nets.pooled().eval()
    for smooth, plain in ((sg_vb, vb), (sg_gb, gb)):
        wanted = explained(plain, network, **RAW)
        same = explained(smooth, network, noise=0, samples=4, **RAW)
        torch.testing.assert_close(same, wanted, rtol=1e-5, atol=1e-8)
        assert not torch.allclose(explained(smooth, network, samples=4, **RAW), wanted, atol=1e-4)


def test_smoothgrad_is_the_mean_over_gaussian_noise_of_the_image_s_own_range():
    class Cube(nn.Module):
        def forward(self, images):
            return torch.stack([(images**3).sum((1, 2, 3)), images.sum((1, 2, 3))], 1)

    image = torch.zeros(1, 3, 16, 16)
    image[0, 0, 0, 0], image[0, 0, 0, 1] = 2, -2  # a range of 4
    options = {"samples": 200, "noise": 0.25, **RAW}
    made = explained(sg_vb, Cube(), image, torch.tensor([0]), **options)[0]
    # the gradient is 3 x^2, whose mean under deviation 1 is 3 (x^2 + 1), over three channels
    assert float(made[4:].mean()) == pytest.approx(9, rel=0.02)
    assert float(made[0, 0]) == pytest.approx(3 * (4 + 3), rel=0.4)
    again = explained(sg_vb, Cube(), image, torch.tensor([0]), **options)[0]
    assert torch.equal(made, again)
    other = explained(sg_vb, Cube(), image, torch.tensor([0]), seed=1, **options)[0]
    assert not torch.equal(made, other)


def test_guided_equals_vanilla_where_every_relu_lets_all_through():
    network, images = active(torch.relu, positive=True), nets.images().abs() + 1
    pairs = ((vb, gb), (sg_vb, sg_gb), (ig_vb, ig_gb))
    for plain, guided in pairs:
        more = {} if plain is vb else {"samples": 3}
        one, two = (explained(m, network, images, **more, **RAW) for m in (plain, guided))
        torch.testing.assert_close(one, two, rtol=1e-6, atol=0)
        assert one.abs().max() > 0


class Smooth(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 6, 3, stride=2), nn.Linear(6, 5)

    def forward(self, images):
        return 20 * self.head(functional.softplus(3 * self.conv(images)).mean((2, 3)))


def smooth():
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return Smooth()


@pytest.mark.parametrize("rule", ["midpoint", "gauss-legendre", "right"])
@pytest.mark.parametrize("reference", ["black", "mean", "blurred"])
def test_integrated_gradients_add_up_to_the_difference_of_scores(rule, reference):
    network, images = smooth(), nets.images()
    wrapped = ModuleNetwork(network, normalization=Normalization((0.5,) * 3, (0.25,) * 3))
    start = averaging.reference(wrapped, images, reference)
    with torch.no_grad():
        fall = (network(images) - network(start)).gather(1, LABELS[:, None])[:, 0]
    assert fall.abs().min() > 0.1

    def error(samples):
        options = {"factor": True, "reference": reference, "rule": rule, "samples": samples}
        made = explained(ig_vb, network, images, **options, **RAW)
        return float(((made.double().sum((1, 2)) - fall) / fall).abs().max())

    limit = 0.01 if rule != "right" else 0.06  # the right ends of intervals are of first order
    assert error(50) < limit
    assert error(400) < max(error(50) / 3, 1e-5)


def test_references_are_what_their_names_say():
    wrapped = ModuleNetwork(smooth(), normalization=Normalization((0.5, 0.4, 0.3), (0.25, 0.2, 1)))
    images = nets.images(2, 32)
    black = averaging.reference(wrapped, images, "black")
    assert black[1, :, 3, 4].tolist() == pytest.approx([-2, -2, -0.3])
    assert not averaging.reference(wrapped, images, "mean").any()
    soft = averaging.reference(wrapped, images, "blurred")
    assert soft.shape == images.shape
    assert 0 < soft.std() < 0.2 * images.std()


def test_points_of_a_path_weigh_one_together():
    for rule in ("midpoint", "gauss-legendre", "right"):
        places = averaging.points(7, rule)
        assert sum(weight for _, weight in places) == pytest.approx(1)
        assert all(0 <= place <= 1 for place, _ in places)
    assert averaging.points(2, "right") == [(0.5, 0.5), (1.0, 0.5)]
    assert averaging.points(2, "midpoint") == [(0.25, 0.5), (0.75, 0.5)]


@pytest.mark.parametrize("name", NAMES)
def test_the_chunk_bounds_what_goes_through_and_changes_nothing(name):
    class Counting(nets.Pooled):
        seen: ClassVar[list[int]] = []

        def forward(self, images):
            self.seen.append(len(images))
            return super().forward(images)

    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = Counting().eval()
    module = registry.load("explainer", name)
    more = {"samples": 6} if "-" in name else {}
    whole = explained(module, network, chunk=64, **more)
    Counting.seen.clear()
    parts = explained(module, network, chunk=2, **more)
    assert max(Counting.seen) == 2
    assert sum(Counting.seen) == 3 * (6 if more else 1)
    torch.testing.assert_close(parts, whole, rtol=1e-4, atol=1e-9)


def test_the_target_is_the_logit_or_what_becomes_of_it():
    network, images = nets.pooled().eval(), nets.images()
    for target, made in (
        ("logit", lambda s: s),
        ("probability", lambda s: s.softmax(1)),
        ("log-probability", lambda s: s.log_softmax(1)),
    ):
        leaf = images.clone().requires_grad_()
        score = made(network(leaf)).gather(1, LABELS[:, None]).sum()
        (wanted,) = torch.autograd.grad(score, leaf)
        found = explained(vb, network, target=target, **RAW)
        torch.testing.assert_close(found, wanted.sum(1), rtol=1e-4, atol=1e-8)


def test_guided_backpropagation_refuses_a_network_without_relu():
    network = active(functional.gelu)
    for module in (gb, sg_gb, ig_gb):
        with pytest.raises(UsageError, match=r"no ReLU or ReLU6.*choose vb"):
            explained(module, network)
    assert explained(vb, network).shape == (3, 32, 32)
    with pytest.raises(UsageError, match="no ReLU"):
        explained(gb, active(lambda z: functional.hardtanh(z, -1, 1)))


def test_labels_that_the_network_does_not_know_are_refused():
    with pytest.raises(UsageError, match="label 5 is out of range: the network has 5 classes"):
        explained(vb, nets.pooled(), labels=torch.tensor([0, 5, 1]))


def test_scores_without_gradient_are_refused():
    class Cut(nets.Pooled):
        def forward(self, images):
            return super().forward(images).detach()

    with pytest.raises(UsageError, match="have no gradient"):
        explained(vb, Cut())


def test_a_network_of_several_inputs_is_refused():
    class Two(nn.Module):
        def forward(self, images, metadata):
            return images.mean((2, 3)) + metadata

    with pytest.raises(UsageError, match=r"several inputs \(images, metadata\)"):
        ModuleNetwork(Two())


def test_a_network_in_half_precision_is_explained():
    network = nets.pooled().to(torch.bfloat16).eval()
    made = sl.localize(network, nets.images(), LABELS, method="vb", blur=0)
    full = sl.localize(nets.pooled().eval(), nets.images(), LABELS, method="vb", blur=0)
    assert np.corrcoef(made.ravel(), full.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("name", ["vb", "gb", "ig-gb"])
def test_model_files_give_the_same_maps_as_the_module(name, tmp_path):
    plain, images = nets.pooled().eval(), nets.images()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(plain, images).save(tmp_path / "net.pt")
        program = torch.export.export(plain, (images[:1],))
        torch.export.save(program, tmp_path / "net.pt2")
    module = registry.load("explainer", name)
    more = {"samples": 4} if name == "ig-gb" else {}
    options = module.Options(**more, **RAW)
    wanted = module.explain(ModuleNetwork(plain), images, LABELS, options)
    for file in ("net.pt", "net.pt2"):
        for _ in range(4):  # TorchScript changes how it runs after a few calls
            made = module.explain(read_model(tmp_path / file), images, LABELS, options)
            torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-8)


def test_nothing_is_left_behind_in_the_network():
    network = nets.pooled()
    network.early.weight.requires_grad_(False)
    network.act.eval()
    for name in NAMES:
        more = {"samples": 2} if "-" in name else {}
        sl.localize(network, nets.images(), LABELS, method=name, **more)
    assert network.training
    assert not network.act.training
    wanted = {"early.weight"}
    assert {n for n, p in network.named_parameters() if not p.requires_grad} == wanted
    assert all(parameter.grad is None for parameter in network.parameters())
    assert not any(m._forward_hooks or m._backward_hooks for m in network.modules())
    network(nets.images()).sum().backward()  # it still learns, and no guidance is left
    assert network.late.weight.grad is not None


def test_a_network_that_minds_how_its_input_is_laid_out_is_explained_all_the_same():
    class Flat(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.head = nn.Conv2d(3, 4, 8, stride=8), nn.Linear(64, 5)

        def forward(self, images):
            return self.head(torch.relu(self.conv(images)).view(len(images), -1))

    network, leaf = Flat().eval(), nets.images().requires_grad_()
    (wanted,) = torch.autograd.grad(network(leaf).gather(1, LABELS[:, None]).sum(), leaf)
    torch.testing.assert_close(explained(vb, network, **RAW), wanted.sum(1), rtol=1e-4, atol=1e-7)


def test_gradients_flow_through_a_network_that_begins_in_place():
    network = nn.Sequential(nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    images, labels = nets.images(), torch.tensor([0, 1, 2])
    before = images.clone()
    made = gradient_of(ModuleNetwork(network), "logit")(images, labels)
    assert torch.equal(images, before)
    assert torch.equal(made[0, 0] > 0, images[0, 0] > 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"blur": 4}, "--blur: 4 is neither odd nor 0"),
        ({"sigma": -1}, "--sigma"),
        ({"chunk": 0}, "--chunk"),
        ({"target": "softmax"}, "--target: softmax is none of"),
        ({"channels": "mean"}, "--channels"),
        ({"samples": 0}, "--samples"),
        ({"noise": -0.1}, "--noise"),
    ],
)
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(UsageError, match=said):
        sg_vb.Options(**options)
