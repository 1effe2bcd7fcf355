"""The bilateral filter and the CRF loss against all pairs, one by one, and their gradients."""

import numpy as np
import pytest
import torch

from sightline.methods.pixelwise.dense_crf import dense_crf
from sightline.methods.pixelwise.filtering import bilateral, bilateral_by_pairs

SIZES = [(16, 16), (1, 24), (24, 9), (3, 1)]
PICTURES = ["noise", "ramp", "flat", "two colors", "black and white"]


def picture(kind: str, height: int, width: int, seed: int = 0) -> np.ndarray:
    dice = np.random.default_rng(seed)
    if kind == "noise":
        return dice.uniform(0, 255, (height, width, 3))
    if kind == "ramp":
        return np.linspace(3, 250, height * width * 3).reshape(height, width, 3)
    if kind == "flat":
        return np.full((height, width, 3), dice.uniform(0, 255))
    choice = dice.integers(0, 2, (height, width, 1))
    ends = (0, 255) if kind == "black and white" else (101.3, 113.7)
    return np.where(choice, *ends) * np.ones(3)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize(("rgb", "xy"), [(15, 10), (15, 1000), (40, 3), (5, 7)])
def test_filtering_is_the_sum_over_all_pairs(kind, size, rgb, xy):
    colors = picture(kind, *size)
    signals = np.random.default_rng(1).uniform(0, 1, (*size, 2))
    wanted = bilateral_by_pairs(colors, signals, rgb, xy)
    found = bilateral(colors, signals, rgb, xy)
    assert found.shape == wanted.shape
    assert np.abs(found / wanted - 1).max() < 0.02  # where a pixel is like no other
    assert np.abs(found - wanted).mean() < 0.003 * wanted.mean()


def test_by_pairs_is_the_formula():
    colors = np.array([[[0.0, 0, 0], [30, 40, 0]]])
    signals = np.array([[[1.0], [3.0]]])
    weight = np.exp(-(50**2) / (2 * 20**2) - 1 / (2 * 2**2))
    found = bilateral_by_pairs(colors, signals, 20, 2)
    assert found.ravel() == pytest.approx([1 + 3 * weight, weight + 3])


def test_the_filter_is_symmetric():
    colors = picture("noise", 12, 12)
    one, two = np.random.default_rng(2).uniform(0, 1, (2, 12, 12, 1))
    forth = (one * bilateral(colors, two, 15, 8)).sum()
    back = (two * bilateral(colors, one, 15, 8)).sum()
    assert forth == pytest.approx(back, rel=1e-5)


def test_signals_are_filtered_each_alone_whatever_their_number():
    colors = picture("noise", 10, 11)
    signals = np.random.default_rng(3).uniform(0, 1, (10, 11, 5))
    together = bilateral(colors, signals, 15, 3)
    alone = np.concatenate([bilateral(colors, signals[..., k : k + 1], 15, 3) for k in range(5)], 2)
    assert np.allclose(together, alone, rtol=1e-4)


def test_a_photograph_of_96_pixels_with_the_published_widths():
    dice = np.random.default_rng(4)
    colors = np.cumsum(np.cumsum(dice.normal(size=(96, 96, 3)), 0), 1)  # smooth, as photographs are
    colors = 255 * (colors - colors.min()) / np.ptp(colors)
    signals = dice.uniform(0, 1, (96, 96, 2))
    wanted = bilateral_by_pairs(colors, signals, 15, 100 * 96 / 224)
    found = bilateral(colors, signals, 15, 100 * 96 / 224)
    assert np.abs(found / wanted - 1).mean() < 0.002
    assert (signals * found).sum() == pytest.approx((signals * wanted).sum(), rel=1e-3)


def by_pairs(shares: torch.Tensor, colors: torch.Tensor, rgb: float, xy: float) -> torch.Tensor:
    """Compute the loss from the matrix of all pairs, with gradients by PyTorch."""
    losses = []
    for share, image in zip(shares.double(), colors.double(), strict=True):
        height, width = image.shape[1:]
        grid = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        places = torch.stack(grid).reshape(2, -1).T / xy
        looks = image.reshape(3, -1).T / rgb
        squares = sum((p[:, None] - p[None]).square().sum(2) for p in (places, looks))
        flat = share.reshape(len(share), -1)
        losses.append(torch.einsum("ki,ij,kj->", flat, (-squares / 2).exp(), flat))
    return -torch.stack(losses).mean()


@pytest.mark.parametrize("kind", PICTURES)
def test_the_loss_and_its_gradient_are_those_of_all_pairs(kind):
    pair = [picture(kind, 12, 14, seed) for seed in (0, 1)]
    colors = torch.tensor(np.stack(pair)).permute(0, 3, 1, 2)
    dice = torch.Generator().manual_seed(0)
    scores = torch.randn(2, 2, 12, 14, generator=dice, dtype=torch.float64)
    ours, peer = (scores.clone().requires_grad_() for _ in range(2))
    loss = dense_crf(ours.softmax(1), colors, 15, 6)
    wanted = by_pairs(peer.softmax(1), colors, 15, 6)
    assert loss.item() == pytest.approx(wanted.item(), rel=5e-3)
    (3 * loss).backward()
    (3 * wanted).backward()
    error = (ours.grad - peer.grad).norm() / peer.grad.norm()
    assert error < 0.01


def test_the_gradient_is_that_of_the_loss_as_computed():
    """A quadratic form: a step of any length changes it by slope and curvature alone."""
    colors = torch.tensor(picture("noise", 9, 9)).permute(2, 0, 1)[None]
    dice = torch.Generator().manual_seed(1)
    shares = torch.rand(1, 2, 9, 9, generator=dice).requires_grad_()
    step = torch.rand(1, 2, 9, 9, generator=dice)
    loss = dense_crf(shares, colors, 15, 5)
    loss.backward()
    with torch.no_grad():
        ahead, behind = (dense_crf(shares + s * step, colors, 15, 5) for s in (1, -1))
    assert (shares.grad * step).sum().item() == pytest.approx((ahead - behind).item() / 2, rel=1e-3)


def test_the_loss_falls_where_pixels_that_look_alike_agree():
    colors = torch.tensor(picture("two colors", 8, 8)).permute(2, 0, 1)[None]
    colors[:, :, :, 4:] = 240
    halves = torch.zeros(1, 2, 8, 8)
    halves[:, 0, :, :4] = halves[:, 1, :, 4:] = 1
    across = halves.transpose(2, 3)
    assert dense_crf(halves, colors, 15, 100) < dense_crf(across, colors, 15, 100)
