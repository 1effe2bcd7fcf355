"""A network that was trained here: the folder given as --out of 'sightline train'.

Paper: none
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.attribution.networks import ModuleNetwork
from sightline.errors import UsageError
from sightline.parts.classifiers.torch_networks import Preprocessing, TorchClassifier, named
from sightline.training.inference import for_inference
from sightline.training.trained import load_run


@dataclass(frozen=True, slots=True)
class Options:
    """Which run."""

    folder: Annotated[Path, "of the run"]
    names: Annotated[str, "file of its classes' names, one a line; ImageNet's for 1,000"] = ""
    checkpoint: Annotated[str, "last, best:METRIC or epoch-NUMBER"] = "last"


def load(options: Options) -> TorchClassifier:
    """Load the network, with the input that it was evaluated on."""
    trained = load_run(options.folder, options.checkpoint)
    network = trained.network
    if not network.classifies:
        raise UsageError(f"{options.folder}: {trained.config['method']} tells no classes apart")
    transform = trained.transform
    preprocessing = Preprocessing(transform.test_resize, transform.mean, transform.std)
    title = f"{options.folder.name} ({trained.config['method']}, {trained.config['backbone']})"
    labels = named(options.names, network.classes)
    answers = ModuleNetwork(for_inference(network)).answers
    return TorchClassifier(title, answers, preprocessing, labels)
