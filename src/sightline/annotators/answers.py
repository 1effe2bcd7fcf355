"""Answers as bytes: arrays in an npz, from which nothing is ever unpickled."""

from io import BytesIO

import numpy as np

from sightline.annotators.contract import Answer, Heat, Nothing, Proposals, Region


def packed(answer: Answer) -> bytes:
    """Write an answer."""
    stream = BytesIO()
    match answer:
        case Proposals(boxes, scores):
            np.savez(stream, boxes=boxes, scores=scores)
        case Heat(scores):
            np.savez(stream, heat=scores.astype(np.float32))
        case Region(inside):
            np.savez(stream, region=np.packbits(inside), shape=np.array(inside.shape))
        case Nothing(reason):
            np.savez(stream, reason=np.array(reason))
    return stream.getvalue()


def unpacked(data: bytes) -> Answer:
    """Read an answer back."""
    with np.load(BytesIO(data), allow_pickle=False) as kept:
        if "boxes" in kept:
            return Proposals(kept["boxes"], kept["scores"])
        if "heat" in kept:
            return Heat(kept["heat"].astype(np.float64))
        if "region" in kept:
            height, width = map(int, kept["shape"])
            bits = np.unpackbits(kept["region"], count=height * width)
            return Region(bits.reshape(height, width).astype(bool))
        return Nothing(str(kept["reason"]))


def ranked(answer: Proposals, width: int, height: int) -> tuple[Proposals, int]:
    """Sort boxes, best first, and clip them to the image; tell how many were no boxes in it.

    What lies outside the image, has no area or is no number is left out.
    """
    boxes = np.asarray(answer.boxes, np.float64).reshape(-1, 4)
    scores = np.asarray(answer.scores, np.float64).reshape(-1)
    clipped = np.clip(boxes, 0, (width, height, width, height))
    sound = np.isfinite(boxes).all(1) & ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        sound &= (clipped[:, 2:] - clipped[:, :2] > 0).all(1)
    clipped, scores = clipped[sound], scores[sound]
    order = np.argsort(-scores, kind="stable")
    return Proposals(clipped[order], scores[order]), int((~sound).sum())
