"""`sightline explain`: explainers as localizers, scored side by side on one network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Optional,
    get_args,
    get_origin,
    get_type_hints,
)

import tyro

from sightline import registry
from sightline.cli.output import deliver
from sightline.data.ledger import Purpose
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset
    from sightline.explaining.explainers import Explainer
    from sightline.explaining.study import Asked, Explained
    from sightline.explaining.subjects import Subject

DESCRIPTION = """\
Score explainers on one network, each tested against CAM on the same images.

An explainer is a registered name, FILE.py:FUNCTION of images and labels, or maps:FOLDER. The
network is that of a run, a model file, FILE.py:NAME (a torch module or what makes one), or the
packaged ImageNet classifier. Options belong to every explainer that has them.

example:
  sightline explain vb ig-vb --data pets --split test --run run --out explained

  MaxBoxAccV2  925 images of pets (test), network run
  explainer  score  95 % interval  against cam           p      s/image
  cam        61.20  59.10 to 63.3                               0.012
  vb         55.10  53.00 to 57.2  -6.10 (-8.0 to -4.1)  0.001  0.065
  ...
"""
Channels = tuple[float, float, float]
NO_ONE = "none"


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags that do not depend on the explainers."""

    explainers: tyro.conf.Positional[tuple[str, ...]] = ()
    """which ones; 'sightline list explainer' tells all"""
    data: str = ""
    """reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"""
    split: str = ""
    """name of the split"""
    runs: Annotated[tuple[Path, ...], tyro.conf.arg(name="run")] = ()
    """run folder whose network is explained; of several, --choose picks one"""
    model: str = ""
    """or a .pt2, TorchScript or .onnx file, or FILE.py:NAME; being a program, one you trust"""
    labels: Literal["given", "predicted"] = "given"
    """whose evidence is looked for: the class in the data, or the likeliest one"""
    against: str = "cam"
    """what each is tested against; none for no test"""
    subset: int = 0
    """take this many images alone, evenly spaced; 0 for all"""
    choose: Literal["cam", "own"] = "cam"
    """with several runs: all explain CAM's best one, or each has its own best one"""
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
        if self.runs and self.model:
            raise UsageError("--run and --model are two networks; name one")
        for name, least in (("subset", 0), ("batch", 1), ("resamples", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name} {getattr(self, name)}: give a number from {least} on")
        if not 32 <= self.size <= 2048:
            raise UsageError("--size is from 32 to 2048")
        if not all(s > 0 for s in self.std):
            raise UsageError("--std takes three positive numbers")

    def run(self) -> int:
        """Explain, score and compare."""
        from sightline.allocation import keep_freed_memory
        from sightline.cli.explain_text import as_json, as_text
        from sightline.explaining.choosing import chosen
        from sightline.explaining.study import study

        self._refuse_missing()
        keep_freed_memory()
        dataset = self._dataset(self.split)
        if self.grid_blur or self.grid_samples:
            return self._grid(dataset)
        subjects = self._subjects()
        names = [self.against, *self.explainers] if self.against != NO_ONE else self.explainers
        some = [self._explainer(name) for name in dict.fromkeys(names)]
        pairs = [(subjects[0], one) for one in some]
        if len(subjects) > 1:
            asked = self._asked(purpose="model-selection")
            choosing = self._dataset(self.choose_split)
            pairs = chosen(subjects, choosing, some, asked=asked, own=self.choose == "own")
        base = pairs[0] if self.against != NO_ONE else None
        found = self._told(lambda: study(pairs, dataset, against=base, asked=self._asked()))
        title = subjects[0].title if len(subjects) == 1 else f"of {len(subjects)} runs"
        deliver(as_json(found), as_text(found, dataset.split, title), self.json)
        return 0

    def _grid(self, dataset: "Dataset") -> int:
        from sightline.cli.explain_text import grid_as_json, grid_as_text
        from sightline.explaining.grids import grid
        from sightline.explaining.study import Study

        subjects = self._subjects()
        if len(subjects) > 1:
            raise UsageError("a grid is over one network; name one --run")
        study = Study(subjects[0], dataset, self._asked())
        blurs, samples = self.grid_blur or (127,), self.grid_samples or (50,)
        found = {
            name: grid(study, name, self._given(), blurs=blurs, samples=samples)
            for name in dict.fromkeys(self.explainers)
        }
        if self.out:
            self._drawn(found)
        deliver(grid_as_json(found), grid_as_text(found, dataset.split), self.json)
        return 0

    def _drawn(self, found: Any) -> None:
        from sightline.drawing.grid import heat_table
        from sightline.drawing.overlay import save

        assert self.out
        self.out.mkdir(parents=True, exist_ok=True)
        for name, cells in found.items():
            for protocol in cells[0].rows:
                values = {
                    (cell.samples, cell.blur): cell.rows[protocol].result["value"] for cell in cells
                }
                picture = heat_table(values, f"{name}, {protocol}", rows="N", columns="blur")
                save(picture, str(self.out / f"grid-{name}-{protocol}.png"))

    def _refuse_missing(self) -> None:
        if not self.explainers:
            raise UsageError(f"name one of: {', '.join(registry.names('explainer'))}")
        if not self.data:
            raise UsageError("--data is missing; see 'sightline explain --help'")
        if not self.runs and not self.model and self.labels == "given":
            raise UsageError(
                "name a network with --run or --model; the packaged classifier knows ImageNet's"
                " classes, not the data's: pass --labels predicted to explain what it sees"
            )

    def _dataset(self, split: str) -> "Dataset":
        from sightline.data.dataset import read_dataset

        dataset = read_dataset(
            self.data,
            split=split,
            images=self.images,
            masks=self.masks,
            ignore_value=self.ignore_value,
            skip_problems=self.on_error == "skip",
        )
        count = len(dataset.pictures)
        if 0 < self.subset < count:
            return dataset.chosen([k * count // self.subset for k in range(self.subset)])
        return dataset

    def _subjects(self) -> "list[Subject]":
        from sightline.backbones.contract import Normalization
        from sightline.explaining import subjects

        if self.runs:
            return [subjects.from_run(run, self.checkpoint, self.layer) for run in self.runs]
        if self.model:
            known = Normalization(self.mean, self.std)
            return [subjects.from_file(self.model, self.size, known, self.layer)]
        from sightline.looking import packaged

        classifier = packaged(self.size)
        return [subjects.of_network(classifier.title, classifier.network, self.size)]

    def _explainer(self, name: str) -> "Explainer":
        from sightline.explaining.explainers import explainer

        return explainer(name, self._given())

    def _given(self) -> dict[str, Any]:
        known = fields(self.options) if self.options else ()
        values = {item.name: getattr(self.options, item.name) for item in known}
        return {name: value for name, value in values.items() if value is not None}

    def _told(self, work: "Callable[[], list[Explained]]") -> "list[Explained]":
        """Say how to go on where CAM, which nobody asked for, is what fails."""
        try:
            return work()
        except UsageError as error:
            if self.against in self.explainers or "stage" not in str(error):
                raise
            raise UsageError(f"{error}; or compare with another: --against NAME or none") from None

    def _asked(self, purpose: Purpose | None = None) -> "Asked":
        from sightline.explaining.study import Asked

        return Asked(
            labels=self.labels,
            protocols=self.protocols,
            purpose=purpose or self.purpose,
            force=self.force,
            batch=self.batch,
            workers=self.workers,
            resamples=self.resamples,
            on_error=self.on_error,
            out=self.out,
        )


def _optional(names: Sequence[str]) -> type:
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


def command(arguments: Sequence[str]) -> type:
    """Build the flags: the explainers that are named bring their options."""
    if not find_spec("torch"):
        raise SightlineError("networks need PyTorch: pip install 'sightline[torch]'")
    known = set(registry.names("explainer"))
    named = [word for word in arguments if word in known]
    options: Any = _optional(named)
    clash = {item.name for item in fields(options)} & {item.name for item in fields(Common)}
    if clash:
        raise SightlineError(f"an explainer has an option '{min(clash)}', as the command has")
    shown = Annotated[options, tyro.conf.arg(name="options of the explainers")]
    made = make_dataclass(
        "Explain",
        [("options", shown, field(default_factory=options))],
        bases=(Common,),
        frozen=True,
        kw_only=True,
    )
    made.__doc__ = DESCRIPTION
    return made
