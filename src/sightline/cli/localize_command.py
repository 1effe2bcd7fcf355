"""`sightline localize`: the score maps of a run, to disk or straight into the evaluator."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from sightline.cli.output import deliver
from sightline.data.ledger import Purpose
from sightline.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Command:
    """Make the score maps of a trained run: to disk, into the evaluator, or both in one pass.

    example:
      sightline localize run --data pets --split test --out maps

      925 images, 925 maps in maps (float16), classes in maps/predictions.csv
      Next: sightline evaluate maps pets --split test --predictions maps/predictions.csv
    """

    run_folder: Annotated[Path, tyro.conf.Positional]
    """the folder that 'sightline train' was given as --out"""
    data: str = ""
    """as for 'sightline train'"""
    split: str = ""
    """name of the split"""
    out: Path | None = None
    """folder for the maps and predictions.csv; none are kept if not given"""
    evaluate: bool = False
    """score the maps in memory, before they are rounded for the disk"""
    checkpoint: str = "last"
    """last, best:METRIC or epoch-NUMBER"""
    classes: Literal["gt-known", "top-1", "top-5"] = "gt-known"
    """whose maps are kept: the true class's, or those of the likeliest classes"""
    numbers: Literal["float16", "uint8"] = "float16"
    """how a score is kept; of uint8, 255 stands for 1"""
    protocols: tuple[str, ...] = ()
    """with --evaluate; reference-v2 where there are boxes, pixels where there are masks"""
    purpose: Purpose = "final-report"
    """with --evaluate: what the labels are used for, as the ledger records it"""
    force: bool = False
    """use test labels for that purpose all the same, and record it"""
    images: Path | None = None
    """folder that image ids are relative to"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    batch: int = 32
    """images at a time"""
    workers: int | None = None
    """threads that read photographs; one a processor if not given"""
    accelerator: Literal["auto", "cpu", "gpu"] = "auto"
    """where the network runs"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at a broken image, or leave it out and list it"""
    json: str = ""
    """write the result as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Localize, and say what was made."""
        from sightline.data.dataset import read_dataset
        from sightline.training.localizing import Localizing, localize_run
        from sightline.training.trained import load_run

        if not self.data:
            raise UsageError("--data is missing; see 'sightline localize --help'")
        if self.out is None and not self.evaluate:
            raise UsageError("nothing to do: name a folder with --out, or pass --evaluate")
        trained = load_run(self.run_folder, self.checkpoint)
        dataset = read_dataset(
            self.data,
            split=self.split,
            images=self.images,
            masks=self.masks,
            ignore_value=self.ignore_value,
            skip_problems=self.on_error == "skip",
        )
        shared = (
            "checkpoint",
            "classes",
            "numbers",
            "batch",
            "workers",
            "accelerator",
            "evaluate",
            "protocols",
            "purpose",
            "force",
            "on_error",
        )
        asked = Localizing(**{name: getattr(self, name) for name in shared})
        found = localize_run(trained, dataset, out=self.out, asked=asked)
        deliver(self._as_json(found), self._as_text(found), self.json)

    def _as_json(self, found: object) -> dict[str, object]:
        from sightline.cli.evaluation_text import as_json
        from sightline.training.localizing import Found

        assert isinstance(found, Found)
        return {
            "images": found.images,
            "maps": found.maps,
            "out": self.out,
            "left_out": list(map(str, found.problems)),
            "results": [as_json(row) for row in found.rows],
        }

    def _as_text(self, found: object) -> str:
        from sightline.cli.evaluation_text import as_text
        from sightline.training.localizing import Found

        assert isinstance(found, Found)
        lines = [as_text(row) for row in found.rows]
        if self.out:
            lines.append(
                f"{found.images} images, {found.maps} maps in {self.out} ({self.numbers}), classes"
                f" in {self.out / 'predictions.csv'}"
            )
            lines += [f"  left out   {problem}" for problem in found.problems]
        if self.out and self.classes == "gt-known":
            split = f" --split {self.split}" if self.split else ""
            scale = " --normalize max" if self.numbers == "uint8" else ""
            lines.append(
                f"Next: sightline evaluate {self.out} {self.data}{split}{scale}"
                f" --predictions {self.out / 'predictions.csv'}"
            )
        return "\n".join(lines)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    from importlib.util import find_spec

    from sightline.errors import SightlineError

    if not find_spec("torch"):
        raise SightlineError("networks need PyTorch: pip install 'sightline[torch]'")
    return Command
