"""Networks out of model files: TorchScript, torch.export and ONNX. A model file is a program.

An exported program shows its stages; TorchScript gives answers and gradients, ONNX answers alone.
"""

import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx

from sightline.attribution.networks import Network, last_spatial, scores_of
from sightline.backbones.contract import Normalization
from sightline.errors import SightlineError, UsageError


def read_model(file: Path) -> Network:
    """Read a model file by its content."""
    if not file.is_file():
        raise UsageError(f"{file}: no such model file")
    if file.suffix.lower() == ".onnx":
        return OnnxNetwork(file)
    if not zipfile.is_zipfile(file):
        raise UsageError(f"{file}: neither ONNX, TorchScript nor torch.export; name such a file")
    with zipfile.ZipFile(file) as archive:
        inside = {name.partition("/")[2] for name in archive.namelist()}
    if "models/model.json" in inside:
        return ExportedNetwork(file)
    if "constants.pkl" in inside:
        return ScriptNetwork(file)
    remedy = "write the network with torch.export.save"
    raise UsageError(f"{file}: holds weights alone, no network; {remedy}")


class ExportedNetwork:
    """What `torch.export.save` wrote: a graph that is run node by node where a stage is wanted."""

    def __init__(self, file: Path) -> None:
        self._graph = _opened(file, lambda: torch.export.load(file).module())
        _refuse_training(self._graph, file)
        self.most = _fixed_batch(self._graph)
        if self.most > 1:
            remedy = "export it with a dynamic batch, or for one image"
            raise UsageError(f"{file}: was exported for batches of {self.most} alone; {remedy}")
        self.normalization = Normalization()
        self._stage = ""

    def answers(self, images: Tensor) -> Tensor:
        """Give the class scores."""
        with torch.no_grad():
            return self.scores(images)

    def scores(self, images: Tensor) -> Tensor:
        """Give the class scores, joined to the images by a graph."""
        parts = torch.split(images, self.most or len(images))
        return torch.cat([scores_of(self._graph(part)) for part in parts])

    def stage(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Give class scores and the last features on a grid; gradients start there."""
        if not self._stage:
            noting = _Noting(self._graph, "")
            with torch.no_grad():
                noting.run(images[:1])
            self._stage = last_spatial(noting.given, images.shape[2], images.shape[3])
        run = _Noting(self._graph, self._stage)
        with torch.enable_grad():
            return scores_of(run.run(images)), run.features


class _Noting(fx.Interpreter):
    """Runs a graph and notes what its nodes give; gradients start at the one called `stage`."""

    def __init__(self, graph: Any, stage: str) -> None:
        super().__init__(graph)
        self.given: list[tuple[str, Any]] = []
        self.features = torch.empty(0)
        self._stage = stage

    def run_node(self, n: fx.Node) -> Any:
        """Run a node, and note what it gives."""
        value = super().run_node(n)
        if n.name == self._stage:
            self.features = value.detach().requires_grad_()
            return self.features.clone()
        if n.op in ("call_function", "call_module") and not self._stage:
            self.given.append((n.name, value))
        return value


TRAINING = {"aten.dropout.default": 2, "aten.batch_norm.default": 5}  # where the mode stands


def _refuse_training(graph: Any, file: Path) -> None:
    """Refuse a program that drops features at random, or normalizes by the batch."""
    for node in graph.graph.nodes:
        place = TRAINING.get(str(node.target), len(node.args))
        if place < len(node.args) and node.args[place] is True:
            raise UsageError(f"{file}: was exported in train mode; export it after .eval()")


def _fixed_batch(graph: Any) -> int:
    """Tell how many images a graph takes at once, or 0 if any number."""
    inputs = [node for node in graph.graph.nodes if node.op == "placeholder"]
    batch = inputs[0].meta["val"].shape[0] if len(inputs) == 1 else None
    if batch is None:
        raise UsageError(f"the exported program takes {len(inputs)} inputs where one is needed")
    return batch if isinstance(batch, int) else 0


class ScriptNetwork:
    """A TorchScript file, which shows no stages."""

    most = 0

    def __init__(self, file: Path) -> None:
        self.normalization = Normalization()
        self._script = _opened(file, lambda: _loaded_script(file))

    def answers(self, images: Tensor) -> Tensor:
        """Give the class scores."""
        with torch.no_grad():
            return scores_of(self._script(images))

    def scores(self, images: Tensor) -> Tensor:
        """Give the class scores, joined to the images by a graph of single steps."""
        plainly: Any = torch.jit
        with plainly.optimized_execution(False):  # joined steps would hide a ReLU
            return scores_of(self._script(images))

    def stage(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Say why not."""
        raise UsageError(_only("TorchScript"))


class OnnxNetwork:
    """An ONNX file, run by ONNX Runtime, which shows no stages."""

    def __init__(self, file: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise SightlineError(f"{file}: needs ONNX Runtime; pip install onnxruntime") from None
        self.normalization = Normalization()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self._session = _opened(
            file, lambda: onnxruntime.InferenceSession(str(file), options, ["CPUExecutionProvider"])
        )
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            raise UsageError(f"{file}: takes {len(inputs)} inputs where one is needed")
        self._input = inputs[0].name
        self.most = inputs[0].shape[0] if isinstance(inputs[0].shape[0], int) else 0

    def answers(self, images: Tensor) -> Tensor:
        """Give the class scores."""
        given = images.numpy().astype(np.float32)
        step = self.most or len(given)
        filled = np.concatenate([given, given[:1].repeat(-len(given) % step, 0)])
        parts = [
            self._session.run(None, {self._input: filled[start : start + step]})[0]
            for start in range(0, len(filled), step)
        ]
        return scores_of(torch.from_numpy(np.concatenate(parts)))[: len(given)]

    def scores(self, images: Tensor) -> Tensor:
        """Say why not."""
        raise UsageError("ONNX gives no gradients; choose an explainer of answers alone: occlusion")

    def stage(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Say why not."""
        raise UsageError(_only("ONNX"))


def _loaded_script(file: Path) -> Any:
    load: Any = torch.jit.load
    return load(file, map_location="cpu").eval()


def _only(what: str) -> str:
    return f"{what} shows no stages; choose an explainer that needs none, such as occlusion"


def _opened(file: Path, read: Callable[[], Any]) -> Any:
    """Read a model file; whatever is wrong with it is said in one line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the file's own writer was warned of
            return read()
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise SightlineError(f"{file}: cannot be read as a network ({reason})") from error
