"""TS-CAM: the class token's attention, summed over layers, times the class maps."""

import numpy as np
import pytest
import torch

from sightline.backbones import assembly
from sightline.methods import ts_cam
from sightline.methods.contract import given, top


@pytest.fixture
def method():
    torch.manual_seed(0)
    return ts_cam.Method(assembly.build("small-vit"), 3, ts_cam.Options()).eval()


@pytest.fixture
def images():
    return torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(7))


def by_hand(backbone, images):
    """Compute tokens and attention layer by layer, in double precision."""
    state = {k: v.detach().double().numpy() for k, v in backbone.state_dict().items()}
    x = backbone.stages["embed"](images).detach().double().numpy()
    rows = []
    for n in range(6):
        place = f"stages.block{n}."
        own = {k.removeprefix(place): v for k, v in state.items() if k.startswith(place)}
        qkv = norm(x, own["norm1.weight"], own["norm1.bias"]) @ own["attn.qkv.weight"].T
        q, k, v = np.split(qkv + own["attn.qkv.bias"], 3, axis=2)
        heads = []
        attended = np.zeros_like(x)
        for head in range(3):
            part = slice(32 * head, 32 * (head + 1))
            z = q[:, :, part] @ k[:, :, part].transpose(0, 2, 1) / np.sqrt(32)
            soft = np.exp(z) / np.exp(z).sum(2, keepdims=True)
            attended[:, :, part] = soft @ v[:, :, part]
            heads.append(soft[:, 0, 1:])
        rows.append(np.mean(heads, axis=0))
        x = x + attended @ own["attn.proj.weight"].T + own["attn.proj.bias"]
        inner = norm(x, own["norm2.weight"], own["norm2.bias"]) @ own["mlp.fc1.weight"].T
        inner = torch.nn.functional.gelu(torch.from_numpy(inner + own["mlp.fc1.bias"])).numpy()
        x = x + inner @ own["mlp.fc2.weight"].T + own["mlp.fc2.bias"]
    x = norm(x, state["stages.norm.weight"], state["stages.norm.bias"])
    return x[:, 1:].transpose(0, 2, 1).reshape(2, 96, 8, 8), np.sum(rows, axis=0).reshape(2, 8, 8)


def norm(x, weight, bias):
    return (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-6) * weight + bias


def convolved(features, weight, bias):
    """Convolve with a 3 x 3 kernel, zeros around."""
    padded = np.pad(features, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("ndhwij,kdij->nkhw", windows, weight) + bias[:, None, None]


@torch.no_grad()
def test_the_map_is_attention_times_class_map(method, images):
    for parameter in method.backbone.parameters():  # far from even attention
        parameter.mul_(3)
    features, attention = by_hand(method.backbone, images)
    weight, bias = (v.double().numpy() for v in (method.semantic.weight, method.semantic.bias))
    semantic = convolved(features, weight, bias)
    found = method.localize(images, given(torch.tensor([[2, 0], [1, 1]])))
    assert np.abs(found.logits.numpy() - semantic.mean((2, 3))).max() < 1e-4
    wanted = attention[:, None] * np.stack([semantic[0, [2, 0]], semantic[1, [1, 1]]])
    assert attention.max() > 2 * attention.min()
    assert np.abs(found.maps.numpy() - wanted).max() < 1e-4


def test_the_loss_is_the_classification_s_alone(method, images, batch):
    step = method.step(batch(images, [2, 0]))
    scores = method.classify(images).detach().double().numpy()
    chosen = scores[[0, 1], [2, 0]]
    wanted = np.mean(np.log(np.exp(scores).sum(1)) - chosen)
    assert step.loss.item() == pytest.approx(wanted, abs=1e-5)
    assert set(step.parts) == {"classification"}


@torch.no_grad()
def test_even_attention_leaves_the_class_map_as_it_is(method, images):
    for name, parameter in method.backbone.named_parameters():
        if "attn.qkv" in name:
            parameter.zero_()
    found = method.localize(images, top(1))
    semantic = method.semantic(method.backbone(images).last)
    best = semantic[torch.arange(2), found.logits.argmax(1)][:, None]
    assert torch.allclose(found.maps, best * 6 / 65, atol=1e-6)  # layers over tokens
