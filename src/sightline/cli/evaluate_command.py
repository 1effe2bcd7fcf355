"""`sightline evaluate`: score maps in, the localization score out."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, make_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import tyro

from sightline import registry
from sightline.cli.options import optional_flags_of
from sightline.cli.output import deliver
from sightline.errors import UsageError
from sightline.evaluation.request import Extras, Request
from sightline.metrics.protocol import Protocol

DESCRIPTION = """\
Score a folder of score maps against a ground truth.

example:
  sightline evaluate baseline:center-gaussian data/CUB --split test

  MaxBoxAccV2 56.97, 95 % interval 56.33 to 57.73 (images resampled 1000 times, seed 0)
      IoU 30   93.86 at threshold 0.714
      IoU 50   59.72 at threshold 0.620
      IoU 70   17.33 at threshold 0.514
    mean IoU   52.80 at threshold 0.620
  ...
"""
BASELINE = "baseline:"
MAPS_ONLY = {
    item.name: item.default
    for item in fields(Request)
    if item.name in ("normalize", "interpolation", "masks", "ignore_value", "predictions")
}
SHARES = 4  # of each worker, so that none waits long for the slowest
SET_BY_OTHER_FLAGS = ("name", "ground_truth_kind", "thresholds")


@dataclass(frozen=True)
class Arguments:
    """The flags that are no part of the request itself."""

    maps: Annotated[str, tyro.conf.Positional]
    """folder of .npy or .png maps, .npz or Parquet shards, baseline:NAME, or boxes:FOLDER"""
    truth: Annotated[str, tyro.conf.Positional]
    """reference folder, COCO .json, VOC folder, image folder, .csv, or dataset:FOLDER"""
    protocol: str = ""
    """preset ('sightline list protocol'); reference-v2, or pixels for masks and with --masks"""
    against: str = ""
    """a second set of maps: adds the paired test"""
    threshold_from: str = ""
    """a number, or a result whose thresholds are used"""
    per_image: Path | None = None
    """write one line an image (.csv or .parquet), and the curve beside it"""
    per_threshold: Path | None = None
    """write ids, thresholds and the best IoU at each (.npz)"""
    out: Path | None = None
    """keep the result row in this folder; what is there is not computed again"""
    json: str = ""
    """write the result as JSON to this file, or - for standard output"""
    workers: int = 0
    """score shares of the images in so many processes; 0: in this one, with --threads"""
    engine: Literal["local", "ray"] = "local"
    """where they are; ray: the cluster that RAY_ADDRESS names, --out on a drive that all share"""
    request: Annotated[Request, tyro.conf.arg(name="settings")] = field(default_factory=Request)
    choices: tyro.conf.Suppress[Any] = None
    baseline: tyro.conf.Suppress[Any] = None

    def run(self) -> int:
        """Evaluate and print."""
        from sightline.cli.evaluation_text import as_json, as_text
        from sightline.evaluation.outputs import Files, evaluate_to_files
        from sightline.evaluation.predicted_boxes import PREFIX, evaluate_boxes

        kept = ""
        if self.maps.startswith(PREFIX):
            self._refuse_what_is_for_maps()
            row = evaluate_boxes(self.maps.removeprefix(PREFIX), self.truth, self.request)
        else:
            files = Files(self.per_image, self.per_threshold, self.out)
            with self._shards() as shards:
                extras = replace(self._extras(), shards=shards)
                row, kept = evaluate_to_files(self.maps, self.truth, self.request, extras, files)
        deliver(as_json(row), as_text(row, kept), self.json)
        return 0

    def _extras(self) -> Extras:
        return Extras(
            protocol=self.protocol,
            choices=_given(self.choices),
            baseline=_given(self.baseline),
            against=self.against or None,
            threshold_from=self.threshold_from or None,
            show_progress=True,
            keep_overlaps=bool(self.per_image or self.per_threshold),
            boxes_only="--per-threshold" if self.per_threshold else "",
        )

    @contextmanager
    def _shards(self) -> Iterator[Any]:
        """Say how shares are scored, in a folder that is gone afterwards."""
        if self.workers < 0:
            raise UsageError("--workers starts at 0")
        if not self.workers:
            if self.engine == "ray":
                raise UsageError("--engine ray goes with --workers")
            yield None
            return
        from sightline.evaluation.sharded import Shards
        from sightline.execution import Local
        from sightline.execution.ray import Ray

        if self.engine == "ray" and self.out is None:
            raise UsageError("--engine ray needs --out, on a drive that all machines share")
        engine = (
            Ray(os.environ.get("RAY_ADDRESS", ""), workers=self.workers)
            if self.engine == "ray"
            else Local(self.workers)
        )
        if self.out:
            self.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".shares-", dir=self.out) as folder:
            shares, threads = SHARES * self.workers, self.request.threads or 1
            yield Shards(engine, shares, Path(folder), threads, show_progress=True)

    def _refuse_what_is_for_maps(self) -> None:
        """Predicted boxes have no threshold, no protocol and no files."""
        names = ("protocol", "against", "threshold_from", "per_image", "per_threshold", "out")
        given = [name for name in names if getattr(self, name)]
        given += _given(self.choices)
        given += [name for name in MAPS_ONLY if getattr(self.request, name) != MAPS_ONLY[name]]
        if given:
            raise UsageError(f"--{given[0].replace('_', '-')} is for maps, not for predicted boxes")


def _given(flags: Any) -> dict[str, Any]:
    values = {item.name: getattr(flags, item.name) for item in fields(flags)} if flags else {}
    return {name: value for name, value in values.items() if value is not None}


def command(arguments: Sequence[str]) -> type:
    """Build the flags: a baseline that is named brings its own options."""
    named = next((text for text in arguments if text.startswith(BASELINE)), "")
    options: list[Any] = []
    if named:
        module = registry.load("baseline", named.removeprefix(BASELINE))
        declared = optional_flags_of(module.Options, lambda default: f"(default: {default})")
        options = [("baseline", declared, field(default_factory=declared))]
    choices = optional_flags_of(Protocol, lambda _: "", leave=SET_BY_OTHER_FLAGS)
    built = make_dataclass(
        "Evaluate",
        [
            (
                "choices",
                Annotated[
                    choices, tyro.conf.arg(name="protocol (the preset decides what is not given)")
                ],
                field(default_factory=choices),
            ),
            *options,
        ],
        bases=(Arguments,),
        frozen=True,
    )
    built.__doc__ = DESCRIPTION
    return built
