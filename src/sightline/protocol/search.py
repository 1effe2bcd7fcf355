"""The hyperparameter search: draws first, then a training run for each, then the choice.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, section 4.3

Every trial is a run folder `trials/NUMBER`, whose row the trainer writes; a trial that gave no row
has the reason beside where the row would be. What is on disk is not done again, and what failed is
tried again with the same draw. Choosing looks at the last checkpoint of trials that converged; the
others are kept and counted.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from sightline import execution, provenance, rows
from sightline.errors import SightlineError, UsageError
from sightline.execution import Engine, Failure, Limits
from sightline.hyperparameters import AtLeast, validate
from sightline.protocol import spaces, trials
from sightline.protocol.samplers import GROUP, Sampler, suggest
from sightline.types import Job, LedgerEntry, ResultRow

CONFIG, FINAL = "search.json", "final"
CONVERGED = "converged"
LOSS = "loss"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """How many trials, of what, and which is the best."""

    trials: Annotated[
        int, "configurations; with --space realistic, those that all methods share", AtLeast(1)
    ] = 30
    space: Annotated[spaces.Space, "what is drawn beside the method's own options"] = "feasible"
    own_draws: Annotated[
        int, "realistic: draws of the method's own options for each shared one", AtLeast(1)
    ] = 1
    steps: Annotated[tuple[int, int] | None, "realistic: fewest and most epochs between decays"] = (
        None
    )
    proxy: Annotated[float, "share of each class's training images that trials learn from"] = 1.0
    criterion: Annotated[
        str, "metric of a row such as MaxBoxAccV2, MaxBoxAccV2.50, PxAP, top1 or loss"
    ] = ""
    sampler: Annotated[Sampler, "random, or one of Optuna's, which learn from trials"] = "random"

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if not 0 < self.proxy <= 1:
            raise UsageError(f"--proxy: {self.proxy:g} is not above 0 and at most 1")
        if self.space == "realistic" and self.sampler != "random":
            raise UsageError("--space realistic is a grid; it goes with --sampler random alone")

    @property
    def count(self) -> int:
        """Count the trials."""
        return self.trials * self.own_draws if self.space == "realistic" else self.trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is searched for: the method, and all of its training that is not drawn."""

    method: str
    backbone: str
    data: str
    weights: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """Give the seed of all draws, and of each training run."""
        return int(self.plan.get("seed", 0))


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search gave, trial by trial."""

    draws: tuple[Mapping[str, Any], ...]
    outcomes: tuple[ResultRow | Failure, ...]
    criterion: str
    best: int | None  # the trial chosen; None if none converged
    folder: Path
    final: ResultRow | None = None  # of the choice trained in full, where trials are not
    notes: tuple[str, ...] = ()

    @property
    def ledger(self) -> list[LedgerEntry]:
        """List the labels consumed, those that all trials looked at once."""
        kept = [one for one in (*self.outcomes, self.final) if isinstance(one, ResultRow)]
        return list(dict.fromkeys(entry for row in kept for entry in row.ledger))

    @property
    def chosen(self) -> Path | None:
        """Tell the folder of the run that the search ends in."""
        if self.best is None:
            return None
        return self.folder / FINAL if self.final else run_folder(self.folder, self.best)

    def counts(self) -> dict[str, int]:
        """Count trials by what became of them."""
        found: dict[str, int] = {}
        for one in self.outcomes:
            name = "failed" if isinstance(one, Failure) else str(one.result["status"])
            found[name] = found.get(name, 0) + 1
        return found


def run_folder(folder: Path, number: int) -> Path:
    """Tell where a trial's run is."""
    return folder / "trials" / f"{number:04d}"


def place(job: Job, folder: Path) -> Path:
    """Tell where the trainer writes the row of a trial, or of the final run."""
    number = job.options.get(trials.NUMBER)
    root = folder / FINAL if number is None else run_folder(folder, int(number))
    return root / f"train{rows.SUFFIX}"


def search(
    subject: Subject,
    out: Path,
    plan: SearchPlan | None = None,
    *,
    engine: Engine | None = None,
    limits: Limits | None = None,
    conduct: Mapping[str, Any] | None = None,
    threads: int = 1,
    train: execution.Work | None = None,
    show_progress: bool = False,
) -> Searched:
    """Search, or go on with a search that was stopped.

    Args:
        subject: what is searched for.
        out: the folder of the search.
        plan: how many trials, of what, and which is the best.
        engine: where trials run; in processes on this machine if left out.
        limits: what a trial may use.
        conduct: how training behaves, which changes no result.
        threads: of each trial.
        train: does a trial; the trainer does if left out.
        show_progress: tell on standard error how far it is.
    """
    plan = plan or SearchPlan()
    work = train or partial(train_trial, conduct=dict(conduct or {}))
    with execution.claimed(out):
        run = _Run(subject, out, plan, work, threads, show_progress)
        return run.searched(engine or execution.Local(), limits or Limits())


class _Run:
    """One search under way."""

    def __init__(
        self,
        subject: Subject,
        out: Path,
        plan: SearchPlan,
        work: execution.Work,
        threads: int,
        show_progress: bool,
    ) -> None:
        from sightline.backbones.assembly import module_of as backbone_of
        from sightline.methods.assembly import module_of, refuse_unfit

        self.subject, self.out, self.plan, self.work = subject, out.resolve(), plan, work
        self.threads, self.show_progress = threads, show_progress
        self.module = module_of(subject.method)
        refuse_unfit(self.module, backbone_of(subject.backbone))
        self.from_masks = self.module.Method.needs == "masks"
        self.ranges = _ranges(subject, plan, self.module.Options)
        self.inputs = inputs_of(subject, from_masks=self.from_masks)
        _open(self.out, _config(subject, plan, self.inputs))

    def searched(self, engine: Engine, limits: Limits) -> Searched:
        """Draw, train, choose."""
        draws = trials.read(self.out)
        outcomes: tuple[ResultRow | Failure, ...] = ()
        while len(outcomes) < self.plan.count:
            draws = self._drawn(draws, outcomes)
            stop = self._next_stop(len(outcomes))
            finished = execution.finish(
                [self.job(number, draws[number]) for number in range(stop)],
                self.work,
                self.out,
                engine,
                place=place,
                limits=limits,
                title="trials",
                score=lambda row: value_of(row, self.plan.criterion),
                show_progress=self.show_progress,
            )
            outcomes = finished.outcomes
        _compare(draws, outcomes, self.out)
        best = choose(outcomes, self.plan.criterion)
        final = None
        if best is not None and (self.plan.proxy < 1 or self.from_masks):
            final = self._final(draws[best], engine, limits)
        return Searched(
            draws=tuple(trials.values(draw) for draw in draws[: self.plan.count]),
            outcomes=outcomes,
            criterion=criterion_of(outcomes, self.plan.criterion),
            best=best,
            folder=self.out,
            final=final,
            notes=tuple(_versions(outcomes)),
        )

    def _next_stop(self, done: int) -> int:
        """Random draws are all made up front; a sampler that learns is asked in groups."""
        group = self.plan.count if self.plan.sampler == "random" else GROUP
        return min(self.plan.count, done + group)

    def _drawn(
        self, draws: list[trials.Draw], outcomes: tuple[ResultRow | Failure, ...]
    ) -> list[trials.Draw]:
        """Add to the table what is to be tried next, unless it is there already."""
        start, stop = len(draws), self._next_stop(len(outcomes))
        if start >= stop:
            return draws
        if self.plan.sampler == "random":
            more = spaces.configurations(
                self.ranges,
                seed=self.subject.seed,
                method=self.subject.method,
                start=start,
                stop=stop,
                own_draws=self.plan.own_draws if self.plan.space == "realistic" else 0,
            )
        else:
            more = self._suggested(draws[: len(outcomes)], outcomes, stop - len(outcomes))
            more = more[start - len(outcomes) :]
        draws = [*draws, *more]
        trials.write(self.out, draws)
        return draws

    def _suggested(
        self, draws: list[trials.Draw], outcomes: tuple[ResultRow | Failure, ...], count: int
    ) -> list[trials.Draw]:
        past = [
            (trials.quantiles(draw), _value(outcome, self.plan.criterion))
            for draw, outcome in zip(draws, outcomes, strict=True)
        ]
        names = [*self.ranges.shared, *self.ranges.own]
        asked = suggest(self.plan.sampler, self.subject.seed, names, past, count)
        return [
            self.ranges.values(one.__getitem__)
            | {f"{trials.QUANTILE}{name}": value for name, value in one.items()}
            for one in asked
        ]

    def job(self, number: int | None, draw: trials.Draw) -> Job:
        """Say what a trial is, or with no number the final run."""
        subject, known = self.subject, trials.values(draw)
        own = {name: known[name] for name in self.ranges.own}
        shared = {name: known[name] for name in self.ranges.shared}
        options: dict[str, Any] = {
            "method": subject.method,
            "backbone": subject.backbone,
            "weights": subject.weights,
            "data": subject.data,
            "places": dict(subject.places),
            "options": {**subject.options, **own},
            "plan": {**subject.plan, **shared},
        }
        if number is None:
            if self.from_masks:  # nothing is held out any more
                options["plan"]["evaluate_every"] = 0
        else:
            options |= {trials.NUMBER: number, "proxy": self.plan.proxy}
        return Job("train", options, {}, subject.seed, self.threads, self.inputs)

    def _final(self, draw: trials.Draw, engine: Engine, limits: Limits) -> ResultRow:
        """Train the choice in full: on all training images, few-shot learning on all labels."""
        finished = execution.finish(
            [self.job(None, draw)],
            self.work,
            self.out,
            engine,
            place=place,
            limits=limits,
            title="the choice in full",
            show_progress=self.show_progress,
        )
        for failure in finished.failures:
            raise SightlineError(
                f"the chosen configuration could not be trained in full: {failure.reason}; the same"
                " command tries again"
            )
        return finished.rows[0]


def train_trial(job: Job, folder: Path, *, conduct: Mapping[str, Any]) -> ResultRow:
    """Train what a job says, in this process."""
    import torch

    from sightline import training

    torch.set_num_threads(job.threads)
    asked = job.options
    settings = {**asked["plan"], "seed": job.seed}
    data: Any = asked["data"]
    if asked.get("proxy", 1.0) < 1:
        data = _proxy(job, skip=conduct.get("on_error") == "skip")
    else:
        settings |= asked["places"]
    return training.train(
        asked["method"],
        data,
        asked["backbone"],
        place(job, folder).parent,
        weights=asked["weights"],
        options=asked["options"],
        **settings,
        **{"threads": job.threads, "workers": 0, "show_progress": False, **conduct},
    )


def _proxy(job: Job, *, skip: bool) -> Any:
    """Keep a share of the training images of each class."""
    from sightline.data.build.sampling import draw, portion
    from sightline.methods.assembly import module_of
    from sightline.training.material import read_material
    from sightline.training.plan import Places, Plan

    asked, plan = job.options, Plan(**job.options["plan"])
    material = read_material(
        Places(data=asked["data"], **asked["places"]),
        from_masks=module_of(asked["method"]).Method.needs == "masks",
        evaluated=bool(plan.evaluate_every),
        skip_problems=skip,
        seed=plan.seed,
    )
    split = material.train.split
    kept: list[int] = []
    for label in sorted(set(split.labels.tolist())):
        items = [i for i, other in enumerate(split.labels.tolist()) if other == label]
        wanted = portion(asked["proxy"], len(items))
        names = set(draw((split.ids[i] for i in items), wanted, job.seed))
        kept += [i for i in items if split.ids[i] in names]
    return replace(material, train=material.train.chosen(sorted(kept)))


def _ranges(subject: Subject, plan: SearchPlan, options: type) -> spaces.Ranges:
    from sightline.backbones.assembly import module_of

    return spaces.ranges(
        plan.space,
        options,
        resolutions=module_of(subject.backbone).RESOLUTIONS,
        epochs=int(subject.plan["epochs"]),
        steps=plan.steps,
        fixed={**subject.plan, **subject.options},
    )


def inputs_of(subject: Subject, *, from_masks: bool) -> dict[str, str]:
    """Read the splits once, so that what is wrong is said before the first trial; hash them."""
    from sightline.training.material import read_material
    from sightline.training.plan import Places, Plan

    settings = {name: value for name, value in subject.plan.items() if value is not None}
    plan = Plan(**settings)
    material = read_material(
        Places(data=subject.data, **subject.places),
        from_masks=from_masks,
        evaluated=bool(plan.evaluate_every),
        skip_problems=True,
        seed=plan.seed,
    )
    parts = {"train": material.train, "val": material.val}
    found = {name: part.truth.fingerprint for name, part in parts.items() if part}
    if "val" not in found:
        raise UsageError("--evaluate-every: a search chooses by evaluations; 0 leaves it none")
    return found


def _config(subject: Subject, plan: SearchPlan, inputs: Mapping[str, str]) -> dict[str, Any]:
    """Say what makes two searches the same; one may be longer, or choose by another criterion."""
    kept = asdict(plan)
    for name in ("trials", "criterion") if plan.sampler == "random" else ("trials",):
        del kept[name]
    found: dict[str, Any] = rows.plain({**asdict(subject), "search": kept, "inputs": inputs})
    return found


def _open(folder: Path, config: Mapping[str, Any]) -> None:
    """Begin a search, or make sure that the folder holds this very one."""
    file = folder / CONFIG
    if not file.exists():
        if (folder / trials.TABLE).exists():
            raise UsageError(
                f"{folder}: has a {trials.TABLE} of something else; name another --out"
            )
        rows.write_whole(file, json.dumps(config, indent=1) + "\n")
        return
    try:
        known = rows.flat(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, AttributeError) as error:
        raise SightlineError(f"{file}: cannot be read ({error}); name another --out") from None
    mine = rows.flat(config)
    for name in sorted({*known, *mine}):
        if known.get(name) != mine.get(name):
            raise UsageError(
                f"{folder}: holds another search, with {name} {known.get(name)} where"
                f" {mine.get(name)} is asked for; name another --out"
            )


def _compare(
    draws: list[trials.Draw], outcomes: tuple[ResultRow | Failure, ...], folder: Path
) -> None:
    """Refuse rows that are of other draws than the table's."""
    for number, (draw, row) in enumerate(zip(draws, outcomes, strict=False)):
        if isinstance(row, Failure):
            continue
        made = {**row.result.get("plan", {}), **row.result.get("options", {})}
        for name, value in trials.values(draw).items():
            if name in made and made[name] != value:
                raise SightlineError(
                    f"{run_folder(folder, number)}: was run with {name} {made[name]}, but"
                    f" {trials.TABLE} has {value}; delete one of them"
                )


def _versions(outcomes: tuple[ResultRow | Failure, ...]) -> list[str]:
    """Tell of rows that other code made."""
    mine = provenance.versions()["sightline"]
    other: dict[str, int] = {}
    for row in outcomes:
        if isinstance(row, ResultRow):
            version = row.provenance.get("versions", {}).get("sightline", mine)
            other[version] = other.get(version, 0) + (version != mine)
    return [
        f"{count} trials were run by sightline {version}, this is {mine}"
        for version, count in other.items()
        if count
    ]


def value_of(row: ResultRow, criterion: str) -> float | None:
    """Give what a trial is chosen by, the higher the better; None if it did not converge."""
    if row.result["status"] != CONVERGED:
        return None
    known = {**row.result["metrics"], LOSS: row.result["loss"]}
    name = criterion or row.result["metric"]
    if name not in known:
        raise UsageError(f"--criterion: '{name}' was not recorded; there are {', '.join(known)}")
    value = known[name]
    if value is None:
        return None
    return -float(value) if name == LOSS else float(value)


def _value(outcome: ResultRow | Failure, criterion: str) -> float | None:
    return None if isinstance(outcome, Failure) else value_of(outcome, criterion)


def choose(outcomes: tuple[ResultRow | Failure, ...], criterion: str) -> int | None:
    """Give the number of the best trial, the first of equals."""
    found = [(number, _value(outcome, criterion)) for number, outcome in enumerate(outcomes)]
    known = [(value, -number) for number, value in found if value is not None]
    return -max(known)[1] if known else None


def criterion_of(outcomes: tuple[ResultRow | Failure, ...], criterion: str) -> str:
    """Name what trials are chosen by."""
    made = (str(row.result["metric"]) for row in outcomes if isinstance(row, ResultRow))
    return criterion or next(made, "")
