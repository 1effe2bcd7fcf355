"""SCM: diffusion against a dense solve; without blocks it is TS-CAM."""

import numpy as np
import pytest
import torch

from sightline.backbones import assembly
from sightline.errors import UsageError
from sightline.methods import scm, ts_cam
from sightline.methods.contract import given
from sightline.methods.scm import Diffusion, Options, inverse, laplacian


@pytest.fixture
def images():
    return torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(7))


def made(**options):
    torch.manual_seed(0)
    return scm.Method(assembly.build("small-vit"), 3, Options(**options)).eval()


def neighbours(rows, columns):
    """Count edges one by one."""
    found = np.zeros((rows * columns, rows * columns))
    for y in range(rows):
        for x in range(columns):
            for v, u in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= v < rows and 0 <= u < columns:
                    found[y * columns + x, v * columns + u] = 1
    return found


@pytest.mark.parametrize("size", [(4, 4), (3, 5), (1, 3)])
def test_the_laplacian_of_a_grid(size):
    adjacent = neighbours(*size)
    wanted = np.diag(adjacent.sum(1)) - adjacent
    assert (laplacian(*size).numpy() == wanted).all()


def semantic_and_attention():
    dice = torch.Generator().manual_seed(3)
    return torch.randn(2, 5, 4, 4, generator=dice), torch.rand(2, 4, 4, generator=dice)


def diffused(semantic, attention, agreement, threshold, invert):
    """Do what the formula says, image by image, with a dense inverse."""
    results = []
    for maps, seen in zip(semantic.double().numpy(), attention.double().numpy(), strict=True):
        patches = maps.reshape(5, 16).T
        unit = patches / np.linalg.norm(patches, axis=1, keepdims=True)
        adjacent = neighbours(4, 4)
        matrix = (np.diag(adjacent.sum(1)) - adjacent) * (agreement * unit @ unit.T - 1)
        flow = invert(matrix).T @ seen.reshape(16)
        strength = flow / (threshold * seen.max())
        update = strength - np.tanh(strength)
        update = ((update - update.min()) / (update.max() - update.min())).reshape(4, 4)
        results.append((maps * (1 + update), seen + update))
    return [np.stack(parts) for parts in zip(*results, strict=True)]


def test_a_block_is_a_dense_solve_where_it_iterates_to_the_end():
    semantic, attention = semantic_and_attention()
    block = Diffusion(60).double()
    with torch.no_grad():
        block.agreement.fill_(1.6)  # far from a matrix without an inverse
        block.threshold.fill_(0.3)
        found = block(semantic.double(), attention.double())
    wanted = diffused(semantic, attention, 1.6, 0.3, np.linalg.inv)
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one.numpy() - other).max() < 1e-6


@pytest.mark.parametrize("iterations", [0, 4, 16])
def test_few_iterations_are_those_of_newton_and_schulz(iterations):
    semantic, attention = semantic_and_attention()

    def invert(matrix):
        x = 0.002 * matrix.T
        for _ in range(iterations):
            x = x @ (2 * np.eye(16) - matrix @ x)
        return x

    with torch.no_grad():
        found = Diffusion(iterations).double()(semantic.double(), attention.double())
    wanted = diffused(semantic, attention, 1.0, 0.5, invert)
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one.numpy() - other).max() < 1e-8


def test_no_gradient_flows_through_the_start():
    matrix = torch.eye(2)[None].requires_grad_()
    assert not inverse(matrix, 0).requires_grad
    inverse(matrix, 1).sum().backward()
    assert matrix.grad is not None  # of 2 X - X M X, X known: minus the sums of X's rows, columns
    assert torch.allclose(matrix.grad, torch.full((1, 2, 2), -(0.002**2)))


def test_both_numbers_of_a_block_are_learned():
    semantic, attention = semantic_and_attention()
    block = Diffusion(16)
    maps, _ = block(semantic, attention)
    maps.square().sum().backward()
    for parameter in (block.agreement, block.threshold):
        assert parameter.grad is not None
        assert parameter.grad.abs() > 0


def test_constant_attention_stays_finite_with_its_gradients():
    semantic, _ = semantic_and_attention()
    for value in (0.0, 1.0):
        block = Diffusion(16)
        seen = torch.full((2, 4, 4), value)
        given_maps = semantic.clone().requires_grad_()
        maps, seen = block(given_maps, seen)
        maps.sum().backward()
        for tensor in (maps, seen, given_maps.grad, block.agreement.grad, block.threshold.grad):
            assert tensor is not None
            assert tensor.isfinite().all()
    alike, _ = Diffusion(4)(torch.zeros(1, 5, 4, 4), torch.rand(1, 4, 4))
    assert alike.isfinite().all()


@torch.no_grad()
def test_inference_is_that_of_ts_cam_with_scaled_attention(images):
    method = made()
    plain = ts_cam.Method(method.backbone, 3, ts_cam.Options()).eval()
    plain.semantic = method.semantic
    for block in method.blocks:
        block.agreement.fill_(7)  # blocks have no say
    labels = given(torch.tensor([[1], [2]]))
    mine, other = method.localize(images, labels), plain.localize(images, labels)
    assert torch.equal(mine.logits, other.logits)
    assert torch.equal(method.classify(images), other.logits)
    attention = method.backbone.attend(images).maps().sum(1, keepdim=True)
    low, high = (attention.flatten(1).amin(1), attention.flatten(1).amax(1))
    scaled = (attention - low[:, None, None, None]) / (high - low)[:, None, None, None]
    assert torch.allclose(mine.maps, other.maps / attention * scaled, atol=1e-5)


def test_training_classifies_behind_the_blocks(images, batch):
    method = made(blocks=2, iterations=3, later_iterations=1)
    assert [block.iterations for block in method.blocks] == [3, 1]
    attended = method.backbone.attend(images)
    maps, seen = method.semantic(attended.features.last), attended.maps().sum(1)
    low, high = seen.amin((1, 2), keepdim=True), seen.amax((1, 2), keepdim=True)
    seen = (seen - low) / (high - low)
    for block in method.blocks:
        maps, seen = block(maps, seen)
    logits = maps.mean((2, 3))
    step = method.step(batch(images, [2, 0]))
    assert torch.allclose(step.logits, logits, atol=1e-5)
    wanted = torch.nn.functional.cross_entropy(logits, torch.tensor([2, 0]))
    assert step.loss.item() == pytest.approx(wanted.item(), abs=1e-5)


def test_without_blocks_it_trains_ts_cam(images, batch):
    method = made(blocks=0)
    assert len(method.blocks) == 0
    plain = ts_cam.Method(method.backbone, 3, ts_cam.Options()).eval()
    plain.semantic = method.semantic
    given_batch = batch(images, [2, 0])
    assert method.step(given_batch).loss.item() == pytest.approx(
        plain.step(given_batch).loss.item(), abs=1e-6
    )


def test_blocks_are_not_fewer_than_none():
    with pytest.raises(UsageError, match="--blocks"):
        Options(blocks=-1)
