"""What a training run is asked to do: `Plan` decides the result, `Conduct` how it comes about."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, Choice, LogUniform, validate

BEST, EVERY, LAST = "best:", "every", "last"
AUTOMATIC = ""  # of weights: the backbone's published ones, none where there are none


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Whatever decides what a run learns; two runs of one plan end in the same weights."""

    epochs: Annotated[int, "passes over the training images", AtLeast(0)] = 10
    batch: Annotated[int, "images in a step, over all processes", AtLeast(1)] = 32
    drop_last: Annotated[bool, "leave out the last batch of an epoch if it is not full"] = False
    seed: Annotated[int, "of weights, order, crops and all that a method draws", AtLeast(0)] = 0
    lr: Annotated[float, "learning rate", LogUniform(1e-5, 1)] = 0.002
    optimizer: Annotated[Literal["sgd", "adamw"], "what turns gradients into steps"] = "sgd"
    momentum: Annotated[float, "of sgd, below 1; Nesterov's where it is not 0", AtLeast(0)] = 0.9
    weight_decay: Annotated[float, "5e-4 for VGG in the papers", AtLeast(0)] = 1e-4
    undecayed: Annotated[
        Literal["none", "vectors", "tokens"],
        "what weight decay spares: nothing; biases and scales; and a transformer's tokens and"
        " positions too",
    ] = "none"
    layer_decay: Annotated[
        float, "every stage learns slower than the one behind it by this factor", AtLeast(0)
    ] = 1.0
    schedule: Annotated[
        Literal["paper", "released", "constant", "cosine"],
        "paper: multiplied by decay-factor after every decay-every epochs; released: in front of"
        " every epoch whose number, counted from 1, is a multiple of it",
    ] = "paper"
    decay_every: Annotated[int, "epochs", AtLeast(1)] = 3
    decay_factor: Annotated[float, "what the learning rate is multiplied by", AtLeast(0)] = 0.1
    lr_floor: Annotated[float, "the learning rate falls no lower", AtLeast(0)] = 0.0
    fast_layers: Annotated[
        Literal["paper", "released"], "which layers learn faster: as the paper says or its code"
    ] = "paper"
    fast_ratio: Annotated[float, "how many times faster they learn", AtLeast(0)] = 10.0
    resolution: Annotated[
        int | None, "side of the feature maps, such as 14 or 28; the backbone's first if not given"
    ] = None
    size: Annotated[
        int | None, "side of the images that the network gets; the backbone's own if not given"
    ] = None
    evaluate_every: Annotated[
        int, "epochs between evaluations, the last included; 0: none, no labels used", AtLeast(0)
    ] = 1
    protocols: Annotated[
        tuple[str, ...], "reference-v2 where there are boxes, pixels where there are masks"
    ] = ()
    keep: Annotated[
        tuple[str, ...],
        "checkpoints beside the last one: every, or best:METRIC such as best:MaxBoxAccV2, whose"
        " labels the ledger records as model-selection",
    ] = ()
    convergence: Annotated[
        Literal["finite", "below-2"],
        "a run counts as converged if its loss is finite (000), or at most 2 in the end (001)",
    ] = "finite"
    devices: Annotated[int, "processes that share every batch", AtLeast(1)] = 1
    precision: Annotated[
        Literal["32-true", "bf16-mixed", "16-mixed"], "number format of the network's layers"
    ] = "32-true"
    channels_last: Annotated[bool, "keep channels innermost in memory"] = False

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if self.momentum >= 1:
            raise UsageError(f"--momentum: {self.momentum:g} is not below 1")
        if self.decay_factor > 1:
            raise UsageError(f"--decay-factor: {self.decay_factor:g} is not from 0 to 1")
        if not 0 < self.layer_decay <= 1:
            raise UsageError(f"--layer-decay: {self.layer_decay:g} is not above 0 and at most 1")
        for kept in self.keep:
            if kept not in (EVERY, LAST) and not kept.removeprefix(BEST) != kept:
                raise UsageError(f"--keep: '{kept}' is neither last, every nor best:METRIC")
        for name, least in (("resolution", 1), ("size", 8)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"--{name}: {value} is not from {least} on")

    @property
    def criteria(self) -> tuple[str, ...]:
        """List the metrics whose best epoch is kept."""
        return tuple(kept.removeprefix(BEST) for kept in self.keep if kept.startswith(BEST))


RESOLUTIONS = Choice(14, 28)  # what the papers' search draws for networks of 224 pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """How a run behaves; nothing here changes what it learns."""

    accelerator: Annotated[Literal["auto", "cpu", "gpu"], "where it runs"] = "auto"
    threads: Annotated[int, "of PyTorch on a CPU; 0 for its own default", AtLeast(0)] = 0
    workers: Annotated[
        int | None, "threads that read photographs, 0 for none; one a processor if not given"
    ] = None
    cache: Annotated[bool, "keep decoded photographs on disk"] = True
    on_error: Annotated[
        Literal["stop", "skip"], "stop at a broken image or an empty class, or go on without it"
    ] = "stop"
    save_seconds: Annotated[float, "seconds between states saved in mid-epoch", AtLeast(0)] = 300.0
    save_steps: Annotated[int, "save the state every so many steps too; 0: do not", AtLeast(0)] = 0
    logger: Annotated[Literal["none", "tensorboard", "wandb"], "where curves go as well"] = "none"
    force: Annotated[bool, "use test labels where they may not be used, and record it"] = False
    show_progress: Annotated[bool, "tell on standard error how far it is"] = True

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if self.workers is not None and self.workers < 0:
            raise UsageError(f"--workers: {self.workers} is not from 0 on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the images are, and which of them are for what."""

    data: Annotated[str, "reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"]
    train_split: Annotated[
        str, "train, or val for a method that learns from masks, if not given"
    ] = ""
    val_split: Annotated[str, "evaluated after each epoch; the papers' train-fullsup"] = "val"
    test_split: Annotated[str, "opened by --final alone"] = "test"
    hold_out: Annotated[
        float, "share of the training split to evaluate on, where both are one split"
    ] = 0.2
    images: Annotated[Path | None, "folder that image ids are relative to"] = None
    masks: Annotated[Path | None, "folder that mask names are relative to"] = None
    ignore_value: Annotated[int | None, "mask pixels of this value count for nothing"] = None

    def __post_init__(self) -> None:
        """Refuse a share that leaves nothing."""
        if not 0 < self.hold_out < 1:
            raise UsageError(f"--hold-out: {self.hold_out:g} is not between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One run, as plain data that can be handed to another process."""

    method: str
    options: Mapping[str, Any]
    backbone: str
    weights: str
    plan: Plan
    conduct: Conduct
    out: Path


def divided(settings: Mapping[str, Any], *declared: type) -> list[dict[str, Any]]:
    """Give each dataclass the settings that are its own; refuse those that nobody knows."""
    names = [{item.name for item in fields(kind)} for kind in declared]
    unknown = [name for name in settings if not any(name in known for known in names)]
    if unknown:
        raise UsageError(f"there is no setting '{unknown[0]}' of a training run")
    return [{k: v for k, v in settings.items() if k in known} for known in names]


def as_plain(declared: Any) -> dict[str, Any]:
    """Give the fields of a dataclass as JSON would."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(declared).items()}
