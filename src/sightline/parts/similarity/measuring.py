"""Measures by name, with their options, on pairs and on whole sets of synsets."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from sightline import progress, registry
from sightline.errors import UsageError
from sightline.parts.similarity.contract import Floats, Measure
from sightline.parts.wordnet.installed import WordNet

CHUNK = 200  # pairs between two looks at the clock
BLOCK = 128  # columns, likewise


def key(name: str) -> str:
    """Give the registered name of a measure, which WordNet::Similarity writes with `_`."""
    return name.strip().replace("_", "-")


def make(name: str, wordnet: WordNet, given: Mapping[str, str] | None = None) -> Measure:
    """Make a measure with options given as text."""
    module = registry.load("similarity", key(name))
    hints = get_type_hints(module.Options, include_extras=True)
    unknown = sorted(set(given or {}) - {item.name for item in fields(module.Options)})
    if unknown:
        raise UsageError(f"similarity '{name}' has no option '{unknown[0]}'")
    values = {option: _value(hints[option], text) for option, text in (given or {}).items()}
    made: Measure = module.measure(module.Options(**values), wordnet)
    return made


def _value(hint: Any, text: str) -> Any:
    kind = (
        get_args(hint)[0]
        if get_origin(hint) is not None and hasattr(hint, "__metadata__")
        else hint
    )
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise UsageError(f"'{text}' is neither true nor false")
        return text.lower() == "true"
    return kind(text) if isinstance(kind, type) else text


def options(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read `wup.depth=deepest` and the like: options by measure."""
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        measure, dot, option = name.partition(".")
        if not (sign and dot):
            raise UsageError(f"--set {text}: write MEASURE.OPTION=VALUE")
        found.setdefault(key(measure), {})[option] = value
    return found


def pairs(measure: Measure, firsts: Sequence[str], seconds: Sequence[str], title: str) -> Floats:
    """Measure pairs of synsets, each different pair once, those of one second together."""
    rows: dict[str, dict[str, None]] = {}
    for first, second in zip(firsts, seconds, strict=True):
        rows.setdefault(second, {})[first] = None
    found: dict[tuple[str, str], float] = {}
    with progress.shown(title, sum(map(len, rows.values()))) as step:
        for second, group in rows.items():
            names = list(group)
            for start in range(0, len(names), CHUNK):
                some = names[start : start + CHUNK]
                scores = measure.scores(some, [second])[:, 0].tolist()
                found |= {(name, second): x for name, x in zip(some, scores, strict=True)}
                step(len(found))
    return np.array([found[pair] for pair in zip(firsts, seconds, strict=True)], np.float64)


def matrix(measure: Measure, rows: Sequence[str], columns: Sequence[str], title: str) -> Floats:
    """Measure all rows against all columns."""
    made = [np.zeros((len(rows), 0))]
    with progress.shown(title, len(rows) * len(columns)) as step:
        for start in range(0, len(columns), BLOCK):
            made.append(measure.scores(rows, columns[start : start + BLOCK]))
            step(min(start + BLOCK, len(columns)) * len(rows))
    return np.concatenate(made, axis=1)
