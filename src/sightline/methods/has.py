"""Hide-and-seek (HaS): cells of the image are hidden at random, so that no one part suffices.

Paper: Singh and Lee, Hide-and-Seek: Forcing a Network to be Meticulous, ICCV 2017
    https://arxiv.org/abs/1704.04232

Every training image is divided into a grid of cells, and each cell is hidden with a given
probability, independently of the others. A hidden cell shows the mean color of the data set, which
is 0 after normalization. Network and maps are those of CAM, and no test image is hidden.

Formula:
    x'_ij = x_ij 1[u_cell(i,j) >= drop rate],  u uniform on [0, 1), one for each cell and image
    cell  = round(sqrt(drop area) H) x round(sqrt(drop area) W) pixels

Released code: Counts the side of a cell in pixels (4), as `--grid pixels --cell-pixels 4` does.
The method's own authors draw 0, 16, 32, 44 or 56 pixels for each image: `--grid mixed`.
The drop area is a cell's share of the image in the comparison of methods; the default, 1/16, is the
largest of the authors' cells, 56 of 224 pixels.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor

from sightline.backbones.contract import Backbone
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.methods import cam
from sightline.methods.contract import Batch
from sightline.methods.heads import chance

MIXED = (0, 16, 32, 44, 56)  # sides that the authors draw from, in pixels
Grid = Literal["area", "pixels", "mixed"]


@dataclass(frozen=True, slots=True)
class Options:
    """How much is hidden, and in what cells."""

    drop_rate: Annotated[float, "probability that a cell is hidden", Uniform(0, 1)] = 0.5
    drop_area: Annotated[
        float, "a cell's share of the image; 0 hides nothing, 1 is the whole", Uniform(0, 1)
    ] = 0.0625
    grid: Annotated[
        Grid, "size of cells: by drop-area, by cell-pixels, or drawn for each image"
    ] = "area"
    cell_pixels: Annotated[int, "side of a cell where the grid is in pixels", AtLeast(0)] = 4

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(cam.Method):
    """CAM's network, trained on images with hidden cells."""

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options

    def features(self, batch: Batch) -> Tensor:
        """Give the features of the images with cells hidden."""
        hidden = hidden_pixels(batch.images, self.options, batch.generator)
        shown = batch.images.masked_fill(hidden[:, None], 0)
        features: Tensor = self.backbone(shown).last
        return features


def hidden_pixels(images: Tensor, options: Options, generator: torch.Generator) -> Tensor:
    """Draw which pixels are hidden, (N, H, W)."""
    height, width = images.shape[-2:]
    drawn = []
    for _ in images:
        rows, columns = cell_sides(options, height, width, generator)
        drawn.append(_hidden(rows, columns, height, width, options.drop_rate, generator))
    return torch.stack(drawn).to(images.device)


def cell_sides(
    options: Options, height: int, width: int, generator: torch.Generator
) -> tuple[int, int]:
    """Give height and width of a cell in pixels; 0 hides nothing."""
    if options.grid == "area":
        side = math.sqrt(options.drop_area)
        return round(side * height), round(side * width)
    if options.grid == "pixels":
        return options.cell_pixels, options.cell_pixels
    side = MIXED[int(chance(generator, 1).item() * len(MIXED))]
    return side, side


def _hidden(
    rows: int, columns: int, height: int, width: int, rate: float, generator: torch.Generator
) -> Tensor:
    if not (rows and columns):
        return torch.zeros(height, width, dtype=torch.bool, device=generator.device)
    count = math.ceil(height / rows), math.ceil(width / columns)
    cells = chance(generator, *count) < rate
    pixels = cells.repeat_interleave(rows, 0).repeat_interleave(columns, 1)
    return pixels[:height, :width]
