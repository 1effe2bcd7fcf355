"""Layouts of searches: how trials rank on one side and on another, and how they spread."""

from collections.abc import Mapping
from functools import partial

from sightline.protocol import audit, figures, ranking, results
from sightline.protocol.material import TEST, Made, Material, column_of, need, text_of


def transfer(material: Material) -> Made:
    """Give Kendall's tau between validation and test over trials: 000 Table 3, 001 Table 4."""
    need(material.trials, "training runs")
    found = ranking.between_splits(material.trials, material.methods, material.recorded_tests)
    need(found, "searches whose trials were measured on the test split ('select --record --test')")
    title = "Kendall's tau of trials between validation and test"
    return _transfers("transfer", title, found, ("validation", "test"))


def between(first: Material, second: Material) -> Made:
    """Give Kendall's tau between two sets of trials, such as proxy and full: 000 Figure 6."""
    found = ranking.between_sets(first.trials, second.trials)
    title = "Kendall's tau of configurations between two sets of trials"
    return _transfers("proxy", title, found, ("first set", "second set"))


def _transfers(
    name: str,
    title: str,
    found: Mapping[tuple[str, str, str], ranking.Transfer],
    sides: tuple[str, str],
) -> Made:
    lines: dict[str, dict[str, str]] = {}
    numbers = []
    for (method, dataset, backbone), one in found.items():
        text = f"{one.tau:.3f} [{one.low:.3f}, {one.high:.3f}]"
        lines.setdefault(method, {"method": method})[column_of(dataset, backbone)] = text
        numbers.append(
            {"method": method, "dataset": dataset, "backbone": backbone, "value": one.tau}
            | {"low": one.low, "high": one.high, "trials": one.trials, "left_out": one.left_out}
        )
    count = sum(one.left_out for one in found.values())
    notes = [
        "tau-b over trials that converged on both sides, with the 95 % interval over trials;"
        f" {count} trials left out"
    ]
    draw = partial(figures.transfer, found, sides)
    return Made(name, title, list(lines.values()), numbers, notes, draw)


def spreads(material: Material) -> Made:
    """Tell how trials with random hyperparameters spread: 000 Figure 13, 001 section 5.4."""
    need(len(material.trials) > 1, "search of two trials or more")
    centers = {
        (one.dataset, one.metric): one.value
        for one in results.read(material.places)
        if one.needs_no_image and one.split != TEST
    }
    metric = material.trials[0].metric
    found = ranking.spread(material.trials, center=lambda dataset: centers.get((dataset, metric)))
    names = [n for line in found for n in line]
    lines = [{n: text_of(line.get(n, "-")) for n in dict.fromkeys(names)} for line in found]
    notes = [f"{metric} on validation, over converged trials"]
    if not centers:
        notes.append("no center baseline of the validation split among the rows: no share below it")
    values = ranking.scores(material.trials)
    return Made(
        "spread",
        "Trials of random hyperparameters",
        lines,
        found,
        notes + audit.notes(material.trials),
        partial(figures.spread, values, {d: v for (d, m), v in centers.items() if m == metric}),
    )
