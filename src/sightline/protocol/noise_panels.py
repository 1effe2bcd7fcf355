"""What noise does to selection: the numbers behind the four panels of 003 Figure 4, and 004 S6.

A record may hold its validation split at several levels of noise as pseudo ground truths. At each
level every configuration chooses its epoch anew; the test split says what that is worth.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.protocol.criteria import Criterion
from sightline.protocol.epochs import TRUTH, EpochRecord
from sightline.protocol.selection import best_epoch, on_test

LEVEL = re.compile(r"sightline noise (boxes|masks), (\d+) %")


def levels(record: EpochRecord) -> dict[int, str]:
    """Find the sources that are ground truths made worse, by level."""
    found = {}
    for source, mark in record.facts.get("pseudo", {}).items():
        matched = LEVEL.match(str(mark))
        if matched and source in record.sources():
            found[int(matched[2])] = source
    return dict(sorted(found.items()))


def panels(records: Sequence[EpochRecord], metric: str) -> list[dict[str, Any]]:
    """Give a line a level, 0 for the ground truth itself, over the epochs that it chooses.

    Each line holds the test score's mean, standard deviation, least and greatest over
    configurations, the epochs chosen, and how many epochs later than by the ground truth.
    """
    truth = Criterion(TRUTH, metric)
    by_truth = [best_epoch(record, truth) for record in records]
    shared = set(levels(records[0]).items())
    for record in records:
        shared &= set(levels(record).items())
    lines = []
    for level, source in [(0, TRUTH), *sorted(shared)]:
        criterion = Criterion(source, metric)
        chosen = [best_epoch(record, criterion) for record in records]
        line: dict[str, Any] = {"level": level, "source": source, "configurations": len(records)}
        if all(record.has_test for record in records):
            tests = np.array(
                [
                    on_test(record, position, criterion, "TT")[metric]
                    for record, position in zip(records, chosen, strict=True)
                ]
            )
            line |= {
                "mean": float(tests.mean()),
                "std": float(tests.std(ddof=1)) if len(tests) > 1 else float("nan"),
                "min": float(tests.min()),
                "max": float(tests.max()),
            }
        line["epochs"] = [int(r.epochs[i]) for r, i in zip(records, chosen, strict=True)]
        line["later"] = [
            int(r.epochs[i] - r.epochs[j])
            for r, i, j in zip(records, chosen, by_truth, strict=True)
        ]
        lines.append(line)
    return lines if len(lines) > 1 else []
