"""Explainers of the packaged classifier on photographs of pets, each against CAM on the same ones.

What is explained is the class that the network finds likeliest, since it knows ImageNet's classes.
The images are the whole test split or a fixed subset, evenly spaced over its list. As a command:
`sightline explain EXPLAINER --data PETS/metadata --images PETS/images --masks PETS/masks
--ignore-value 128 --split test --subset 100 --labels predicted --protocols pixels`.

What is averaged (`sg-vb`) is tested against what it averages (`vb`) too.
"""

from pathlib import Path

from sightline import rows
from sightline.allocation import keep_freed_memory
from sightline.data.dataset import read_dataset
from sightline.evaluation.evaluate import comparison
from sightline.explaining.explainers import explainer as named
from sightline.explaining.study import Asked, Study
from sightline.explaining.subjects import of_network
from sightline.looking import packaged
from sightline.types import ResultRow

PROTOCOL = "pixels"


def measure(data: Path, explainer: str, images: int, over: str = "") -> ResultRow:
    """Score an explainer by PxAP, and test it.

    Args:
        data: the folder with the pets.
        explainer: its name.
        images: how many; 0 for all.
        over: the explainer that it averages, which it is tested against beside CAM.
    """
    keep_freed_memory()
    pets = data / "pets"
    dataset = read_dataset(
        pets / "metadata",
        split="test",
        images=pets / "images",
        masks=pets / "masks",
        ignore_value=128,
    )
    count = len(dataset.pictures)
    if images:
        dataset = dataset.chosen([k * count // images for k in range(images)])
    classifier = packaged()
    subject = of_network(classifier.title, classifier.network, classifier.size)
    study = Study(subject, dataset, Asked(labels="predicted", protocols=(PROTOCOL,)))
    one = named(explainer)
    assessed, going = study.passed(one)
    row = study.row(one, assessed, going, study.protocols[0])
    result = dict(row.result)
    for key, other in (("against", "cam" if explainer != "cam" else ""), ("over", over)):
        if other:
            base, _ = study.passed(named(other))
            mine, theirs = assessed.accumulators[PROTOCOL], base.accumulators[PROTOCOL]
            test = comparison(mine, theirs, study.request)
            result[key] = rows.plain({"maps": other, **test})
    return ResultRow(result, row.provenance, row.ledger)
