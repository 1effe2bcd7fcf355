"""What can be asked of an evaluation: one declaration for Python calls and for flags."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sightline.data.ledger import Purpose
from sightline.errors import UsageError, refuse_unlisted
from sightline.metrics.score_maps import Interpolation, Normalization
from sightline.metrics.statistics import RESAMPLES


@dataclass(frozen=True, slots=True)
class Request:
    """The plain settings of an evaluation, with their defaults."""

    split: str = ""
    """name of the split, and its subfolder if there is one"""
    normalize: Normalization = "none"
    """bring each map to [0, 1] first"""
    interpolation: Interpolation = "cubic"
    """how maps are resized, with --evaluation-size"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    predictions: Path | None = None
    """CSV of image,class,class,... best first: adds top-1 and top-5 localization"""
    purpose: Purpose = "final-report"
    """what the labels are used for, as the ledger records it"""
    force: bool = False
    """use test labels for that purpose all the same, and record it"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at bad input, or go on without it and count it"""
    seed: int = 0
    """of the resampling"""
    resamples: int = RESAMPLES
    """for intervals and tests"""
    threads: int = 0
    """0 uses every processor"""

    def __post_init__(self) -> None:
        """Refuse choices that do not exist and numbers that mean nothing."""
        refuse_unlisted(self)
        for name, least in (("seed", 0), ("resamples", 1), ("threads", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name} {getattr(self, name)}: give a number from {least} on")


@dataclass(frozen=True, slots=True)
class Extras:
    """What goes with a request but is no plain setting."""

    protocol: Any = ""  # a preset's name or a Protocol; empty: by the kind of ground truth
    choices: Mapping[str, Any] = field(default_factory=dict)  # protocol choices that differ
    baseline: Mapping[str, Any] = field(default_factory=dict)  # options of `baseline:NAME`
    against: Any = None  # a second set of maps
    threshold_from: Any = None  # a number, a row, or a row's file
    show_progress: bool = False
    keep_overlaps: bool = False
    shards: Any = None  # how maps are scored in shares, if they are; changes no result
    boxes_only: str = ""  # a flag that is given and means nothing for masks
