"""Curves for TensorBoard and Weights & Biases as well, where they are installed."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from sightline.errors import SightlineError
from sightline.training.plan import Task

Log = Callable[[Mapping[str, float], int], None]
PACKAGES = {"tensorboard": ("tensorboard", "tensorboardX"), "wandb": ("wandb",)}


def _nothing(numbers: Mapping[str, float], epoch: int) -> None:
    """Log nowhere."""


def refuse_missing(name: str) -> None:
    """Say what to install for a logger."""
    packages = PACKAGES.get(name, ())
    if packages and not any(find_spec(package) for package in packages):
        raise SightlineError(f"--logger {name} needs the package {packages[0]}; pip install it")


def of(name: str, task: Task, rank: int) -> Log:
    """Give what logs an epoch's numbers; only the first process does."""
    refuse_missing(name)
    if name == "none" or rank:
        return _nothing
    return _tensorboard(task) if name == "tensorboard" else _wandb(task)


def _tensorboard(task: Task) -> Log:
    from lightning_fabric.loggers.tensorboard import TensorBoardLogger

    logger = TensorBoardLogger(root_dir=task.out, name="tensorboard", version="")
    return lambda numbers, epoch: logger.log_metrics(dict(numbers), epoch)


def _wandb(task: Task) -> Log:
    import wandb  # type: ignore[import-not-found,unused-ignore]

    session: Any = wandb.init(project="sightline", name=task.out.name, dir=str(task.out))
    return lambda numbers, epoch: session.log(dict(numbers), step=epoch)
