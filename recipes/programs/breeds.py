"""The packaged classifier on photographs of pets: how often it names the breed.

`breeds.csv` tells which ImageNet class a breed is. A Japanese chin is ImageNet's Japanese spaniel;
the Egyptian Mau is taken for its Egyptian cat. The other twelve breeds are no ImageNet class. No
localization label is read.
"""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sightline import provenance
from sightline.allocation import keep_freed_memory
from sightline.data.class_names import imagenet
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Transform
from sightline.data.truth import read_annotations
from sightline.looking import packaged
from sightline.types import ResultRow

TABLE = Path(__file__).with_name("breeds.csv")
SPLITS = ("train", "val", "test")
RESAMPLES, SEED = 1000, 0


def measure(data: Path) -> ResultRow:
    """Classify the photographs of all splits whose breed ImageNet knows."""
    keep_freed_memory()
    files, labels = known_photographs(data / "pets")
    ranked = classified(files)
    hits = ranked == labels[:, None]
    result = {
        "metric": "top-1 accuracy",
        "classifier": "efficientnet-lite0, imagenet, side 7, input 224 x 224",
        "splits": list(SPLITS),
        "breeds": len(np.unique(labels)),
        "images": len(files),
        "value": percent(hits[:, 0]),
        "interval": interval(hits[:, 0]),
        "top_5": percent(hits.any(1)),
        "top_5_interval": interval(hits.any(1)),
    }
    return ResultRow(result, provenance.now())


def known_photographs(pets: Path) -> tuple[list[Path], np.ndarray[Any, Any]]:
    """List the photographs of breeds that are ImageNet classes, with those classes."""
    with TABLE.open(encoding="utf-8") as lines:
        synsets = {line["breed"]: line["synset"] for line in csv.DictReader(lines)}
    breeds = (pets / "class_names.txt").read_text(encoding="utf-8").split()
    classes = [imagenet().find(synsets[name]) if name in synsets else -1 for name in breeds]
    files, labels = [], []
    for name in SPLITS:
        split = read_annotations(pets / "metadata", split=name, localization=False).split
        for image, breed in zip(split.ids, split.labels.tolist(), strict=True):
            if classes[breed] >= 0:
                files.append(pets / "images" / image)
                labels.append(classes[breed])
    return files, np.array(labels)


@torch.no_grad()
def classified(files: list[Path]) -> np.ndarray[Any, Any]:
    """Give the five likeliest classes of each photograph, (N, 5)."""
    classifier = packaged()
    transform = Transform(mean=classifier.mean, std=classifier.std)
    loader = Loader(files, transform=transform, reading=Reading(cache=False), training=False)
    batches = [torch.from_numpy(batch.images) for batch in loader.epoch()]
    return np.concatenate([classifier.network.answers(b).topk(5).indices for b in batches])


def percent(hits: np.ndarray[Any, Any]) -> float:
    """Give the share of hits."""
    return 100 * float(hits.mean())


def interval(hits: np.ndarray[Any, Any]) -> list[float]:
    """Give the 95 % bootstrap interval of the share of hits over images."""
    dice = np.random.default_rng(SEED)
    shares = dice.binomial(len(hits), hits.mean(), RESAMPLES) / len(hits)
    return [float(end) for end in np.percentile(100 * shares, (2.5, 97.5))]
