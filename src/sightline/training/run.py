"""One call trains a method, or goes on with what was begun, or gives what is done already."""

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from sightline import provenance, rows
from sightline.allocation import keep_freed_memory
from sightline.backbones import assembly as backbones
from sightline.backbones import weights as weight_files
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.planes import Planes, planes_of
from sightline.data.pipeline.transforms import Transform
from sightline.data.truth import GroundTruth
from sightline.errors import SightlineError, UsageError
from sightline.hyperparameters import validate
from sightline.methods import assembly as methods
from sightline.methods.contract import Method
from sightline.metrics.protocol import Protocol
from sightline.training import curves, loggers, optimizing
from sightline.training.folder import CURVES, METRICS, RunFolder
from sightline.training.interruption import deaf, listening
from sightline.training.loop import DIVERGED, Loop, Parts, StoppedError
from sightline.training.material import Material, checked, place_of, read_material
from sightline.training.memory import said_of_memory
from sightline.training.plan import AUTOMATIC, LAST, Conduct, Places, Plan, Task, as_plain, divided
from sightline.training.scoring import Assessor, protocols_of
from sightline.training.sharing import Sharing
from sightline.types import LedgerEntry, ResultRow

RESIZED = 256 / 224  # the papers' resizing, to the side of what is cropped from it
SELECTION = "model-selection"

for talkative in ("distributed", "rank_zero"):  # here, so that started processes do it too
    logging.getLogger(f"lightning_fabric.utilities.{talkative}").setLevel(logging.ERROR)


def train(
    method: str,
    data: str | Path | Material,
    backbone: str,
    out: str | Path,
    *,
    weights: str = AUTOMATIC,
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> ResultRow:
    """Train a method and keep everything in a folder; the same call goes on with it if stopped.

    Args:
        method: a registered method.
        data: as in `--data`, or the images themselves.
        backbone: a registered backbone.
        out: the folder of the run.
        weights: `none`, a published name such as `imagenet`, or a file; by default the backbone's
            published ones, where it has any and the method is trained at all.
        options: the method's own.
        **settings: the fields of `Plan`, `Conduct` and `Places`, such as `epochs=5`; what is not
            given is the method's own recipe, or else the default.
    """
    plan_of, conduct_of, places_of = divided(settings, Plan, Conduct, Places)
    module = methods.module_of(method)
    methods.refuse_unfit(module, backbones.module_of(backbone))
    chosen = methods.options_of(module, options or {})
    if hasattr(chosen, "__dataclass_fields__"):
        validate(chosen)
    plan = _possible(module.Method, Plan(**{**module.Method.recipe, **plan_of}))
    conduct = Conduct(**conduct_of)
    source = _weights(module.Method, backbone, weights)
    if isinstance(data, Material):
        from_masks, skip = module.Method.needs == "masks", conduct.on_error == "skip"
        material = checked(data.train, data.val, from_masks=from_masks, skip_problems=skip)
        places = data.places or Places(data="images in memory")
    else:
        places = Places(data=str(data), **places_of)
        material = read_material(
            places,
            from_masks=module.Method.needs == "masks",
            evaluated=bool(plan.evaluate_every),
            skip_problems=conduct.on_error == "skip",
            seed=plan.seed,
        )
    task = Task(
        method=method,
        options=asdict(chosen),
        backbone=backbone,
        weights=source,
        plan=plan,
        conduct=conduct,
        out=Path(out),
    )
    return run(task, material, places)


def _possible(method: type[Method], plan: Plan) -> Plan:
    """Leave a method that is not trained as it is made."""
    return plan if method.trained else replace(plan, epochs=0)


def _weights(method: type[Method], backbone: str, given: str) -> str:
    """Choose the weights to begin with."""
    if not method.trained:
        if given not in (AUTOMATIC, weight_files.NONE):
            raise UsageError("--weights: this method is the network untrained, and takes none")
        return weight_files.NONE
    published = getattr(backbones.module_of(backbone), "PUBLISHED", {})
    return given or (next(iter(published)) if published else weight_files.NONE)


def run(task: Task, material: Material, places: Places) -> ResultRow:
    """Do what a task says, in this process or in several."""
    folder = RunFolder(task.out)
    weights = weight_files.read(task.backbone, task.weights)
    folder.open(_config(task, material, places, weights.sha256))
    if folder.row.exists():
        return rows.load(folder.row)
    _refuse_single_images(task)
    with _quiet(), said_of_memory(task.plan):
        fabric = _fabric(task)
        work = partial(_work, task=task, material=material, places=places)
        ending = fabric.launch(work) if task.plan.devices == 1 else _several(fabric, work)
    if ending != "done":
        raise SightlineError(
            f"stopped {ending}; the same command goes on from there (state in {folder.state})"
        )
    return rows.load(folder.row)


def _several(fabric: Any, work: Callable[[Any], str]) -> str:
    """Start the processes; what goes wrong in one of them is said as if it were here."""
    from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

    try:
        with deaf():
            return str(fabric.launch(work))
    except ProcessRaisedException as error:
        said = [line for line in str(error).splitlines() if line.startswith("sightline.errors.")]
        if not said:
            raise
        kind, _, text = said[-1].partition(": ")
        raise (UsageError if kind.endswith("UsageError") else SightlineError)(text) from None
    except ProcessExitedException as error:
        raise SightlineError(f"a process ended by itself ({error}); try again") from None


def _work(fabric: Any, task: Task, material: Material, places: Places) -> str:
    """Train in one process; its rank decides which share of every batch it has."""
    plan, conduct = task.plan, task.conduct
    keep_freed_memory()
    sharing = Sharing(fabric.global_rank, fabric.world_size, fabric.device)
    ledger = Ledger()
    with listening() as stop, torch.random.fork_rng(devices=[]), _threads(conduct.threads):
        network, report = make_network(task, material.classes)
        network = _placed(network, fabric, plan)
        loader, assessor = _readers(task, material, network, ledger, sharing)
        fast = backbones.module_of(task.backbone).fast_layers(
            [name for name, _ in network.named_parameters()], plan.fast_layers
        )
        parts = Parts(
            network=network,
            optimizer=optimizing.make_optimizer(network, fast, plan),
            loader=loader,
            labels=material.train.split.labels.clip(0),
            assessor=assessor,
            folder=RunFolder(task.out),
            sharing=sharing,
            stop=stop,
            log=loggers.of(conduct.logger, task, sharing.rank),
        )
        loop = Loop(fabric, parts, plan, conduct)
        resumed = loop.resume()
        said = [*([] if resumed else [report]), *material.notes, *_complaints(loader, assessor)]
        visible = sharing.rank == 0 and conduct.show_progress
        _say(said if visible else [])
        try:
            status = loop.run()
        except StoppedError:
            return f"after epoch {loop.position.epoch}, step {loop.position.step}"
        finally:
            if sharing.rank == 0:
                curves.draw(loop.position.table, RunFolder(task.out).root / CURVES)
            late = [text for text in _complaints(loader, assessor) if text not in said]
            _say(late if visible else [])
        if sharing.rank == 0:
            _write_row(task, material, places, loop, status, ledger)
        return "done"


def make_network(task: Task, classes: int) -> tuple[Method, str]:
    """Make the network with the weights that it begins with, and the report on them."""
    torch.manual_seed(task.plan.seed)
    network = methods.build(
        task.method,
        task.backbone,
        classes,
        options=task.options,
        resolution=task.plan.resolution,
    )
    weights = weight_files.read(task.backbone, task.weights)
    return network, str(weight_files.fill(network, weights))


def _placed(network: Method, fabric: Any, plan: Plan) -> Method:
    if plan.devices > 1 and fabric.device.type == "cuda":
        convert: Any = torch.nn.SyncBatchNorm.convert_sync_batchnorm
        network = convert(network)
    layout = torch.channels_last if plan.channels_last else torch.contiguous_format
    moved: Method = network.to(fabric.device, memory_format=layout)  # type: ignore[call-overload]
    return moved


def transform_of(network: Method, size: int | None) -> Transform:
    """Give the sizes and the normalization that a network's backbone wants."""
    body = network.backbone
    side = size or body.input_size
    return Transform(
        resize=round(RESIZED * side),
        crop=side,
        test_resize=side,
        mean=body.normalization.mean,
        std=body.normalization.std,
    )


def _readers(
    task: Task, material: Material, network: Method, ledger: Ledger, sharing: Sharing
) -> tuple[Loader, Assessor | None]:
    """Make what reads the images to train on, and what evaluates on the others."""
    plan, conduct = task.plan, task.conduct
    transform = transform_of(network, plan.size)
    planes = None
    if network.needs == "masks":
        planes = _planes(material.train.truth, ledger, force=conduct.force)
    loader = Loader(
        material.train.pictures,
        sizes=material.train.split.sizes,
        planes=planes,
        transform=transform,
        reading=_reading(plan, conduct),
        seed=plan.seed,
    )
    if material.val is None:
        return loader, None
    val = Loader(
        material.val.pictures,
        sizes=material.val.split.sizes,
        transform=transform,
        reading=replace(_reading(plan, conduct), drop_last=False),
        training=False,
    )
    protocols = protocols_of(plan.protocols, material.val)
    assessor = Assessor(
        material.val,
        val,
        protocols,
        _purposes(plan, protocols),
        ledger,
        side=transform.test_resize,
        force=conduct.force,
        sharing=sharing,
        skip_problems=conduct.on_error == "skip",
        threads=conduct.threads,
    )
    return loader, assessor


def _reading(plan: Plan, conduct: Conduct) -> Reading:
    return Reading(
        batch=plan.batch,
        workers=conduct.workers,
        drop_last=plan.drop_last,
        on_error=conduct.on_error,
        cache=conduct.cache,
    )


def _purposes(plan: Plan, protocols: Sequence[Protocol]) -> dict[str, list[str]]:
    """Say what labels are for: to judge hyperparameters by, and maybe to choose an epoch."""
    kinds = {protocol.metric: protocol.ground_truth_kind for protocol in protocols}
    purposes: dict[str, list[str]] = {
        kind: ["hyperparameters"] for kind in sorted(set(kinds.values()))
    }
    for criterion in plan.criteria:
        name = criterion.rpartition(":")[2].partition(".")[0]
        if name not in (*kinds, "top1", "top5"):
            known = ", ".join([*kinds, "top1", "top5"])
            raise UsageError(f"--keep: nothing is called '{name}' here; there are {known}")
        if name in kinds and SELECTION not in purposes[kinds[name]]:
            purposes[kinds[name]].append(SELECTION)
    return purposes


def _planes(truth: GroundTruth, ledger: Ledger, *, force: bool) -> Planes:
    """Open masks to learn from, or boxes to fill where there are no masks."""
    if not (truth.has_masks or truth.has_boxes):
        raise UsageError(
            f"split {truth.split.name} has neither masks nor boxes for every image, and this"
            " method learns from them"
        )
    opened = truth.masks if truth.has_masks else truth.boxes
    return planes_of(opened("training", ledger, force=force), truth.split.sizes)


def _refuse_single_images(task: Task) -> None:
    """Refuse batches in which batch normalization has nothing to compare."""
    plan = task.plan
    if plan.batch >= 2 * plan.devices or not plan.epochs:
        return
    with torch.device("meta"):
        network = methods.build(task.method, task.backbone, 1, options=task.options)
    if any(isinstance(layer, torch.nn.BatchNorm2d) for layer in network.modules()):
        each = f" over {plan.devices} processes" if plan.devices > 1 else ""
        raise UsageError(
            f"--batch: {plan.batch}{each} leaves single images, which {task.backbone}'s batch"
            f" normalization cannot compare; give {2 * plan.devices} or more"
        )


def _fabric(task: Task) -> Any:
    from lightning_fabric import Fabric

    plan, conduct = task.plan, task.conduct
    if conduct.accelerator == "gpu" and not torch.cuda.is_available():
        raise UsageError("--accelerator: there is no GPU here that PyTorch can use; pass cpu")
    gpus = torch.cuda.device_count() if conduct.accelerator != "cpu" else 0
    if 0 < gpus < plan.devices:
        raise UsageError(f"--devices: {plan.devices} are asked for, but there are {gpus} GPUs")
    return Fabric(
        accelerator=conduct.accelerator,
        devices=plan.devices,
        strategy="ddp_spawn" if plan.devices > 1 else "auto",
        precision=plan.precision,
    )


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let PyTorch use so many threads for the time being."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the loop's library from warning of what is chosen on purpose."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"lightning_fabric\.")
        yield


def _complaints(*readers: Any) -> list[str]:
    """Collect what loaders could not do."""
    found = [getattr(r, "loader", r).complaint for r in readers if r is not None]
    return list(dict.fromkeys(filter(None, found)))


def _say(lines: list[str]) -> None:
    import sys

    for line in lines:
        sys.stderr.write(f"{line}\n")


def _config(task: Task, material: Material, places: Places, weights: str) -> dict[str, Any]:
    """Give whatever decides the result, as it is kept beside it."""
    given = as_plain(places) | {"data": place_of(places.data)}
    splits = {"train": material.train, **({"val": material.val} if material.val else {})}
    found: dict[str, Any] = rows.plain(
        {
            "method": task.method,
            "options": dict(task.options),
            "backbone": task.backbone,
            "weights": {"source": task.weights, "sha256": weights},
            "classes": material.classes,
            "plan": as_plain(task.plan),
            "places": given,
            "fingerprints": {name: part.truth.fingerprint for name, part in splits.items()},
        }
    )
    return found


def _write_row(
    task: Task, material: Material, places: Places, loop: Loop, status: str, ledger: Ledger
) -> None:
    """Write the result, last of all, so that it means that everything is there."""
    folder, position = RunFolder(task.out), loop.position
    folder.write_metrics(position.table or [{"epoch": 0, **position.evaluated}])
    kept: dict[str, dict[str, Any]] = (
        {} if status == DIVERGED else {LAST: {"epoch": position.epoch}}
    )
    kept |= {f"best:{name}": dict(best) for name, best in position.best.items()}
    files = {name: folder.checkpoint(name) for name in kept}
    for name, file in files.items():
        kept[name]["sha256"] = rows.file_hash(file)
    files |= {"metrics": folder.root / METRICS, "curves": folder.root / CURVES}
    result = _result(task, material, loop, status) | {"checkpoints": kept}
    seconds = position.seconds + loop.since_saved
    speed = {"seconds": seconds, "images_per_second": position.images / max(seconds, 1e-9)}
    row = ResultRow(
        rows.plain(result),
        {
            **provenance.now(),
            **speed,
            "data": place_of(places.data),
            "notes": material.notes,
            "left_out": _left_out(loop),
        },
        (*ledger.entries, *_labels_behind(task.weights)),
        {name: rows.artifact(file, folder.root) for name, file in files.items() if file.exists()},
    )
    rows.save(row, folder.row)
    folder.state.unlink(missing_ok=True)


def _labels_behind(weights: str) -> tuple[LedgerEntry, ...]:
    """Give the labels that weights out of a run's folder have consumed already."""
    row = RunFolder(Path(weights).parent).row
    return rows.load(row).ledger if Path(weights).is_file() and row.is_file() else ()


def _result(task: Task, material: Material, loop: Loop, status: str) -> dict[str, Any]:
    assessor, position = loop.parts.assessor, loop.position
    protocols = assessor.protocols if assessor else []
    metric = next((p.metric for p in protocols), "top1")
    trained, val = material.train, material.val
    return {
        "kind": "train",
        "method": task.method,
        "options": dict(task.options),
        "backbone": task.backbone,
        "weights": task.weights,
        "classes": material.classes,
        "plan": as_plain(task.plan),
        "seed": task.plan.seed,
        "status": status,
        "epochs": position.epoch,
        "loss": position.table[-1].get("loss") if position.table else None,
        "protocols": [protocol.as_dict() for protocol in protocols],
        "train": _split(trained.truth),
        "truth": _split(val.truth) if val else None,
        "threshold_from": f"oracle on this split ({val.split.name})" if val else None,
        "metric": metric,
        "value": position.evaluated.get(metric),
        "metrics": dict(position.evaluated),
        "lost_at": _place(loop) if status == DIVERGED else None,
    }


def _left_out(loop: Loop) -> list[str]:
    """List the broken photographs that this session met."""
    assessor = loop.parts.assessor
    loaders = [loop.parts.loader, *([assessor.loader] if assessor else [])]
    found = [str(p) for loader in loaders for items in loader.left_out.values() for p in items]
    return list(dict.fromkeys(found))


def _place(loop: Loop) -> dict[str, int]:
    return {"epoch": loop.position.epoch + 1, "step": loop.position.step + 1}


def _split(truth: GroundTruth) -> dict[str, Any]:
    split = truth.split
    return {
        "dataset": split.dataset,
        "split": split.name,
        "fingerprint": truth.fingerprint,
        "images": len(split.ids),
    }
