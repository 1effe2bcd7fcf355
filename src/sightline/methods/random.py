"""Random weights: what the architecture alone, never trained, knows of where objects are.

Paper: none

The network of CAM as it is made, before any weight has been learned or loaded. Its class maps show
how much of a score is owed to the layout of the network and to the data set. Whatever was learned
must do better.

Formula:
    map_cij = sum_d W_cd g_dij + b_c, with W and g random

Released code: None.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch

from sightline.methods import cam
from sightline.methods.contract import Batch, Step


@dataclass(frozen=True, slots=True)
class Options:
    """It has none: the seed decides."""


class Method(cam.Method):
    """CAM's network, untrained."""

    trained: ClassVar[bool] = False
    classifies: ClassVar[bool] = False

    def step(self, batch: Batch) -> Step:
        """Learn nothing: the loss is 0 and touches no weight and no running mean."""
        return Step(torch.zeros((), device=batch.images.device), {})
