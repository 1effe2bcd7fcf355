"""How a study of explainers is shown: as JSON, and as the table of the paper with costs beside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sightline.cli.evaluation_text import as_json as row_as_json
from sightline.cli.output import table
from sightline.types import Split

if TYPE_CHECKING:
    from sightline.explaining.grids import Cell
    from sightline.explaining.study import Explained

SHOWN = 3  # images that are named


def as_json(found: "Sequence[Explained]") -> list[dict[str, Any]]:
    """Give one object an explainer."""
    return [
        {
            "explainer": one.explainer.name,
            "options": one.explainer.options,
            "network": one.subject.title,
            "seconds_an_image": one.seconds,
            "constant": one.constant,
            "left_out": list(map(str, one.problems)),
            "results": [row_as_json(row) for row in one.rows.values()],
        }
        for one in found
    ]


def as_text(found: "Sequence[Explained]", split: Split, title: str) -> str:
    """Set a table for each protocol."""
    parts = []
    several = len({one.subject.title for one in found}) > 1
    for protocol in found[0].rows:
        first = found[0].rows[protocol].result
        parts.append(
            f"{first['metric']}  {first['images']} images of {split.dataset} ({split.name}),"
            f" network {title}; protocol {protocol}"
        )
        parts.append(table([_line(one, protocol, several=several) for one in found]))
    parts += [line for one in found for line in _remarks(one)]
    threshold = next(iter(found[0].rows.values())).result["threshold_from"]
    return "\n".join([*parts, f"threshold: {threshold}; intervals of 95 %, images resampled"])


def _line(one: "Explained", protocol: str, *, several: bool) -> dict[str, str]:
    result = one.rows[protocol].result
    low, high = result["interval"]
    line = {
        "explainer": one.explainer.name,
        **({"network": one.subject.title} if several else {}),
        "score": f"{result['value']:.2f}",
        "interval": f"{low:.2f} to {high:.2f}",
        "difference": "",
        "p": "",
        "s/image": f"{one.seconds:.3f}",
    }
    if "against" in result:
        test = result["against"]
        low, high = test["low"], test["high"]
        line["difference"] = f"{test['difference']:+.2f} ({low:+.2f} to {high:+.2f})"
        line["p"] = f"{test['p_value']:.3f}"
    return line


def _remarks(one: "Explained") -> list[str]:
    lines = []
    if one.constant:
        lines.append(f"{one.explainer.name}: the same everywhere in {_few(one.constant)}")
    return lines + [f"{one.explainer.name}: left out {problem}" for problem in one.problems]


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    shown = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"{len(names)} maps ({shown})"


def grid_as_json(found: "Mapping[str, Sequence[Cell]]") -> list[dict[str, Any]]:
    """Give one object a cell."""
    return [
        {
            "explainer": name,
            "blur": cell.blur,
            "samples": cell.samples,
            "seconds_an_image": cell.seconds,
            "results": [row_as_json(row) for row in cell.rows.values()],
        }
        for name, cells in found.items()
        for cell in cells
    ]


def grid_as_text(found: "Mapping[str, Sequence[Cell]]", split: Split) -> str:
    """Set a table for each explainer and protocol: a line for each N, a column for each blur."""
    parts = []
    for name, cells in found.items():
        for protocol, row in cells[0].rows.items():
            parts.append(
                f"{name}: {row.result['metric']}, {row.result['images']} images of"
                f" {split.dataset} ({split.name}); protocol {protocol}"
            )
            lines: dict[int, dict[str, str]] = {}
            for cell in cells:
                line = lines.setdefault(cell.samples, {"N": str(cell.samples)})
                line[f"blur {cell.blur}"] = f"{cell.rows[protocol].result['value']:.2f}"
            for cell in cells:
                lines[cell.samples]["s/image"] = f"{cell.seconds:.3f}"
            parts.append(table(list(lines.values())))
            best = max(cells, key=lambda cell: cell.rows[protocol].result["value"])
            parts.append(f"best: N {best.samples}, blur {best.blur}")
    return "\n".join(parts)
