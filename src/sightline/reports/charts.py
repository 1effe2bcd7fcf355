"""Charts of the page, as Vega-Lite says them: drawn by the browser when they are scrolled to.

Each function gives a specification, or nothing where its numbers are not there. Colors are those
that the color-blind can tell apart (Okabe and Ito 2008).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.metrics.box_accumulator import BoxEvidence
from sightline.metrics.evidence_files import Kept
from sightline.metrics.mask import MaskEvidence
from sightline.metrics.protocol import THRESHOLD_STEPS, threshold_grid

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#2aa1d8", "#666666", "#8a2be2")
WIDTH = 520
POINTS = 200  # of a curve
PANELS = 24  # of hyperparameters
Numbers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and what is said under it."""

    name: str
    caption: str
    spec: Mapping[str, Any]
    height: int = 320


def can_draw() -> bool:
    """Tell whether the libraries for charts are installed."""
    return bool(find_spec("altair") and find_spec("vl_convert"))


def _data(lines: Numbers) -> Any:
    import altair as alt

    data: Any = alt.Data
    return data(values=[dict(line) for line in lines])


def _names(domain: Iterable[str], field: str = "method") -> Any:
    """Give each name the color that it has in all charts and in the explorer."""
    import altair as alt

    names = list(dict.fromkeys(domain))
    colors = [COLORS[i % len(COLORS)] for i in range(len(names))]
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=colors), title=None)


def _spec(chart: Any) -> Mapping[str, Any]:
    told: Mapping[str, Any] = chart.configure_axis(labelLimit=240, grid=True).to_dict()
    return told


def differences(numbers: Numbers, reference: str) -> Chart | None:
    """Draw each method's difference to the reference with its interval: 000 Table 6."""
    import altair as alt

    lines = [
        {**line, "column": " ".join(filter(None, (line["dataset"], line["backbone"])))}
        for line in numbers
        if line.get("low") is not None and line.get("difference") is not None
    ]
    if not lines:
        return None
    base = alt.Chart(_data(lines)).encode(y=alt.Y("method:N", title=None))
    span = f"difference to {reference}, points"
    shade = alt.Color("verdict:N", title=None).scale(
        domain=["better", "noise", "worse", "not tested"],
        range=["#009e73", "#8c8c8c", "#d55e00", "#56b4e9"],
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=span), x2="high:Q", color=shade
    )
    dots = base.mark_point(filled=True, size=70).encode(
        x="difference:Q",
        color=shade,
        tooltip=["method:N", "score:Q", "difference:Q", "low:Q", "high:Q", "holm:Q"],
    )
    zero = alt.Chart(_data([{"zero": 0}])).mark_rule(strokeDash=[4, 4]).encode(x="zero:Q")
    rows = len({line["method"] for line in lines})
    columns = list(dict.fromkeys(line["column"] for line in lines))
    parts = [
        alt.layer(
            zero, *(_of(mark, column) for mark in (bars, dots)), width=WIDTH, height=28 * rows
        ).properties(title=column)
        for column in columns
    ]
    caption = (
        f"Difference to {reference} with 95 % intervals. Grey: noise explains it (Holm-adjusted"
        " p above .05)."
    )
    return Chart(
        "differences", caption, _spec(alt.vconcat(*parts)), 60 + len(columns) * (28 * rows + 60)
    )


def _of(mark: Any, column: str) -> Any:
    """Keep the marks of one column."""
    import altair as alt

    return mark.transform_filter(alt.FieldEqualPredicate(field="column", equal=column))


def accuracies(kept: Mapping[str, Kept], needed: Sequence[int]) -> Chart | None:
    """Draw the share of images that hit at each threshold: 000 Figure 7."""
    import altair as alt

    lines = []
    for method, one in kept.items():
        if isinstance(one.evidence, BoxEvidence):
            thresholds, shares = _hit_curve(one.evidence)
            for delta, share in zip(needed, shares, strict=False):
                lines += [
                    {"method": method, "iou": f"IoU {delta} %", "threshold": t, "hits": s}
                    for t, s in zip(thresholds.tolist(), share.tolist(), strict=True)
                ]
    if not lines:
        return None
    chart = (
        alt.Chart(_data(lines), width=240, height=220)
        .mark_line()
        .encode(
            x=alt.X("threshold:Q", title="threshold"),
            y=alt.Y("hits:Q", title="BoxAcc, %"),
            color=_names(kept),
            column=alt.Column("iou:N", title=None),
            tooltip=["method:N", "threshold:Q", "hits:Q"],
        )
    )
    caption = "Images whose best box reaches the IoU, at each threshold of the map."
    return Chart("accuracies", caption, _spec(chart), 300)


def _hit_curve(evidence: BoxEvidence) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    axis = evidence.candidates()
    share = 100 * evidence.hits() / max(1, evidence.images)
    grid = len(evidence.axis) == THRESHOLD_STEPS
    thresholds = threshold_grid() if grid else np.asarray(axis, float)
    keep = np.unique(np.linspace(0, len(thresholds) - 1, POINTS).astype(int))
    return thresholds[keep].round(4), share[:, keep].round(3)


def precisions(kept: Mapping[str, Kept]) -> Chart | None:
    """Draw precision over recall of all pixels: 000 Figure 7."""
    import altair as alt

    lines = []
    for method, one in kept.items():
        if isinstance(one.evidence, MaskEvidence):
            total = np.sum([np.asarray(h, np.int64) for h in one.evidence.histograms], axis=0)
            hits, alarms = (np.cumsum(part[::-1]) for part in total)
            reached = hits + alarms
            keep = np.unique(np.linspace(0, len(hits) - 1, 2 * POINTS).astype(int))
            keep = keep[reached[keep] > 0]
            lines += [
                {
                    "method": method,
                    "recall": round(100 * float(hits[i] / max(1, hits[-1])), 3),
                    "precision": round(100 * float(hits[i] / reached[i]), 3),
                    "threshold": round(1 - i / (len(hits) - 1), 3),
                    "order": i,
                }
                for i in keep.tolist()
            ]
    if not lines:
        return None
    chart = (
        alt.Chart(_data(lines), width=WIDTH, height=300)
        .mark_line()
        .encode(
            x=alt.X("recall:Q", title="recall, % of foreground pixels"),
            y=alt.Y("precision:Q", title="precision, %"),
            color=_names(kept),
            order="order:Q",
            tooltip=["method:N", "threshold:Q", "precision:Q", "recall:Q"],
        )
    )
    return Chart("precisions", "Precision and recall of all pixels.", _spec(chart), 360)


def distributions(values: Mapping[str, NDArray[np.int64]]) -> Chart | None:
    """Draw how scores are spread over all pixels: 000 Figure 9."""
    import altair as alt

    lines = [
        {"method": method, "score": (i + 0.5) / len(counts), "share": float(share)}
        for method, counts in values.items()
        for i, share in enumerate((100 * counts / max(1, counts.sum())).round(4).tolist())
    ]
    if not lines:
        return None
    chart = (
        alt.Chart(_data(lines), width=WIDTH, height=240)
        .mark_line(interpolate="step")
        .encode(
            x=alt.X("score:Q", title="score"),
            y=alt.Y("share:Q", title="% of pixels (square-root scale)").scale(type="sqrt"),
            color=_names(values),
            tooltip=["method:N", "score:Q", "share:Q"],
        )
    )
    caption = (
        "How scores are spread over the pixels of the images shown above. Two methods with"
        " different spreads have different best thresholds, whatever they see."
    )
    return Chart("distributions", caption, _spec(chart), 300)


def learning(lines: Numbers) -> Chart | None:
    """Draw loss and scores over epochs: 001 Figure 20."""
    import altair as alt

    if not lines:
        return None
    chart = (
        alt.Chart(_data(lines), width=300, height=200)
        .mark_line(point=True)
        .encode(
            x=alt.X("epoch:Q", title="epoch"),
            y=alt.Y("value:Q", title=None).scale(zero=False),
            color=_names((line["run"] for line in lines), "run"),
            facet=alt.Facet("quantity:N", columns=2, title=None),
            tooltip=["run:N", "epoch:Q", "value:Q"],
        )
        .resolve_scale(y="independent")
    )
    quantities = len({line["quantity"] for line in lines})
    return Chart(
        "learning", "Training, epoch by epoch.", _spec(chart), 60 + 260 * -(-quantities // 2)
    )


def scores(numbers: Numbers, title: str) -> Chart | None:
    """Draw scores of any table that names methods and values."""
    import altair as alt

    lines = [line for line in numbers if isinstance(line.get("value"), (int, float))]
    if not lines or "method" not in lines[0]:
        return None
    chart = (
        alt.Chart(_data(lines), width=WIDTH)
        .mark_point(filled=True, size=70)
        .encode(
            y=alt.Y("method:N", title=None).sort("-x"),
            x=alt.X("value:Q", title=title),
            tooltip=["method:N", "dataset:N", "backbone:N", "value:Q"],
            color=_names((str(line["dataset"]) for line in lines), "dataset"),
        )
    )
    return Chart("scores", title, _spec(chart), 60 + 22 * len({n["method"] for n in lines}))


def hyperparameters(lines: Numbers) -> Chart | None:
    """Draw every trial's score over what was drawn for it: 000 Figure 14, and the learning rate."""
    import altair as alt

    names = list(dict.fromkeys((line["method"], line["option"]) for line in lines))
    parts = []
    for method, option in names[:PANELS]:
        here = [line for line in lines if (line["method"], line["option"]) == (method, option)]
        values = [float(line["x"]) for line in here]
        wide = min(values) > 0 and max(values) / min(values) > 50
        scale = alt.Scale(type="log") if wide else alt.Scale(zero=False)
        parts.append(
            alt.Chart(_data(here), width=200, height=150, title=f"{method}: {option}")
            .mark_point(filled=True, size=40)
            .encode(
                x=alt.X("x:Q", title=None, scale=scale),
                y=alt.Y("value:Q", title="validation").scale(zero=False),
                color=alt.Color("status:N", title=None).scale(
                    domain=["converged", "did not converge"], range=["#0072b2", "#d55e00"]
                ),
                tooltip=["x:Q", "value:Q", "status:N"],
            )
        )
    if not parts:
        return None
    caption = "Each trial's validation score over what was drawn for it."
    if len(names) > PANELS:
        caption += f" The first {PANELS} of {len(names)} panels."
    chart = alt.concat(*parts, columns=3)
    return Chart("hyperparameters", caption, _spec(chart), 60 + 210 * -(-len(parts) // 3))
