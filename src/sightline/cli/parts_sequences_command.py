"""`sightline parts sequences`: part sequences to disk, or straight to classifiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from sightline.cli.output import deliver
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.parts.classifying import Wanted
    from sightline.parts.prepared import Prepared

ORDERINGS = ("e-u", "e-us", "e-a", "e-as", "random")
CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")


@dataclass(frozen=True)
class Command:
    """Add parts in some orders, in some content schemes: to disk, or straight to classifiers.

    Options of an ordering, a content scheme or a classifier follow its name, so that any of them
    can be swept: low-detail:half=0.02,peak=1 or torchvision:model=resnet50. 'sightline list
    ordering', 'content' and 'classifier' tell all. Put a name of your own before it to have it in
    tables: mine=callable:file=mine.py. The last image of a sequence is the crop itself.

    example:
      sightline parts sequences prepared --orderings e-us random --classifiers lite0 --out answers

      sequences  288, of 3504 images; 1604 differ
      lite0      answers/lite0.parquet
    """

    prepared: Annotated[Path, tyro.conf.Positional]
    """folder of 'sightline parts prepare'"""
    out: Path | None = None
    """folder for images, or for answers where there are classifiers"""
    orderings: tuple[str, ...] = ORDERINGS
    """in which parts are added"""
    contents: tuple[str, ...] = CONTENTS
    """what is shown beside them"""
    classifiers: tuple[str, ...] = ()
    """who answers; then no image is written"""
    first_missing: Literal["empty", "next"] = "empty"
    """before the first part that is there: no part at all, or already that one"""
    objects: int = 0
    """of each category at most; 0 for all"""
    batch: int = 32
    """images answered at once, across sequences"""
    threads: int = 0
    """of PyTorch; 0 for its own default"""
    strips: int = 0
    """draw the sequences of so many objects, a row each content scheme"""
    json: str = ""
    """write what was made as JSON to this file, or - for standard output"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.batch < 1 or min(self.objects, self.threads, self.strips) < 0:
            raise UsageError("--batch is from 1; --objects, --threads, --strips are from 0 on")

    def run(self) -> None:
        """Make the sequences; write or classify them."""
        from sightline.parts.prepared import Prepared

        if self.out is None:
            raise UsageError("--out is missing; name the folder to write")
        prepared = Prepared(self.prepared)
        wanted = self._wanted()
        self.out.mkdir(parents=True, exist_ok=True)
        try:
            self._made(prepared, wanted, self.out)
        except KeyboardInterrupt:
            raise SightlineError("stopped; the same command goes on from what was made") from None

    def _made(self, prepared: "Prepared", wanted: "Wanted", out: Path) -> None:
        from sightline.parts.classifying import count

        if self.classifiers:
            files = self._classified(prepared, wanted, out)
            counts = count(prepared, wanted)
        else:
            from sightline.parts import writing

            counts = writing.write(prepared, wanted, out)
            files = {"images": out / "images", "table": out / "sequences.csv"}
            files["orders"] = out / "orders.csv"
        files |= self._drawn(prepared, wanted, out)
        repeats = f"of {counts.steps} images; {counts.images} differ"
        lines = {"sequences": f"{counts.sequences}, {repeats}"}
        lines |= {name: str(file) for name, file in files.items()}
        width = max(map(len, lines))
        text = "\n".join(f"{name:<{width}}  {line}" for name, line in lines.items())
        shown = {"sequences": counts.sequences, "steps": counts.steps, "images": counts.images}
        deliver(shown | {"files": files}, text, self.json)

    def _wanted(self) -> "Wanted":
        from sightline.parts import named
        from sightline.parts.classifying import Wanted

        if not self.orderings or not self.contents:
            raise UsageError("--orderings and --contents need a name each")
        return Wanted(
            tuple(named.chosen("ordering", self.orderings)),
            tuple(named.chosen("content", self.contents)),
            self.first_missing,
            self.batch,
            self.objects,
        )

    def _classified(self, prepared: "Prepared", wanted: "Wanted", out: Path) -> dict[str, Path]:
        from sightline.parts import named
        from sightline.parts.classifying import classify

        asked = named.chosen("classifier", self.classifiers)
        if self.threads:
            import torch

            torch.set_num_threads(self.threads)
        classifiers = {one.text: one.module.load(one.options) for one in asked}
        return classify(prepared, classifiers, wanted, out)

    def _drawn(self, prepared: "Prepared", wanted: "Wanted", out: Path) -> dict[str, Path]:
        from sightline.parts import sequences
        from sightline.parts.classifying import picked
        from sightline.parts.showing import write_strip

        if not self.strips:
            return {}
        orders = sequences.orders(prepared, wanted.orderings[:1])
        folder = out / "strips"
        folder.mkdir(exist_ok=True)
        for one in picked(prepared, self.objects)[: self.strips]:
            file = folder / f"{one.name.replace('/', '_')}.png"
            write_strip(prepared, one, orders, wanted.contents, file)
        return {"strips": folder}


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
