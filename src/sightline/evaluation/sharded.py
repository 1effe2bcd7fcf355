"""Maps scored by several processes, or machines: shares of the images, merged exactly.

Each share is a job whose row says what it met and whose artifact holds what it collected. The
merged result is that of one pass, whatever the number of shares.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sightline import execution, rows
from sightline.data.ledger import Ledger
from sightline.errors import Problem, SightlineError
from sightline.evaluation.evaluate import ranks_of, source_of, truth_of
from sightline.evaluation.measuring import Preparation, Tally
from sightline.evaluation.request import Request
from sightline.evaluation.scoring import Conduct, Scored, open_labels, refuse_empty, score
from sightline.metrics import states
from sightline.metrics.protocol import Protocol
from sightline.types import Job, ResultRow


@dataclass(frozen=True, slots=True)
class Asked:
    """What is scored, as plain data."""

    maps: str
    truth: str
    request: Request
    protocol: Protocol
    baseline: Mapping[str, Any]
    keep_overlaps: bool = False


@dataclass(frozen=True, slots=True)
class Shards:
    """Into how many shares, and where they are scored; the folder is for this call alone."""

    engine: execution.Engine
    count: int
    folder: Path
    threads: int = 1
    show_progress: bool = False

    def score(self, asked: Asked) -> Scored:
        """Score all shares and merge them."""
        work = partial(score_share, asked=asked)
        described = rows.plain(
            {
                **{name: getattr(asked, name) for name in ("maps", "truth")},
                "baseline": dict(asked.baseline),
                "request": asdict(asked.request),
                "protocol": asked.protocol.as_dict(),
                "overlaps": asked.keep_overlaps,
            }
        )
        jobs = [
            Job("share", {**described, "share": share, "of": self.count}, threads=self.threads)
            for share in range(self.count)
        ]
        with execution.claimed(self.folder):
            finished = execution.finish(
                jobs,
                work,
                self.folder,
                self.engine,
                place=place,
                title="shares",
                show_progress=self.show_progress,
            )
            for failure in finished.failures:
                raise SightlineError(failure.reason)
            return _merged(finished.rows, asked, self.folder)


def place(job: Job, folder: Path) -> Path:
    """Tell where a share is kept: not among the rows, for it is none that anyone should count."""
    return folder / f"share-{rows.job_id(job)}.json"


def score_share(job: Job, folder: Path, *, asked: Asked) -> ResultRow:
    """Score the images of one share, and keep what was collected beside the row."""
    request, skip = asked.request, asked.request.on_error == "skip"
    known = truth_of(asked.truth, request, skip)
    labels = open_labels(known, asked.protocol, request.purpose, Ledger(), force=request.force)
    scored = score(
        source_of(asked.maps, asked.baseline),
        labels,
        Preparation(request.normalize, request.interpolation),
        ranks_of(known, request, skip)[0],
        Conduct(skip, job.threads, False, asked.keep_overlaps),
        share=(job.options["share"], job.options["of"]),
    )
    file = folder / f"share-{rows.job_id(job)}.npz"
    more = {}
    if scored.overlaps:
        ids = scored.accumulator.records.ids
        more["overlaps"] = np.stack([scored.overlaps[str(image)] for image in ids])
    states.save(scored.accumulator, file, **more)
    result = {
        "share": job.options["share"],
        "warnings": dict(scored.tally.warnings),
        "problems": [asdict(problem) for problem in scored.tally.problems],
    }
    return ResultRow(result, artifacts={"state": rows.artifact(file, folder)})


def _merged(parts: list[ResultRow], asked: Asked, folder: Path) -> Scored:
    tally, overlaps = Tally(), dict[str, Any]()
    whole: Any = None
    for row in parts:
        file = folder / row.artifacts["state"].path
        part, more = states.load(asked.protocol, file)
        if "overlaps" in more:
            overlaps |= dict(zip(map(str, part.records.ids), more["overlaps"], strict=True))
        if whole is None:
            whole = part
        else:
            whole.merge(part)
        tally.warnings.update(row.result["warnings"])
        tally.problems.extend(Problem(**problem) for problem in row.result["problems"])
    scored = Scored(whole, tally, overlaps)
    refuse_empty(scored)
    return scored
