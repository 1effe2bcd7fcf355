"""The training loop: it knows what a method is and no method by name.

Nothing random outlives a step. What a step draws follows from the seed, the epoch, the number of
the step and the process alone, so that weights, the optimizer's tensors and a position are all the
state there is.
"""

import math
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sightline import progress
from sightline.data.pipeline import draws
from sightline.data.pipeline.loader import Batch as Pictures
from sightline.data.pipeline.loader import Loader
from sightline.errors import SightlineError, UsageError
from sightline.methods.contract import Batch, Localized, Method, Step
from sightline.training import checkpoints, optimizing
from sightline.training.folder import RunFolder
from sightline.training.interruption import Stop
from sightline.training.plan import EVERY, LAST, Conduct, Plan
from sightline.training.scoring import Assessor, localized
from sightline.training.sharing import Sharing

STEP = 8  # what a step's random numbers are drawn for; see `sightline.data.pipeline.draws`
CONVERGED, DIVERGED, NOT_CONVERGED = "converged", "diverged", "not converged"


class DivergedError(Exception):
    """The loss, or what the network says, is no number any more."""


class StoppedError(Exception):
    """The user wants the run to stop; its state is saved."""


@dataclass(slots=True)
class Position:
    """How far a run is, and what it has found so far."""

    epoch: int = 0  # complete ones
    step: int = 0  # complete ones of the next epoch
    sums: dict[str, float] = field(default_factory=dict)  # of the epoch that is under way
    table: list[dict[str, Any]] = field(default_factory=list)  # one line an epoch
    best: dict[str, dict[str, Any]] = field(default_factory=dict)  # by criterion
    evaluated: dict[str, float] = field(default_factory=dict)  # the last evaluation
    seconds: float = 0.0
    images: int = 0  # trained on


@dataclass(frozen=True, slots=True)
class Parts:
    """What a loop works with."""

    network: Method
    optimizer: torch.optim.Optimizer
    loader: Loader
    labels: np.ndarray[Any, np.dtype[np.int64]]
    assessor: Assessor | None
    folder: RunFolder
    sharing: Sharing
    stop: Stop
    log: Callable[[Mapping[str, float], int], None]


class Loop:
    """Trains a network, evaluates it after each epoch, and can be stopped at any time.

    Args:
        fabric: devices and precision.
        parts: what there is to work with.
        plan: what to do.
        conduct: how to go about it.
    """

    def __init__(self, fabric: Any, parts: Parts, plan: Plan, conduct: Conduct) -> None:
        self.fabric, self.parts, self.plan, self.conduct = fabric, parts, plan, conduct
        self.network, self.sharing = parts.network, parts.sharing
        self.optimizer = fabric.setup_optimizers(parts.optimizer)
        self.position = Position()
        self._evaluated = parts.network  # a faster copy while it is evaluated
        self._format = torch.channels_last if plan.channels_last else torch.contiguous_format
        self._saved = self._started = time.monotonic()

    # Running

    def run(self) -> str:
        """Train to the end, and tell whether it converged."""
        try:
            while self.position.epoch < self.plan.epochs:
                self._train_epoch()
                self._finish_epoch()
            if not self.plan.epochs and not self.position.evaluated:
                self._evaluate(0)
        except DivergedError:
            return DIVERGED
        self._write_checkpoint(LAST)
        return self._verdict()

    def _verdict(self) -> str:
        table = self.position.table
        loss = table[-1].get("loss") if table else None
        high = self.plan.convergence == "below-2" and loss is not None and not loss <= 2.0
        return NOT_CONVERGED if high else CONVERGED

    def _train_epoch(self) -> None:
        """Take the steps of the epoch that are left."""
        position, loader = self.position, self.parts.loader
        optimizing.set_rate(self.optimizer, optimizing.learning_rate(self.plan, position.epoch))
        self.network.train()
        share = (self.sharing.rank, self.sharing.world)
        batches = loader.epoch(position.epoch, start=position.step, part=share)
        title = f"train, epoch {position.epoch + 1} of {self.plan.epochs}"
        with closing(batches), self._shown(title, len(self.parts.labels)) as show:  # type: ignore[type-var]
            for pictures in batches:
                total = self._agreed(len(pictures.indices))
                if total:
                    self._add(self._step(pictures, total), total)
                position.step += 1
                show(int(position.sums.get("images", 0)))
                self._save_if_due()

    def _agreed(self, count: int) -> int:
        """Count the batch's images over all processes; stop together if anyone is asked to."""
        total, stops = self.sharing.total([count, float(self.parts.stop.wanted)])
        if stops:
            self._stop()
        return int(total)

    def _stop(self) -> None:
        self.save()
        raise StoppedError

    def _step(self, pictures: Pictures, total: int) -> dict[str, float]:
        """Take one step, and give what it adds to the epoch's sums."""
        count = len(pictures.indices)
        self.optimizer.zero_grad()
        found: dict[str, float] = {"loss": 0.0}
        if count:
            step = self._loss_of(self._batch(pictures))
            if step.loss.requires_grad:
                self.fabric.backward(step.loss * (count / total))
            found = _numbers(step, count, self.parts.labels[pictures.indices])
        found = self._summed(found)
        if not math.isfinite(found["loss"]):
            raise DivergedError
        self.sharing.combine(self.network, count / total)
        self.optimizer.step()
        return found

    def _batch(self, pictures: Pictures) -> Batch:
        """Bring a batch to the device, with the random numbers of this step alone."""
        position, sharing = self.position, self.sharing
        place = np.array([position.step * sharing.world + sharing.rank])
        seed = int(draws.drawn(self.plan.seed, position.epoch, STEP, place)[0] >> np.uint64(1))
        torch.manual_seed(seed)  # for layers such as dropout, which take no generator
        device = self.fabric.device
        masks = None if pictures.masks is None else torch.from_numpy(pictures.masks).to(device)
        return Batch(
            images=self._images(pictures.images, self._format),
            labels=torch.from_numpy(self.parts.labels[pictures.indices]).to(device),
            generator=torch.Generator().manual_seed(seed),
            masks=masks,
            epoch=position.epoch + position.step / max(1, len(self.parts.loader)),
            epochs=self.plan.epochs,
        )

    def _images(
        self, images: np.ndarray[Any, np.dtype[np.float32]], layout: torch.memory_format
    ) -> Tensor:
        return torch.from_numpy(images).to(self.fabric.device, memory_format=layout)

    def _loss_of(self, batch: Batch) -> Step:
        with self.fabric.autocast():
            return self.network.step(batch)

    def _summed(self, found: Mapping[str, float]) -> dict[str, float]:
        """Add the processes' numbers up; one without images has no names for them."""
        if self.sharing.world == 1:
            return dict(found)
        summed: dict[str, float] = {}
        for share in self.sharing.gathered(dict(found)):
            for name, value in share.items():
                summed[name] = summed.get(name, 0.0) + value
        return summed

    def _add(self, found: Mapping[str, float], total: int) -> None:
        sums = self.position.sums
        for name, value in {**found, "images": float(total)}.items():
            sums[name] = sums.get(name, 0.0) + value
        self.position.images += total

    # After an epoch

    def _finish_epoch(self) -> None:
        """Evaluate, keep what is to be kept, note it, and save the state."""
        position = self.position
        number = position.epoch + 1
        line = self._line(number)
        every = self.plan.evaluate_every
        if every and (number % every == 0 or number == self.plan.epochs):
            line |= self._evaluate(number)
        if EVERY in self.plan.keep:
            self._write_checkpoint(f"epoch-{number:04d}")
        position.table.append(line)
        position.epoch, position.step, position.sums = number, 0, {}
        if self.sharing.rank == 0:
            self.parts.folder.write_metrics(position.table)
        self.parts.log({k: v for k, v in line.items() if k != "epoch"}, number)
        self.save()

    def _line(self, number: int) -> dict[str, Any]:
        """Say what the epoch's training came to."""
        sums = dict(self.position.sums)
        images = max(1.0, sums.pop("images", 0.0))
        classified = sums.pop("classified", 0.0)
        right = sums.pop("right", 0.0)
        rate = optimizing.learning_rate(self.plan, self.position.epoch)
        line: dict[str, Any] = {"epoch": number, "lr": rate}
        line |= {name: value / images for name, value in sums.items()}
        return line | ({"train_top1": 100 * right / classified} if classified else {})

    def _evaluate(self, number: int) -> dict[str, float]:
        """Measure the network as it is, and keep it where it is the best so far."""
        assessor, position = self.parts.assessor, self.position
        if assessor is None:
            return {}
        self.network.eval()
        share = self.sharing.world
        with (
            torch.inference_mode(),
            self._shown("evaluate", len(assessor.dataset.pictures)) as show,
        ):
            try:
                mine = assessor.assess(self._evaluated, self._localize, self._checked(show, share))
                failed: str = ""
            except StoppedError:
                failed = "stopped"
            except DivergedError:
                failed = "diverged"
        self._evaluated = self.network
        verdicts = self.sharing.gathered(failed)
        if "stopped" in verdicts:
            self._stop()
        if "diverged" in verdicts:
            raise DivergedError
        position.evaluated = assessor.merged(mine).numbers()
        self._keep_best(number)
        return position.evaluated

    def _checked(self, show: progress.Step, share: int) -> progress.Step:
        def step(done: int) -> None:
            show(done * share)
            if self.parts.stop.wanted:
                raise StoppedError

        return step

    def _localize(self, pictures: Pictures, labels: Any) -> Localized:
        with self.fabric.autocast():
            wanted = torch.from_numpy(labels).to(self.fabric.device)
            images = self._images(pictures.images, torch.channels_last)
            said = localized(self._evaluated, images, wanted)
        if not (said.maps.isfinite().all() and said.logits.isfinite().all()):
            raise DivergedError
        return said

    def _keep_best(self, number: int) -> None:
        """Keep the weights of the first epoch that is the best, for each criterion."""
        position = self.position
        for name in self.plan.criteria:
            if name not in position.evaluated:
                known = ", ".join(position.evaluated)
                raise UsageError(f"--keep: nothing is called '{name}' here; there are {known}")
            value = position.evaluated[name]
            if name not in position.best or value > position.best[name]["value"]:
                position.best[name] = {"epoch": number, "value": value}
                self._write_checkpoint(f"best:{name}")

    # State

    def _save_if_due(self) -> None:
        steps = self.conduct.save_steps
        due = time.monotonic() - self._saved >= self.conduct.save_seconds
        if due or (steps and self.position.step % steps == 0):
            self.save()

    def save(self) -> None:
        """Write all that is needed to go on from here as if nothing had happened."""
        self._saved = now = time.monotonic()
        self.position.seconds += now - self._started
        self._started = now
        if self.sharing.rank:
            return
        tensors = dict(self.network.state_dict())
        tensors |= optimizing.state_of(self.parts.optimizer, self.network)
        facts = asdict(self.position) | {"scaler": self._scaler()}
        checkpoints.write(self.parts.folder.state, tensors, facts)

    @property
    def since_saved(self) -> float:
        """Count the seconds that the state does not know of."""
        return time.monotonic() - self._started

    def resume(self) -> bool:
        """Go on from a saved state, if there is one."""
        if not self.parts.folder.state.exists():
            return False
        tensors, facts = checkpoints.read(self.parts.folder.state)
        weights = {k: v for k, v in tensors.items() if not k.startswith(optimizing.PREFIX)}
        try:
            self.network.load_state_dict(weights)
            scaler = facts.pop("scaler")
            self.position = Position(**facts)
        except (RuntimeError, TypeError, KeyError) as error:
            what = str(error).partition("\n")[0]
            raise SightlineError(
                f"{self.parts.folder.state}: is not the state of this run ({what}); delete it to"
                " begin again"
            ) from None
        optimizing.restore(self.parts.optimizer, self.network, tensors)
        if scaler:
            self.fabric._precision.load_state_dict(scaler)
        return True

    def _scaler(self) -> dict[str, Any]:
        """Give the scale of gradients in half precision."""
        state: dict[str, Any] = self.fabric._precision.state_dict()
        return state

    def _write_checkpoint(self, name: str) -> None:
        if self.sharing.rank == 0:
            facts = {"epoch": self.position.epoch if name == LAST else self.position.epoch + 1}
            file = self.parts.folder.checkpoint(name)
            checkpoints.write(file, self.network.state_dict(), facts)

    def _shown(self, title: str, total: int) -> Any:
        visible = self.conduct.show_progress and self.sharing.rank == 0
        return progress.shown(title, total) if visible else _Silent()


class _Silent:
    def __enter__(self) -> progress.Step:
        return progress.silent

    def __exit__(self, *_: object) -> None:
        return None


def _numbers(step: Step, count: int, labels: np.ndarray[Any, Any]) -> dict[str, float]:
    """Turn what a step says into sums over its images."""
    found = {"loss": step.loss.item() * count}
    if len(step.parts) > 1:
        found |= {f"loss.{name}": part.item() * count for name, part in step.parts.items()}
    if step.logits is not None:
        right = (step.logits.argmax(1).cpu().numpy() == labels).sum()
        found |= {"right": float(right), "classified": float(count)}
    return found
