"""From pixel gradients to score maps: channels become one, and the map is smoothed."""

import cv2
import numpy as np
import torch
from torch import Tensor

from sightline.attribution.settings import Channels


def as_maps(pixels: Tensor, channels: Channels, blur: int, sigma: float) -> Tensor:
    """Make a smoothed map, (N, H, W), of what each pixel's channels have, (N, C, H, W)."""
    return blurred(merged(pixels, channels), blur, sigma)


def merged(pixels: Tensor, channels: Channels) -> Tensor:
    """Make one value of a pixel's channels."""
    if channels == "sum":
        return pixels.sum(1)
    sizes = pixels.abs()
    return sizes.sum(1) if channels == "sum-abs" else sizes.amax(1)


def blurred(planes: Tensor, kernel: int, sigma: float = 0) -> Tensor:
    """Smooth planes, (..., H, W), with OpenCV's Gaussian, whose width implies its deviation."""
    if kernel < 2:
        return planes
    flat = planes.detach().cpu().float().numpy().reshape(-1, *planes.shape[-2:])
    made = [cv2.GaussianBlur(one, (kernel, kernel), sigma) for one in flat]
    return torch.from_numpy(np.stack(made)).reshape(planes.shape)
