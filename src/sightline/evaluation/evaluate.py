"""Score maps against a ground truth under a protocol: one call, one result row."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress, provenance
from sightline.data import openings
from sightline.data.ledger import Ledger
from sightline.data.memory import truth_from_arrays
from sightline.data.places import absolute
from sightline.data.truth import GroundTruth, read_truth
from sightline.errors import DataError, Problem, UsageError
from sightline.evaluation import origins, thresholds
from sightline.evaluation.measuring import Preparation
from sightline.evaluation.predictions import Ranks, read_ranks
from sightline.evaluation.request import Extras, Request
from sightline.evaluation.scoring import Accumulator, Conduct, Scored, open_labels, score
from sightline.evaluation.sources import ArraySource, ScoreSource, open_source
from sightline.metrics.protocol import Protocol, preset, vary
from sightline.metrics.statistics import bootstrap, paired_test
from sightline.types import ResultRow

Maps = str | Path | Sequence[Any] | Mapping[str, Any] | NDArray[Any]
Truth = str | Path | GroundTruth | Sequence[Any] | Mapping[str, Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A result with what it was computed from, for those who look closer."""

    row: ResultRow
    scored: Scored
    protocol: Protocol


def evaluate(
    maps: Maps,
    truth: Truth,
    protocol: str | Protocol = "",
    *,
    against: Maps | None = None,
    threshold_from: thresholds.Origin | None = None,
    baseline: Mapping[str, Any] | None = None,
    choices: Mapping[str, Any] | None = None,
    **settings: Any,
) -> ResultRow:
    """Score maps, in folders or arrays, against boxes or masks.

    Args:
        maps: a folder of .npy or .png files, a shard, `baseline:NAME`, or arrays in order or by id.
        truth: anything that `sightline evaluate` takes, or arrays: a list with the boxes of each
            image (rows of x0, y0, x1, y1 in the map's pixels), or masks of 0, 1 and 255 (ignored).
        protocol: a preset's name; by default `reference-v2` for boxes and `pixels` for masks.
        against: a second set of maps of the same images, for the paired test.
        threshold_from: a number, a row, or a row's file, instead of the best threshold.
        baseline: options of a baseline, such as `{"center": 111.5}`.
        choices: protocol choices that differ from the preset's, such as `{"contours": "largest"}`.
        **settings: the fields of `Request`, such as `normalize="min-max"` or `on_error="skip"`.
    """
    extras = Extras(protocol, choices or {}, baseline or {}, against, threshold_from)
    return run(maps, truth, Request(**settings), extras).row


def run(maps: Maps, truth: Truth, request: Request, extras: Extras) -> Evaluation:
    """Score maps and keep what the score was computed from."""
    started = time.perf_counter()
    skip = request.on_error == "skip"
    known = truth_of(truth, request, skip)
    protocol, ledger = _protocol(known, request, extras), Ledger()
    ledger.entries += thresholds.labels_behind(extras.threshold_from, force=request.force)
    labels = open_labels(known, protocol, request.purpose, ledger, force=request.force)
    ledger.entries += origins.labels_behind(maps)
    ranks, rank_problems = ranks_of(known, request, skip)
    preparation = Preparation(request.normalize, request.interpolation)
    conduct = Conduct(skip, request.threads, extras.show_progress, extras.keep_overlaps)
    source = source_of(maps, extras.baseline)

    def scored_of(given: Maps, opened: ScoreSource, baseline: Mapping[str, Any]) -> Scored:
        if extras.shards is None:
            return score(opened, labels, preparation, ranks, conduct)
        from sightline.evaluation.sharded import Asked

        places = str(given), str(truth)
        asked = Asked(*places, request, protocol, dict(baseline), extras.keep_overlaps)
        merged: Scored = extras.shards.score(asked)
        return merged

    scored = scored_of(maps, source, extras.baseline)
    scored.tally.problems[:0] = [*known.problems, *rank_problems]
    seconds = time.perf_counter() - started
    left_out = list(map(str, scored.tally.problems))
    with _resampling(request.resamples, extras) as report:
        result = result_of(scored, protocol, request, known, report)
    result |= {"maps": source.name, "baseline": dict(source.options)}
    if extras.against is not None:
        other = scored_of(extras.against, source_of(extras.against, {}), {})
        with _resampling(2 * request.resamples, extras) as report:
            compared = comparison(scored.accumulator, other.accumulator, request, report)
        skipped = {"maps": _source_name(extras.against), "skipped": other.tally.left_out}
        result["against"] = {**skipped, **compared}
        left_out += [f"against: {problem}" for problem in other.tally.problems]
    told = provenance_of(result, left_out, seconds) | measured_on(known, maps)
    row = ResultRow(result, told, tuple(ledger.entries))
    openings.record(known.split, known.fingerprint, row)
    return Evaluation(row, scored, protocol)


@contextmanager
def _resampling(resamples: int, extras: Extras) -> Iterator[progress.Step]:
    with progress.shown("resample", resamples) as step:
        yield step if extras.show_progress else progress.silent


def truth_of(truth: Truth, request: Request, skip: bool) -> GroundTruth:
    """Read a ground truth, unless it is one already."""
    if isinstance(truth, GroundTruth):
        return truth
    if isinstance(truth, (str, Path)):
        return read_truth(
            truth,
            split=request.split,
            masks=request.masks,
            ignore_value=request.ignore_value,
            skip_problems=skip,
        )
    return truth_from_arrays(truth, split=request.split)


def _protocol(truth: GroundTruth, request: Request, extras: Extras) -> Protocol:
    chosen = extras.protocol
    if not isinstance(chosen, Protocol):
        wanted = truth.has_masks and (request.masks is not None or not truth.has_boxes)
        chosen = preset(chosen or ("pixels" if wanted else "reference-v2"))
    chosen = vary(chosen, extras.choices)
    if extras.threshold_from is not None:
        chosen = thresholds.transferred(chosen, extras.threshold_from)
    if chosen.map_class != "gt-known" and request.predictions is None:
        raise UsageError(f"map class '{chosen.map_class}' needs --predictions")
    if extras.boxes_only and chosen.ground_truth_kind == "masks":
        raise UsageError(f"{extras.boxes_only} is for boxes; masks have their curve in --per-image")
    return chosen


def ranks_of(
    truth: GroundTruth, request: Request, skip: bool
) -> tuple[dict[str, Ranks] | None, list[Problem]]:
    """Read where the true class stands among a classifier's predictions, if there are any."""
    if request.predictions is None:
        return None, []
    ranks, problems = read_ranks(Path(request.predictions), truth.split, skip_problems=skip)
    if not ranks:
        raise DataError(problems)
    return ranks, problems


def source_of(maps: Maps, baseline: Mapping[str, Any]) -> ScoreSource:
    """Open a source of maps."""
    return open_source(maps, baseline) if isinstance(maps, (str, Path)) else ArraySource(maps)


def _source_name(maps: Maps) -> str:
    return Path(maps).name if isinstance(maps, (str, Path)) else "arrays"


def result_of(
    scored: Scored,
    protocol: Protocol,
    request: Request,
    truth: GroundTruth,
    report: progress.Step = progress.silent,
) -> dict[str, Any]:
    """Say what was measured and by which choices."""
    accumulator, tally = scored.accumulator, scored.tally
    evidence = accumulator.evidence()
    interval = bootstrap(evidence, seed=request.seed, resamples=request.resamples, report=report)
    return {
        "protocol": protocol.as_dict(),
        "truth": {
            "dataset": truth.split.dataset,
            "split": truth.split.name,
            "fingerprint": truth.fingerprint,
        },
        "normalize": request.normalize,
        "interpolation": request.interpolation if protocol.evaluation_size else None,
        **accumulator.compute(),
        "threshold_from": _threshold_note(protocol, truth),
        "interval": [interval.low, interval.high],
        "interval_method": {
            "level": interval.level,
            "resamples": interval.resamples,
            "seed": interval.seed,
        },
        "skipped": tally.left_out,
        "warnings": dict(sorted(tally.warnings.items())),
    }


def _threshold_note(protocol: Protocol, truth: GroundTruth) -> str:
    """Say where the score threshold comes from, since it is a use of labels."""
    if protocol.threshold_choice in ("fixed", "transferred"):
        return protocol.threshold_choice
    if protocol.threshold_choice == "per-image-oracle":
        return "oracle for each image"
    return f"oracle on this split ({truth.split.name})"


def comparison(
    first: Accumulator,
    second: Accumulator,
    request: Request,
    report: progress.Step = progress.silent,
) -> dict[str, Any]:
    """Compare two sets of maps on the images that both have."""
    one, two = first.evidence(), second.evidence()
    ids, others = first.records.sorted_ids(), second.records.sorted_ids()
    common = set(ids) & set(others)
    if len(common) < max(len(ids), len(others)):
        one = one.chosen(np.array([name in common for name in ids]))
        two = two.chosen(np.array([name in common for name in others]))
    test = paired_test(one, two, seed=request.seed, resamples=request.resamples, report=report)
    value = two.score(np.ones((1, two.images), np.int32))[0]
    return {"value": float(value), **asdict(test)}


def measured_on(truth: GroundTruth, maps: Any) -> dict[str, Any]:
    """Say where truth and maps lie, for who wants to look at them again."""
    if not isinstance(maps, (str, Path)) or not truth.origin:
        return {}
    return {"measured": {**truth.origin, "maps": absolute(str(maps))}}


def provenance_of(
    result: Mapping[str, Any], left_out: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Say when, where and how fast it was measured."""
    return {
        **provenance.now(),
        "seconds": seconds,
        "images_per_second": result["images"] / seconds if seconds > 0 else None,
        "left_out": left_out,
    }
