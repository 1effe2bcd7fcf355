"""CutMix: where the patch lies, what is pasted, and how much each label weighs."""

import numpy as np
import pytest
import torch

from sightline.errors import UsageError
from sightline.methods import cam, cutmix
from sightline.methods.cutmix import Options, Patch, draw_patch, draw_share, mixed


def dice(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def drawn(monkeypatch):
    """Let the draws be what a test says: the share that stays, then the center."""

    def say(share, y, x):
        monkeypatch.setattr(cutmix, "draw_share", lambda prior, generator: share)
        monkeypatch.setattr(cutmix, "chance", lambda generator, *shape: torch.tensor([y, x]))

    return say


@pytest.mark.parametrize(
    ("share", "y", "x", "rows", "columns", "kept"),
    [
        # an image of 8 x 12; 3/4 stay: sides 4 x 6
        (0.75, 0.5, 0.5, (2, 6), (3, 9), 1 - 24 / 96),
        (0.75, 0.0, 0.5, (0, 2), (3, 9), 1 - 12 / 96),  # center in row 0: clipped
        (0.75, 0.99, 0.99, (5, 8), (8, 12), 1 - 12 / 96),  # center in row 7 and column 11
        # sides floor(8 sqrt(.5)) = 5 and floor(12 sqrt(.5)) = 8; halves are 2 and 4
        (0.5, 0.5, 0.5, (2, 6), (2, 10), 1 - 32 / 96),
        (1.0, 0.5, 0.5, (4, 4), (6, 6), 1.0),
        (0.0, 0.5, 0.5, (0, 8), (0, 12), 0.0),
    ],
)
def test_the_patch_is_clipped_and_its_area_weighs_the_labels(
    drawn, share, y, x, rows, columns, kept
):
    drawn(share, y, x)
    patch = draw_patch(8, 12, 1.0, dice())
    assert (patch.rows, patch.columns, patch.drawn) == (rows, columns, share)
    assert patch.kept(8, 12) == pytest.approx(kept)


def test_the_patch_comes_from_the_other_image_and_the_batch_stays_as_it_was():
    images = torch.arange(3 * 16.0).reshape(3, 1, 4, 4).expand(3, 3, 4, 4).clone()
    order = torch.tensor([2, 0, 1])
    kept = images.clone()
    answer = mixed(images, order, Patch((1, 3), (2, 4), 0.75))
    for n, c, i, j in np.ndindex(3, 3, 4, 4):
        source = int(order[n]) if 1 <= i < 3 and 2 <= j < 4 else n
        assert answer[n, c, i, j] == 16 * source + 4 * i + j
    assert torch.equal(images, kept)


def cross_entropy(scores, labels):
    return np.mean([np.log(np.exp(s).sum()) - s[y] for s, y in zip(scores, labels, strict=True)])


@pytest.mark.parametrize(("label_weight", "weight"), [("area", 1 - 2 / 16), ("drawn", 0.75)])
def test_the_loss_weighs_both_labels(
    seeing, images, batch, drawn, monkeypatch, label_weight, weight
):
    drawn(0.75, 0.0, 0.5)  # sides 2, center in row 0 and column 2: rows 0 to 1, columns 1 to 3
    method = cutmix.Method(seeing, 3, Options(label_weight=label_weight))
    monkeypatch.setattr(cutmix, "_order", lambda batch: torch.tensor([1, 0]))
    monkeypatch.setattr(cutmix, "chance", chances(0.0, (0.0, 0.5)))
    torch.nn.init.normal_(method.classifier.weight, generator=dice())
    head = method.classifier.weight.detach().double().numpy()
    x = images.double().numpy().copy()
    x[:, :, 0:1, 1:3] = images.double().numpy()[::-1][:, :, 0:1, 1:3]
    scores = x.mean((2, 3)) @ head.T
    expected = weight * cross_entropy(scores, [0, 2]) + (1 - weight) * cross_entropy(scores, [2, 0])
    step = method.step(batch(images, [0, 2]))
    assert step.loss.item() == pytest.approx(expected, abs=1e-6)
    assert step.logits is None  # they are those of mixed images


def chances(*answers):
    """Give prepared draws, one after another."""
    left = list(answers)
    return lambda generator, *shape: torch.tensor(left.pop(0)).reshape(shape)


def test_a_rate_of_0_is_plain_training(seeing, images, batch):
    method = cutmix.Method(seeing, 3, Options(mix_rate=0.0))
    plain = cam.Method(seeing, 3, cam.Options())
    plain.classifier = method.classifier
    for seed in range(5):
        step = method.step(batch(images, [0, 2], seed))
        assert step.loss == plain.step(batch(images, [0, 2])).loss
        assert step.logits is not None


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_the_rate_is_the_share_of_batches_that_are_mixed(seeing, images, batch, rate):
    method = cutmix.Method(seeing, 3, Options(mix_rate=rate))
    steps = [method.step(batch(images, [0, 2], seed)) for seed in range(300)]
    share = np.mean([step.logits is None for step in steps])
    assert abs(share - rate) <= 4 * (rate * (1 - rate) / 300) ** 0.5


@pytest.mark.parametrize("prior", [0.2, 1.0, 5.0])
def test_shares_have_the_mean_and_variance_of_a_beta(prior):
    generator = dice()
    shares = np.array([draw_share(prior, generator) for _ in range(3000)])
    variance = 1 / (4 * (2 * prior + 1))
    assert abs(shares.mean() - 0.5) < 4 * (variance / 3000) ** 0.5
    assert shares.var() == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("prior", [0.0, 1e-300, 1e-5])
def test_the_limit_of_the_prior_is_nothing_or_everything(prior):
    generator = dice()
    shares = [draw_share(prior, generator) for _ in range(200)]
    assert all(min(share, 1 - share) < 1e-9 for share in shares)
    assert 60 < sum(share > 0.5 for share in shares) < 140


def test_a_large_prior_halves():
    assert draw_share(1e12, dice()) == pytest.approx(0.5, abs=1e-4)


def test_the_same_seed_draws_the_same_patch():
    first, second = (draw_patch(224, 224, 1.0, dice(4)) for _ in range(2))
    assert first == second
    assert first != draw_patch(224, 224, 1.0, dice(5))


def test_a_batch_of_one_is_mixed_with_itself(seeing, images, batch):
    method = cutmix.Method(seeing, 3, Options())
    step = method.step(batch(images[:1], [2]))
    plain = cam.Method(seeing, 3, cam.Options())
    plain.classifier = method.classifier
    assert step.loss.item() == pytest.approx(plain.step(batch(images[:1], [2])).loss.item())


@pytest.mark.parametrize("wrong", [{"size_prior": -1}, {"mix_rate": 2}, {"label_weight": "both"}])
def test_what_is_not_feasible_is_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong)).replace("_", "-")):
        Options(**wrong)
