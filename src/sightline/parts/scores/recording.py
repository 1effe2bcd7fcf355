"""Scores as a result row: what was decided, the numbers, and a line a sequence beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from sightline import provenance, rows
from sightline.errors import DataError, Problem, UsageError
from sightline.parts.scores.collecting import Collected
from sightline.parts.scores.meaning import Meanings
from sightline.parts.scores.scoring import Options, Scores
from sightline.types import LedgerEntry, ResultRow

KIND, ARTIFACT = "part-scores", "sequences"
ROW, FILE = f"part-scores{rows.SUFFIX}", "part-scores.sequences.parquet"


def record(
    scores: Scores, collected: Collected, meanings: Meanings, tables: Mapping[str, Any], out: Path
) -> ResultRow:
    """Write scores as a row with its table of sequences."""
    out.mkdir(parents=True, exist_ok=True)
    partial = out / f".{FILE}"
    scores.frame.to_parquet(partial, index=False)
    partial.replace(out / FILE)
    frame = scores.frame
    result = {
        "kind": KIND,
        "options": asdict(scores.options),
        "classifiers": list(dict.fromkeys(frame["classifier"])),
        "categories": list(meanings.categories),
        "contents": list(dict.fromkeys(frame["content"])),
        "part_schemes": list(dict.fromkeys(frame["part_scheme"])),
        "images": int(frame.groupby("category")["image"].nunique().sum()),
        "sequences": len(frame),
        "answers": int(frame["steps"].sum()),
        "mapping": {
            "name": meanings.mapping.name,
            "labels": {name: len(of) for name, of in meanings.mapping.labels.items()},
        },
        "expected": scores.expected,
        "tables": tables,
        "inputs": {Path(name).name: rows.file_hash(Path(name)) for name in collected.about.facts},
        "skipped": len(collected.problems) + len(meanings.problems),
        "sequences_made": [_without_ledger(facts) for facts in collected.about.facts.values()],
    }
    artifacts = {ARTIFACT: rows.artifact(out / FILE, out)}
    row = ResultRow(result, provenance.now(), ledger(collected), artifacts)
    rows.save(row, out / ROW)
    return row


def _without_ledger(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name not in ("ledger", "versions")}


def ledger(collected: Collected) -> tuple[LedgerEntry, ...]:
    """Give the labels that went into the sequences: parts, fixations and whatever else."""
    stored = [one for facts in collected.about.facts.values() for one in facts.get("ledger", ())]
    return tuple(dict.fromkeys(rows.ledger_entry(one) for one in stored))


def load(file: Path) -> Scores:
    """Read the scores of a row back."""
    row = rows.load(file)
    kept = row.artifacts.get(ARTIFACT)
    if row.result.get("kind") != KIND or kept is None:
        raise UsageError(f"{file}: is no row of part scores")
    beside = file.parent / kept.path
    try:
        frame = pd.read_parquet(beside)
    except (OSError, ValueError) as error:
        remedy = "make its row again"
        raise DataError(
            [Problem(f"cannot be read ({error})", str(beside), remedy=remedy)]
        ) from None
    return Scores(frame, row.result["expected"], Options(**row.result["options"]))


def find(places: Iterable[Path]) -> list[Path]:
    """List the rows of part scores in files and folders."""
    return [file for file in rows.find(places) if _is_one(file)]


def _is_one(file: Path) -> bool:
    return file.name.endswith(rows.SUFFIX) and rows.load(file).result.get("kind") == KIND
