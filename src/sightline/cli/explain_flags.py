"""The flags of `sightline explain`: its own, and the options of the explainers that are named."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, get_args, get_origin, get_type_hints

import tyro

from sightline.data.ledger import Purpose
from sightline.errors import UsageError

Channels = tuple[float, float, float]
NO_ONE = "none"


@dataclass(frozen=True, kw_only=True)
class Flags:
    """The flags that do not depend on the explainers."""

    explainers: tyro.conf.Positional[tuple[str, ...]] = ()
    """which ones; 'sightline list explainer' tells all"""
    data: str = ""
    """reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"""
    split: str = ""
    """name of the split"""
    runs: Annotated[tuple[Path, ...], tyro.conf.arg(name="run")] = ()
    """run or search folder; of several runs of a backbone --choose picks one"""
    models: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(name="model", metavar="MODEL")
    ] = ()
    """or a .pt2, TorchScript or .onnx file, or FILE.py:NAME; being a program, one you trust"""
    labels: Literal["given", "predicted"] = "given"
    """whose evidence is looked for: the class in the data, or the likeliest one"""
    against: str = "cam"
    """what each is tested against; none for no test"""
    subset: int = 0
    """take this many images alone, evenly spaced; 0 for all"""
    choose: Literal["cam", "own"] = "cam"
    """of several runs: all explain CAM's best one, or each explainer its own best one"""
    choose_split: str = "val"
    """the split that chooses among several runs"""
    grid_blur: tuple[int, ...] = ()
    """score every explainer for each of these blurs"""
    grid_samples: tuple[int, ...] = ()
    """and for each of these N"""
    out: Path | None = None
    """folder for maps and rows of each explainer, and for the picture of a grid"""
    checkpoint: str = "last"
    """of a run: last, best:METRIC or epoch-NUMBER"""
    layer: str = ""
    """module whose features are weighted, where the last stage is not what is wanted"""
    size: Annotated[int, tyro.conf.arg(metavar="PIXELS")] = 224
    """side of the square that photographs are warped to, with --model"""
    mean: Channels = (0.485, 0.456, 0.406)
    """of the input's normalization, with --model"""
    std: Channels = (0.229, 0.224, 0.225)
    """of the input's normalization, with --model"""
    protocols: tuple[str, ...] = ()
    """reference-v2 where there are boxes, pixels where there are masks, unless told"""
    purpose: Purpose = "study"
    """what the labels are used for, as the ledger records it"""
    force: bool = False
    """use test labels for that purpose all the same, and record it"""
    images: Path | None = None
    """folder that image ids are relative to"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    batch: int = 16
    """images at a time"""
    workers: int | None = None
    """threads that read photographs; one a processor if not given"""
    resamples: int = 1000
    """for intervals and tests"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at a broken image or map, or leave it out and list it"""
    json: str = ""
    """write the results as JSON to this file, or - for standard output"""
    options: tyro.conf.Suppress[Any] = None

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.runs and self.models:
            raise UsageError("--run and --model are two networks; name one")
        for name, least in (("subset", 0), ("batch", 1), ("resamples", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name} {getattr(self, name)}: give a number from {least} on")
        if not 32 <= self.size <= 2048:
            raise UsageError("--size is from 32 to 2048")
        if not all(s > 0 for s in self.std):
            raise UsageError("--std takes three positive numbers")

    def given(self) -> dict[str, Any]:
        """Give the options of explainers that are set."""
        known = fields(self.options) if self.options else ()
        values = {item.name: getattr(self.options, item.name) for item in known}
        return {name: value for name, value in values.items() if value is not None}


def optional(names: Sequence[str]) -> type:
    """Make flags of the options that any of the explainers has, unset unless given."""
    from sightline.explaining.explainers import options_of

    flags = []
    for name, (declared, item) in options_of(names).items():
        kind, text = get_args(get_type_hints(declared, include_extras=True)[name])[:2]
        kind = get_args(kind)[0] if get_args(kind) and not _is_literal(kind) else kind
        shown = tyro.conf.arg(help=text, help_behavior_hint=f"(default: {item.default})")
        flag: Any = Annotated[Optional[kind], shown]  # noqa: UP045
        flag = Annotated[flag, tyro.conf.FlagConversionOff] if kind is bool else flag
        flags.append((name, flag, field(default=None)))
    return make_dataclass("Options", flags, frozen=True)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal
