"""Opens again what rows were measured on, so that a page can show it: images, truth and maps."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sightline.data.dataset import Dataset, read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.photographs import read_photograph
from sightline.drawing.scenes import Scene, Shown, Stage, View
from sightline.errors import DataError, SightlineError
from sightline.evaluation.measuring import Preparation, prepared
from sightline.evaluation.sources import BASELINE, ScoreSource, open_source
from sightline.metrics.geometry import to_frame
from sightline.metrics.protocol import Protocol
from sightline.metrics.score_maps import check_range
from sightline.protocol.results import Result
from sightline.types import Boxes, Masks

SHOWN = 500  # images of a gallery, drawn from the split if it has more
STUDY = "study"


@dataclass(frozen=True)
class _Open:
    """A method's maps under a protocol."""

    result: Result
    name: str
    source: ScoreSource
    preparation: Preparation


class Gallery:
    """The images of one split with every map that was kept of them."""

    def __init__(
        self,
        stage: Stage,
        dataset: Dataset,
        items: Sequence[int],
        opened: Mapping[str, Sequence[_Open]],
    ) -> None:
        self.stage, self._dataset, self._items, self._opened = stage, dataset, items, opened
        kinds = {one.ground_truth_kind for one in stage.protocols.values()}
        truth, ledger = dataset.truth, Ledger()  # they are looked at, nothing is measured
        self._boxes: Boxes | None = truth.boxes(STUDY, ledger) if "boxes" in kinds else None
        self._masks: Masks | None = truth.masks(STUDY, ledger) if "masks" in kinds else None

    def scene(self, number: int) -> Scene:
        """Read an image with its truth and maps; a DataError tells what is gone or broken."""
        item = self._items[number]
        split = self._dataset.split
        label = int(split.labels[item])
        known = 0 <= label < len(split.classes)
        return Scene(
            split.ids[item],
            split.classes[label] if known else str(label),
            read_photograph(self._dataset.pictures[item]),
            {
                name: {one.name: self._view(item, one, protocol) for one in self._opened[name]}
                for name, protocol in self.stage.protocols.items()
            },
        )

    def _view(self, item: int, one: _Open, protocol: Protocol) -> View:
        raw, _ = one.source.read(item)
        scores = prepared(raw, protocol, one.preparation)
        check_range(scores)
        height, width = scores.shape
        if self._masks and protocol.ground_truth_kind == "masks":
            return View(scores, mask=read_mask(self._masks, item, (width, height)))
        assert self._boxes is not None
        corners = self._boxes.corners[self._boxes.offsets[item] : self._boxes.offsets[item + 1]]
        size = self._dataset.split.sizes[item]
        frame = (width, height)
        from_size = (int(size[0]), int(size[1])) if size.all() else frame
        return View(scores, boxes=to_frame(corners, from_size, frame, protocol.box_ends))


def galleries(
    results: Sequence[Result], *, limit: int = SHOWN, seed: int = 0
) -> tuple[list[Gallery], list[str]]:
    """Open a gallery for each split that was measured, and say what cannot be shown."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    notes: list[str] = []
    for one in results:
        told = one.row.provenance.get("measured")
        if not isinstance(told, Mapping) or not told.get("truth"):
            notes.append(f"{_name(one)} was measured on arrays: no images to show")
            continue
        key = tuple(
            f"{name}={told[name]}" for name in sorted(told) if name not in ("maps", "masks")
        )
        groups.setdefault((one.fingerprint, *key), []).append(one)
    found = []
    for members in groups.values():
        try:
            made = _gallery(members, limit, seed, notes)
        except (SightlineError, OSError) as error:
            first = members[0]
            notes.append(f"no gallery of {first.dataset}, {first.split}: {_line(error)}")
            continue
        found += [made] if made else []
    return found, list(dict.fromkeys(notes))


def _gallery(members: Sequence[Result], limit: int, seed: int, notes: list[str]) -> Gallery | None:
    dataset = _dataset(members)
    if dataset.truth.fingerprint != members[0].fingerprint:
        what = f"{members[0].dataset}, {members[0].split}: the labels changed since the rows"
        notes.append(f"{what} were made: no gallery of them")
        return None
    names = _names(members)
    opened: dict[str, list[_Open]] = {}
    protocols: dict[str, Protocol] = {}
    for one, name in zip(members, names, strict=True):
        source = _source(one, dataset, notes)
        if source is None:
            continue
        result = one.row.result
        protocol = _protocol(result["protocol"])
        protocols[protocol.name] = protocol
        preparation = Preparation(result["normalize"], result.get("interpolation") or "cubic")
        same = opened.setdefault(protocol.name, [])
        if name not in [other.name for other in same]:
            same.append(_Open(one, name, source, preparation))
    if not opened:
        return None
    everything = len(dataset.split.ids)
    items = np.arange(everything)
    if everything > limit:
        items = np.sort(np.random.default_rng(seed).choice(everything, limit, replace=False))
    boxes_first = sorted(protocols, key=lambda name: protocols[name].ground_truth_kind)
    protocols = {name: protocols[name] for name in boxes_first}
    stage = Stage(
        title=f"{members[0].dataset}, {members[0].split}",
        images=len(items),
        of=everything,
        seed=seed,
        protocols=protocols,
        shown={
            name: tuple(_shown(one.result, one.name) for one in opened[name]) for name in protocols
        },
    )
    return Gallery(stage, dataset, items.tolist(), opened)


def _dataset(members: Sequence[Result]) -> Dataset:
    """Read the images; masks lie where any of the rows found them."""
    told: dict[str, Any] = {}
    for one in members:
        told |= one.row.provenance["measured"]
    ignored = told.get("ignore_value")
    return read_dataset(
        told["truth"],
        split=told.get("split", ""),
        images=told.get("images"),
        masks=told.get("masks"),
        ignore_value=None if ignored is None else int(ignored),
        skip_problems=True,
    )


def _source(one: Result, dataset: Dataset, notes: list[str]) -> ScoreSource | None:
    """Open a result's maps, if they are still there and of all images."""
    place = str(one.row.provenance["measured"]["maps"])
    options = one.row.result.get("baseline") if place.startswith(BASELINE) else {}
    told = one.row.provenance["measured"]
    try:
        source = open_source(place, options)
        problems = source.match(dataset.split, dataset.truth.unannotated)
    except SightlineError as error:
        notes.append(f"{_name(one)}: {_line(error)}{_remedy(one, told)}")
        return None
    missing = [problem for problem in problems if problem.image in set(dataset.split.ids)]
    if missing:
        notes.append(f"{_name(one)} is not in the gallery: {missing[0]}")
        return None
    return source


def _remedy(one: Result, told: Mapping[str, Any]) -> str:
    """Say how a run's maps are made, where it has none on disk."""
    maps = Path(str(told["maps"]))
    if not (maps.parent / "train.row.json").is_file():
        return ""
    split = f" --split {told['split']}" if told.get("split") else ""
    run, data, out = (shlex.quote(str(p)) for p in (maps.parent, told["truth"], maps))
    return f"; to show them: sightline localize {run} --data {data}{split} --out {out}"


def _protocol(stored: Mapping[str, Any]) -> Protocol:
    """Give a row's protocol back; what it does not know is this code's choice."""
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
    known = Protocol.__dataclass_fields__
    return Protocol(**{key: value for key, value in fields.items() if key in known})


def _names(members: Sequence[Result]) -> list[str]:
    """Name methods, with their backbone where one method has several."""
    backbones: dict[str, set[str]] = {}
    for one in members:
        backbones.setdefault(one.method, set()).add(one.backbone)
    return [
        one.method if len(backbones[one.method]) == 1 else f"{one.method}, {one.backbone}"
        for one in members
    ]


def _shown(one: Result, name: str) -> Shown:
    chosen = one.row.result.get("threshold", {})
    thresholds = {str(k): float(v) for k, v in chosen.items() if isinstance(v, (int, float))}
    return Shown(name, one.metric, one.value, thresholds)


def _name(one: Result) -> str:
    return one.method + (f" ({one.backbone})" if one.backbone else "")


def _line(error: Exception) -> str:
    if isinstance(error, DataError) and error.problems:
        return str(error.problems[0])
    return str(error).splitlines()[0]


def scenes(gallery: Gallery) -> Iterator[Scene]:
    """Give all images of a gallery, one after the other."""
    for number in range(gallery.stage.images):
        yield gallery.scene(number)
