"""Networks of torchvision and timm, where these are installed, with their own preprocessing."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from sightline.backbones._sources import read_file
from sightline.errors import SightlineError, UsageError
from sightline.parts.classifiers.torch_networks import Preprocessing, TorchClassifier, named


def of_torchvision(model: str, weights: str, size: int, names: str) -> TorchClassifier:
    """Build a network of torchvision, with the mean and deviation that all of them share."""
    models = _imported("torchvision.models")
    if model not in models.list_models(module=models):
        raise UsageError(f"torchvision has no model '{model}'")
    extra: dict[str, Any] = (
        {"init_weights": False} if model in ("googlenet", "inception_v3") else {}
    )
    network = (
        models.get_model(model, weights=None, **extra)
        if weights
        else _downloaded(lambda: models.get_model(model, weights="DEFAULT"), model)
    )
    _fill(network, weights)
    side = size or (299 if model == "inception_v3" else 224)
    return _made(f"torchvision {model}", network, Preprocessing(side), names)


def of_timm(model: str, weights: str, size: int, names: str) -> TorchClassifier:
    """Build a network of timm, with the input that timm knows of it."""
    timm = _imported("timm")
    if model.partition(".")[0] not in timm.list_models():
        raise UsageError(f"timm has no model '{model}'")
    network = (
        timm.create_model(model)
        if weights
        else _downloaded(lambda: timm.create_model(model, pretrained=True), model)
    )
    _fill(network, weights)
    known = timm.data.resolve_model_data_config(network)
    side = size or int(known["input_size"][1])
    preprocessing = Preprocessing(side, tuple(known["mean"]), tuple(known["std"]))
    return _made(f"timm {model}", network, preprocessing, names)


def _imported(name: str) -> ModuleType:
    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise SightlineError(f"this needs {package}: pip install {package}") from None
    except Exception as error:  # a wheel for another build of torch raises nearly anything
        what = str(error).partition("\n")[0]
        raise SightlineError(f"{package} cannot be imported here ({what})") from error


def _downloaded(make: Any, model: str) -> Any:
    try:
        return make()
    except Exception as error:  # each library raises its own
        what = str(error).partition("\n")[0]
        remedy = "give a file: weights=FILE"
        raise SightlineError(f"weights of {model} cannot be loaded ({what}); {remedy}") from error


def _fill(network: Any, weights: str) -> None:
    if not weights:
        return
    found = read_file(Path(weights))
    own = network.state_dict()
    wrong = [k for k, v in own.items() if k not in found or found[k].shape != v.shape]
    wrong = [name for name in wrong if not name.endswith("num_batches_tracked")]
    if wrong:
        raise UsageError(f"{weights}: does not fill '{wrong[0]}' (and {len(wrong) - 1} more)")
    network.load_state_dict({k: found.get(k, v) for k, v in own.items()})


def _made(title: str, network: Any, preprocessing: Preprocessing, names: str) -> TorchClassifier:
    import torch

    network.eval()
    with torch.inference_mode():
        answer = network(torch.zeros(1, 3, preprocessing.size, preprocessing.size))
    return TorchClassifier(title, network, preprocessing, named(names, answer.shape[1]))
