"""The hyperparameter search: draws first, then a training run for each, then the choice.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, section 4.3

Every trial is a run folder `trials/NUMBER`, whose row the trainer writes; a trial that gave no row
has the reason beside where the row would be. What is on disk is not done again, and what failed is
tried again with the same draw. Choosing looks at the last checkpoint of trials that converged; the
others are kept and counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sightline import execution
from sightline.errors import SightlineError, UsageError
from sightline.execution import Engine, Failure, Limits
from sightline.protocol import spaces, trials
from sightline.protocol.choosing import choose, criterion_of, value_of, worth
from sightline.protocol.samplers import GROUP, suggest
from sightline.protocol.search_folder import (
    FINAL,
    config,
    open_folder,
    other_versions,
    place,
    refuse_other_draws,
    run_folder,
)
from sightline.protocol.search_plan import SearchPlan, Subject
from sightline.protocol.trial_work import train_trial
from sightline.types import Job, LedgerEntry, ResultRow


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
        open_folder(self.out, config(subject, plan, self.inputs))

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
        refuse_other_draws(draws, outcomes, self.out)
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
            notes=tuple(other_versions(outcomes)),
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
            (trials.quantiles(draw), worth(outcome, self.plan.criterion))
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
