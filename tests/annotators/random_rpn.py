"""Weights of our region proposal network that nothing was learned into."""

from pathlib import Path

import torch

from sightline.annotators import rpn_network


def saved(file: Path, side: int = 96) -> Path:
    """Write some."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        head = rpn_network.Head()
        torch.nn.init.normal_(head.answer.weight, 0, 0.05)
    rpn_network.write(head, file, {"side": side}, ())
    return file
