"""From a map or a mask to the box around the largest region.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization,
section 4.3: Otsu's threshold, then the largest connected area
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.annotators.contract import Floats, Heat, Nothing, Region
from sightline.metrics.score_maps import prepare

Size = tuple[int, int]  # width and height
Inside = NDArray[np.bool_]


def scaled(heat: Heat, size: Size) -> Floats:
    """Bring a map to an image's size and to [0, 1], as maps of methods are."""
    return np.asarray(prepare(heat.scores, size=size), np.float64)


def by_otsu(scores: Floats) -> Inside:
    """Tell what lies above Otsu's threshold of a map in [0, 1], cut into 256 levels."""
    levels = np.round(scores * 255).astype(np.uint8)
    _, inside = cv2.threshold(levels, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return np.asarray(inside, bool)


def inside_of(answer: Heat | Region, size: Size) -> Inside | Nothing:
    """Tell which pixels of the image an answer takes for the object."""
    if isinstance(answer, Region):
        small = answer.inside.astype(np.uint8)
        same = small.shape == size[::-1]
        whole = small if same else cv2.resize(small, size, interpolation=cv2.INTER_NEAREST)
        return np.asarray(whole, bool) if whole.any() else Nothing("the mask is empty")
    if not np.isfinite(answer.scores).all():
        return Nothing("the map is not finite")
    if not np.ptp(answer.scores):
        return Nothing("the map is the same everywhere")
    return by_otsu(scaled(answer, size))


def largest_box(inside: Inside) -> Floats:
    """Draw a box around the largest region, corners and edges joining; the first of equal ones."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8), connectivity=8)
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    x, y, width, height = map(int, stats[largest, : cv2.CC_STAT_AREA])
    return np.array([x, y, x + width, y + height], np.float64)


def whole(boxes: Floats, size: Size) -> NDArray[np.int64]:
    """Round edges; as the reference format has it, none lies on the image's far edge."""
    last = np.array(size) - 1
    first = np.minimum(np.round(boxes[:, :2]), last)
    ends = np.maximum(np.minimum(np.round(boxes[:, 2:]), last), first)
    return np.hstack([first, ends]).astype(np.int64)
