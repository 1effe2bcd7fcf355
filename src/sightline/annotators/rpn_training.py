"""Training the compact region proposal network on any data set with boxes; classes are not used.

The features of every photograph are computed once, of the whole and of parts of it, mirrored or
not; the head then learns from these alone, which takes about a minute. An anchor learns from the
box that it overlaps most: its shift, and, as its objectness, how well the box that it tells fits.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sightline import progress
from sightline.annotators.contract import Floats, Image
from sightline.annotators.rpn_boxes import anchors, overlaps, paired_overlaps, told, untold
from sightline.annotators.rpn_network import Features, Head
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.photographs import read_photograph
from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, Uniform, Whole, validate
from sightline.types import LedgerEntry

POSITIVE, NEGATIVE = 0.5, 0.35  # IoU of anchors that learn a box, and of those that learn of none
DRAWN = 128  # anchors of an image that learn in a step, a quarter of them positive where there are
BATCH, WARM = 16, 20  # views in a step; first steps with a smaller learning rate


@dataclass(frozen=True, slots=True)
class Training:
    """What may be chosen."""

    side: Annotated[int, "of the square that photographs are warped to", Whole(96, 640)] = 256
    views: Annotated[
        int, "parts that are taken of a photograph, the whole being one", Whole(1, 64)
    ] = 4
    most: Annotated[int, "photographs that are used, evenly spaced; bounds memory", AtLeast(1)] = (
        2000
    )
    epochs: Annotated[int, "passes over all views", Whole(1, 1000)] = 8
    lr: Annotated[float, "learning rate at its highest", Uniform(0, 1)] = 0.003
    seed: Annotated[int, "of parts, order and first weights", AtLeast(0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if self.side % 32:
            raise UsageError(f"--side: {self.side} is no multiple of 32")


@dataclass(frozen=True, slots=True)
class View:
    """A part of a photograph, as the head sees it, and the boxes in it in shares of its sides."""

    fine: Tensor
    coarse: Tensor
    boxes: Tensor


@dataclass(frozen=True, slots=True)
class Learned:
    """The head, how well it fitted, and what it learned from."""

    head: Head
    losses: tuple[float, ...]  # mean of each epoch
    photographs: int
    boxes: int
    ledger: tuple[LedgerEntry, ...]


def train(
    data: Sequence[Dataset], how: Training, *, force: bool = False, show_progress: bool = True
) -> Learned:
    """Train on the boxes of some splits."""
    ledger = Ledger()
    pictures = [one for dataset in data for one in _pictures(dataset, ledger, force=force)]
    if len(pictures) > how.most:
        pictures = [pictures[k * len(pictures) // how.most] for k in range(how.most)]
    views = _views(pictures, how, show_progress)
    head, losses = _fitted(views, how, show_progress)
    boxes = sum(len(found) for _, _, found in pictures)
    return Learned(head, losses, len(pictures), boxes, tuple(ledger.entries))


def about(learned: Learned, how: Training) -> dict[str, object]:
    """Say what is written beside the weights."""
    counts = {"photographs": learned.photographs, "boxes": learned.boxes}
    return {**asdict(how), **counts, "loss": learned.losses[-1]}


def _pictures(
    dataset: Dataset, ledger: Ledger, *, force: bool
) -> list[tuple[str, tuple[int, int], Floats]]:
    """Collect the boxes of each photograph, of whatever class."""
    if not dataset.truth.has_boxes:
        raise UsageError(f"{dataset.split.dataset} has not a box for every image to learn from")
    boxes = dataset.truth.boxes("training", ledger, force=force)
    found: dict[str, tuple[tuple[int, int], list[Floats]]] = {}
    for item, file in enumerate(dataset.pictures):
        width, height = map(int, dataset.split.sizes[item])
        corners = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
        found.setdefault(str(file), ((width, height), []))[1].append(corners)
    return [(file, size, np.concatenate(parts)) for file, (size, parts) in found.items()]


def _views(
    pictures: Sequence[tuple[str, tuple[int, int], Floats]], how: Training, show_progress: bool
) -> list[View]:
    features, rng = Features(how.side), np.random.default_rng(how.seed)
    made = []
    with progress.shown("features", len(pictures)) as step:
        for number, (file, size, boxes) in enumerate(pictures, start=1):
            image = read_photograph(Path(file), size=size)
            scale = np.array(image.shape[1::-1] * 2, float)
            parts = [_part(image, boxes / scale, how.side, k, rng) for k in range(how.views)]
            fine, coarse = features.of([picture for picture, _ in parts])
            made += [
                View(fine[k].half(), coarse[k].half(), torch.from_numpy(inside).float())
                for k, (_, inside) in enumerate(parts)
            ]
            (step if show_progress else progress.silent)(number)
    return made


def _part(
    image: Image, boxes: Floats, side: int, number: int, rng: np.random.Generator
) -> tuple[Image, Floats]:
    """Cut a window out, the whole at first, and mirror every other one."""
    height, width = image.shape[:2]
    share = 1.0 if number < 2 else float(rng.uniform(0.45, 0.95))
    x0, y0 = rng.uniform(0, 1 - share, 2) if share < 1 else (0.0, 0.0)
    left, top = int(x0 * width), int(y0 * height)
    right, bottom = left + max(1, round(share * width)), top + max(1, round(share * height))
    window = image[top:bottom, left:right]
    corner = np.array([left / width, top / height] * 2)
    inside = (boxes - corner) / np.array([window.shape[1] / width, window.shape[0] / height] * 2)
    inside = _kept(inside)
    if number % 2:
        window = window[:, ::-1]
        inside = np.stack([1 - inside[:, 2], inside[:, 1], 1 - inside[:, 0], inside[:, 3]], 1)
    shrinks = window.shape[0] > side and window.shape[1] > side
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(
        cv2.resize(np.ascontiguousarray(window), (side, side), interpolation=how), np.uint8
    ), inside


def _kept(boxes: Floats) -> Floats:
    """Clip boxes to the window; those of which less than half is left are no objects in it."""
    clipped = np.clip(boxes, 0, 1)
    areas = [np.prod(b[:, 2:] - b[:, :2], axis=1) for b in (clipped, boxes)]
    return np.asarray(clipped[(areas[0] > 1e-4) & (areas[0] >= 0.5 * areas[1])])


def _fitted(
    views: Sequence[View], how: Training, show_progress: bool
) -> tuple[Head, tuple[float, ...]]:
    dice = torch.Generator().manual_seed(how.seed)
    with torch.random.fork_rng():
        torch.manual_seed(how.seed)
        head = Head().train()
    optimizer = torch.optim.AdamW(head.parameters(), how.lr, weight_decay=1e-4)
    base = anchors(views[0].fine.shape[1])
    steps = how.epochs * math.ceil(len(views) / BATCH)
    done, losses = 0, []
    with progress.shown("learn", steps) as step:
        for _ in range(how.epochs):
            order = torch.randperm(len(views), generator=dice).tolist()
            total = 0.0
            for start in range(0, len(order), BATCH):
                part = [views[k] for k in order[start : start + BATCH]]
                for group in optimizer.param_groups:
                    group["lr"] = how.lr * _rate(done, steps)
                loss = _loss(head, part, base, dice)
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                total += loss.item() * len(part)
                done += 1
                (step if show_progress else progress.silent)(done)
            losses.append(total / len(views))
    return head.eval(), tuple(losses)


def _rate(done: int, steps: int) -> float:
    """Rise for some steps, then fall as a cosine does."""
    return min(1.0, (done + 1) / WARM) * (1 + math.cos(math.pi * done / steps)) / 2


def _loss(head: Head, part: Sequence[View], base: Tensor, dice: torch.Generator) -> Tensor:
    fine = torch.stack([view.fine for view in part]).float()
    coarse = torch.stack([view.coarse for view in part]).float()
    objectness, shifts = head(fine, coarse)
    losses = []
    for k, view in enumerate(part):
        matched, positive, negative = _drawn(view.boxes, base, dice)
        wanted = torch.zeros(len(positive) + len(negative))
        drawn = torch.cat([positive, negative])
        if len(positive):
            true = view.boxes[matched[positive]]
            said = untold(shifts[k, positive], base[positive])
            wanted[: len(positive)] = paired_overlaps(said.detach(), true)
            losses.append(
                functional.smooth_l1_loss(shifts[k, positive], told(true, base[positive]), beta=0.1)
            )
        losses.append(functional.binary_cross_entropy_with_logits(objectness[k, drawn], wanted))
    return torch.stack(losses).sum() / len(part)


def _drawn(boxes: Tensor, base: Tensor, dice: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Match anchors to boxes, and draw some that learn a box and some that learn of none."""
    if not len(boxes):
        every = torch.randperm(len(base), generator=dice)
        return every, every[:0], every[:DRAWN]
    known = overlaps(base, boxes)  # (A, M)
    best, matched = known.max(1)
    own = known.argmax(0)  # no box goes without an anchor
    best[own], matched[own] = 1.0, torch.arange(len(boxes))
    positive, negative = (best >= POSITIVE).nonzero()[:, 0], (best < NEGATIVE).nonzero()[:, 0]
    some = torch.randperm(len(positive), generator=dice)[: DRAWN // 4]
    others = torch.randperm(len(negative), generator=dice)[: DRAWN - len(some)]
    return matched, positive[some], negative[others]
