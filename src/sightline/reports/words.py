"""A comparison in plain words: what was compared, what won, whether noise explains it, the cost."""

from collections.abc import Mapping, Sequence
from typing import Any

Numbers = Sequence[Mapping[str, Any]]
Brief = list[tuple[str, list[str]]]


def brief(numbers: Numbers, reference: str, facts: Mapping[str, Any]) -> Brief:
    """Answer a stranger's questions; `facts` are what rows say beside their scores."""
    columns = _columns(numbers)
    compared = list(
        dict.fromkeys(str(line["method"]) for lines in columns.values() for line in lines)
    )
    where = ", ".join(facts["splits"])
    found: Brief = []
    if len(compared) > 1:
        said = f"{_listed(compared)}, on {where}: {facts['images']} images."
        found.append(("What was compared?", [said, f"Protocol: {facts['protocols']}."]))
        found.append(
            ("What won, and is that noise?", [_won(c, v, reference) for c, v in columns.items()])
        )
    else:
        names = _listed(compared or facts["methods"])
        said = f"{names} alone, on {where}: {facts['images']} images. Nothing is compared."
        found.append(("What was measured?", [said, f"Protocol: {facts['protocols']}."]))
    found.append(("How many labels did it cost?", list(facts["labels"])))
    found.append(("What may not be concluded?", _limits(columns, reference, facts)))
    return found


def _columns(numbers: Numbers) -> dict[str, list[Mapping[str, Any]]]:
    """Group cells by data set and backbone, the mean columns left out."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in numbers:
        if line.get("score") is not None and line.get("backbone") != "mean":
            name = " ".join(filter(None, (str(line["dataset"]), str(line.get("backbone", "")))))
            found.setdefault(name, []).append(line)
    return found


def _won(column: str, lines: Sequence[Mapping[str, Any]], reference: str) -> str:
    best = max(lines, key=lambda line: float(line["score"]))
    name, score = best["method"], float(best["score"])
    if name == reference:
        rest = [line for line in lines if line["method"] != reference]
        equal = [str(line["method"]) for line in rest if line.get("verdict") == "noise"]
        said = f"{column}: {reference} has the highest score, {score:.1f}."
        behind = f" {_listed(equal)} cannot be told from it: noise explains the difference."
        return said + (behind if equal else " Every other method's difference is beyond noise.")
    said = f"{column}: {name} has the highest score, {score:.1f}"
    if best.get("low") is None:
        return f"{said}; its difference to {reference} was not tested."
    said += f", {float(best['difference']):+.1f} points against {reference}"
    said += f" (95 % interval {float(best['low']):+.1f} to {float(best['high']):+.1f}"
    said += f", Holm-adjusted p {_p(best)})."
    noise = (
        " Noise explains that." if best.get("verdict") == "noise" else " Noise does not explain it."
    )
    return said + noise


def _p(line: Mapping[str, Any]) -> str:
    value = line.get("holm")
    return "not known" if value is None else f"{float(value):.3f}"


def _limits(
    columns: Mapping[str, Sequence[Mapping[str, Any]]], reference: str, facts: Mapping[str, Any]
) -> list[str]:
    found = []
    noise = sorted(
        {
            str(line["method"])
            for lines in columns.values()
            for line in lines
            if line.get("verdict") == "noise"
        }
    )
    if noise:
        found.append(
            f"That {_listed(noise)} differ from {reference} wherever the table marks a difference"
            " with ~. Nor that they are equal: these images cannot tell."
        )
    if facts["oracle"]:
        found.append(
            "That the scores are reached without labels: the score threshold is the best one on"
            " the very images that are scored, for all methods alike."
        )
    if facts["budgets_differ"]:
        found.append(
            "That all methods had the same help: label budgets differ, as the table's notes say."
        )
    found.append(
        "How much another training would change: intervals and tests resample images, not"
        " trainings."
    )
    if facts["pond"]:
        found.append("Anything about photographs: Pond is drawn, not photographed.")
    return found


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
