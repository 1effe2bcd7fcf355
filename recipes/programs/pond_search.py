"""Six methods, 30 trials each, on Pond: what the protocol finds where all is known.

    .venv/bin/python recipes/programs/pond_search.py --out DIR [--steps search,...]

Every step goes on where it was stopped.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from sightline.data.pond.dials import dials
from sightline.data.pond.generate import generate
from sightline.execution import Limits, Local
from sightline.protocol.search import search
from sightline.protocol.search_plan import SearchPlan, Subject

METHODS = ("cam", "has", "acol", "spg", "adl", "cutmix")
BACKBONE = "small-resnet"
NARROW = {"acol": {"width": 32}, "spg": {"width": 32}}  # 1,024 and 512 are for larger networks
COUNTS = {"train-weaksup": 240, "train-fullsup": 120, "test": 240}
DIALS = {"labels": "coarse", "centered": 0.3, "clutter": 0.1, "occlusion": 0.0, "several": 0.0}
SIZE, SEED = 48, 0
PLAN: dict[str, Any] = {
    "epochs": 6,
    "batch": 8,
    "decay_every": 5,
    "size": SIZE,
    "seed": SEED,
    "protocols": ("reference-v2",),
    "evaluate_every": 6,
    "keep": ("every",),
}
PLACES = {"train_split": "train-weaksup", "val_split": "train-fullsup", "test_split": "test"}


def make_pond(out: Path) -> Path:
    """Generate the images."""
    place = out / "pond"
    generate(place, dials("well-posed", {"size": SIZE, **DIALS}), SEED, COUNTS, 1)
    return place


def searched(out: Path, method: str, backbone: str, trials: int, **changed: Any) -> Any:
    """Search for one method."""
    subject = Subject(
        method=method,
        backbone=backbone,
        data=str(out / "pond"),
        weights="none",
        plan=PLAN,
        places=PLACES,
        options=NARROW.get(method, {}),
    )
    return search(
        subject,
        out / changed.pop("name", "search") / f"{method}-{backbone}",
        SearchPlan(trials=trials, **changed),
        engine=Local(1),
        limits=Limits(seconds=600),
        show_progress=True,
    )


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--backbone", default=BACKBONE)
    asked = parser.parse_args()
    out = asked.out.resolve()
    make_pond(out)
    for count in sorted({min(10, asked.trials), min(20, asked.trials), asked.trials}):
        for method in METHODS:
            found = searched(out, method, asked.backbone, count)
            print(method, count, found.best, found.counts(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
