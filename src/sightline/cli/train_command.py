"""`sightline train`: one training run, which the same command goes on with if it was stopped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import tyro

from sightline import registry
from sightline.cli.options import chosen, command_for, flags_of
from sightline.cli.output import deliver
from sightline.errors import SightlineError, UsageError
from sightline.training.plan import Conduct, Places, Plan

DESCRIPTION = """\
Train a method on a backbone, evaluating after every epoch.

The same command goes on with a run that was stopped, or tells of one that is done. The exit code is
1 if the loss was no number in the end.

example:
  sightline train cam --data pond --backbone small-resnet --epochs 1 --lr 0.01 --out run

  cam on small-resnet: converged after 1 epochs, loss 2.655
    val        top1 18.75, top5 48.12, MaxBoxAccV2 40.62, PxAP 13.44; threshold: oracle on this ...
    ...
    row        run/train.row.json
"""
SHOWN = 5  # of the photographs that were left out
GROUPS = {"plan": (Plan, "training"), "places": (Places, "data"), "conduct": (Conduct, "conduct")}


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags that are no setting of a plan."""

    method: Annotated[str, tyro.conf.Positional] = ""
    """which method; 'sightline list method' tells all"""
    data: str = ""
    """reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"""
    backbone: str = ""
    """'sightline list backbone' tells all"""
    weights: str = ""
    """none, a published name such as imagenet, or a file; published ones if there are any"""
    out: Path | None = None
    """folder of the run"""
    final: bool = False
    """when done, open the test split for the last checkpoint: the final report"""
    json: str = ""
    """write the row as JSON to this file, or - for standard output"""
    plan: tyro.conf.Suppress[Any] = None
    places: tyro.conf.Suppress[Any] = None
    conduct: tyro.conf.Suppress[Any] = None
    options: tyro.conf.Suppress[Any] = None

    def run(self) -> int:
        """Train, and say what came of it."""
        from sightline.training.localizing import final_report
        from sightline.training.loop import DIVERGED
        from sightline.training.run import train

        self._refuse_missing()
        assert self.out
        places, conduct = _values(self.places), _values(self.conduct)
        there = (self.out / "train.row.json").exists()
        row = train(
            self.method,
            self.data,
            self.backbone,
            self.out,
            weights=self.weights,
            options=_values(self.options),
            **_values(self.plan),
            **places,
            **conduct,
        )
        lost = row.result["status"] == DIVERGED
        final = []
        if self.final and not lost:
            known = Places(data=self.data, **places)
            final = final_report(self.out, known, Plan(**_values(self.plan)), **conduct)
        deliver(_as_json(row, final), _as_text(row, final, self.out, self.data, there), self.json)
        return 1 if lost else 0

    def _refuse_missing(self) -> None:
        for name in ("data", "backbone", "out"):
            if not getattr(self, name):
                raise UsageError(f"--{name} is missing; see 'sightline train --help'")


def _values(flags: Any) -> dict[str, Any]:
    return {item.name: getattr(flags, item.name) for item in fields(flags)} if flags else {}


def _as_json(row: Any, final: Sequence[Any]) -> dict[str, Any]:
    from dataclasses import asdict

    ledger = {
        "entries": [asdict(entry) for entry in row.ledger],
        "labels": sum(entry.labels for entry in row.ledger),
    }
    seconds = {name: row.provenance[name] for name in ("seconds", "images_per_second")}
    return {**row.result, "ledger": ledger, **seconds, "final": [one.result for one in final]}


def _as_text(row: Any, final: Sequence[Any], out: Path, data: str, there: bool) -> str:
    from sightline.cli.evaluation_text import as_text
    from sightline.data.ledger import as_text as ledger_lines

    result = row.result
    loss = f", loss {result['loss']:.4g}" if result["loss"] is not None else ""
    lines = [
        f"{result['method']} on {result['backbone']}: {result['status']} after"
        f" {result['epochs']} epochs{loss}" + (" (done before)" if there else "")
    ]
    if result["lost_at"]:
        lines.append(
            "  the loss was no number in epoch {epoch}, step {step}; lower --lr".format(
                **result["lost_at"]
            )
        )
    lines += _scores(result)
    lines += [f"  labels     {line}" for line in ledger_lines(row.ledger)]
    lines += [f"  note       {note}" for note in row.provenance.get("notes", ())]
    left_out = row.provenance.get("left_out", ())
    lines += [f"  left out   {problem}" for problem in left_out[:SHOWN]]
    if len(left_out) > SHOWN:
        lines.append(f"  left out   and {len(left_out) - SHOWN} more, all in the row")
    lines += [
        f"  kept       {out / row.artifacts[name].path} (epoch {kept['epoch']})"
        for name, kept in result["checkpoints"].items()
        if name in row.artifacts
    ]
    lines += [f"  row        {out / 'train.row.json'}"]
    for one in final:
        lines += ["final report, test labels opened:", as_text(one)]
    if not final and result["checkpoints"]:
        lines.append(f"Next: sightline localize {out} --data {data} --split test --evaluate")
    return "\n".join(lines)


def _scores(result: Any) -> list[str]:
    metrics = result["metrics"]
    if not metrics:
        return []
    names = [name for name in metrics if "." not in name]
    shown = ", ".join(f"{name} {metrics[name]:.2f}" for name in names)
    return [f"  {result['truth']['split']:<10} {shown}; threshold: {result['threshold_from']}"]


def command(arguments: Sequence[str]) -> type:
    """Build the flags: a method brings its own options, and its own defaults of the training."""
    if not find_spec("torch") or not find_spec("lightning_fabric"):
        raise SightlineError("training needs PyTorch and Fabric: pip install 'sightline[torch]'")
    groups = []
    recipe = recipe_of(chosen("method", arguments))
    for name, (declared, title) in GROUPS.items():
        flags = flags_of(_without(declared, "data", recipe))
        shown = Annotated[flags, tyro.conf.arg(name=title)]  # type: ignore[valid-type]
        groups.append((name, shown, field(default_factory=flags)))
    common = make_dataclass("Common", groups, bases=(Common,), frozen=True, kw_only=True)
    return command_for("method", arguments, common, DESCRIPTION)


def recipe_of(method: str) -> dict[str, Any]:
    """Give the settings of training in which a method differs, if it is one."""
    if method not in registry.names("method"):
        return {}
    return dict(registry.load("method", method).Method.recipe)


def _without(declared: type, name: str, defaults: Mapping[str, Any]) -> type:
    """Leave a field out that is a flag of the command itself, and set other defaults."""
    from typing import get_type_hints

    hints = get_type_hints(declared, include_extras=True)
    kept = [
        (f.name, hints[f.name], field(default=defaults.get(f.name, f.default)))
        for f in fields(declared)
        if f.name != name
    ]
    return make_dataclass(declared.__name__, kept, frozen=True)
