"""Weights into a network: read, recognised, filled in, and told tensor by tensor.

    weights = read("resnet50", "imagenet")    # or a file; `none` for random ones
    report = fill(method, weights)            # or a backbone alone

Files may follow torchvision's naming, timm's where it differs, or our own.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast, get_args

import torch
from torch import Tensor, nn

from sightline import registry
from sightline.backbones._sources import read_file, read_published
from sightline.backbones.assembly import OF_BACKBONE, build, module_of
from sightline.backbones.contract import Backbone, Design, Neck
from sightline.errors import SightlineError, UsageError

NONE = "none"
ENOUGH = 0.9  # share of tensors that must agree for weights to be of the same architecture
COUNTER = "num_batches_tracked"  # of batch normalization; old files lack it
CLASSIFIER = ("classifier.weight", "classifier.bias")
SHOWN = 3  # names in a line

Shape = tuple[str, torch.Size]  # of a tensor, by name


@dataclass(frozen=True)
class Weights:
    """Tensors under the names of a method's network: `backbone.stages.STAGE...`, `classifier...`.

    The hash covers names, types, shapes and values, so that the same weights in another format or
    naming have the same one.
    """

    backbone: str
    source: str
    tensors: Mapping[str, Tensor]
    left_out: tuple[str, ...]  # of the file, by its own names: what the backbone does without
    sha256: str


@dataclass(frozen=True, slots=True)
class Report:
    """What became of each tensor."""

    backbone: str
    source: str
    sha256: str
    loaded: tuple[str, ...]
    new: tuple[str, ...]  # layers that weights are not expected to have
    missing: tuple[str, ...]  # published layers that these weights lack
    mismatched: tuple[str, ...]  # as `NAME (200, 512) for (1000, 512)`
    unexpected: tuple[str, ...]  # known to nobody
    left_out: tuple[str, ...]  # known, and not part of this network
    classifier: str  # where the classifier comes from

    def __str__(self) -> str:
        """Tell it in a few lines."""
        if not self.loaded:
            return f"weights of {self.backbone}: random"
        origin = f"weights of {self.backbone} from {self.source} (sha256 {self.sha256[:8]})"
        lists = {
            "MISSING, left at random": self.missing,
            "OTHER SHAPE, left at random": self.mismatched,
            "UNEXPECTED, not used": self.unexpected,
            "new, at random": self.new,
            "not part of this network": self.left_out,
        }
        head = f"{origin}: {len(self.loaded)} tensors; classifier {self.classifier}"
        return "\n".join([head, *(f"  {k}: {_few(v)}" for k, v in lists.items() if v)])


def read(backbone: str, source: str) -> Weights:
    """Read weights for a backbone.

    Args:
        backbone: its registered name.
        source: `none`, a published name such as `imagenet`, or a file.
    """
    if source == NONE:
        return Weights(backbone, source, {}, (), digest({}))
    published = getattr(module_of(backbone), "PUBLISHED", {})
    if source not in published and not Path(source).exists():
        known = ", ".join([NONE, *published])
        raise UsageError(f"no weights '{source}' for {backbone}: neither {known} nor a file")
    place = published.get(source)
    found = read_published(place) if place else read_file(Path(source))
    _refuse_a_variant(backbone, source, found)
    tensors, left_out = _named(backbone, found)
    _refuse_another_architecture(backbone, source, found, tensors)
    _refuse_what_is_no_number(source, tensors)
    return Weights(backbone, source, tensors, left_out, digest(tensors))


def fill(network: nn.Module, weights: Weights, *, whole: bool = False) -> Report:
    """Copy weights into a network, and report.

    Args:
        network: a method or a backbone.
        weights: as `read` gives them.
        whole: whether nothing may be left at random, as when a trained network is evaluated.
    """
    inner = network if isinstance(network, Backbone) else network.get_submodule("backbone")
    targets = {_own(name): tensor for name, tensor in network.state_dict().items()}
    given = _fitting(targets, weights.tensors)
    report = _report(weights, cast(Backbone, inner), targets, given)
    if whole:
        _refuse_partial(report)
    with torch.no_grad():
        for name in report.loaded:
            targets[name].copy_(given[name])
    return report


def digest(tensors: Mapping[str, Tensor]) -> str:
    """Hash names, types, shapes and bytes, in the order of the names."""
    hashed = hashlib.sha256()
    for name in sorted(tensors):
        flat = tensors[name].detach().cpu().contiguous()
        hashed.update(f"{name} {flat.dtype} {tuple(flat.shape)}\n".encode())
        hashed.update(flat.reshape(-1).view(torch.uint8).numpy().data)
    return hashed.hexdigest()


def _named(backbone: str, found: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    """Bring tensors under our names, and tell which the backbone does without."""
    before = next((k.partition(OF_BACKBONE)[0] for k in found if OF_BACKBONE in k), None)
    if before is not None:  # a checkpoint of a run, maybe with a prefix and more beside
        own = {k: v for k, v in found.items() if k.startswith(before)}
        beside = tuple(k for k in found if k not in own)
        return {k.removeprefix(before): v for k, v in own.items()}, beside
    if any(name.startswith("stages.") for name in found):
        return {_own(name): tensor for name, tensor in found.items()}, ()
    module = module_of(backbone)
    tensors: dict[str, Tensor] = {}
    left_out = []
    for name, tensor in found.items():
        renamed = module.reorganized({name: tensor})
        tensors |= {_own(new): values for new, values in renamed.items()}
        left_out += [] if renamed else [name]
    return tensors, tuple(left_out)


def _own(name: str) -> str:
    return f"backbone.{name}" if name.startswith("stages.") else name


def _fitting(targets: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Leave out a classifier that does not fit; a linear one fits a 1x1 convolution."""
    weight = CLASSIFIER[0]
    known = (
        [tensors[weight], targets[weight]] if {weight} <= targets.keys() & tensors.keys() else []
    )
    if not known or _bare(known[0]) != _bare(known[1]):
        return {name: tensor for name, tensor in tensors.items() if name not in CLASSIFIER}
    return {**tensors, weight: known[0].reshape(known[1].shape)}


def _bare(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape[:2]) if all(side == 1 for side in tensor.shape[2:]) else tensor.shape


def _report(
    weights: Weights, backbone: Backbone, targets: Mapping[str, Tensor], given: Mapping[str, Tensor]
) -> Report:
    stages = tuple(f"backbone.stages.{stage}." for stage in backbone.roles.new)
    loaded = [k for k in targets if k in given and given[k].shape == targets[k].shape]
    absent = [k for k in targets if k not in given and not k.endswith(COUNTER)]
    other = [k for k in targets if k in given and k not in loaded]
    new = [k for k in absent if not k.startswith("backbone.") or k.startswith(stages)]
    stray = [k for k in given if k not in targets and not k.endswith(COUNTER)]
    return Report(
        backbone=weights.backbone,
        source=weights.source,
        sha256=weights.sha256,
        loaded=tuple(loaded),
        new=tuple(new),
        missing=tuple(k for k in absent if k not in new),
        mismatched=tuple(f"{k} {_shape(given[k])} for {_shape(targets[k])}" for k in other),
        unexpected=tuple(stray),
        left_out=weights.left_out
        + tuple(k for k in CLASSIFIER if k in weights.tensors.keys() - given),
        classifier=_classifier(targets, weights.tensors),
    )


def _classifier(targets: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> str:
    """Say where the classifier comes from."""
    name = CLASSIFIER[0]
    if name not in targets:
        return "not taken over"
    if name not in given:
        return "new: none in these weights"
    wanted, found = _bare(targets[name]), _bare(given[name])
    if wanted[0] != found[0]:
        return f"new: {wanted[0]} classes, the weights have {found[0]}"
    if wanted != found:
        return f"new: {wanted[1]} features, the weights have {found[1]}"
    return f"from the weights, {wanted[0]} classes"


def _refuse_a_variant(backbone: str, source: str, found: Mapping[str, Tensor]) -> None:
    """Refuse what the backbone itself knows not to be its own."""
    refusal = getattr(module_of(backbone), "refusal", lambda found: "")(found)
    if refusal:
        raise SightlineError(f"{source}: weights {refusal}")


def _refuse_another_architecture(
    backbone: str, source: str, found: Mapping[str, Tensor], tensors: Mapping[str, Tensor]
) -> None:
    share = _agreement(backbone, tensors)
    if share >= ENOUGH:
        return
    others = [name for name in registry.names("backbone") if name != backbone]
    like = [name for name in others if _agreement(name, _named(name, found)[0]) >= ENOUGH]
    what = f"looks like {like[0]}" if like else f"{share:.0%} of the tensors agree"
    raise SightlineError(f"{source}: weights of another architecture than {backbone}: {what}")


def _agreement(backbone: str, tensors: Mapping[str, Tensor]) -> float:
    """Compare names and shapes with those of the backbone, with the neck that agrees best."""
    ours = any(name.startswith(OF_BACKBONE) for name in tensors)
    given = _shapes({k: v for k, v in tensors.items() if k.startswith(OF_BACKBONE) or not ours})
    return max(len(given & wanted) / len(given | wanted) for wanted in _expected(backbone))


@cache
def _expected(backbone: str) -> tuple[set[Shape], ...]:
    """Give names and shapes of a backbone's tensors with each neck."""
    found = []
    for neck in get_args(Neck):
        with torch.device("meta"):
            empty = build(backbone, design=Design(neck=neck))
        found.append(_shapes({_own(name): v for name, v in empty.state_dict().items()}))
    return tuple(found)


def _shapes(tensors: Mapping[str, Tensor]) -> set[Shape]:
    """Give names and shapes, without the classifier's and the counters."""
    return {
        (name, tensor.shape)
        for name, tensor in tensors.items()
        if not name.endswith(COUNTER) and name not in CLASSIFIER
    }


def _refuse_partial(report: Report) -> None:
    """Refuse to leave anything at random."""
    if report.classifier.startswith("new:"):
        raise SightlineError(
            f"{report.source}: cannot classify here ({report.classifier.removeprefix('new: ')})"
        )
    lacking = [*report.missing, *report.mismatched, *report.new]
    if lacking:
        raise SightlineError(f"{report.source}: does not fill {_few(lacking)}")


def _refuse_what_is_no_number(source: str, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise SightlineError(
                f"{source}: {name} holds NaN or infinite values; give whole weights"
            )


def _shape(tensor: Tensor) -> str:
    return "x".join(map(str, tensor.shape)) or "one value"


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
