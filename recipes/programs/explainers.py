"""Explainers of the packaged classifier on photographs of pets, each against CAM on the same ones.

What is explained is the class that the network finds likeliest, since it knows ImageNet's classes.
The images are a fixed subset of the test split, evenly spaced over its list.
"""

from pathlib import Path

from sightline.allocation import keep_freed_memory
from sightline.data.dataset import read_dataset
from sightline.explaining.explainers import explainer as named
from sightline.explaining.study import Asked, study
from sightline.explaining.subjects import of_network
from sightline.looking import packaged
from sightline.types import ResultRow

SUBSET, SAMPLES = 100, 10


def measure(data: Path, explainer: str) -> ResultRow:
    """Score an explainer by PxAP, and test it against CAM."""
    keep_freed_memory()
    pets = data / "pets"
    whole = read_dataset(
        pets / "metadata", split="test", images=pets / "images", masks=pets / "masks"
    )
    count = len(whole.pictures)
    dataset = whole.chosen([k * count // SUBSET for k in range(SUBSET)])
    classifier = packaged()
    subject = of_network(classifier.title, classifier.network, classifier.size)
    cam, asked = named("cam"), Asked(labels="predicted", protocols=("pixels",))
    pairs = [(subject, named(explainer, {"samples": SAMPLES}))]
    found = study(pairs, dataset, against=(subject, cam), asked=asked)
    return found[-1].rows["pixels"]
