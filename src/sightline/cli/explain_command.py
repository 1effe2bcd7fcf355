"""`sightline explain`: explainers as localizers, scored side by side on one network or several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sightline import registry
from sightline.cli.explain_flags import NO_ONE, Flags, optional
from sightline.cli.explain_networks import columns
from sightline.cli.output import deliver
from sightline.data.ledger import Purpose
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset
    from sightline.explaining.explainers import Explainer
    from sightline.explaining.passing import Asked
    from sightline.explaining.study import Explained
    from sightline.explaining.subjects import Candidate

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


@dataclass(frozen=True, kw_only=True)
class Common(Flags):
    """What is done, whichever explainers bring their options."""

    def run(self) -> int:
        """Explain, score and compare."""
        from sightline.allocation import keep_freed_memory
        from sightline.cli.explain_text import as_json, as_text

        self._refuse_missing()
        keep_freed_memory()
        dataset = self._dataset(self.split)
        networks = columns(self)
        if self.grid_blur or self.grid_samples:
            return self._grid(dataset, networks)
        found = {
            column: self._studied(dataset, candidates, column if len(networks) > 1 else "")
            for column, candidates in networks.items()
        }
        deliver(as_json(found), as_text(found, dataset.split), self.json)
        return 0

    def _studied(
        self, dataset: "Dataset", candidates: "Sequence[Candidate]", column: str
    ) -> "list[Explained]":
        """Let all explain one network, or the chosen ones of several runs."""
        from sightline.explaining.choosing import chosen
        from sightline.explaining.study import folder_name, study

        names = [self.against, *self.explainers] if self.against != NO_ONE else self.explainers
        some = [self._explainer(name) for name in dict.fromkeys(names)]

        def work() -> "list[Explained]":
            several = len(candidates) > 1
            pairs = chosen(
                candidates,
                self._dataset(self.choose_split) if several else dataset,
                some,
                asked=self._asked("model-selection"),
                chooser=self._explainer("cam") if self.choose == "cam" else None,
            )
            base = pairs[0] if self.against != NO_ONE else None
            asked = self._asked(self.purpose, folder_name(column))
            return study(pairs, dataset, against=base, asked=asked)

        return self._told(work)

    def _grid(self, dataset: "Dataset", networks: "Mapping[str, Sequence[Candidate]]") -> int:
        from sightline.cli.explain_text import grid_as_json, grid_as_text
        from sightline.explaining.grids import grid
        from sightline.explaining.study import Study

        candidates = [one for some in networks.values() for one in some]
        if len(candidates) > 1:
            raise UsageError("a grid is over one network; name one run with --run, or one --model")
        study = Study(candidates[0].make(), dataset, self._asked(self.purpose))
        blurs, samples = self.grid_blur or (127,), self.grid_samples or (50,)
        found = {
            name: grid(study, name, self.given(), blurs=blurs, samples=samples)
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
        if not self.runs and not self.models and self.labels == "given":
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

    def _explainer(self, name: str) -> "Explainer":
        from sightline.explaining.explainers import explainer

        return explainer(name, self.given())

    def _told(self, work: "Callable[[], list[Explained]]") -> "list[Explained]":
        """Say how to go on where CAM, which nobody asked for, is what fails."""
        try:
            return work()
        except UsageError as error:
            if self.against in self.explainers or "stage" not in str(error):
                raise
            raise UsageError(f"{error}; or compare with another: --against NAME or none") from None

    def _asked(self, purpose: Purpose, below: str = "") -> "Asked":
        from sightline.explaining.passing import Asked

        return Asked(
            labels=self.labels,
            protocols=self.protocols,
            purpose=purpose,
            force=self.force,
            batch=self.batch,
            workers=self.workers,
            resamples=self.resamples,
            on_error=self.on_error,
            out=self.out / below if self.out else None,
        )


def command(arguments: Sequence[str]) -> type:
    """Build the flags: the explainers that are named bring their options."""
    if not find_spec("torch"):
        raise SightlineError("networks need PyTorch: pip install 'sightline[torch]'")
    known = set(registry.names("explainer"))
    named = [word for word in arguments if word in known]
    options: Any = optional(named)
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
