"""Speed of training and of the evaluation in an epoch, beside plain PyTorch in the same run.

    .venv/bin/python benchmarks/training.py [--data ../shared/data/pets] [--images 32] [--rounds 2]

A training step is compared with the loop that one would write: the same network, optimizer and
batches, which lie in memory. The peer of the evaluation does what the papers' code does after an
epoch: it passes over the images once for the accuracy and a second time for the maps, resizes and
scales each of them, and searches boxes at 1,000 thresholds with OpenCV. Both read the photographs
with our loader, and agree on every number before any time is reported. The two take turns, and the
fastest round of each counts; processor time is told beside the clock's, which other work on the
machine disturbs. The last line puts a whole epoch together, for all images of the data.
"""

import argparse
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import torch
from evaluate import straightforward  # the benchmark beside this one
from lightning_fabric import Fabric
from numpy.typing import NDArray

from sightline.backbones import assembly as backbones
from sightline.backbones import weights
from sightline.data.dataset import Dataset, read_dataset
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Batch, Loader, Reading
from sightline.methods import assembly
from sightline.methods.contract import Method, given
from sightline.metrics.geometry import to_frame
from sightline.progress import silent
from sightline.training import optimizing
from sightline.training.folder import RunFolder
from sightline.training.inference import for_inference
from sightline.training.interruption import Stop
from sightline.training.loop import Loop, Parts
from sightline.training.plan import Conduct, Plan
from sightline.training.run import transform_of
from sightline.training.scoring import Assessor, localized, protocols_of
from sightline.training.sharing import Sharing

CLASSES = 37
NETWORK = "efficientnet-lite0"
DELTAS = (0.3, 0.5, 0.7)
Pair = tuple[Callable[[], object], Callable[[], object]]
Seconds = NDArray[np.float64]  # rows: clock and processors; columns: the peer and us


def network_of(backbone: str) -> Method:
    """Make CAM's network, the same each time."""
    torch.manual_seed(0)
    network = assembly.build("cam", backbone, CLASSES)
    published = getattr(backbones.module_of(backbone), "PUBLISHED", {})
    packaged = [name for name, place in published.items() if place.startswith("package:")]
    weights.fill(network, weights.read(backbone, packaged[0] if packaged else "none"))
    return network


class Memory:
    """Batches that lie in memory, as a loader."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches = batches

    def __len__(self) -> int:
        """Count them."""
        return len(self.batches)

    def epoch(self, epoch: int, *, start: int = 0, part: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Give them all."""
        yield from self.batches[start:]


def turns(pair: Pair, rounds: int) -> Seconds:
    """Let two take turns, and give the fastest round of each: by the clock, and by processors."""
    clocks = time.perf_counter, time.process_time
    best = np.full((2, 2), math.inf)
    for number in range(rounds + 1):
        for place, work in enumerate(pair):
            started = np.array([clock() for clock in clocks])
            work()
            if number:  # the first round warms up
                took = np.array([clock() for clock in clocks]) - started
                best[:, place] = np.minimum(best[:, place], took)
    return best


def steps(backbone: str, batch: int, count: int, rounds: int, folder: Path) -> Seconds:
    """Give seconds an image of the plain loop and of ours."""
    side = network_of(backbone).backbone.input_size
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, batch * count)
    batches = [
        Batch(
            i,
            np.arange(i * batch, (i + 1) * batch),
            rng.normal(size=(batch, 3, side, side)).astype(np.float32),
        )
        for i in range(count)
    ]
    plan = Plan(batch=batch, epochs=10**6, lr=1e-4)
    peer = _plain(backbone, plan, batches, labels)
    ours = _ours(backbone, plan, batches, labels, folder)
    return turns((peer, ours), rounds) / (batch * count)


def _fast(backbone: str, network: Method) -> set[str]:
    names = [name for name, _ in network.named_parameters()]
    return backbones.module_of(backbone).fast_layers(names, "paper")


def _plain(
    backbone: str, plan: Plan, batches: Sequence[Batch], labels: Any
) -> Callable[[], object]:
    network = network_of(backbone).train()
    optimizer = optimizing.make_optimizer(network, _fast(backbone, network), plan)

    def epoch() -> float:
        total = 0.0
        for batch in batches:
            images = torch.from_numpy(batch.images)
            wanted = torch.from_numpy(labels[batch.indices])
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(images), wanted)
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total

    return epoch


def _ours(
    backbone: str, plan: Plan, batches: Sequence[Batch], labels: Any, folder: Path
) -> Callable[[], object]:
    network = network_of(backbone)
    parts = Parts(
        network=network,
        optimizer=optimizing.make_optimizer(network, _fast(backbone, network), plan),
        loader=Memory(batches),  # type: ignore[arg-type]
        labels=labels,
        assessor=None,
        folder=RunFolder(folder),
        sharing=Sharing(),
        stop=Stop(),
        log=lambda numbers, epoch: None,
    )
    fabric = Fabric(accelerator="cpu", devices=1)
    loop = Loop(fabric, parts, plan, Conduct(show_progress=False))

    def epoch() -> None:
        loop.position.step = 0
        loop._train_epoch()

    return epoch


def loader_of(dataset: Dataset, network: Method, folder: Path) -> Loader:
    """Make a loader of whole photographs, kept decoded."""
    return Loader(
        dataset.pictures,
        sizes=dataset.split.sizes,
        transform=transform_of(network, None),
        reading=Reading(batch=32, cache_folder=folder),
        training=False,
    )


def evaluation(data: Path, backbone: str, images: int, rounds: int, folder: Path) -> Seconds:
    """Give seconds an image of the papers' way and of ours."""
    whole = read_dataset(data, split="val")
    every = max(1, len(whole.pictures) // images)
    dataset = whole.chosen(range(0, len(whole.pictures), every)[:images])
    network = network_of(backbone).eval()
    loader = loader_of(dataset, network, folder)
    side = network.backbone.input_size
    protocols = protocols_of(("reference-v2",), dataset)
    assessor = Assessor(dataset, loader, protocols, {"boxes": ["study"]}, Ledger(), side=side)

    def ours() -> None:
        faster = for_inference(network)

        def forward(batch: Batch, labels: Any) -> Any:
            images = torch.from_numpy(batch.images).to(memory_format=torch.channels_last)
            return localized(faster, images, torch.from_numpy(labels))

        with torch.inference_mode():
            found.ours = assessor.assess(network, forward, silent).numbers()

    found = SimpleNamespace(peer={}, ours={})

    def peer() -> None:
        found.peer = twice(network, loader, dataset, side)

    taken = turns((peer, ours), rounds)
    for name, value in found.peer.items():
        assert abs(found.ours[name] - value) < 1e-6, f"{name}: {value} and {found.ours[name]}"
    return taken / len(dataset.pictures)


def twice(network: Method, loader: Loader, dataset: Dataset, side: int) -> dict[str, float]:
    """Evaluate as the papers' code does: one pass for the classes, one for the maps."""
    labels, right = dataset.split.labels, 0
    with torch.inference_mode():
        for batch in loader.epoch():
            said = network(torch.from_numpy(batch.images)).argmax(1).numpy()
            right += int((said == labels[batch.indices]).sum())
        boxes = dataset.truth.boxes("study", Ledger())
        reached = np.zeros((len(DELTAS), 1000))
        for batch in loader.epoch():
            wanted = torch.from_numpy(labels[batch.indices])
            maps = network.localize(torch.from_numpy(batch.images), given(wanted)).maps[:, 0]
            for item, one in zip(batch.indices, maps.double().numpy(), strict=True):
                scores = cv2.resize(one, (side, side), interpolation=cv2.INTER_CUBIC)
                scores = (scores - scores.min()) / (scores.max() - scores.min())
                corners = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
                width, height = dataset.split.sizes[item]
                truth = to_frame(corners, (int(width), int(height)), (side, side), "reference")
                best = straightforward(scores, truth, largest=False)
                reached += best >= np.array(DELTAS)[:, None]
    accuracy = 100 * reached / len(labels)
    return {"top1": 100 * right / len(labels), "MaxBoxAccV2": float(accuracy.max(1).mean())}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/pets"))
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    threads = torch.get_num_threads()
    print(f"PyTorch {torch.__version__}, {threads} threads; {os.cpu_count()} processors")
    print("| an image | peer | ours | ratio | ratio of processor time |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for backbone, batch, count in (("small-resnet", 32, 8), (NETWORK, 8, 2)):
            training = steps(backbone, batch, count, chosen.rounds, Path(place, backbone))
            print(line(f"training step, {backbone}, batch {batch}", training), flush=True)
        if not chosen.data.is_dir():
            print(f"{chosen.data}: not here, so that no evaluation is timed")
            return
        cache = Path(place, "cache")
        evaluating = evaluation(chosen.data, NETWORK, chosen.images, chosen.rounds, cache)
    print(line(f"evaluation, {NETWORK}", evaluating))
    train, val = (len(read_dataset(chosen.data, split=s).pictures) for s in ("train", "val"))
    whole = (train * training + val * evaluating) / (train + val)
    print(line(f"a whole epoch of it, {train} images and {val}, by these rates", whole))


def line(name: str, taken: Seconds) -> str:
    """Format one line of the table."""
    (peer, ours), (busy, less) = taken
    cells = name, f"{1e3 * peer:.1f} ms", f"{1e3 * ours:.1f} ms"
    return "| " + " | ".join([*cells, f"{peer / ours:.2f}", f"{busy / less:.2f}"]) + " |"


if __name__ == "__main__":
    main()
