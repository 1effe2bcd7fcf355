"""A function of your own in a Python file: it takes pictures and gives names or probabilities.

Paper: none

    def classify(pictures):        # a list of arrays (height, width, 3), red first
        return ["n02084071", ...]  # a label each; or (label, probability) pairs, best first;
                                   # or an array (N, classes), where LABELS names the classes
"""

import importlib.util
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np

from sightline.errors import UsageError
from sightline.parts.classifiers.contract import Answered, Picture, best


@dataclass(frozen=True, slots=True)
class Options:
    """Where the function is."""

    file: Annotated[Path, "a Python file, which is run"]
    function: Annotated[str, "its name"] = "classify"


@dataclass(frozen=True, slots=True)
class CallableClassifier:
    """A function with the labels that it may answer."""

    title: str
    function: Callable[[list[Picture]], Any]
    labels: tuple[str, ...] = ()

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        """Ask the function, and make sure that it answered to every picture."""
        try:
            given = self.function(list(pictures))
        except Exception as error:  # it is the user's program
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error}; {place.filename}:{place.lineno}"
            raise UsageError(f"{self.title}: failed ({what})") from error
        if isinstance(given, np.ndarray):
            if given.shape != (len(pictures), len(self.labels)):
                shape, wanted = given.shape, (len(pictures), len(self.labels))
                raise UsageError(f"{self.title}: gave an array of {shape} where {wanted} is right")
            return best(given.astype(np.float64), self.labels)
        try:
            made = [_answered(one) for one in given]
        except (TypeError, ValueError) as error:
            raise UsageError(f"{self.title}: gave no labels ({error})") from None
        if len(made) != len(pictures):
            raise UsageError(f"{self.title}: {len(made)} answers to {len(pictures)} pictures")
        return made


def load(options: Options) -> CallableClassifier:
    """Run the file and take the function."""
    module = _run(options.file)
    function = getattr(module, options.function, None)
    if not callable(function):
        raise UsageError(f"{options.file}: has no function '{options.function}'")
    labels = tuple(map(str, getattr(module, "LABELS", ())))
    return CallableClassifier(f"{options.file.stem}.{options.function}", function, labels)


def _answered(one: Any) -> Answered:
    if isinstance(one, str):
        return Answered((one,))
    pairs = [(str(label), float(share)) for label, share in one]
    if not pairs:
        raise ValueError("an empty answer")
    return Answered(tuple(label for label, _ in pairs), tuple(share for _, share in pairs))


def _run(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file) if file.is_file() else None
    if spec is None or spec.loader is None:
        raise UsageError(f"{file}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # it is the user's program
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{file}: cannot be run ({what})") from error
    return module
