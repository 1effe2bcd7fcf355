"""The dense CRF loss: pixels that look alike and lie near each other should be one thing.

Paper: Tang et al., On Regularized Losses for Weakly-supervised CNN Segmentation, ECCV 2018
    https://arxiv.org/abs/1803.09569

    loss = -1/N sum_n sum_k s_nk' W_n s_nk,  gradient -2/N W_n s_nk

W is the bilateral Gaussian, its diagonal included; N counts the images.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from sightline.methods.pixelwise.filtering import bilateral


def dense_crf(shares: Tensor, colors: Tensor, sigma_rgb: float, sigma_xy: float) -> Tensor:
    """Compute the loss of shares (N, K, H, W) on images (N, 3, H, W) of colors from 0 to 255."""
    computed: Any = _DenseCrf.apply
    found: Tensor = computed(shares.float(), colors.float(), sigma_rgb, sigma_xy)
    return found


class _DenseCrf(torch.autograd.Function):
    """Filters on the CPU, and keeps what it filtered for the gradient."""

    @staticmethod
    def forward(ctx: Any, shares: Tensor, colors: Tensor, rgb: float, xy: float) -> Tensor:
        pairs = zip(_last(shares), _last(colors), strict=True)
        filtered = np.stack([bilateral(image, signals, rgb, xy) for signals, image in pairs])
        kept = torch.from_numpy(filtered).permute(0, 3, 1, 2).to(shares.device)
        ctx.save_for_backward(kept)
        return -(shares.double() * kept).sum().to(shares.dtype) / len(shares)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        (filtered,) = ctx.saved_tensors
        return -2 / len(filtered) * gradient * filtered, None, None, None


def _last(tensor: Tensor) -> Any:
    """Put channels last, as NumPy has images."""
    return tensor.detach().permute(0, 2, 3, 1).contiguous().cpu().numpy()
