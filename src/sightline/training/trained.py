"""A run's network, as any of its checkpoints has it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.backbones import weights as weight_files
from sightline.data.pipeline.transforms import Transform
from sightline.errors import UsageError
from sightline.methods import assembly as methods
from sightline.methods.contract import Method
from sightline.training.folder import RunFolder
from sightline.training.plan import LAST
from sightline.training.run import transform_of
from sightline.types import LedgerEntry


@dataclass(frozen=True, slots=True)
class Trained:
    """A network that was trained, in evaluation mode, and how its input is made."""

    network: Method
    transform: Transform
    config: dict[str, Any]
    checkpoint: str
    sha256: str  # of the checkpoint's file
    root: Path
    ledger: tuple[LedgerEntry, ...] = ()  # labels that the run consumed

    @property
    def origin(self) -> dict[str, Any]:
        """Say what a result of it depends on."""
        known = ("method", "options", "backbone", "weights", "classes", "plan")
        found = {name: self.config[name] for name in known}
        return {**found, "checkpoint": self.checkpoint, "sha256": self.sha256}


def load_run(root: str | Path, checkpoint: str = LAST) -> Trained:
    """Load the network of a run.

    Args:
        root: the folder given as `--out`.
        checkpoint: `last`, `best:METRIC` or `epoch-NUMBER`.
    """
    folder = RunFolder(Path(root))
    config = folder.config()
    file = folder.checkpoint(checkpoint)
    if not file.is_file():
        files = sorted(f.stem for f in folder.root.glob("*.safetensors") if f != folder.state)
        there = ", ".join(files) or "none"
        begun = "; the run is not finished" if folder.state.exists() else ""
        raise UsageError(f"{folder.root}: no checkpoint '{checkpoint}'; there is {there}{begun}")
    plan = config["plan"]
    network = methods.build(
        config["method"],
        config["backbone"],
        config["classes"],
        options=config["options"],
        resolution=plan["resolution"],
    )
    weights = weight_files.read(config["backbone"], str(file))
    _fill(network, weights)
    return Trained(
        network=network.eval(),
        transform=transform_of(network, plan["size"]),
        config=config,
        checkpoint=checkpoint,
        sha256=rows.file_hash(file),
        root=folder.root,
        ledger=rows.load(folder.row).ledger if folder.row.exists() else (),
    )


def _fill(network: Method, weights: weight_files.Weights) -> None:
    report = weight_files.fill(network, weights)
    lacking = [*report.missing, *report.mismatched, *report.new]
    if lacking:
        raise UsageError(f"{weights.source}: does not fill {lacking[0]}; train again")
