"""The layout of explainers: several of them on the same networks, beside CAM.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Table 8
"""

from typing import Any

from sightline.metrics.statistics import holm
from sightline.protocol import audit
from sightline.protocol.cells import LEVEL, MEAN
from sightline.protocol.material import EXPLAINER, Made, Material, column, need
from sightline.protocol.results import Result


def explainers(material: Material) -> Made:
    """Set explainers of the same networks beside CAM: 000 Table 8."""
    chosen = [o for o in material.measured if str(o.row.result["maps"]).startswith(EXPLAINER)]
    need(chosen, "rows of explainers ('sightline explain')")
    numbers = [_number(one) for one in chosen]
    tested = [one for one in numbers if "p" in one]
    for one, adjusted in zip(tested, holm([one["p"] for one in tested]), strict=True):
        one["holm"] = adjusted
    numbers = sorted(numbers + _means(numbers), key=lambda one: one["method"] != "cam")
    lines: dict[str, dict[str, str]] = {}
    for one in numbers:
        line = lines.setdefault(one["method"], {"method": one["method"]})
        line[column(one["dataset"], one["backbone"])] = _cell(one)
    notes = [
        f"{len(tested)} differences to CAM on the same images, 95 % intervals; ~ noise explains it"
        f" (Holm-adjusted p > {LEVEL:g})"
    ]
    return Made(
        "explainers",
        "Explainers of the same networks",
        list(lines.values()),
        numbers,
        notes * bool(tested) + audit.notes(chosen),
    )


def _number(one: Result) -> dict[str, Any]:
    result = one.row.result
    origin = result.get("explained", {})
    found = {
        "method": str(result["maps"]).removeprefix(EXPLAINER),
        "dataset": one.dataset,
        "backbone": str(origin.get("backbone") or origin.get("network", "")),
        "value": one.value,
    }
    test = result.get("against") or {}
    if test.get("maps") == "cam" and found["method"] != "cam":
        found |= {name: test[name] for name in ("difference", "low", "high")}
        found["p"] = test["p_value"]
    return found


def _means(numbers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Average over backbones what has all of them."""
    found = []
    for dataset in dict.fromkeys(one["dataset"] for one in numbers):
        here = [one for one in numbers if one["dataset"] == dataset]
        backbones = {one["backbone"] for one in here}
        for method in dict.fromkeys(one["method"] for one in here):
            values = {one["backbone"]: one["value"] for one in here if one["method"] == method}
            if len(backbones) > 1 and {*values} == backbones:
                mean = sum(values.values()) / len(values)
                found.append(
                    {"method": method, "dataset": dataset, "backbone": MEAN, "value": mean}
                )
    return found


def _cell(one: dict[str, Any]) -> str:
    text = f"{one['value']:.1f}"
    if "p" not in one:
        return text
    mark = " ~" if one["holm"] > LEVEL else ""
    return f"{text} ({one['difference']:+.1f} [{one['low']:+.1f}, {one['high']:+.1f}]{mark})"
