"""What stands on the page of `sightline report`, put together from rows and their artifacts."""

import csv
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from sightline import progress
from sightline.errors import SightlineError
from sightline.provenance import versions
from sightline.reports import charts, failures, words
from sightline.reports.explorer import Explored, explore
from sightline.reports.page import Section, write
from sightline.reports.paper import Draw, Figure
from sightline.reports.paper import write as write_paper
from sightline.reports.tables import Table

if TYPE_CHECKING:
    from sightline.protocol.material import Material
    from sightline.protocol.results import Result

HEADLINE = "comparison"
TITLE = "Where the classifiers look"
FEWEST_TRIALS = 4  # of a search whose hyperparameters are drawn
CHARTED = {"explainers"}  # tables whose values are drawn beside them


def build(
    tables: Sequence[Table],
    lacking: Sequence[str],
    material: "Material",
    out: Path,
    *,
    gallery: int,
    files: Mapping[str, Sequence[str]],
    paper: Path | None = None,
    drawings: Mapping[str, Draw] | None = None,
) -> Path:
    """Write the page and all that it loads; and the same for a paper, if there is a folder."""
    results = _in_order(material) if _measured(material) else []
    explored, notes = _explore(results, out, gallery) if gallery else ([], [])
    draws = charts.can_draw()
    headline = [t for t in tables if t.layout == HEADLINE]
    others = [t for t in tables if t.layout != HEADLINE]
    sections = [_tabled(t, material.against, files, draws, open_notes=True) for t in headline]
    sections += [_explorer(one) for one in explored]
    sections += [_curves(results, explored)] if draws and results else []
    sections += [_failures(one) for one in explored]
    sections += [_tabled(t, material.against, files, draws) for t in others]
    sections += [_hyperparameters(material), _learning(material)] if draws else []
    if notes or lacking:
        told = [*notes, *(f"no table {line}" for line in lacking)]
        sections.append(Section("left-out", "What is not on this page", notes=told))
    sections.append(_provenance(material))
    if not draws:
        sections[-1:-1] = [
            Section("no-charts", "Charts", ("Charts need pip install 'sightline[report]'.",))
        ]
    if paper:
        _write_paper(sections, drawings or {}, material, paper)
    return write(
        [section for section in sections if _has_content(section)],
        words.brief(headline[0].numbers if headline else [], material.against, _facts(material)),
        out,
        title=TITLE,
        version=versions()["sightline"],
    )


def _write_paper(
    sections: Sequence[Section], drawings: Mapping[str, Draw], material: "Material", out: Path
) -> None:
    """Write tables and charts of all sections, and what was drawn for tables."""
    tables = [section.table for section in sections if section.table]
    charted = [
        Figure(f"{section.name}-{number}", f"{section.title}: {chart.caption}", chart)
        for section in sections
        for number, chart in enumerate(section.charts)
    ]
    drawn = [Figure(t.name, t.title, drawings[t.name]) for t in tables if t.name in drawings]
    write_paper(tables, [*drawn, *charted], _making(material), out, title=TITLE)


def _making(material: "Material") -> str:
    """Say in one sentence for captions how the numbers were made."""
    facts = _facts(material)
    shown = material.methods if _measured(material) else material.trials
    seeds = sorted({one.run["seed"] for one in shown if one.run.get("seed") is not None})
    trained = f"; training seeds {', '.join(map(str, seeds))}" if seeds else ""
    return (
        f"{', '.join(facts['splits'])}, {facts['images']} images; protocol {facts['protocols']}"
        f"{trained}. Labels: {'; '.join(facts['labels'])}."
    )


def _measured(material: "Material") -> bool:
    try:
        return bool(material.measured)
    except SightlineError:
        return False


def _in_order(material: "Material") -> list["Result"]:
    """Put what others are compared with first, and what looks at nothing last."""

    def rank(one: "Result") -> tuple[bool, bool, str, str]:
        return one.method != material.against, one.needs_no_image, one.method, one.backbone

    return sorted(material.measured, key=rank)


def _has_content(section: Section) -> bool:
    parts = ("texts", "table", "charts", "pictures", "explorer", "notes", "commands")
    return any(getattr(section, part) for part in parts)


def _facts(material: "Material") -> dict[str, Any]:
    """Say what the rows say beside their scores."""
    from sightline.protocol import audit

    shown = material.methods if _measured(material) else material.trials
    results = [one.row.result for one in shown]
    notes = audit.notes(shown) if shown else []
    images = sorted({int(r["images"]) for r in results if r.get("images")})
    protocols = {str(r["protocol"]["name"]) for r in results if r.get("protocol")}
    seeds = {
        str(r["interval_method"]["seed"])
        for r in results
        if isinstance(r.get("interval_method"), dict)
    }
    seeded = f"; intervals resample images with seed {', '.join(sorted(seeds))}" if seeds else ""
    return {
        "methods": list(dict.fromkeys(one.method for one in shown)),
        "splits": list(dict.fromkeys(f"{one.dataset} {one.split}".strip() for one in shown)),
        "images": " or ".join(map(str, images)) or "no",
        "protocols": (", ".join(sorted(protocols)) or "none") + seeded,
        "labels": notes or ["no localization label"],
        "budgets_differ": any(note.startswith("LABEL BUDGETS") for note in notes),
        "oracle": any(str(r.get("threshold_from", "")).startswith("oracle") for r in results),
        "pond": any("pond" in one.dataset for one in shown),
    }


def _tabled(
    table: Table,
    reference: str,
    files: Mapping[str, Sequence[str]],
    draws: bool,
    *,
    open_notes: bool = False,
) -> Section:
    drawn = []
    if draws and table.layout == HEADLINE:
        drawn = [charts.differences(table.numbers, reference)]
    elif draws and table.layout in CHARTED:
        drawn = [charts.scores(table.numbers, table.title)]
    return Section(
        table.name,
        table.title,
        table=table,
        charts=[chart for chart in drawn if chart],
        pictures=[table.picture] if table.picture else [],
        notes=table.notes,
        open=open_notes,
        files=files.get(table.name, ()),
    )


def _explore(
    results: Sequence["Result"], out: Path, limit: int
) -> tuple[list[Explored], list[str]]:
    """Write an explorer for each split whose images and maps are still there."""
    from sightline.protocol.gallery import galleries

    found, notes = galleries(results, limit=limit)
    explored = []
    for number, gallery in enumerate(found):
        with progress.shown(f"draw {gallery.stage.title}", gallery.stage.images) as step:
            one = explore(gallery.stage, gallery.scene, out, f"explorer-{number}", step)
        notes += [f"left out of the explorer: {problem}" for problem in one.problems]
        explored += [one] if one.facts else []
    return explored, notes


def _explorer(one: Explored) -> Section:
    methods = ", ".join(one.stage.methods)
    return Section(
        one.folder,
        f"Threshold explorer: {one.stage.title}",
        texts=(
            f"One slider moves the threshold of all maps: {methods}. Numbers are over the images"
            " shown here, from the maps on disk; the row's own score stands beside them.",
        ),
        explorer={"key": one.folder, "file": f"{one.folder}/index.js"},
    )


def _curves(results: Sequence["Result"], explored: Sequence[Explored]) -> Section:
    """Draw what thresholds do, a chart for each measured split and protocol."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for one in results:
        key = (one.dataset, one.split, str(one.row.result["protocol"]["name"]))
        groups.setdefault(key, []).append(one)
    drawn = []
    for (dataset, split, protocol), members in groups.items():
        kept = {one.method: one.evidence for one in members if one.evidence}
        needed = members[0].row.result["protocol"].get("iou_thresholds", ())
        for chart in (charts.accuracies(kept, needed), charts.precisions(kept)):
            drawn += [_called(chart, f"{dataset}, {split}, {protocol}")] if chart else []
    for one_explored in explored:
        first = next(iter(one_explored.stage.protocols))
        values = {m: v for (p, m), v in one_explored.values.items() if p == first}
        chart = charts.distributions(values)
        drawn += [_called(chart, one_explored.stage.title)] if chart else []
    return Section("curves", "Scores over thresholds", charts=drawn)


def _called(chart: charts.Chart, title: str) -> charts.Chart:
    return charts.Chart(chart.name, f"{title}: {chart.caption}", chart.spec, chart.height)


def _failures(one: Explored) -> Section:
    found = failures.failures(one)
    texts, lines = [], []
    for fail in found:
        count, total = int(fail.missed.sum()), len(fail.missed)
        texts.append(
            f"{fail.protocol}: {count} of {total} images are missed at IoU {failures.NEEDED} % by"
            f" {', '.join(fail.methods)}, each at its own best threshold; if they missed"
            f" independently, {fail.expected:.1f} would be."
        )
        lines += [{"protocol": fail.protocol, **line} for line in fail.lines]
    name = f"failures-{one.folder}"
    table = Table(name, "Images that all methods miss", lines) if lines else None
    if table:
        texts.append("In the explorer, choose 'missed by all methods' to see them.")
    return Section(name, f"What all methods miss: {one.stage.title}", texts, table)


def _hyperparameters(material: "Material") -> Section:
    """Draw the trials of searches over what was drawn for them."""
    groups: dict[str, list[Result]] = {}
    for one in material.trials:
        groups.setdefault(f"{one.method}, {one.backbone}", []).append(one)
    lines = []
    for name, trials in groups.items():
        drawn = [{"lr": t.run["plan"].get("lr"), **t.run.get("options", {})} for t in trials]
        for option in drawn[0] if len(trials) >= FEWEST_TRIALS else ():
            values = [one.get(option) for one in drawn]
            if all(isinstance(v, float) for v in values) and len(set(values)) > 1:
                lines += [
                    {"method": name, "option": option, "x": x, "value": trial.run.get("value")}
                    | {"status": _status(trial)}
                    for x, trial in zip(values, trials, strict=True)
                ]
    chart = charts.hyperparameters(lines)
    return Section(
        "hyperparameters", "Trials over what was drawn for them", charts=[chart] if chart else []
    )


def _status(trial: "Result") -> str:
    return "converged" if trial.run.get("status") == "converged" else "did not converge"


def _learning(material: "Material") -> Section:
    """Draw the curves of training runs that kept them, of so many runs as can be told apart."""
    lines: list[dict[str, Any]] = []
    runs = material.trials[: len(charts.COLORS)]
    for one in runs:
        kept = one.row.artifacts.get("metrics")
        file = one.file.parent / kept.path if kept else None
        if file is None or not file.is_file():
            continue
        name = f"{one.method}, {one.backbone}" + (f" ({file.parent.name})" if len(runs) > 1 else "")
        with file.open(encoding="utf-8", newline="") as stream:
            for record in csv.DictReader(stream):
                lines += [
                    {"run": name, "epoch": int(record["epoch"]), "quantity": key, "value": float(v)}
                    for key, v in record.items()
                    if key not in ("epoch", "lr") and v and key.count(".") == 0
                ]
    chart = charts.learning(lines)
    if not chart:
        return Section("learning", "Learning curves")
    more = len(material.trials) - len(runs)
    texts = [f"The first {len(runs)} runs; {more} more are in the rows."] if more > 0 else []
    return Section("learning", "Learning curves", texts, charts=[chart])


def _provenance(material: "Material") -> Section:
    """List the commands that led here, each once, oldest first."""
    from sightline import rows

    told: dict[str, str] = {}
    for file in rows.find(material.places):
        known = rows.load(file).provenance
        command = _command(str(known.get("command", "")))
        if command:
            told[command] = min(told.get(command, "~"), str(known.get("time", "")))
    commands = sorted(told, key=lambda command: told[command])
    shown, more = commands[:100], len(commands) - 100
    texts = ["The commands whose rows are on this page, oldest first."]
    texts += [f"{more} more are in the rows."] if more > 0 else []
    return Section("provenance", "How these numbers were made", texts, commands=shown)


def _command(text: str) -> str:
    """Leave out where the program lies."""
    program, _, rest = text.partition(" ")
    name = PurePath(program).name
    named = "sightline" if name in ("sightline", "__main__.py") else shlex.quote(name)
    return f"{named} {rest}".strip()
