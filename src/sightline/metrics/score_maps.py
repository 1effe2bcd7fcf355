"""Score maps before they are scored: the chain that makers of maps use, and what is refused."""

from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.errors import DataError, Problem, UsageError, refuse_unknown
from sightline.metrics.kernels import fast_pixels

Floats = NDArray[np.float64]
Normalization = Literal["none", "min-max", "max"]
Interpolation = Literal["cubic", "linear", "area"]
Order = Literal["resize-first", "normalize-first"]
INTERPOLATIONS = {
    "cubic": cv2.INTER_CUBIC,
    "linear": cv2.INTER_LINEAR,
    "area": cv2.INTER_AREA,
}
LARGEST_SIDE = 16_000  # the kernels number pixels in 32 bits, with room for what they note beside
REMEDY_RANGE = "pass --normalize min-max, or divide by the maximum with --normalize max"


def prepare(
    score_map: ArrayLike,
    *,
    size: int | tuple[int, int] | None = 224,
    interpolation: Interpolation = "cubic",
    normalize: Normalization = "min-max",
    order: Order = "resize-first",
) -> Floats:
    """Bring a raw map to the size and range in which it is scored.

    The defaults are the papers' chain: resized by cubic interpolation to 224, then mapped to
    [0, 1] by its smallest and largest value, which absorbs the overshoot of the interpolation.

    Args:
        score_map: a 2-D map of any size and number type.
        size: a square's side, (width, height), or None to keep the map's own size.
        interpolation: how values between pixels are found.
        normalize: by minimum and maximum, by the maximum alone, or not at all.
        order: which of the two comes first.
    """
    refuse_unknown("interpolation", interpolation, Interpolation)
    refuse_unknown("normalize", normalize, Normalization)
    refuse_unknown("order", order, Order)
    scores = as_scores(score_map)
    wanted = (size, size) if isinstance(size, int) else size
    if wanted and min(wanted) < 1:
        raise UsageError(f"size {wanted[0]} x {wanted[1]} is no size of a map")
    if order == "normalize-first":
        scores = normalized(scores, normalize)
    if wanted and wanted != (scores.shape[1], scores.shape[0]):
        method = INTERPOLATIONS[interpolation]
        scores = np.asarray(cv2.resize(scores, wanted, interpolation=method), np.float64)
    return normalized(scores, normalize) if order == "resize-first" else scores


def normalized(scores: Floats, how: Normalization) -> Floats:
    """Map scores to [0, 1] image by image; a map without any contrast becomes all zero."""
    if how == "none":
        return scores
    low, high, _ = fast_pixels.value_range(scores)
    base = low if how == "min-max" else 0.0
    if high <= base:
        return np.zeros_like(scores)
    if high - base == np.inf:  # the range is wider than the largest number
        scores, base, high = scores / 2, base / 2, high / 2
    return (scores - base) / (high - base)


def as_scores(score_map: ArrayLike, *, file: str = "", image: str = "") -> Floats:
    """Make sure that a map is a map: 2-D, not empty, numbers, all finite.

    Tensors are welcome from any device and training loop, without torch being imported here.
    """
    if hasattr(score_map, "detach"):
        score_map = score_map.detach().cpu().double()
    array = np.asarray(score_map)
    what = ""
    if array.ndim != 2:
        what = f"map has {array.ndim} dimensions {array.shape} where 2 are needed"
    elif not array.size:
        what = f"map is empty, {array.shape[0]} x {array.shape[1]}"
    elif max(array.shape) > LARGEST_SIDE:
        what = f"map is {array.shape[0]} x {array.shape[1]}, over {LARGEST_SIDE} on a side"
    elif array.dtype.kind not in "buif":
        what = f"map holds {array.dtype} where numbers are needed"
    if what:
        raise DataError([Problem(what, file, 0, image, "write one 2-D array of scores an image")])
    scores = np.ascontiguousarray(array, np.float64)
    if not fast_pixels.value_range(scores)[2]:
        bad = "NaN" if np.isnan(scores).any() else "infinite values"
        remedy = "mend the code that makes the map"
        raise DataError([Problem(f"map holds {bad}", file, 0, image, remedy)])
    return scores


def check_range(scores: Floats, *, file: str = "", image: str = "") -> bool:
    """Refuse scores outside [0, 1]; tell whether the map is constant."""
    low, high, _ = fast_pixels.value_range(scores)
    if low < 0 or high > 1:
        what = f"scores run from {_shown(low)} to {_shown(high)}, outside [0, 1]"
        bytes_alone = low >= 0 and high <= 255 and bool((scores == np.rint(scores)).all())
        remedy = f"{REMEDY_RANGE}, as whole numbers up to 255 need" if bytes_alone else REMEDY_RANGE
        raise DataError([Problem(what, file, 0, image, remedy)])
    return low == high


def _shown(score: float) -> str:
    """Write a score in short, unless rounding would bring it back into the range."""
    short = f"{score:.4g}"
    return short if (0 <= score <= 1) == (0 <= float(short) <= 1) else repr(float(score))
