"""Model selection: what each criterion picks, and what that is worth on the test split.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization, and
Tables S4 and S5 of its supplement. The criterion chooses an epoch of each configuration on the
validation split. A cell of the tables then says who chose the configuration and the score
threshold:

    BV, BT   the configuration that is best by the criterion on validation, or the one whose cell
             is best on the test split itself (for class accuracy: by its test class accuracy)
    VT, TT   each score threshold from validation, where the criterion's source is best, or from the
             test split itself; what looks at no places has no threshold to take along

Only BV-VT could be had without test labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError
from sightline.protocol.criteria import WINDOW, Criterion, localization, series
from sightline.protocol.epochs import CLASS_ACCURACY, TEST, TRUTH, VAL, EpochRecord

Floats = NDArray[np.float64]

CELLS = ("BT-TT", "BT-VT", "BV-TT", "BV-VT")


@dataclass(frozen=True, slots=True)
class Pick:
    """One model: a configuration and an epoch, as positions and as names."""

    record: int
    position: int
    epoch: int
    place: str
    criterion_value: float


@dataclass(frozen=True, slots=True)
class Cell:
    """What was picked, and what it is worth on the test split."""

    pick: Pick
    values: Mapping[str, float]  # by metric: 30, 50, 70, v2, iou, or pxap


@dataclass(frozen=True, slots=True)
class Selected:
    """All that one criterion leads to; a cell that means nothing is absent."""

    criterion: Criterion
    epochs: tuple[Pick, ...]  # one a configuration
    cells: Mapping[str, Cell]
    validation: Pick  # what BV picks, test split or not


def best_epoch(record: EpochRecord, criterion: Criterion, *, window: int = WINDOW) -> int:
    """Give the position of the first epoch whose value is the highest."""
    values = series(record, criterion, window=window)
    if np.isnan(values).all():
        raise UsageError(
            f"{record.place}: no epoch can be chosen by {criterion.name}: {len(values)} epochs"
            f" recorded, and a window of {window}"
        )
    return int(np.nanargmax(values))


def on_test(
    record: EpochRecord, position: int, criterion: Criterion, threshold: str
) -> dict[str, float]:
    """Give every metric of one epoch on the test split.

    Args:
        record: a run.
        position: which of its epochs.
        criterion: whose source chooses thresholds, if they come from validation.
        threshold: TT or VT.
    """
    if (TEST, TRUTH) in record.precision and not record.accuracy:
        return {"pxap": float(record.precision[TEST, TRUTH][position])}
    origin = (TEST, TRUTH) if threshold == "TT" else (VAL, criterion.source)
    chosen = record.accuracy[origin][position].argmax(axis=1)  # (D,), the first best
    reached = record.accuracy[TEST, TRUTH][position]
    found = {str(delta): float(reached[i, chosen[i]]) for i, delta in enumerate(record.deltas)}
    found["v2"] = float(np.mean(list(found.values())))
    overlap = record.overlap[TEST, TRUTH][position]
    found["iou"] = float(overlap[record.overlap[origin][position].argmax()])
    return found


def select(
    records: Sequence[EpochRecord], criterion: Criterion, *, window: int = WINDOW
) -> Selected:
    """Choose among configurations of one method by one criterion."""
    if not records:
        raise UsageError("no recorded run to select from")
    epochs = tuple(_pick(records, i, criterion, window) for i in range(len(records)))
    best = max(epochs, key=lambda pick: pick.criterion_value)  # the first of equals
    cells = {}
    for cell in CELLS if all(record.has_test for record in records) else ():
        chosen = _cell(records, epochs, best, criterion, cell)
        if chosen:
            cells[cell] = chosen
    return Selected(criterion, epochs, cells, best)


def _pick(records: Sequence[EpochRecord], i: int, criterion: Criterion, window: int) -> Pick:
    record = records[i]
    position = best_epoch(record, criterion, window=window)
    value = float(series(record, criterion, window=window)[position])
    return Pick(i, position, int(record.epochs[position]), record.place, value)


def _cell(
    records: Sequence[EpochRecord],
    epochs: Sequence[Pick],
    best: Pick,
    criterion: Criterion,
    cell: str,
) -> Cell | None:
    configuration, threshold = cell.split("-")
    by_masks = records[0].by_masks
    if threshold == "VT" and (not criterion.localizes or by_masks):
        return None
    if configuration == "BV":
        pick = best
    elif criterion.source == CLASS_ACCURACY:
        name = f"{TEST}/{CLASS_ACCURACY}"
        if any(name not in record.series for record in records):
            return None
        pick = max(epochs, key=lambda p: float(records[p.record].series[name][p.position]))
    elif criterion.localizes:

        def worth(p: Pick) -> float:
            values = on_test(records[p.record], p.position, criterion, threshold)
            return values[criterion.metric]

        pick = max(epochs, key=worth)
    else:
        return None
    values = on_test(records[pick.record], pick.position, criterion, threshold)
    return Cell(pick, values)


def ceiling(records: Sequence[EpochRecord], metric: str) -> float:
    """Give the best test value over all epochs and configurations: what no criterion can pass."""
    truth = Criterion(TRUTH, metric)
    return max(float(localization(record, TEST, truth).max()) for record in records)


def check(records: Sequence[EpochRecord]) -> None:
    """Refuse records that cannot stand in one table."""
    if len({record.by_masks for record in records}) > 1:
        raise UsageError("some runs were recorded with masks, others with boxes; select apart")
    if len({(record.deltas, len(record.thresholds)) for record in records}) > 1:
        raise UsageError("runs were recorded at different IoU levels or thresholds; record alike")
    lacking = [record.place for record in records if not record.has_test]
    if 0 < len(lacking) < len(records):
        raise UsageError(
            f"{lacking[0]}: its test split was not recorded, that of other runs was; record it with"
            " --record --test, or select without the others"
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a criterion's pick loses against that of another, when configurations are resampled."""

    difference: float
    low: float
    high: float


def cost(
    mine: tuple[Floats, Floats],
    other: tuple[Floats, Floats],
    *,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> Cost:
    """Compare two criteria: values by which each chooses a configuration, and what each then gets.

    Args:
        mine: the criterion's value of each configuration, and its test value.
        other: those of the criterion that it is compared with.
        seed: of the resampling.
        resamples: how often as many configurations are drawn with replacement.
        level: of the percentile interval.
    """
    return pooled([(mine, other)], seed=seed, resamples=resamples, level=level)


def pooled(
    pairs: Sequence[tuple[tuple[Floats, Floats], tuple[Floats, Floats]]],
    *,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> Cost:
    """Average what a criterion loses over several groups, configurations resampled in each."""
    rng = np.random.default_rng(seed)
    found, exact = np.zeros(resamples), 0.0
    for mine, other in pairs:
        count = len(mine[0])
        drawn = np.sort(rng.integers(count, size=(resamples, count)), axis=1)
        found += (_got(*mine, drawn) - _got(*other, drawn)) / len(pairs)
        once = np.arange(count)[None]
        exact += float((_got(*mine, once) - _got(*other, once))[0]) / len(pairs)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Cost(exact, float(low), float(high))


def _got(values: Floats, worth: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Give what the best of the drawn configurations is worth, the first of equals."""
    best = values[drawn].argmax(axis=1)
    return np.asarray(worth[drawn[np.arange(len(drawn)), best]])


def epoch_differences(
    records: Sequence[EpochRecord], criterion: Criterion, reference: Criterion
) -> NDArray[np.int64]:
    """Give, for each configuration, how many epochs later a criterion stops than another."""
    return np.array(
        [
            record.epochs[best_epoch(record, criterion)]
            - record.epochs[best_epoch(record, reference)]
            for record in records
        ],
        np.int64,
    )
