"""Trains every method three times: whole, killed at a step, and resumed. Prints what differs.

    python killed.py DATA OUT SEED

Each run is a process of its own, forked from this one, which has imported everything and started
no thread; it kills itself with SIGKILL where it is to die.
"""

import os
import random
import signal
import sys
from pathlib import Path

import torch

from sightline import registry
from sightline.backbones import assembly as backbones
from sightline.methods import assembly as methods
from sightline.training import loop, run

torch.set_num_threads(1)
STEPS = 6  # of a whole run: 12 images, 4 in a batch, 2 epochs
EXACT = ("last.safetensors", "best-MaxBoxAccV2.safetensors", "metrics.csv")


def forked(work) -> int:
    """Do some work in a process of its own, and give how it ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def train(method: str, data: str, out: Path, **settings) -> None:
    run.train(
        method,
        data,
        backbone_for(method),
        out,
        train_split="train",
        epochs=2,
        size=32,
        batch=4,
        workers=0,
        accelerator="cpu",
        cache=False,
        show_progress=False,
        lr=0.01,
        decay_every=1,
        **{"keep": () if method == "random" else ("best:MaxBoxAccV2",), **settings},
    )


def dying(steps: int):
    """Die in the middle of a step, behind a number of whole ones."""
    whole, left = loop.Loop._step, [steps]

    def step(self, pictures, total):
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return whole(self, pictures, total)

    loop.Loop._step = step


def dying_in_a_save(number: int):
    """Die while a state is written, when the new one is not in its place yet."""
    whole, left = Path.replace, [number]

    def replace(self, target):
        if Path(target).name == "state.safetensors":
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
        return whole(self, target)

    Path.replace = replace


def compare(method: str, data: str, out: Path, at: int, in_a_save: bool, **settings) -> None:
    """Kill a run and go on with it; say what differs from the run that was let live."""
    place = f"{method} {settings} killed {'saving ' if in_a_save else 'in step '}{at}"
    alive, dead = out / f"{method}-alive", out / f"{method}-dead"
    if not alive.exists() and forked(lambda: train(method, data, alive, **settings)):
        print(f"{place}: the whole run failed")
        return

    def die():
        (dying_in_a_save if in_a_save else dying)(at)
        train(method, data, dead, save_steps=1, **settings)

    code = forked(die)
    if code != -signal.SIGKILL:
        print(f"{place}: was not killed but ended with {code}")
    if (dead / "train.row.json").exists() or (at and not (dead / "state.safetensors").exists()):
        print(f"{place}: left the wrong files: {sorted(p.name for p in dead.iterdir())}")
    if forked(lambda: train(method, data, dead, save_steps=1, **settings)):
        print(f"{place}: was not resumed")
    for name in EXACT:
        if (alive / name).read_bytes() != (dead / name).read_bytes():
            print(f"{place}: {name} differs")
    if (dead / "state.safetensors").exists():
        print(f"{place}: the state was left behind")


def backbone_for(method: str) -> str:
    """Name the first of the small backbones that a method runs on."""
    module = methods.module_of(method)
    return next(b for b in BACKBONES if methods.fits(module, backbones.module_of(b)))


BACKBONES = ("small-resnet", "small-vit")


def main() -> None:
    data, out, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    run.curves.draw = lambda *_: None  # takes as long as all else
    train("random", data, out / "warm")
    dice = random.Random(seed)
    for method in registry.names("method"):
        if registry.load("method", method).Method.trained:
            compare(method, data, out, dice.randrange(STEPS), in_a_save=False)
    compare("cam", data, out / "save", dice.randrange(STEPS), in_a_save=True)
    compare("cam", data, out / "adamw", dice.randrange(STEPS), False, optimizer="adamw")


if __name__ == "__main__":
    main()
