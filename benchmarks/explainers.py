"""Speed and memory of explainers, beside Captum and pytorch-grad-cam in the same run.

    .venv/bin/python benchmarks/explainers.py --images ../shared/data/pets/images

The network is EfficientNet-Lite0 at 224 x 224 with two threads. Gradient methods explain 4 images
with N = 10 and the same number of images at once on both sides; CAM goes from 200 files to finished
maps. Where a library is not installed the peer is the plain loop that one would write. Every
measurement is a process of its own, so that its largest resident size is its own too; ours and the
peer's take turns, and a line gives medians. Processor seconds are beside the wall's, since they
hardly feel what else the machine does.
"""

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS, SIDE, SAMPLES, CHUNK, COUNT, FILES = 2, 224, 10, 4, 4, 200
TASKS = ("vb", "sg-vb", "ig-vb", "cam-files")
NAMES = {"vb": "Saliency", "sg-vb": "NoiseTunnel", "ig-vb": "IntegratedGradients"}


def main() -> None:
    """Take turns, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="a folder of photographs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--one", nargs=2, metavar=("TASK", "SIDE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measured(*asked.one, asked.images)))
        return
    print(f"{'task':10} {'side':24} {'wall s':>8} {'cpu s':>8} {'peak MB':>8}")
    for task in asked.tasks:
        sides: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
        for _ in range(asked.repeats):
            for side, found in sides.items():
                found.append(_apart(task, side, asked.images))
        middle = {side: _median(found) for side, found in sides.items()}
        for side, found in sides.items():
            numbers = middle[side]
            line = f"{numbers['wall']:8.2f} {numbers['cpu']:8.2f} {numbers['peak']:8.0f}"
            print(f"{task:10} {found[0]['title']:24} {line}")
        ratio = {key: middle["peer"][key] / middle["ours"][key] for key in middle["ours"]}
        shown = f"{ratio['wall']:8.2f} {ratio['cpu']:8.2f} {ratio['peak']:8.2f}"
        print(f"{task:10} {'peer / ours':24} {shown}")


def _apart(task: str, side: str, images: Path) -> dict[str, Any]:
    words = [sys.executable, __file__, "--images", str(images), "--one", task, side]
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _median(found: list[dict[str, Any]]) -> dict[str, float]:
    return {key: statistics.median(one[key] for one in found) for key in ("wall", "cpu", "peak")}


def measured(task: str, side: str, images: Path) -> dict[str, Any]:
    """Do a task once to warm up and once on the clock."""
    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(THREADS)
    title, work = (ours if side == "ours" else peer)(task, images)
    work(True)
    started, ticked = time.perf_counter(), time.process_time()
    work(False)
    return {
        "title": title,
        "wall": time.perf_counter() - started,
        "cpu": time.process_time() - ticked,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


Work = Callable[[bool], object]  # whether it is the warming up


def _given() -> tuple[Any, Any, Any]:
    import torch

    from sightline.looking import packaged

    generator = torch.Generator().manual_seed(0)
    images = torch.randn(COUNT, 3, SIDE, SIDE, generator=generator)
    return packaged(SIDE).network, images, torch.arange(COUNT)


def ours(task: str, folder: Path) -> tuple[str, Work]:
    """Give our way of doing a task."""
    from sightline import registry
    from sightline.allocation import keep_freed_memory

    keep_freed_memory()  # as `sightline explain` does
    network, images, labels = _given()
    if task == "cam-files":
        return "sightline", lambda warming: _our_cam(network, _files(folder, warming))
    module = registry.load("explainer", task)
    known = {"blur": 0, "chunk": CHUNK, **({} if task == "vb" else {"samples": SAMPLES})}
    options = module.Options(**known)
    return "sightline", lambda warming: module.explain(network, images, labels, options)


def _our_cam(network: Any, files: list[Path]) -> int:
    import torch

    from sightline.attribution import cam
    from sightline.attribution.localizing import finished
    from sightline.data.pipeline.loader import Loader, Reading
    from sightline.data.pipeline.transforms import Transform

    known = network.normalization
    transform = Transform(test_resize=SIDE, mean=known.mean, std=known.std)
    loader = Loader(files, transform=transform, reading=Reading(batch=16, cache=False))
    made = 0
    for batch in loader.epoch(0):
        images = torch.from_numpy(batch.images)
        labels = torch.zeros(len(images), dtype=torch.long)
        raw = cam.explain(network, images, labels, cam.Options())
        made += len(finished(raw, len(images), (SIDE, SIDE)))
    return made


def peer(task: str, folder: Path) -> tuple[str, Work]:
    """Give the other library's way of doing a task, or a plain loop's."""
    network, images, labels = _given()
    if task == "cam-files":
        return _their_cam(network, folder)
    if importlib.util.find_spec("captum") is None:
        return "plain loop", lambda warming: _loop(network.module, images, labels, task)
    import captum.attr

    attribution = getattr(captum.attr, NAMES[task])
    if task == "vb":
        made = attribution(network.module)
        return "captum", lambda warming: made.attribute(images.requires_grad_(), target=labels)
    if task == "sg-vb":
        made = attribution(captum.attr.Saliency(network.module))
        return "captum", lambda warming: made.attribute(
            images.requires_grad_(),
            target=labels,
            nt_samples=SAMPLES,
            nt_samples_batch_size=1,  # of each of 4 images: 4 at once, as on our side
            stdevs=0.5,
        )
    made = attribution(network.module)
    return "captum", lambda warming: made.attribute(
        images.requires_grad_(), target=labels, n_steps=SAMPLES, internal_batch_size=CHUNK
    )


def _loop(module: Any, images: Any, labels: Any, task: str) -> None:
    import torch

    for step in range(1 if task == "vb" else SAMPLES):
        changed = images * (step + 1) / SAMPLES if task == "ig-vb" else images
        if task == "sg-vb":
            changed = images + 0.5 * torch.randn_like(images)
        leaf = changed.detach().requires_grad_()
        score = module(leaf).gather(1, labels[:, None]).sum()
        torch.autograd.grad(score, leaf)


def _their_cam(network: Any, folder: Path) -> tuple[str, Work]:
    import numpy as np
    import torch
    from PIL import Image

    library = _grad_cam()
    layer = dict(network.module.named_modules())["backbone.stages.head"]
    known = network.normalization

    def read(file: Path) -> Any:
        with Image.open(file) as opened:
            image = opened.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = (np.asarray(image, np.float32) / 255 - known.mean) / known.std
        return torch.from_numpy(pixels.astype(np.float32)).permute(2, 0, 1)

    def through(warming: bool) -> None:
        files = _files(folder, warming)
        for start in range(0, len(files), 16):
            images = torch.stack([read(file) for file in files[start : start + 16]])
            explain(images)

    if library is None:
        from sightline.metrics.score_maps import prepare

        def explain(images: Any) -> Any:
            kept: list[Any] = []
            handle = layer.register_forward_hook(lambda m, i, o: kept.append(o))
            scores = network.module(images)
            handle.remove()
            (gradients,) = torch.autograd.grad(scores[:, 0].sum(), kept[0])
            maps = (gradients.mean((2, 3), keepdim=True) * kept[0]).sum(1).detach().numpy()
            return [prepare(one) for one in maps]

        return "plain loop", through
    made = library.GradCAM(model=network.module, target_layers=[layer])

    def explain(images: Any) -> Any:
        return made(input_tensor=images, targets=[_First()] * len(images))

    return "pytorch-grad-cam", through


class _First:
    """The score of the first class."""

    def __call__(self, scores: Any) -> Any:
        return scores[0]


def _grad_cam() -> Any:
    """Import pytorch-grad-cam if it is there; torchvision may need its operators named first."""
    if importlib.util.find_spec("pytorch_grad_cam") is None:
        return None
    file = Path(__file__).parents[1] / "tests" / "backbones" / "others.py"
    spec = importlib.util.spec_from_file_location("others", file)
    assert spec
    assert spec.loader
    others = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(others)
    others.torchvision_networks()
    return importlib.import_module("pytorch_grad_cam")


def _files(folder: Path, warming: bool) -> list[Path]:
    return sorted(folder.glob("*.jpg"))[: 16 if warming else FILES]


if __name__ == "__main__":
    main()
