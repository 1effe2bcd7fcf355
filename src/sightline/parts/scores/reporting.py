"""Tables of `sightline report` that come of rows of part scores and of suitability."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from sightline import rows
from sightline.errors import UsageError
from sightline.parts.scores import recording
from sightline.parts.scores.layouts import LAYOUTS
from sightline.parts.scores.scoring import Scores
from sightline.types import Made

SUITABILITY = "part-suitability"
PUBLISHED: Mapping[str, str] = {  # a published table's layout
    "002-B1": SUITABILITY,
    "002-B2": SUITABILITY,
    "002-C1": "part-contents",
    "002-C2": "part-extremes",
    "002-E1": "part-contents",
    "002-E2": "part-contents-binary",
    "002-E3": "part-extremes",
    "002-E4": "part-extremes-binary",
    "002-T1": "part-errors",
    "002-T2": "part-contents",
    "002-T3": "part-extremes",
}


def suitability(files: Iterable[Path]) -> Made:
    """Make 002-B1 and B2 of rows of `sightline parts similarity --criteria`."""
    lines, numbers, notes = [], [], []
    for file in files:
        result = rows.load(file).result
        for line in result["lines"]:
            lines.append({name: _plain(value) for name, value in line.items()})
            numbers.append(dict(line))
        notes += list(result["notes"])
    return Made(SUITABILITY, "Similarities judged by a mapping", lines, numbers, notes)


def _plain(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def knows(name: str) -> bool:
    """Tell whether a table is one of these."""
    return name in LAYOUTS or name in PUBLISHED or name == SUITABILITY


def make(names: Sequence[str], places: Iterable[Path]) -> tuple[list[Made], list[str]]:
    """Make the tables asked for, or all that the rows hold; say why not the others."""
    listed = list(places)
    files = recording.find(listed)
    judged = [f for f in rows.find(listed) if rows.load(f).result.get("kind") == SUITABILITY]
    wanted = [*names] or [*(LAYOUTS if files else ()), *((SUITABILITY,) if judged else ())]
    made, lacking = [], []
    groups: dict[str, Scores] = {}
    for name in wanted:
        layout = PUBLISHED.get(name, name)
        try:
            if layout == SUITABILITY:
                if not judged:
                    raise UsageError("the rows hold no 'parts similarity --criteria'")
                found = [suitability(judged)]
            else:
                if not files:
                    raise UsageError("the rows hold no part scores")
                groups = groups or together(files)
                found = [_apart(LAYOUTS[layout](s), n, groups) for n, s in groups.items()]
        except UsageError as error:
            if names:
                raise
            lacking.append(f"{name}: {error}")
            continue
        made += [beside_print(one, name) if name in PUBLISHED else one for one in found]
    return made, lacking


def together(files: Sequence[Path]) -> dict[str, Scores]:
    """Put classifiers that were scored alike on the same images into one; name each group."""
    found: dict[str, list[tuple[Path, Scores]]] = {}
    for file in files:
        scores = recording.load(file)
        images = sorted(set(zip(scores.frame["category"], scores.frame["image"], strict=True)))
        shown = [sorted(set(scores.frame[name])) for name in ("content", "part_scheme")]
        key = rows.canonical([asdict(scores.options), images, shown])
        found.setdefault(key, []).append((file, scores))
    groups: dict[str, Scores] = {}
    for number, some in enumerate(found.values(), start=1):
        who = [name for _, one in some for name in set(one.frame["classifier"])]
        if len(who) == len(set(who)):
            groups[f"{some[0][0].parent.name}-{number}"] = _joined([one for _, one in some])
        else:  # one classifier in several rows: none of them goes before the others
            groups |= {f"{f.parent.name}-{number}-{i}": s for i, (f, s) in enumerate(some, 1)}
    return groups


def _joined(some: Sequence[Scores]) -> Scores:
    frame = pd.concat([one.frame for one in some], ignore_index=True)
    expected = {name: of for one in some for name, of in one.expected.items()}
    return Scores(frame, expected, some[0].options)


def _apart(made: Made, where: str, groups: Collection[str]) -> Made:
    """Name the tables of several groups after the folders of their rows."""
    if len(groups) == 1:
        return made
    title = f"{made.title} ({where})"
    return Made(f"{made.name}-{where}", title, made.lines, made.numbers, made.notes, made.draw)


PRINTED = {
    "intra-object-and-neighborhood": "neighborhood",
    "b-cds": "b_cds",
    "airplane": "aeroplane",
}


def beside_print(made: Made, name: str) -> Made:
    """Put the printed number beside each cell that was printed, and what is known of the print."""
    from sightline import published

    printed = {
        _key(cell): str(cell["printed"]) for cell in published.table(name).to_dict("records")
    }
    numbers = [line | {"printed": printed.get(_key(line), "")} for line in made.numbers]
    about = published.tables().set_index("name").loc[name]
    notes = [*made.notes, *([f"{name}: {about['notes']}"] if about["notes"] else [])]
    called = made.name.replace(PUBLISHED[name], name, 1)
    title = f"{called}: {about['title']}"
    return Made(called, title, made.lines, numbers, notes, made.draw)


def _key(line: Mapping[Any, Any]) -> tuple[str, ...]:
    """Give what names a cell, in our words, however it is spelt."""
    if "rank" in line:
        fields = [line["category"], line["rank"]]
    elif "measure" in line:
        fields = [line["measure"]]
    else:
        scheme = line.get("scheme", line.get("content", line.get("category", "")))
        fields = [line.get("classifier", ""), scheme, line.get("metric", "median-error")]
    texts = (PRINTED.get(str(text), str(text)) for text in fields)
    return tuple(text.lower().replace("-", "").replace("_", "") for text in texts)
