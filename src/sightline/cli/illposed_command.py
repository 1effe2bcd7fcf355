"""`sightline illposed`: when class labels are not enough to localize, as an experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sightline.cli.output import deliver, table
from sightline.errors import UsageError

if TYPE_CHECKING:
    from sightline.illposedness.lab import Point, Training
    from sightline.types import LedgerEntry, ResultRow

HOMES = (0.2, 0.5, 0.7, 0.75, 0.8, 0.85, 0.95)
ROW = "illposed"


@dataclass(frozen=True)
class Command:
    """Posterior ratio of object and background cues, and the pixel accuracy that follows from it.

    On Pond: worlds that differ by p(home background | class), as the paper's p(water | duck); the
    true posterior is known there. `--train` trains a CAM in each of them, `--remedies` tries the
    paper's two. Of any other data: maps of cues (PNG) with `cues.csv` (cue,value), beside masks.

    example:
      sightline illposed --out lab
      sightline illposed photos --split val --cues photos/cues

      p(home|class)  ratio  least for  separable  posterior  all background
      0.2            4.00   flamingo   16 of 16   100.00     81.24
      ...
    """

    data: Annotated[str, tyro.conf.Positional] = "pond"
    """pond, with dials as in pond:scale=0.8, or data with masks and --cues"""
    homes: tuple[float, ...] = HOMES
    """on Pond: values of p(home background | class)"""
    train: int = 0
    """on Pond: train a CAM for so many epochs in each world; 0 trains none"""
    remedies: bool = False
    """on Pond: show seldom seen object cues more often, and add images of background alone"""
    cues: Path | None = None
    """folder of maps of cues, called as the images, with cues.csv"""
    split: str = ""
    """name of the split, with --cues"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    out: Path | None = None
    """folder for the row, the figure and, with --train, the runs"""
    force: bool = False
    """use labels where they may not be used, and record it"""
    json: str = ""
    """write the result as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Measure, and tell."""
        from sightline.data.pond.place import is_pond

        if self.cues:
            return self._of_data(self.cues)
        if not is_pond(self.data):
            raise UsageError(f"{self.data}: is not Pond; name maps of its cues with --cues")
        if self.train and not self.out:
            raise UsageError("--train keeps its runs; name a folder with --out")
        if not self.homes or not all(0 <= home <= 1 for home in self.homes) or self.train < 0:
            raise UsageError("--homes are probabilities, --train is a number of epochs")
        return self._of_pond()

    def _of_pond(self) -> None:
        from sightline.data.pond.place import parsed
        from sightline.illposedness import lab

        given, numbers = parsed(self.data)
        dials = lab.unlike(given)
        training = self._training()
        points = lab.sweep(dials, self.homes, training=training, **numbers)
        tried: Mapping[str, Point] = {}
        if self.remedies:
            tried = lab.remedies(dials, training=training, **numbers)
        result = {
            "kind": ROW,
            "place": self.data,
            "points": [_plain(point) for point in points],
            "remedies": {name: _plain(point) for name, point in tried.items()},
            "settings": {"epochs": self.train, **lab.SETTINGS} if self.train else {},
        }
        ledger = [entry for point in (*points, *tried.values()) for entry in point.ledger]
        row = self._kept(result, ledger)
        lines = [_line(point) for point in points]
        parts = [table(lines)]
        if tried:
            parts += ["", table([{"remedy": name, **_line(p)} for name, p in tried.items()])]
        note = "separable: classes whose ratio is above 1; accuracies are means over classes"
        deliver(row.result, "\n".join([*parts, note, *self._written()]), self.json)

    def _training(self) -> "Training | None":
        from sightline.illposedness.lab import Training

        return Training(self.out / "runs", self.train) if self.train and self.out else None

    def _of_data(self, cues: Path) -> None:
        from sightline.data.ledger import Ledger, as_text
        from sightline.data.truth import read_truth
        from sightline.illposedness.cues import read_cues

        ledger = Ledger()
        truth = read_truth(self.data, split=self.split, masks=self.masks)
        world = read_cues(truth, cues, ledger, force=self.force)
        lines = []
        for label, name in enumerate(world.classes):
            if not world.images[label] or not _both(world, label):
                continue
            found, best = world.verdict(label), world.best(label)
            lines.append(
                {
                    "class": name,
                    "ratio": found.ratio,
                    "weakest": world.cues[found.weakest],
                    "strongest": world.cues[found.strongest],
                    "above": found.above,
                    "up_to": found.up_to,
                    "px_acc": 100 * best.value,
                }
            )
        if not lines:
            raise UsageError(
                f"{cues}: no class shows a cue of its object and one of the background"
            )
        result = {
            "kind": ROW,
            "truth": {"dataset": truth.split.dataset, "fingerprint": truth.fingerprint},
            "classes": lines,
            "strayed": world.strayed,
        }
        row = self._kept(result, ledger.entries)
        shown = [{key: _number(value) for key, value in line.items()} for line in lines]
        strayed = f"{100 * world.strayed:.1f} % of pixels are not what most of their cue are"
        told = [table(shown), strayed, *(f"labels   {line}" for line in as_text(ledger.entries))]
        deliver(row.result, "\n".join([*told, *self._written()]), self.json)

    def _kept(self, result: dict[str, Any], ledger: "Sequence[LedgerEntry]") -> "ResultRow":
        from sightline import provenance, rows
        from sightline.protocol.illposed_layout import drawn
        from sightline.types import ResultRow

        row = ResultRow(result, provenance.now(), tuple(dict.fromkeys(ledger)))
        if self.out:
            rows.save(row, self.out / f"{ROW}{rows.SUFFIX}")
            if result.get("points"):
                drawn(result, self.out / f"{ROW}.png")
        return row

    def _written(self) -> list[str]:
        return [f"written  {self.out}"] if self.out else []


def _both(world: Any, label: int) -> bool:
    """Tell whether images of a class show cues of both kinds."""
    seen = world.foreground[world.pixels[:, label] > 0]
    return bool(seen.any() and not seen.all())


def _plain(point: "Point") -> dict[str, Any]:
    found = asdict(point)
    del found["ledger"]
    return found


def _line(point: "Point") -> dict[str, str]:
    shown = {
        "p(home|class)": f"{point.home:g}",
        "alike": f"{point.alike:g}",
        "ratio": f"{point.ratio:.2f}",
        "least for": point.limiting,
        "separable": f"{point.separable} of {point.classes}",
        "posterior": f"{point.posterior:.2f}",
        "all background": f"{point.background:.2f}",
    }
    return shown if point.cam is None else {**shown, "cam": f"{point.cam:.2f}"}


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
