"""Speed of a training step on DeiT-S, attention maps collected, beside transformers' DeiT.

    .venv/bin/python benchmarks/transformers.py [--batch 8] [--steps 3] [--rounds 3]

Both have 12 blocks of width 384, images of 224 pixels, float32, AdamW and the same classes; each
collects the attention of all layers and sums the class token's over them. The peer computes it in
the one way that gives it any, eager attention with `output_attentions`; its DeiT has one token more
than ours, of distillation, its ViT has as many. Ours keeps whole maps (`all`) or the class token's
row (`class`), all that TS-CAM and SCM ask for. They take turns in blocks of a few steps, and the
fastest block of each counts, by the clock and by processor time. That all of them compute the same
is tested in tests/backbones/test_deit.py.
"""

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones import assembly

CLASSES, SIDE = 200, 224
Forward = Callable[[Tensor], tuple[Tensor, Tensor]]  # images -> logits, summed attention


def library() -> Any:
    """Import the peer, which this file's own name would hide."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != here]
    return importlib.import_module("transformers")


class Ours(nn.Module):
    """DeiT-S with a classifier on its class token."""

    def __init__(self, keep: str) -> None:
        super().__init__()
        self.keep = keep
        self.backbone = assembly.build("deit-small")
        self.head = nn.Linear(self.backbone.last_channels, CLASSES)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Give logits and the map."""
        found = self.backbone.attend(images, keep=self.keep)
        return self.head(found.tokens[:, 0]), found.maps().sum(1)


class Peer(nn.Module):
    """The same of transformers."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        transformers = library()
        config = getattr(transformers, f"{kind}Config")(
            hidden_size=384,
            num_hidden_layers=12,
            num_attention_heads=6,
            intermediate_size=1536,
            num_labels=CLASSES,
            attn_implementation="eager",
        )
        self.network = getattr(transformers, f"{kind}ForImageClassification")(config)
        self.before = 2 if kind == "DeiT" else 1

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Give logits and the map."""
        answer = self.network(images, output_attentions=True)
        rows = [layer.mean(1)[:, 0, self.before :] for layer in answer.attentions]
        return answer.logits, torch.stack(rows, 1).sum(1).view(-1, 14, 14)


def stepping(
    network: nn.Module, images: Tensor, labels: Tensor, *, coupled: bool
) -> Callable[[], None]:
    """Make a training step; `coupled` lets the loss ask for the attention too, as SCM's does."""
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), 1e-4, weight_decay=0.05)

    def step() -> None:
        optimizer.zero_grad()
        logits, attention = network(images)
        loss = functional.cross_entropy(logits, labels)
        if coupled:
            loss = loss + attention.var()
        loss.backward()
        optimizer.step()

    return step


def fastest(
    steps: dict[str, Callable[[], None]], count: int, rounds: int
) -> dict[str, list[float]]:
    """Give seconds a step, by the clock and of the processor, of the fastest block of each."""
    best = {name: [float("inf")] * 2 for name in steps}
    for step in steps.values():
        step()
    for _ in range(rounds):
        for name, step in steps.items():
            before = time.perf_counter(), time.process_time()
            for _ in range(count):
                step()
            spent = time.perf_counter() - before[0], time.process_time() - before[1]
            best[name] = [min(a, b / count) for a, b in zip(best[name], spent, strict=True)]
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    images = torch.randn(chosen.batch, 3, SIDE, SIDE)
    labels = torch.randint(0, CLASSES, (chosen.batch,))
    made = {
        "transformers DeiT, eager": Peer("DeiT"),
        "transformers ViT, eager": Peer("ViT"),
        "ours, keep all": Ours("all"),
        "ours, keep class": Ours("class"),
    }
    threads = torch.get_num_threads()
    print(
        f"PyTorch {torch.__version__}, transformers {library().__version__}, {threads} threads;"
        f" {os.cpu_count()} processors; batch {chosen.batch}"
    )
    print("| a training step | time | ratio | ratio of processor time |\n|---|---|---|---|")
    for coupled in (False, True):
        steps = {n: stepping(net, images, labels, coupled=coupled) for n, net in made.items()}
        taken = fastest(steps, chosen.steps, chosen.rounds)
        clock, busy = taken["transformers DeiT, eager"]
        for name, (seconds, spent) in taken.items():
            what = f"{name}{', attention in the loss' if coupled else ''}"
            ratios = f"{clock / seconds:.2f} | {busy / spent:.2f}"
            print(f"| {what} | {1e3 * seconds:.0f} ms | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
