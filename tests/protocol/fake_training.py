"""Trials that cost nothing: a row as the trainer writes it, made of the draw. Workers import it."""

import hashlib
import json
import os
import signal
import time
from pathlib import Path

from sightline import rows
from sightline.protocol.search_folder import place
from sightline.types import Job, LedgerEntry, ResultRow

LEDGER = LedgerEntry("data", "val", "hyperparameters", "boxes", 8, 8, (2, 2))


def trial(job: Job, folder: Path) -> ResultRow:
    """Converge unless the learning rate is high; be the better the nearer it is to .003."""
    options = job.options
    kept = place(job, folder)
    with (folder / "diary").open("a") as file:
        file.write(f"{options.get('trial', 'final')}\n")
    time.sleep(float(os.environ.get("FAKE_PAUSE", "0")))
    script = folder / f"how-{options.get('trial')}"
    if script.exists():
        how = script.read_text()
        if how.endswith("once"):
            script.unlink()
        if how.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        if how.startswith("raise"):
            raise ValueError("on demand")
    import math

    rate = options["plan"]["lr"]
    diverged = rate > 0.01
    value = 60 - 10 * abs(math.log10(rate / 0.003))
    digest = hashlib.sha256(rows.canonical(options).encode()).hexdigest()
    result = {
        "kind": "train",
        "method": options["method"],
        "options": options["options"],
        "plan": {"epochs": 1, "batch": 32, **options["plan"]},
        "status": "diverged" if diverged else "converged",
        "loss": None if diverged else rate,
        "truth": {"split": "val"},
        "train": {"images": 12},
        "metric": "MaxBoxAccV2",
        "value": value,
        "metrics": {"MaxBoxAccV2": value, "top1": 100 * rate},
        "digest": digest,
    }
    made = ResultRow(json.loads(json.dumps(result)), {"process": os.getpid()}, (LEDGER,))
    rows.save(made, kept)
    return made
