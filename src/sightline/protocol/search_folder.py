"""What a search keeps in its folder, so that the same call goes on and no other one does."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sightline import provenance, rows
from sightline.errors import SightlineError, UsageError
from sightline.execution import Failure
from sightline.protocol import trials
from sightline.protocol.search_plan import SearchPlan, Subject
from sightline.types import Job, ResultRow

CONFIG, FINAL = "search.json", "final"
Outcomes = Sequence[ResultRow | Failure]


def run_folder(folder: Path, number: int) -> Path:
    """Tell where a trial's run is."""
    return folder / "trials" / f"{number:04d}"


def place(job: Job, folder: Path) -> Path:
    """Tell where the trainer writes the row of a trial, or of the final run."""
    number = job.options.get(trials.NUMBER)
    root = folder / FINAL if number is None else run_folder(folder, int(number))
    return root / f"train{rows.SUFFIX}"


def config(subject: Subject, plan: SearchPlan, inputs: Mapping[str, str]) -> dict[str, Any]:
    """Say what makes two searches the same; one may be longer, or choose by another criterion."""
    kept = asdict(plan)
    for name in ("trials", "criterion") if plan.sampler == "random" else ("trials",):
        del kept[name]
    found: dict[str, Any] = rows.plain({**asdict(subject), "search": kept, "inputs": inputs})
    return found


def open_folder(folder: Path, asked: Mapping[str, Any]) -> None:
    """Begin a search, or make sure that the folder holds this very one."""
    file = folder / CONFIG
    if not file.exists():
        if (folder / trials.TABLE).exists():
            raise UsageError(
                f"{folder}: has a {trials.TABLE} of something else; name another --out"
            )
        rows.write_whole(file, json.dumps(asked, indent=1) + "\n")
        return
    try:
        known = rows.flat(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, AttributeError) as error:
        raise SightlineError(f"{file}: cannot be read ({error}); name another --out") from None
    mine = rows.flat(asked)
    for name in sorted({*known, *mine}):
        if known.get(name) != mine.get(name):
            raise UsageError(
                f"{folder}: holds another search, with {name} {known.get(name)} where"
                f" {mine.get(name)} is asked for; name another --out"
            )


def refuse_other_draws(draws: list[trials.Draw], outcomes: Outcomes, folder: Path) -> None:
    """Refuse rows that are of other draws than the table's."""
    for number, (draw, row) in enumerate(zip(draws, outcomes, strict=False)):
        if isinstance(row, Failure):
            continue
        made = {**row.result.get("plan", {}), **row.result.get("options", {})}
        for name, value in trials.values(draw).items():
            if name in made and made[name] != value:
                raise SightlineError(
                    f"{run_folder(folder, number)}: was run with {name} {made[name]}, but"
                    f" {trials.TABLE} has {value}; delete one of them"
                )


def other_versions(outcomes: Outcomes) -> list[str]:
    """Tell of rows that other code made."""
    mine = provenance.versions()["sightline"]
    other: dict[str, int] = {}
    for row in outcomes:
        if isinstance(row, ResultRow):
            version = row.provenance.get("versions", {}).get("sightline", mine)
            other[version] = other.get(version, 0) + (version != mine)
    return [
        f"{count} trials were run by sightline {version}, this is {mine}"
        for version, count in other.items()
        if count
    ]
