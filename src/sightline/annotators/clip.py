"""Where an image-text model sees the class: gradient CAM of a prompt, against background prompts.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization, section
    3 (b); the map is that of Lin et al., CLIP is Also an Efficient Segmenter, CVPR 2023
    https://arxiv.org/abs/2212.09506

The box is around the largest region of the map at Otsu's threshold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sightline.annotators.clip_prompts import (
    BACKGROUND,
    TEMPLATE,
    backgrounds,
    names_of,
    refuse_templates,
)
from sightline.annotators.contract import Heat, Image, Item, Nothing
from sightline.hyperparameters import AtLeast, validate
from sightline.types import LedgerEntry, Split

GIVES = "heat"
CLASSES = True
LIBRARY = "transformers"


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked, and of which model."""

    model: Annotated[
        str,
        "folder of a CLIP model as transformers saves it, a name on the hub, or"
        " open_clip:ARCHITECTURE@FILE.safetensors",
    ] = "openai/clip-vit-base-patch16"
    templates: Annotated[
        tuple[str, ...], "sentences with {} for the name; of several, the mean"
    ] = (TEMPLATE,)
    background: Annotated[
        tuple[str, ...], "what else may be in the picture; none for the class alone"
    ] = BACKGROUND
    class_names: Annotated[str, "file of names, one class a line; the data's own if empty"] = ""
    refine: Annotated[bool, "spread the map along the model's attention"] = True
    longest: Annotated[
        int, "side in pixels to which larger photographs are reduced; 0 never", AtLeast(0)
    ] = 512

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        refuse_templates(self.templates)
        backgrounds(self.background)


class Source:
    """A model with the prompts of a split."""

    ledger: tuple[LedgerEntry, ...] = ()

    def __init__(self, options: Options, split: Split) -> None:
        from sightline.annotators.clip_model import read_model

        self.options = options
        self.names = names_of(split, options.class_names)
        self.model = read_model(options.model)
        names = {str(label): name for label, name in self.names.items()}
        self.origin: Mapping[str, Any] = {"weights": self.model.sha256, "names": names}
        self._texts: dict[str, Any] = {}

    @cached_property
    def _others(self) -> Any:
        """Encode the background."""
        import torch

        words = backgrounds(self.options.background)
        return torch.stack([self._text(word) for word in words]) if words else None

    def _text(self, name: str) -> Any:
        """Encode a name: the mean of its sentences, of length 1."""
        from sightline.annotators.clip_model import unit

        if name not in self._texts:
            sentences = [template.format(name) for template in self.options.templates]
            self._texts[name] = unit(unit(self.model.texts(sentences)).mean(0))
        return self._texts[name]

    def propose(self, image: Image, item: Item) -> Heat | Nothing:
        """Draw the map of the image's class."""
        import torch

        from sightline.annotators.clip_cam import cam, refined

        if item.label not in self.names:
            return Nothing("the image has no class to ask for")
        text = self._text(self.names[item.label])[None]
        texts = text if self._others is None else torch.cat([text, self._others])
        pixels = torch.from_numpy(self._input(image))[None]
        found, attention = cam(self.model, pixels, texts)
        scores = found.double().numpy()
        if not np.isfinite(scores).all():
            return Nothing("the map is not finite")
        if self.options.refine and scores.any():
            scores = refined(scores, attention.double().numpy())
        return Heat(scores)

    def _input(self, image: Image) -> NDArray[np.float32]:
        """Resize to whole patches and normalize, (3, H, W)."""
        height, width = image.shape[:2]
        longest, patch = self.options.longest, self.model.patch
        scale = min(1.0, longest / max(height, width)) if longest else 1.0
        size = [max(1, -(-int(side * scale) // patch)) * patch for side in (width, height)]
        resized = Picture.fromarray(image).resize((size[0], size[1]), Picture.Resampling.BICUBIC)
        mean, std = np.array(self.model.mean, np.float32), np.array(self.model.std, np.float32)
        normal = (np.asarray(resized, np.float32) / 255 - mean) / std
        return np.ascontiguousarray(normal.transpose(2, 0, 1))


def open(options: Options, split: Split) -> Source:  # noqa: A001
    """Read the model, and name the classes."""
    return Source(options, split)
