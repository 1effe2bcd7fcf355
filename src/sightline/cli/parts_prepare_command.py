"""`sightline parts prepare`: annotated parts made ready for sequences."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sightline.cli.output import deliver, table
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.parts.annotated import Source
    from sightline.parts.schemes import Schemes
    from sightline.types import ResultRow

SCHEMES = {"pascal-part": "pascal", "pets": "pets", "pets-small": "pets"}  # by data set


@dataclass(frozen=True)
class Command:
    """Simplify annotated parts, cut objects out, and list what was left out and what is missing.

    Sides and places in the object are dropped, pieces of one part are merged by alpha shapes. Of
    each object there is the box alone and a crop with its surroundings.

    example:
      sightline parts prepare pascal-part:VOC2010 --fixations pascal-s:salObj --out prepared

      category  objects  parts  there
      bird      4        9      61 %
      ...
      merged     2 parts that were in pieces, critical radius up to 4.40 pixels; ...
      left out   17 objects: prepared/left_out.csv
    """

    data: Annotated[str, tyro.conf.Positional] = ""
    """as for 'sightline train', with parts; or a COCO .json whose parts are called OBJECT:PART"""
    out: Path | None = None
    """folder to write"""
    split: str = ""
    """name of the split"""
    images: Path | None = None
    """folder that image ids are relative to"""
    scheme: str = ""
    """pascal, pets, as-is or a folder of tables; what suits the data if not given"""
    sides: Literal["drop", "keep"] = "drop"
    """whether left and right are told apart"""
    categories: str = ""
    """CSV with the columns class and category, or pond-groups: what classes are gathered to"""
    fixations: str = ""
    """CSV of image, subject, order, x, y; or pascal-s:FOLDER, matched by content"""
    drawn: Path | None = None
    """parts drawn on --out's context crops: CSV of object, part, points, or LabelMe's folder"""
    context: float = 0.18
    """share of its size by which an object's box is extended"""
    context_sides: Literal["total", "each"] = "total"
    """both sides together, or each"""
    room: Literal["needed", "any"] = "needed"
    """leave out objects whose image is not so much larger in any direction, or keep them"""
    fewest: int = 1
    """parts that an object needs"""
    smallest: int = 16
    """pixels that the box of an object needs in either direction"""
    sheet: int = 24
    """objects on the contact sheet; 0 draws none"""
    write_schemes: str = ""
    """only copy the tables of this scheme to --out, to be edited"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at broken data, or leave it out and list it"""
    json: str = ""
    """write the summary as JSON to this file, or - for standard output"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if not 0 <= self.context <= 10 or self.fewest < 1 or self.smallest < 1 or self.sheet < 0:
            raise UsageError(
                "--context is from 0 to 10, --fewest and --smallest from 1, --sheet from 0 on"
            )

    def run(self) -> None:
        """Read, simplify, write, and tell what came of it."""
        if self.out is None:
            raise UsageError("--out is missing; name the folder to write")
        from sightline.parts.schemes import copy_schemes

        if self.write_schemes:
            written = copy_schemes(self.write_schemes, self.out)
            deliver(written, "\n".join(map(str, written)), self.json)
            return
        if not self.data:
            raise UsageError("name the data, such as pascal-part:VOC2010")
        self._prepare(self.out)

    def _prepare(self, out: Path) -> None:
        from sightline.parts.annotated import read_annotated
        from sightline.parts.gazes import read_gazes
        from sightline.parts.missing import read_drawn
        from sightline.parts.prepared import Prepared
        from sightline.parts.preparing import Choices, prepare

        source = read_annotated(
            self.data,
            split=self.split,
            images=self.images,
            skip_problems=self.on_error == "skip",
        )
        schemes = self._schemes(source)
        choices = Choices(self.context, self.context_sides, self.room, self.fewest, self.smallest)
        gazes = read_gazes(self.fixations, source.objects, out) if self.fixations else None
        drawn, few = read_drawn(self.drawn, Prepared(out), schemes) if self.drawn else (None, [])
        try:
            row = prepare(
                source,
                schemes,
                out,
                choices,
                fixations=gazes.by_image if gazes else None,
                drawn=drawn,
                skip_problems=self.on_error == "skip",
            )
        except KeyboardInterrupt:
            raise SightlineError("stopped; the same command goes on from what was made") from None
        lines, notes = self._shown(Prepared(out), schemes, row)
        notes += [f"few drawn  {line}" for line in few]
        if gazes and gazes.unmatched:
            shown = ", ".join(gazes.unmatched[:3])
            notes.append(f"unmatched  fixations of {len(gazes.unmatched)} images, such as {shown}")
        content = {**row.result, "ledger": list(map(asdict, row.ledger)), "table": lines}
        content["unmatched"] = list(gazes.unmatched) if gazes else []
        deliver(content, "\n".join([table(lines), *notes]), self.json)

    def _schemes(self, source: "Source") -> "Schemes":
        from sightline.parts.schemes import AS_IS, SHIPPED, read_schemes

        place = self.scheme or SCHEMES.get(source.dataset, AS_IS)
        named = SHIPPED / f"{self.categories}.csv" if self.categories else None
        if named and not named.is_file():
            named = Path(self.categories)
        return read_schemes(place, self.sides, named)

    def _shown(
        self, prepared: Any, schemes: "Schemes", row: "ResultRow"
    ) -> tuple[list[dict[str, str]], list[str]]:
        from sightline.data.ledger import as_text
        from sightline.parts.missing import shortlist, write_shortlist
        from sightline.parts.showing import presence, write_presence, write_sheet

        out, result = prepared.root, row.result
        write_presence(presence(prepared), out)
        found = shortlist(prepared, schemes)
        write_shortlist(found, out / "shortlist.csv")
        if self.sheet:
            write_sheet(prepared, out / "sheet.png", self.sheet)
        worth = sum(one.advice == "draw" for one in found)
        notes = [f"labels     {line}" for line in as_text(row.ledger)]
        if result["merged"]:
            notes.append(
                f"merged     {result['merged']} parts that were in pieces, critical radius up to"
                f" {result['largest_radius']:.2f} pixels; this added {result['merging_added']}"
                f" pixels, convex hulls would have added {result['hull_would_add']}"
            )
        if result["left_out"]:
            notes.append(f"left out   {result['left_out']} objects: {out / 'left_out.csv'}")
        if result["unknown_annotations"]:
            names = ", ".join(result["unknown_annotations"])
            notes.append(f"unknown    annotations that the scheme does not have: {names}")
        if result["clipped_pixels"]:
            notes.append(
                f"clipped    {result['clipped_pixels']} pixels of parts outside of objects"
            )
        if result["fixations_outside"]:
            notes.append(
                f"gazes      {result['fixations_outside']} fixations outside of their images, which"
                " count for no part"
            )
        notes.append(
            f"missing    {len(found)} objects lack parts, {worth} are worth drawing:"
            f" {out / 'shortlist.csv'}"
        )
        notes += [f"sheet      {out / 'sheet.png'}"] if self.sheet else []
        return _lines(prepared), notes


def _lines(prepared: Any) -> list[dict[str, str]]:
    lines = []
    for category in prepared.categories:
        objects, parts = list(prepared.of(category)), len(prepared.schemes[category])
        there = sum(len(prepared.masks(one).parts) for one in objects)
        share = 100 * there / (parts * len(objects))
        cells = (category, str(len(objects)), str(parts), f"{share:.0f} %")
        lines.append(dict(zip(("category", "objects", "parts", "there"), cells, strict=True)))
    return lines


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
