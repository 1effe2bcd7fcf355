"""Six methods, 30 trials each, on Pond: a search, and all that is asked of its rows.

    .venv/bin/python recipes/programs/pond_search.py --out DIR [--trials 30] [--backbone B]

Every step goes on where it was stopped: the searches (six methods, and few-shot learning with its
own), pseudo boxes, records of epochs, final reports, a search on a proxy set, labels to search with
or to learn from. At the end rows and the artifacts that tables need are packed into one file, out
of which `pond_findings.py` makes them.
"""

import argparse
import json
import shutil
import sys
import tarfile
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sightline import rows
from sightline.cli.main import main as sightline
from sightline.data.pond.dials import dials
from sightline.data.pond.generate import generate
from sightline.errors import SightlineError
from sightline.execution import Limits, Local
from sightline.protocol import epochs
from sightline.protocol.choosing import CONVERGED
from sightline.protocol.recording import Recording, record
from sightline.protocol.search import Searched, search
from sightline.protocol.search_plan import SearchPlan, Subject
from sightline.training.localizing import final_report
from sightline.training.plan import Places, Plan
from sightline.training.run import train
from sightline.types import ResultRow

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
LEVELS = (10, 30, 50)
THRESHOLDS = 100
PROXY = 0.25
GROUP = 10  # trials of each method in turn, so that a stop leaves all of them alike
PER_CLASS = (1, 2, 5, 10)


def make_pond(out: Path) -> None:
    """Generate the images."""
    generate(out / "pond", dials("well-posed", {"size": SIZE, **DIALS}), SEED, COUNTS, 1)


def searched(
    out: Path, method: str, backbone: str, trials: int, folder: str = "search", **changed: Any
) -> Searched:
    """Search for one method."""
    places = PLACES if method != "few-shot" else {k: PLACES[k] for k in ("val_split", "test_split")}
    subject = Subject(
        method=method,
        backbone=backbone,
        data=str(out / "pond"),
        weights="none",
        plan=PLAN,
        places=places,
        options=NARROW.get(method, {}),
    )
    return search(
        subject,
        out / folder / f"{method}-{backbone}",
        SearchPlan(trials=trials, **changed),
        engine=Local(1),
        limits=Limits(seconds=600),
        show_progress=True,
    )


def search_all(out: Path, backbone: str, trials: int) -> None:
    """Search for every method, in turns."""
    for count in range(GROUP, trials + GROUP, GROUP):
        for method in METHODS:
            searched(out, method, backbone, min(count, trials))
    searched(out, "few-shot", backbone, trials)


def annotate(out: Path, backbone: str) -> dict[str, str]:
    """Make pseudo boxes, and true ones worse; the classifier is the best of CAM's at classes."""
    found = searched(out, "cam", backbone, GROUP, criterion="top1")
    places = {"ss": out / "pseudo/selective-search", "center": out / "pseudo/center"}
    common = ["--data", str(out / "pond"), "--split", "val", "--workers", "1", "--stages"]
    for place in places.values():
        flags = ["--classifier", str(found.chosen)] if place.name != "center" else []
        if not place.exists():
            run("annotate", place.name, *common, *flags, "--gallery", "0", "--out", str(place))
    noisy = out / "pseudo/noisy"
    if not noisy.exists():
        levels = [str(level) for level in LEVELS]
        run("noise", "boxes", *common[:4], "--levels", *levels, "--out", str(noisy))
    places |= {f"n{level}": noisy / f"pond-noisy-boxes-{level}" for level in LEVELS}
    return {name: str(place) for name, place in places.items()}


def run(*words: str) -> None:
    """Give a command."""
    if sightline([*words]):
        raise SystemExit(f"sightline {' '.join(words)} failed")


def record_all(out: Path, backbone: str, pseudo: dict[str, str]) -> None:
    """Measure every epoch of every trial that converged."""
    asked = Recording(pseudo=pseudo, test=True, thresholds=THRESHOLDS, show_progress=False)
    for method in METHODS:
        folder = out / "search" / f"{method}-{backbone}"
        for file in sorted(folder.glob("trials/*/train.row.json")):
            if rows.load(file).result["status"] != CONVERGED:
                continue
            try:
                record(file.parent, asked)
            except SightlineError as error:  # weights that were infinite after an epoch
                print(f"{file.parent} is left out: {error}", flush=True)


def report_all(out: Path, backbone: str, trials: int) -> None:
    """Open the test split for the choice of every method, and for what needs no search."""
    places = Places(data=str(out / "pond"), test_split=PLACES["test_split"])
    plan = Plan(protocols=PLAN["protocols"])
    conduct = {"workers": 0, "accelerator": "cpu", "on_error": "stop", "force": False}
    chosen = [searched(out, m, backbone, trials).chosen for m in (*METHODS, "few-shot")]
    untrained = out / "others" / f"random-{backbone}"
    common = {name: value for name, value in PLAN.items() if name not in ("keep", "decay_every")}
    train("random", out / "pond", backbone, untrained, weights="none", **common, **PLACES)
    for folder in (*chosen, untrained):
        if folder:
            final_report(folder, places, plan, **conduct)
    for split in ("val", "test"):
        center = ["evaluate", "baseline:center-gaussian", str(out / "pond"), "--split", split]
        run(*center, "--out", str(out / "others/center"), "--purpose", PURPOSES[split])


PURPOSES = {"val": "hyperparameters", "test": "final-report"}


def study_few_labels(out: Path, backbone: str) -> None:
    """Draw labels to search with, or to learn from."""
    folder = str(out / "search" / f"cam-{backbone}")
    words = ["--runs", folder, "--data", str(out / "pond"), "--lr", "0.001", "0.01"]
    words += ["--per-class", *map(str, PER_CLASS), "--epochs", "12", "--batch", "8"]
    run("fewshot", *words, "--size", str(SIZE), "--out", str(out / f"fewshot-{backbone}"))


KEPT = ("train", "epochs", "final-reference-v2", "fewshot", "noise")  # rows beside rows/ folders
SPARSE = 2  # of the score thresholds recorded, every other one


def pack(out: Path, file: Path) -> int:
    """Put rows, and the artifacts that tables need, into one small file."""
    count = 0
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "pond-search"
        for source in rows.find([out]):
            name = source.name.removesuffix(rows.SUFFIX)
            if name in KEPT or source.parent.name in ("rows", "center"):
                _packed(source, root / source.relative_to(out), out)
                count += 1
        with tarfile.open(file, "w:xz", preset=9) as archive:
            for path in sorted(root.rglob("*")):
                if path.is_file():
                    archive.add(path, path.relative_to(place), filter=_anonymous)
    return count


def _packed(source: Path, target: Path, out: Path) -> None:
    """Keep a row without where it was made, and of its artifacts what tables are made of."""
    row = rows.load(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    artifacts = {}
    for name in {*row.artifacts} & {"epochs", "evidence"}:
        beside = target.parent / row.artifacts[name].path
        if name == "epochs":
            epochs.save(_sparse(epochs.load(source)), beside, compressed=False)
        else:
            shutil.copyfile(source.parent / beside.name, beside)
        artifacts[name] = rows.artifact(beside, target.parent)
    known = {n: row.provenance[n] for n in ("versions", "seconds") if n in row.provenance}
    result = json.loads(json.dumps(rows.plain(row.result)).replace(f"{out}/", ""))
    rows.save(ResultRow(result, known, row.ledger, artifacts), target)


def _sparse(made: epochs.EpochRecord) -> epochs.EpochRecord:
    thin = {
        kind: {where: np.round(v[..., ::SPARSE], 2) for where, v in getattr(made, kind).items()}
        for kind in ("accuracy", "overlap")
    }
    return replace(made, thresholds=made.thresholds[::SPARSE], **thin)


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def main() -> int:
    """Do all steps, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--backbone", default=BACKBONE)
    parser.add_argument("--steps", default="search,record,report,proxy,fewshot,pack")
    asked = parser.parse_args()
    out, backbone, trials = asked.out.resolve(), asked.backbone, asked.trials
    make_pond(out)
    steps = asked.steps.split(",")
    if "search" in steps:
        search_all(out, backbone, trials)
    if "record" in steps:
        record_all(out, backbone, annotate(out, backbone))
    if "report" in steps:
        report_all(out, backbone, trials)
    if "proxy" in steps:
        searched(out, "cam", backbone, trials, "proxy", proxy=PROXY)
    if "fewshot" in steps:
        study_few_labels(out, backbone)
    if "pack" in steps:
        file = Path(__file__).parents[1] / f"rows/pond-search-{backbone}.tar.xz"
        print(f"{pack(out, file)} rows in {file}, {file.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
