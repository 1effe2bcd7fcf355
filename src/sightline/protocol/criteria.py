"""What an epoch and a configuration are chosen by; the metric is part of a criterion's name.

    class-accuracy      share of validation images whose class is found
    SOURCE:METRIC       localization against ground-truth, or a pseudo ground truth by its name
    weight-norm         the smallest norm of all weights; no labels at all
    box-area-variance   where the box at Otsu's threshold has kept its size; no labels at all

METRIC is 30, 50 or 70 (box accuracy at that IoU), v2 (their mean), iou (the best mean IoU over
score thresholds, not thresholded itself) or pxap. A source alone means v2, or pxap with masks.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization, and its
supplement; weight norm and box area are the ablation of its released code.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError
from sightline.protocol.epochs import (
    BOX_AREA,
    CLASS_ACCURACY,
    TRUTH,
    VAL,
    WEIGHT_NORM,
    EpochRecord,
)

Floats = NDArray[np.float64]
BOX_AREA_VARIANCE = "box-area-variance"
LABEL_FREE = (CLASS_ACCURACY, WEIGHT_NORM, BOX_AREA_VARIANCE)
METRICS = ("30", "50", "70", "v2", "iou", "pxap")
WINDOW = 5  # epochs over which the area is compared; the released code has 2 for ImageNet


@dataclass(frozen=True, slots=True)
class Criterion:
    """One way to choose; the higher the value the better."""

    source: str  # one of the label-free ones, or what localization is measured against
    metric: str = ""

    @property
    def name(self) -> str:
        """Say it in full."""
        return f"{self.source}:{self.metric}" if self.metric else self.source

    @property
    def localizes(self) -> bool:
        """Tell whether it looks at places in images, so that it has a score threshold."""
        return self.source not in LABEL_FREE


def parse(text: str, *, masks: bool = False) -> Criterion:
    """Read a criterion by its name."""
    source, colon, metric = text.partition(":")
    if source in LABEL_FREE:
        if colon:
            raise UsageError(f"criterion '{text}': {source} has no metric to choose")
        return Criterion(source)
    metric = metric or ("pxap" if masks else "v2")
    if metric not in METRICS or not source:
        raise UsageError(f"criterion '{text}': '{metric}' is none of {', '.join(METRICS)}")
    return Criterion(source, metric)


def series(record: EpochRecord, criterion: Criterion, *, window: int = WINDOW) -> Floats:
    """Give a criterion's value after each epoch on the validation split; NaN cannot be chosen."""
    if criterion.source == CLASS_ACCURACY:
        return _named(record, f"{VAL}/{CLASS_ACCURACY}", criterion)
    if criterion.source == WEIGHT_NORM:
        return -_named(record, WEIGHT_NORM, criterion)
    if criterion.source == BOX_AREA_VARIANCE:
        return -_variance(_named(record, f"{VAL}/{BOX_AREA}", criterion), window)
    return localization(record, VAL, criterion)


def _named(record: EpochRecord, name: str, criterion: Criterion) -> Floats:
    if name not in record.series:
        raise unrecorded(record, criterion)
    return record.series[name]


def _variance(values: Floats, window: int) -> Floats:
    """Give the variance over the window that ends at each epoch; NaN where it is not full."""
    found = np.full(len(values), np.nan)
    for last in range(window - 1, len(values)):
        found[last] = values[last - window + 1 : last + 1].var()
    return found


def localization(record: EpochRecord, split: str, criterion: Criterion) -> Floats:
    """Give the best value over score thresholds after each epoch, against a source."""
    where = (split, criterion.source)
    try:
        if criterion.metric == "pxap":
            return record.precision[where]
        if criterion.metric == "iou":
            return np.asarray(record.overlap[where].max(axis=1))
        best = record.accuracy[where].max(axis=2)  # (E, D)
    except KeyError:
        raise unrecorded(record, criterion) from None
    if criterion.metric == "v2":
        return np.asarray(best.mean(axis=1))
    return np.asarray(best[:, delta_position(record, criterion.metric)])


def delta_position(record: EpochRecord, metric: str) -> int:
    """Find an IoU level among those recorded."""
    if int(metric) not in record.deltas:
        known = ", ".join(map(str, record.deltas))
        raise UsageError(f"{record.place}: IoU {metric} was not recorded, only {known}")
    return record.deltas.index(int(metric))


def unrecorded(record: EpochRecord, criterion: Criterion) -> UsageError:
    """Say that a run lacks a criterion, and which it has."""
    have = [f"{source}" for source in record.sources()]
    have += [name.removeprefix(f"{VAL}/") for name in record.series if not name.startswith("test")]
    kind = "pxap" if record.by_masks else "30, 50, 70, v2, iou"
    pseudo = criterion.source not in (TRUTH, *LABEL_FREE)
    hint = f"--record --pseudo {criterion.source}=FOLDER" if pseudo else "--record"
    return UsageError(
        f"{record.place}: '{criterion.name}' was not recorded; there are {', '.join(have)}"
        f" ({kind}); 'sightline select {hint}' adds it from checkpoints kept with --keep every"
    )
