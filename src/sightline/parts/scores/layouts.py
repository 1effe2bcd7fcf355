"""The tables and figures of 002, out of scores alone."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from sightline.errors import UsageError
from sightline.parts.scores import averages, figures, hardness, rankings
from sightline.parts.scores.averages import RESAMPLES, Cell, Change
from sightline.parts.scores.scoring import Scores
from sightline.types import Made

BINARY = "-binary"
FEW = 10  # images of a category, whose resamples vary less than other images would
NAMES = {"cds": "CDS", "b_cds": "B-CDS"}
Layout = Callable[[Scores], Made]


def contents(scores: Scores, metric: str, seed: int = 0, times: int = RESAMPLES) -> Made:
    """Make 002-T2: classifier x content, with what more context and more detail are worth."""
    cells, changes = averages.contents(scores, metric, seed=seed, times=times)
    gains = {(one.classifier, one.content): one for one in changes}
    columns = list(dict.fromkeys(cell.content for cell in cells))
    lines = []
    for classifier in dict.fromkeys(cell.classifier for cell in cells):
        mine = {cell.content: cell for cell in cells if cell.classifier == classifier}
        line = {"classifier": classifier}
        line |= {
            c: _cell(mine[c], gains.get((classifier, c))) if c in mine else "-" for c in columns
        }
        first = next(iter(mine.values()))
        lines.append(line | {"chance": _four(first.chance), "floor": _four(first.floor)})
    numbers: list[dict[str, Any]] = [{"metric": metric, **asdict(cell)} for cell in cells]
    numbers += [{"metric": "improvement", **asdict(one), "value": one.percent} for one in changes]
    order = {"median-mean-mean": "median over images, mean over part schemes and categories"}.get(
        scores.options.average, scores.options.average
    )
    notes = [
        f"{NAMES[metric]}: lower is better; {order};"
        f" similarity {scores.options.measure}, mapping {scores.options.mapping}",
        "chance: any label, all alike; floor: always the best label there is",
        "in brackets what is gained over the column before: (old - new) / old, with its interval"
        " over images"
        if times
        else "in brackets what is gained: (old - new) / old",
    ]
    fewest = int(scores.frame.groupby("category")["image"].nunique().min())
    if times and fewest < FEW:
        notes.append(
            f"TOO NARROW: intervals resample images within categories, of which one has {fewest}"
        )
    return Made(
        _named("part-contents", metric), f"{NAMES[metric]} by content", lines, numbers, notes
    )


def _cell(cell: Cell, gain: Change | None) -> str:
    if gain is None or math.isnan(gain.percent):  # of nothing, nothing is gained
        return _four(cell.value)
    interval = "" if math.isnan(gain.low) else f" [{gain.low:+.1f}, {gain.high:+.1f}]"
    return f"{_four(cell.value)} ({gain.percent:+.2f} %{interval})"


def _four(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _named(name: str, metric: str) -> str:
    return name + (BINARY if metric == "b_cds" else "")


def part_schemes(scores: Scores, metric: str) -> Made:
    """Make the figure of part schemes: E1 and E2's sources in supplements C and E."""
    table = averages.part_schemes(scores, metric)
    lines = [
        {"part_scheme": str(name), **{str(c): _four(float(v)) for c, v in line.items()}}
        for name, line in table.iterrows()
    ]
    numbers = [
        {"part_scheme": str(name), "classifier": str(c), "metric": metric, "value": float(v)}
        for name, line in table.iterrows()
        for c, v in line.items()
    ]
    notes = ["median over images, mean over contents and categories"]
    name, title = _named("part-schemes", metric), f"{NAMES[metric]} by part scheme"
    return Made(name, title, lines, numbers, notes, partial(figures.bars, table, NAMES[metric]))


def extremes(scores: Scores, metric: str) -> Made:
    """Make 002-T3: the best and the worst of each category."""
    if scores.frame["classifier"].nunique() < 2:
        raise UsageError("one classifier alone is neither best nor worst")
    found = rankings.extremes(scores, metric)
    lines = [
        {
            "category": one.category,
            "rank": one.rank,
            "classifier": one.classifier,
            "wins": f"{one.wins} of {one.of}",
            "as often": ", ".join(one.tied),
        }
        for one in found
    ]
    numbers = [asdict(one) | {"metric": metric, "tied": " ".join(one.tied)} for one in found]
    notes = ["who most often has the lowest or highest median of a part scheme and content"]
    title = f"Best and worst by {NAMES[metric]}"
    return Made(_named("part-extremes", metric), title, lines, numbers, notes)


def errors(scores: Scores) -> Made:
    """Make 002-T1: errors on complete images, of which the median over categories is printed."""
    table = rankings.errors(scores)
    medians = {str(name): float(value) for name, value in table.median(axis=1).items()}
    lines = [
        {"classifier": str(name), "median": f"{medians[str(name)]:.2f}"}
        | {str(c): f"{float(v):.2f}" for c, v in line.items()}
        for name, line in table.iterrows()
    ]
    numbers: list[dict[str, Any]] = [
        {"classifier": name, "category": "", "metric": "median-error", "value": value}
        for name, value in medians.items()
    ]
    numbers += [
        {"classifier": str(name), "category": str(c), "metric": "error", "value": float(v)}
        for name, line in table.iterrows()
        for c, v in line.items()
    ]
    notes = [f"top-1, complete images, mapping {scores.options.mapping}; median over categories"]
    return Made("part-errors", "Errors on complete images", lines, numbers, notes)


def correlation(scores: Scores) -> Made:
    """Tell whether CDS and B-CDS say what errors say: 002, section 6.3."""
    found = [one for metric in NAMES for one in rankings.correlations(scores, metric)]
    lines = [
        {
            "score": NAMES[one.metric],
            "errors of": one.over,
            "Pearson": _with_p(one.pearson, one.pearson_p),
            "Spearman": _with_p(one.spearman, one.spearman_p),
        }
        for one in found
    ]
    numbers = [
        {k: v for k, v in asdict(one).items() if not isinstance(v, tuple)}
        | {"n": len(one.contents)}
        for one in found
    ]
    count = len(found[0].contents)
    notes = [
        f"over {count} contents: p of so few means little (with 4, Pearson's is 1 - |r| exactly)",
        "a complete image is the same in all contents, so that its errors need not differ: -",
    ]
    return Made("part-correlation", "Scores against errors", lines, numbers, notes)


def _with_p(value: float, p: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f} (p {p:.4f})"


def cl_ratio(scores: Scores) -> Made:
    """Make the figure of CL-ratios: supplement E, figure 3."""
    counts = hardness.cl_histogram(scores.frame["hits"].tolist(), first=scores.options.cl_first)
    bins = counts.shape[1]
    lines = [
        {"position": str(row + 1)}
        | {f"{column / bins:.1f}-": str(n) for column, n in enumerate(line.tolist())}
        for row, line in enumerate(counts)
        if line.any()
    ]
    numbers = [
        {"position": row + 1, "from": column / bins, "count": int(n)}
        for row, line in enumerate(counts)
        for column, n in enumerate(line)
    ]
    lost = int(counts[: max(1, len(counts) // 2), : bins // 2].sum())
    share = 100 * lost / counts.sum() if counts.sum() else 0.0
    notes = [
        "length of a run of right answers over what is left of the sequence, by where it begins",
        f"{share:.1f} % begin in the first half and are lost before half of the rest: the weights"
        " of CDS reward those wrongly",
    ]
    if not lines:
        raise UsageError("no image was answered rightly")
    draw = partial(figures.heat, counts)
    return Made("part-cl-ratio", "CL-ratios", lines, numbers, notes, draw)


LAYOUTS: Mapping[str, Layout] = {
    "part-contents": partial(contents, metric="cds"),
    "part-contents-binary": partial(contents, metric="b_cds"),
    "part-schemes": partial(part_schemes, metric="cds"),
    "part-schemes-binary": partial(part_schemes, metric="b_cds"),
    "part-extremes": partial(extremes, metric="cds"),
    "part-extremes-binary": partial(extremes, metric="b_cds"),
    "part-errors": errors,
    "part-correlation": correlation,
    "part-cl-ratio": cl_ratio,
}
