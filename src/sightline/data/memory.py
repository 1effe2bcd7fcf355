"""Ground truth from arrays, for calls from Python: the boxes or the mask of each image."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.annotations import AnnotationBuilder, Request
from sightline.data.splits import asked
from sightline.data.truth import GroundTruth, guarded
from sightline.errors import DataError, Problem
from sightline.types import Pixels


def truth_from_arrays(
    truth: Sequence[Any] | Mapping[str, Any] | NDArray[Any], *, split: str = ""
) -> GroundTruth:
    """Wrap boxes (rows of x0, y0, x1, y1 in the map's pixels) or masks (0, 1, 255 ignored)."""
    pairs = truth.items() if isinstance(truth, Mapping) else enumerate(truth)
    named = {str(name): given for name, given in pairs}
    builder = AnnotationBuilder(Request("arrays", asked(split).label), sizes_needed=False)
    for name, given in named.items():
        array = np.asarray(given)
        builder.item(name, file="truth")
        if array.ndim == 2 and (array.shape[1] != 4 or array.dtype == bool):
            builder.add_mask(name, _mask(array, name), "truth")
        else:
            for box in _boxes(array, name):
                builder.add_box(name, box.tolist(), "truth")
    annotations = builder.build()
    if not named:
        raise DataError([Problem("no image is given")])
    if annotations.problems:
        raise DataError(annotations.problems)
    return guarded(annotations)


def _mask(array: NDArray[Any], name: str) -> Pixels:
    if not np.isin(array, (0, 1, 255)).all():
        what = "mask holds other values than 0, 1 and 255 (ignored)"
        raise DataError([Problem(what, image=name, remedy="threshold it; boxes are rows of four")])
    return Pixels(array.astype(np.uint8))


def _boxes(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    try:
        return array.astype(np.float64).reshape(-1, 4)
    except ValueError:
        what = f"neither boxes nor a mask: {array.dtype} of the shape {array.shape}"
        remedy = "give rows of x0, y0, x1, y1"
        raise DataError([Problem(what, image=name, remedy=remedy)]) from None
