"""`sightline annotate train`: an annotator of our own that learns from boxes of other images."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sightline.cli.options import flags_of
from sightline.cli.output import deliver
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset

NAMES = ("rpn",)
DESCRIPTION = """\
Train the compact region proposal network on any data set with boxes; classes are not used.

Take other images, and other classes, than those to annotate. Every box learned from is in the
ledger of the weights, and so of everything that they annotate.

example:
  sightline annotate train rpn --data coco256 --splits train val --out rpn.safetensors
  sightline annotate train rpn --data pond:group=fish pond:group=frog --out rpn.safetensors

  rpn, 254 photographs, 1827 boxes, loss 0.198
  labels   929 boxes of 362 images ... of coco256, split train, for training
  written  rpn.safetensors: sightline annotate rpn --weights rpn.safetensors ..."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags beside those of training itself."""

    annotator: tyro.conf.Positional[str] = ""
    """which annotator: rpn"""
    data: tuple[str, ...] = ()
    """COCO .json or folder, reference folder, VOC folder, or dataset:FOLDER; one or several"""
    splits: tuple[str, ...] = ("train",)
    """the splits to learn from"""
    out: Path | None = None
    """file to write, .safetensors"""
    images: Path | None = None
    """folder that image ids are relative to"""
    force: bool = False
    """learn from test labels all the same, and record it"""
    json: str = ""
    """write what was done as JSON to this file, or - for standard output"""
    how: Any = None

    def run(self) -> None:
        """Train, write and tell."""
        if self.annotator not in NAMES:
            raise UsageError(f"name one of: {', '.join(NAMES)}")
        if not self.data or self.out is None or not self.splits:
            raise UsageError("--data, --splits and --out are needed; see --help")
        from sightline.annotators import rpn_network, rpn_training

        how = self._how()
        learned = rpn_training.train(self._read(), how, force=self.force)
        told = rpn_training.about(learned, how)
        rpn_network.write(learned.head, self.out, told, learned.ledger)
        content = {**told, "losses": learned.losses, "file": self.out}
        content |= {"ledger": [asdict(entry) for entry in learned.ledger]}
        deliver(content, _as_text(told, learned.ledger, self.out), self.json)

    def _how(self) -> Any:
        from sightline.annotators.rpn_training import Training

        return Training(**{item.name: getattr(self.how, item.name) for item in fields(Training)})

    def _read(self) -> "list[Dataset]":
        from sightline.data.dataset import read_dataset

        pairs = [(place, split) for place in self.data for split in self.splits]
        return [read_dataset(place, split=split, images=self.images) for place, split in pairs]


def _as_text(told: dict[str, Any], ledger: Sequence[Any], out: Path) -> str:
    from sightline.data.ledger import as_text

    head = f"rpn, {told['photographs']} photographs, {told['boxes']} boxes, loss {told['loss']:.3f}"
    labels = [f"labels   {line}" for line in as_text(ledger)]
    tail = f"written  {out}: sightline annotate rpn --weights {out} ..."
    return "\n".join([head, *labels, tail])


def command(arguments: Sequence[str]) -> type:
    """Build the flags, with those of training."""
    if not find_spec("torch"):
        raise SightlineError("training needs PyTorch: pip install 'sightline[torch]'")
    from sightline.annotators.rpn_training import Training

    declared: Any = flags_of(Training)
    shown = Annotated[declared, tyro.conf.arg(name="training")]
    made = make_dataclass(
        "Train",
        [("how", shown, field(default_factory=declared))],
        bases=(Common,),
        frozen=True,
        kw_only=True,
    )
    made.__doc__ = DESCRIPTION
    return made
