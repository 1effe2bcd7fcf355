"""The layout of explainers: each beside the one that it was tested against, 000 Table 8."""

from collections.abc import Sequence
from typing import Any

from sightline.protocol import audit
from sightline.protocol.cells import MEAN
from sightline.protocol.material import Made, Material, column_of, need
from sightline.protocol.results import EXPLAINER, Result

NOTE = (
    "in brackets the difference on the same images with its 95 % interval, images resampled;"
    " ~ a difference that noise explains (p > .05, each by itself)"
)


def explainers(material: Material) -> Made:
    """Set explainers beside CAM, a column for each network and metric, and the mean of networks."""
    chosen = [o for o in material.measured if str(o.row.result["maps"]).startswith(EXPLAINER)]
    need(chosen, "rows of explainers ('sightline explain')")
    numbers = [_number(one) for one in chosen]
    metrics = list(dict.fromkeys(str(line["metric"]) for line in numbers))
    lines: dict[str, dict[str, str]] = {}
    for one, line in zip(chosen, numbers, strict=True):
        column = column_of(one.dataset, str(line["backbone"] or line["network"]))
        several = f" {line['metric']}" if len(metrics) > 1 else ""
        lines.setdefault(one.method, {"method": one.method})[f"{column}{several}"] = _cell(line)
    for mean in _means(numbers):
        several = f" {mean['metric']}" if len(metrics) > 1 else ""
        column = column_of(mean["dataset"], MEAN)
        lines[mean["method"]][f"{column}{several}"] = f"{mean['value']:.1f}"
        numbers.append(mean)
    against = dict.fromkeys(str(line["against"]) for line in numbers if line.get("against"))
    return Made(
        "explainers",
        " ".join(["Explainers of the same networks", *(["against"] * bool(against)), *against]),
        list(lines.values()),
        numbers,
        [*([NOTE] if against else []), *_labels(chosen), *audit.notes(chosen)],
    )


def _number(one: Result) -> dict[str, Any]:
    result = one.row.result
    origin, test = result.get("explained", {}), result.get("against", {})
    known: Sequence[float | None] = result.get("interval") or (None, None)
    return {
        "method": one.method,
        "dataset": one.dataset,
        "backbone": str(origin.get("backbone", "")),
        "network": str(origin.get("network", "")),
        "metric": one.metric,
        "value": one.value,
        "low": known[0],
        "high": known[1],
        "against": test.get("maps", ""),
        "difference": test.get("difference"),
        "difference_low": test.get("low"),
        "difference_high": test.get("high"),
        "p_value": test.get("p_value"),
        "images": result.get("images"),
        "seconds_an_image": one.row.provenance.get("seconds_an_image"),
    }


def _cell(line: dict[str, Any]) -> str:
    if line["difference"] is None:
        return f"{line['value']:.1f}"
    low, high = line["difference_low"], line["difference_high"]
    mark = " ~" if line["p_value"] > 0.05 else ""
    return f"{line['value']:.1f} ({line['difference']:+.1f} [{low:+.1f}, {high:+.1f}]{mark})"


def _means(numbers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the mean over a data set's networks of each explainer that lacks none of several."""
    cells: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for one in numbers:
        by_method = cells.setdefault((one["dataset"], one["metric"]), {})
        network = one["backbone"] or one["network"]
        by_method.setdefault(one["method"], {})[network] = one["value"]
    found = []
    for (dataset, metric), by_method in cells.items():
        networks = {network for values in by_method.values() for network in values}
        for method, values in by_method.items():
            if len(values) == len(networks) > 1:
                line = {"method": method, "dataset": dataset, "backbone": MEAN, "metric": metric}
                found.append(line | {"value": sum(values.values()) / len(values)})
    return found


def _labels(chosen: Sequence[Result]) -> list[str]:
    """Say where it is not the class of the data that is explained."""
    kinds = {str(one.row.result.get("explained", {}).get("labels", "given")) for one in chosen}
    return ["explained is the class that the network finds likeliest"] * ("predicted" in kinds)
