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


Columns = Mapping[str, "Sequence[Explained]"]  # by backbone, or what else tells networks apart


def as_json(found: Columns) -> list[dict[str, Any]]:
    """Give one object an explainer."""
    return [
        {
            "explainer": one.explainer.name,
            "options": one.explainer.options,
            "column": column,
            "network": one.subject.title,
            "seconds_an_image": one.seconds,
            "constant": one.constant,
            "left_out": list(map(str, one.problems)),
            "results": [row_as_json(row) for row in one.rows.values()],
        }
        for column, some in found.items()
        for one in some
    ]


def as_text(found: Columns, split: Split) -> str:
    """Set a table for each protocol and column; before them one of all columns, as in the paper."""
    first = next(iter(found.values()))
    parts = []
    for protocol, row in first[0].rows.items():
        about = (
            f"{row.result['metric']}  {row.result['images']} images of {split.dataset}"
            f" ({split.name})"
        )
        if len(found) > 1:
            parts += [f"{about}; protocol {protocol}", table(_side_by_side(found, protocol)), ""]
        for column, some in found.items():
            titles = list(dict.fromkeys(one.subject.title for one in some))
            network = f"network {', '.join(titles)}"
            network += f" ({column})" if len(found) > 1 and titles != [column] else ""
            parts.append(f"{about}, {network}; protocol {protocol}")
            parts.append(table(_lines(some, protocol)))
    parts += _classes(found)
    parts += [line for some in found.values() for one in some for line in _remarks(one)]
    threshold = next(iter(first[0].rows.values())).result["threshold_from"]
    return "\n".join([*parts, f"threshold: {threshold}; intervals of 95 %, images resampled"])


def _side_by_side(found: Columns, protocol: str) -> list[dict[str, str]]:
    """Give a line an explainer with its score in each column, and the mean of all."""
    lines: dict[str, dict[str, float]] = {}
    for column, some in found.items():
        for one in some:
            value = one.rows[protocol].result["value"]
            lines.setdefault(one.explainer.name, {})[column] = value
    return [
        {"explainer": name}
        | {column: f"{values[column]:.2f}" for column in found}
        | {"mean": f"{sum(values.values()) / len(values):.2f}"}
        for name, values in lines.items()
    ]


def _lines(some: "Sequence[Explained]", protocol: str) -> list[dict[str, str]]:
    """Set the scores of one network's explainers, with tests where there are any."""
    several = len({one.subject.title for one in some}) > 1
    results = [one.rows[protocol].result for one in some]
    against = next((r["against"]["maps"] for r in results if "against" in r), "")
    lines = []
    for one, result in zip(some, results, strict=True):
        low, high = result["interval"]
        line = {"explainer": one.explainer.name}
        line |= {"network": one.subject.title} if several else {}
        line |= {"score": f"{result['value']:.2f}", "interval": f"{low:.2f} to {high:.2f}"}
        if against:
            line |= _tested(result.get("against"), f"against {against}")
        lines.append(line | {"s/image": f"{one.seconds:.3f}"})
    return lines


def _tested(test: Mapping[str, Any] | None, title: str) -> dict[str, str]:
    if test is None:
        return {title: "", "p": ""}
    interval = f"({test['low']:+.2f} to {test['high']:+.2f})"
    return {title: f"{test['difference']:+.2f} {interval}", "p": f"{test['p_value']:.3f}"}


def _classes(found: Columns) -> list[str]:
    """Say how often each network names the right class: seldom, if its classes are in disorder."""
    said = {}
    for one in (one for some in found.values() for one in some):
        top1 = next(iter(one.rows.values())).result["explained"].get("top1")
        if top1 is not None:
            said[one.subject.title] = f"{one.subject.title} names the class of {top1:.1f} % of them"
    return list(said.values())


def _remarks(one: "Explained") -> list[str]:
    lines = []
    if one.constant:
        lines.append(f"{one.explainer.name}: the same everywhere in {_few(one.constant)}")
    return lines + [f"{one.explainer.name}: left out {problem}" for problem in one.problems]


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    shown = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"{len(names)} map{'s' * (len(names) > 1)} ({shown})"


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
