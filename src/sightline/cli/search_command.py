"""`sightline search`: many trials of a method with drawn hyperparameters, and the best of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from sightline import registry
from sightline.cli.options import chosen, flags_of, optional_flags_of
from sightline.cli.output import deliver
from sightline.cli.train_command import recipe_of
from sightline.errors import SightlineError, UsageError
from sightline.protocol.search_plan import SearchPlan
from sightline.training.plan import Conduct, Places, Plan

INTERRUPTED = "stopped; what is done is kept, and the same command goes on from there"
DRAWN = ("lr", "resolution", "weight_decay", "decay_factor", "decay_every")
DESCRIPTION = """\
Search the hyperparameters of a method: draw configurations, train each, choose the best.

The draws are in OUT/trials.csv before the first trial begins. A search that was stopped goes on,
and a trial that failed is tried again with the same draw, when the same command is given again. An
option that is given is not drawn. Several methods or backbones, separated by commas, are searched
one after another with the same budget, each in a folder METHOD-BACKBONE of its own.

example:
  sightline search cam --data pond --trials 8 --epochs 5 --out search

  trial  lr       resolution  status     loss  MaxBoxAccV2
  0      0.00102  16          converged  1.21  43.10
  ...
  best       trial 5 by MaxBoxAccV2 on val: 58.31
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where trials run, and what they may use."""

    engine: Annotated[Literal["local", "ray"], "processes of this machine, or a Ray cluster"] = (
        "local"
    )
    jobs: Annotated[
        int, "trials at a time; 0: one a processor, or as many as the cluster takes"
    ] = 0
    trial_threads: Annotated[int, "threads of a trial; 1 gives the same bytes everywhere"] = 1
    trial_hours: Annotated[float, "a trial that takes longer is ended; 0: no limit"] = 0.0
    trial_memory: Annotated[float, "gigabytes; a trial that uses more is ended; 0: no limit"] = 0.0
    retries: Annotated[int, "of a trial whose process or machine is lost"] = 1
    address: Annotated[
        str, "of the Ray cluster: host:port, or auto for one here; a Ray of its own if not given"
    ] = ""
    trial_cpus: Annotated[float, "processors that Ray keeps for a trial; 0: one a thread"] = 0.0
    trial_gpus: Annotated[float, "GPUs that Ray keeps for a trial"] = 0.0

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.jobs < 0 or self.trial_threads < 1:
            raise UsageError("--jobs starts at 0, and --trial-threads at 1")
        if self.engine == "local" and (self.address or self.trial_cpus or self.trial_gpus):
            raise UsageError("--address, --trial-cpus and --trial-gpus go with --engine ray")


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags of every search."""

    method: Annotated[str, tyro.conf.Positional] = ""
    """which method, or several with commas; 'sightline list method' tells all"""
    data: str = ""
    """reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"""
    backbone: str = "small-resnet"
    """which backbone, or several with commas; 'sightline list backbone' tells all"""
    weights: str = ""
    """none, a published name such as imagenet, or a file; published ones if there are any"""
    out: Path | None = None
    """folder of the search"""
    final: bool = False
    """when done, open the test split for the choice: the final report"""
    json: str = ""
    """write trials, choice and ledger as JSON to this file, or - for standard output"""
    search: tyro.conf.Suppress[Any] = None
    running: tyro.conf.Suppress[Any] = None
    plan: tyro.conf.Suppress[Any] = None
    places: tyro.conf.Suppress[Any] = None
    conduct: tyro.conf.Suppress[Any] = None
    options: tyro.conf.Suppress[Any] = None

    def run(self) -> int:
        """Search, and print the trials, the choice and the ledger."""
        from sightline.cli.search_text import as_json, as_text

        for name in ("data", "out"):
            if not getattr(self, name):
                raise UsageError(f"--{name} is missing; see 'sightline search --help'")
        pairs = [(m, b) for m in self.method.split(",") for b in self.backbone.split(",")]
        several = len(pairs) > 1
        contents, texts, without = [], [], 0
        for method, backbone in pairs:
            found, final = self._searched(method, backbone, several=several)
            contents.append(as_json(found, method, backbone, final))
            texts.append(as_text(found, method, backbone, self.data, final))
            without += found.best is None
        deliver(contents if several else contents[0], "\n\n".join(texts), self.json)
        return 1 if without else 0

    def _searched(self, method: str, backbone: str, *, several: bool) -> tuple[Any, list[Any]]:
        from sightline.execution import Limits
        from sightline.protocol.search import search
        from sightline.protocol.search_plan import Subject
        from sightline.training.material import place_of

        assert self.out
        running = self.running
        subject = Subject(
            method=method,
            backbone=backbone,
            data=place_of(self.data),
            weights=self.weights,
            plan={"epochs": Plan().epochs, **_given(self.plan)},
            places={k: _absolute(v) for k, v in _given(self.places).items()},
            options=_given(self.options),
        )
        limits = Limits(running.trial_hours * 3600, running.trial_memory, running.retries)
        out = self.out / f"{method}-{backbone}" if several else self.out
        try:
            found = search(
                subject,
                out,
                SearchPlan(**_given(self.search)),
                engine=_engine(running),
                limits=limits,
                conduct=_chosen_conduct(self.conduct),
                threads=running.trial_threads,
                show_progress=_given(self.conduct)["show_progress"],
            )
            return found, self._final(found)
        except KeyboardInterrupt:
            raise SightlineError(INTERRUPTED) from None

    def _final(self, found: Any) -> list[Any]:
        """Open the test split for the run that the search ends in."""
        from sightline.training.localizing import final_report

        if not self.final or found.chosen is None:
            return []
        places = Places(data=self.data, **_given(self.places))
        plan = Plan(**_given(self.plan))
        return list(final_report(found.chosen, places, plan, **_values(self.conduct)))


def _engine(running: Any) -> Any:
    from sightline.execution import Local
    from sightline.execution.ray import Ray

    if running.engine == "local":
        return Local(running.jobs)
    cpus = running.trial_cpus or float(running.trial_threads)
    return Ray(running.address, cpus, running.trial_gpus, running.jobs)


def _values(flags: Any) -> dict[str, Any]:
    return {item.name: getattr(flags, item.name) for item in fields(flags)} if flags else {}


def _given(flags: Any) -> dict[str, Any]:
    """Give the flags that are set."""
    return {name: value for name, value in _values(flags).items() if value is not None}


def _absolute(value: Any) -> Any:
    return value.resolve() if isinstance(value, Path) else value


def _chosen_conduct(flags: Any) -> dict[str, Any]:
    """Give what was chosen of how training behaves; a trial has its own way of the rest."""
    usual = Conduct()
    given = _given(flags)
    return {name: value for name, value in given.items() if value != getattr(usual, name)} | {
        "show_progress": False
    }


def command(arguments: Sequence[str]) -> type:
    """Build the flags: a single method brings its own options."""
    if not find_spec("torch") or not find_spec("lightning_fabric"):
        raise SightlineError("training needs PyTorch and Fabric: pip install 'sightline[torch]'")
    groups: list[Any] = [
        _group("search", "search", flags_of(SearchPlan)),
        _group("running", "running", flags_of(Running)),
        _group("plan", "training (what is drawn is not, if it is given)", _plan_flags(arguments)),
        _group("places", "data", flags_of(_without(Places, "data"))),
        _group("conduct", "conduct", flags_of(_without(Conduct, "threads"))),
    ]
    name = _method(arguments)
    if name:
        module = registry.load("method", name)
        declared = optional_flags_of(module.Options, lambda default: "(drawn, if it has a range)")
        groups.append(_group("options", f"{name} (what is given is not drawn)", declared))
    built = make_dataclass("Search", groups, bases=(Common,), frozen=True, kw_only=True)
    built.__doc__ = DESCRIPTION
    return built


def _method(arguments: Sequence[str]) -> str:
    """Find the method among a command's words, if it is only one."""
    listed = any("," in word and not word.startswith("-") for word in arguments)
    return "" if listed else chosen("method", arguments)


def _group(name: str, title: str, declared: Any) -> tuple[str, Any, Any]:
    shown = Annotated[declared, tyro.conf.arg(name=title)]
    return name, shown, field(default_factory=declared)


def _plan_flags(arguments: Sequence[str]) -> type:
    """Let what a search may draw, or methods have a recipe for, be unset."""
    methods = chosen("method", arguments).split(",")
    unset = {*DRAWN, *(name for method in methods for name in recipe_of(method))}
    hints = get_type_hints(flags_of(Plan), include_extras=True)
    free = optional_flags_of(
        Plan,
        lambda default: f"(drawn, or the method's own, or {default})",
        leave=[item.name for item in fields(Plan) if item.name not in unset],
    )
    kept: list[Any] = [
        (item.name, hints[item.name], field(default=item.default))
        for item in fields(Plan)
        if item.name not in unset
    ]
    kept += [
        (f.name, get_type_hints(free, include_extras=True)[f.name], None) for f in fields(free)
    ]
    return make_dataclass("Plan", kept, frozen=True)


def _without(declared: type, name: str) -> type:
    """Leave a field out that is a flag of the command itself."""
    hints = get_type_hints(declared, include_extras=True)
    kept: list[Any] = [
        (f.name, hints[f.name], field(default=f.default))
        for f in fields(declared)
        if f.name != name
    ]
    return make_dataclass(declared.__name__, kept, frozen=True)
