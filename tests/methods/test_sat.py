"""SAT: the mask of the spatial token in the last blocks, and the two losses on it."""

import numpy as np
import pytest
import torch

from sightline.backbones import assembly
from sightline.errors import UsageError
from sightline.methods import sat
from sightline.methods.contract import top
from sightline.methods.sat import KERNEL, Options, losses, mask


@pytest.fixture
def images():
    return torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(7))


def made(**options):
    torch.manual_seed(0)
    return sat.Method(assembly.build("small-vit"), 3, Options(**options)).eval()


def test_the_mask_is_the_sigmoid_of_the_second_token_s_scores():
    dice = np.random.default_rng(0)
    queries, keys = dice.normal(size=(2, 1, 3, 5, 4))  # one image, 3 heads, 5 tokens, 4 channels
    found = mask(torch.from_numpy(queries), torch.from_numpy(keys))
    scores = [
        np.mean([queries[0, head, 1] @ keys[0, head, token] / 2 for head in range(3)])
        for token in range(5)
    ]
    assert np.abs(found[0].numpy() - 1 / (1 + np.exp(-np.array(scores)))).max() < 1e-12


def tokens_by_hand(backbone, x, masked):
    """Run the blocks one by one, with whole attention matrices."""
    masks = []
    for name in backbone.blocks:
        block = backbone.stages[name]
        qkv = block.attn.qkv(block.norm1(x))
        q, k, v = (part.unflatten(2, (3, 32)).transpose(1, 2) for part in qkv.chunk(3, 2))
        z = q @ k.mT / 32**0.5
        soft = z.softmax(-1)
        if name in masked:
            masks.append(z[:, :, 1].mean(1).sigmoid())
            soft = soft * masks[-1][:, None, None]  # for all queries, and not scaled
        x = x + block.attn.proj((soft @ v).transpose(1, 2).flatten(2))
        x = x + block.mlp(block.norm2(x))
    return backbone.stages["norm"].normed(x), masks


@pytest.mark.parametrize("count", [1, 3, 6])
@torch.no_grad()
def test_masks_act_in_the_last_blocks_alone(images, count):
    method = made(masked=count)
    for parameter in method.parameters():
        parameter.mul_(3)
    token = method.token.token + method.token.position
    x = method.backbone.stages["embed"](images)
    x = torch.cat([x[:, :1], token.expand(2, -1, -1), x[:, 1:]], 1)
    tokens, masks = tokens_by_hand(method.backbone, x, method.backbone.blocks[-count:])
    assert len(masks) == count
    features = tokens[:, 2:].transpose(1, 2).reshape(2, 96, 8, 8)
    found = method.localize(images, top(2))
    assert torch.allclose(found.logits, method.classifier(features).mean((2, 3)), atol=1e-4)
    wanted = torch.stack(masks).mean(0)[:, 2:].reshape(2, 1, 8, 8)
    assert wanted.std() > 0.01
    assert torch.allclose(found.maps, wanted.expand(-1, 2, -1, -1), atol=1e-5)


def test_the_kernel_is_the_root_of_a_gaussian_s_shares():
    """Three bins reach over 6 deviations and half a bin; the root of both axes' shares counts."""
    from scipy.stats import norm

    width = 13 / 3
    shares = np.diff(norm.cdf(np.linspace(-6 - width / 2, 6 + width / 2, 4)))
    wanted = np.sqrt(np.outer(shares, shares))
    assert np.abs(np.array(KERNEL) - wanted / wanted.sum()).max() < 2e-4
    assert np.sum(KERNEL) == pytest.approx(1, abs=1e-6)


def test_the_losses_by_hand():
    maps = np.random.default_rng(1).random((2, 3, 4))
    area, clarity = losses(torch.from_numpy(maps), 0.3)
    assert area.item() == pytest.approx(abs(maps.mean() - 0.3))  # of the batch, not of each image
    kernel, padded = np.array(KERNEL), np.pad(maps, ((0, 0), (1, 1), (1, 1)))
    smooth = [
        np.sum(padded[n, y : y + 3, x : x + 3] * kernel)
        for n in range(2)
        for y in range(3)
        for x in range(4)
    ]
    wanted = np.mean([value * (1 - value) for value in smooth])
    assert clarity.item() == pytest.approx(wanted, abs=1e-6)


def test_the_loss_is_their_sum(images, batch):
    method = made(area=0.4, area_weight=2.0, clarity_weight=0.5)
    step = method.step(batch(images, [2, 0]))
    answer = method.localize(images, top(1))
    area, clarity = losses(answer.maps[:, 0], 0.4)
    classes = torch.nn.functional.cross_entropy(answer.logits, torch.tensor([2, 0]))
    assert step.loss.item() == pytest.approx((classes + 2 * area + 0.5 * clarity).item(), abs=1e-6)
    assert [step.parts[name].item() for name in ("classification", "area", "clarity")] == (
        pytest.approx([classes.item(), area.item(), clarity.item()], abs=1e-6)
    )


def test_maps_know_of_no_class(images):
    maps = made().localize(images, top(3)).maps
    assert maps.shape == (2, 3, 8, 8)
    assert torch.equal(maps[:, 0], maps[:, 2])


def test_the_token_and_its_position_both_learn(images, batch):
    method = made().train()
    method.step(batch(images, [0, 1])).loss.backward()
    for parameter in method.token.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().sum() > 0


def test_no_more_blocks_are_masked_than_there_are():
    with pytest.raises(UsageError, match="--masked: 7 blocks, but the backbone has 6"):
        made(masked=7)
