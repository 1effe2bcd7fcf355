"""The one lookup mechanism: a name is a file, or an entry point of another package.

Names are known without importing anything; what a name stands for is imported when it is chosen.
What a listing shows (title, paper, options) is read from the file's text, so that it works where a
file's own requirements are missing.
"""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from sightline import outlines
from sightline.errors import SightlineError, UsageError

PACKAGES: Mapping[str, str] = {
    "protocol": "metrics/protocols",
    "format": "data/formats",
    "dataset": "data/datasets",
    "layout": "data/layouts",
    "baseline": "evaluation/baselines",
    "builder": "data/build/recipes",
    "species": "data/pond/species",
    "backbone": "backbones",
    "method": "methods",
    "explainer": "attribution",
    "annotator": "annotators",
    "ordering": "parts/orderings",
    "content": "parts/contents",
    "classifier": "parts/classifiers",
    "similarity": "parts/similarity",
}
NEEDED: Mapping[str, tuple[str, ...]] = {  # what a module of a kind must have
    "protocol": ("PROTOCOL",),
    "format": ("recognises", "read"),
    "dataset": ("DATASET",),
    "layout": ("splits", "read"),
    "baseline": ("Options", "score_map"),
    "builder": ("Options", "make"),
    "species": ("SPECIES",),
    "backbone": ("build", "reorganized", "fast_layers"),
    "method": ("Options", "Method"),
    "explainer": ("NEEDS", "Options", "explain"),
    "ordering": ("NEEDS", "Options", "order"),
    "content": ("CROP", "Options", "begin"),
    "classifier": ("Options", "load"),
    "annotator": ("GIVES", "Options", "open"),
    "similarity": ("NEEDS", "Options", "measure"),
}
PLUMBING = {  # files that register nothing
    "backbone": ("contract", "weights", "assembly", "vision_transformer"),
    "method": ("contract", "assembly", "heads"),
    "explainer": (
        *("contract", "networks", "localizing", "model_files"),
        *("adapters", "attention", "averaging", "gradients", "settings", "smoothing", "stages"),
    ),
    "ordering": ("contract", "densities"),
    "content": ("contract", "visual_field"),
    "classifier": (
        *("contract", "torch_networks", "lite_networks"),
        *("zoos", "classics", "caffe_files"),
    ),
    "annotator": (
        *("contract", "answers", "asking", "boxing", "driver", "outcomes", "store", "working"),
        *("choosing", "classifier", "gallery", "quality", "selecting", "writing"),
        *("rpn_boxes", "rpn_network", "rpn_training", "nms", "onnx_files", "mask_writing"),
        *("clip_cam", "clip_model", "clip_open", "clip_prompts"),
    ),
    "similarity": ("contract", "cooccurrence", "measuring", "overlaps", "super_glosses"),
}
ROOT = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a registered name without importing it."""

    kind: str
    name: str
    title: str
    paper: str
    options: tuple[str, ...]
    source: str  # "sightline" or the distribution that brings it


def kinds() -> tuple[str, ...]:
    """List what can be registered."""
    return tuple(PACKAGES)


def names(kind: str) -> tuple[str, ...]:
    """List the names of a kind, our own and those of other packages, sorted."""
    return tuple(sorted({*_files(kind), *_points(kind)}))


def load(kind: str, name: str) -> ModuleType:
    """Import what a name stands for."""
    files, points = _files(kind), _points(kind)
    if name in files:
        package = PACKAGES[kind].replace("/", ".")
        return importlib.import_module(f"sightline.{package}.{files[name].stem}")
    if name in points:
        return _load_point(kind, points[name])
    close = get_close_matches(name, names(kind), n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(close)}?" if close else f"see 'sightline list {kind}'"
    raise UsageError(f"unknown {kind} '{name}'; {hint}")


def describe(kind: str) -> Iterator[Entry]:
    """Tell title, paper and options of every name, reading files as text."""
    files, points = _files(kind), _points(kind)
    for name in names(kind):
        path = files.get(name) or _file_of(points[name])
        origin = points[name].dist if name in points else None
        source = origin.name if origin else "sightline"
        title, paper, options = outlines.outline(path) if path else ("", "", ())
        yield Entry(kind, name, title, paper, options, source)


def _check(kind: str) -> None:
    if kind not in PACKAGES:
        raise UsageError(f"unknown kind '{kind}'; there are {', '.join(PACKAGES)}")


def _files(kind: str) -> Mapping[str, Path]:
    _check(kind)
    plumbing = PLUMBING.get(kind, ())
    paths = sorted((ROOT / PACKAGES[kind]).glob("[!_]*.py"))
    return {path.stem.replace("_", "-"): path for path in paths if path.stem not in plumbing}


@cache
def _points(kind: str) -> Mapping[str, EntryPoint]:
    points = entry_points(group=f"sightline.{kind}")
    found = {point.name: point for point in points}
    rivals = [point for point in points if point.value != found[point.name].value]
    if rivals:
        name = rivals[0].name
        raise SightlineError(
            f"{kind} '{name}' is registered by two packages ({rivals[0].value} and"
            f" {found[name].value}); uninstall one of them"
        )
    clash = sorted(found.keys() & _files(kind).keys())
    if clash:
        raise SightlineError(
            f"{kind} '{clash[0]}' is registered by another package too ({found[clash[0]].value});"
            " uninstall it or give it another name"
        )
    return found


def _load_point(kind: str, point: EntryPoint) -> ModuleType:
    """Import what another package brings; whatever is wrong with it is its own fault, in a line."""
    origin = f"{kind} '{point.name}' of {point.dist.name if point.dist else 'another package'}"
    try:
        loaded = point.load()
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise SightlineError(
            f"{origin} cannot be imported ({what}); mend or uninstall it"
        ) from error
    if not isinstance(loaded, ModuleType):
        raise SightlineError(f"{origin} names {point.value}, which is no module")
    lacking = [name for name in NEEDED.get(kind, ()) if not hasattr(loaded, name)]
    if lacking:
        raise SightlineError(f"{origin} has no '{lacking[0]}' in {point.value}")
    return loaded


def _file_of(point: EntryPoint) -> Path | None:
    """Find the file of an entry point's module without importing it or its parents."""
    relative = point.module.replace(".", "/")
    for file in (point.dist.files or []) if point.dist else []:
        if str(file) in (f"{relative}.py", f"{relative}/__init__.py"):
            return Path(str(file.locate()))
    if "." in point.module:  # finding a submodule would import its parent
        return None
    spec = importlib.util.find_spec(point.module)
    return Path(spec.origin) if spec and spec.origin else None
