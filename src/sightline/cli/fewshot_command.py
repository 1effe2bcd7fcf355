"""`sightline fewshot`: what labels are worth, to search hyperparameters with or to learn from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from sightline.cli.output import deliver, table
from sightline.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Command:
    """Compare CAM, whose trials are chosen by k labels a class, with learning from the same labels.

    The curve starts without labels: CAM with random hyperparameters, and the center baseline for
    few-shot learning. The test split is opened for a study. The same command goes on with a study
    that was stopped.

    example:
      sightline fewshot --runs search --data pets --per-class 1 2 5 --epochs 20 --out fewshot

      method    per class  draws  mean   standard error  above center
      cam       0          8      51.20  1.10            -3.10
      ...
    """

    runs: tuple[Path, ...] = ()
    """trials of CAM: the folder of 'sightline search cam'"""
    data: str = ""
    """as for 'sightline train'"""
    out: Path | None = None
    """folder for the trained runs, the rows and the curve"""
    per_class: tuple[int, ...] = (1, 2, 5, 10)
    """labels of each class"""
    draws: int = 3
    """how often labels are drawn"""
    lr: tuple[float, ...] = (0.01,)
    """few-shot's learning rate; of several the best on a fifth of the labels"""
    epochs: int = 50
    """of few-shot's training"""
    batch: int = 32
    """of few-shot's training"""
    size: int | None = None
    """side of the images for few-shot; the backbone's own if not given"""
    backbone: str = ""
    """for few-shot; that of the trials if not given"""
    weights: str = ""
    """as for 'sightline train', for few-shot"""
    protocol: str = "reference-v2"
    """preset; pixels to measure with masks"""
    seed: int = 0
    """of draws and training"""
    val_split: str = "val"
    """whose labels are drawn"""
    test_split: str = "test"
    """opened as a study"""
    images: Path | None = None
    """folder that image ids are relative to"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    threads: int = 0
    """of PyTorch on a CPU; 0 for its own default"""
    accelerator: Literal["auto", "cpu", "gpu"] = "auto"
    """where networks run"""
    json: str = ""
    """write the curve and the labels consumed as JSON to this file, or -"""

    def run(self) -> None:
        """Measure, train, print the curve."""
        from sightline.data.ledger import as_text
        from sightline.protocol.fewshot_study import Asked, study
        from sightline.protocol.figures import few_labels
        from sightline.training.plan import Places

        if not self.runs or not self.data or not self.out:
            raise UsageError("--runs, --data and --out are needed; see 'sightline fewshot --help'")
        for place in self.runs:
            if not place.exists():
                raise UsageError(f"{place}: no such folder of trials")
        places = Places(
            data=self.data,
            val_split=self.val_split,
            test_split=self.test_split,
            images=self.images,
            masks=self.masks,
            ignore_value=self.ignore_value,
        )
        names = ("epochs", "batch", "size", "threads", "accelerator")
        asked = Asked(
            places=places,
            runs=self.runs,
            per_class=self.per_class,
            draws=self.draws,
            protocol=self.protocol,
            rates=self.lr,
            seed=self.seed,
            backbone=self.backbone,
            settings={name: getattr(self, name) for name in names} | {"weights": self.weights},
        )
        done = study(asked, self.out)
        few_labels(done.lines, done.center, self.out / "fewshot.png")
        shown = [{k: _cell(v) for k, v in _named(line).items()} for line in done.lines]
        names_of = dict.fromkeys(name for line in shown for name in line)
        text = [
            table([{name: line.get(name, "") for name in names_of} for line in shown]),
            f"center     {done.center:.2f}, the zero of the curve",
            f"few-shot   passes CAM at {done.row.result['passes_cam_at'] or 'no number of'} labels",
            *(f"labels     {line}" for line in as_text(done.row.ledger)),
            f"row        {self.out}/fewshot.row.json",
        ]
        content = {**done.row.result, "ledger": [asdict(e) for e in done.row.ledger]}
        deliver(content, "\n".join(text), self.json)


def _named(line: dict[str, object]) -> dict[str, object]:
    return {name.replace("_", " "): value for name, value in line.items()}


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
