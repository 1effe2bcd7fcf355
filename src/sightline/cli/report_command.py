"""`sightline report`: tables out of rows and their artifacts, with the labels behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sightline.cli.output import deliver
from sightline.errors import UsageError

if TYPE_CHECKING:
    from sightline.protocol.material import Made
    from sightline.reports.tables import Table


@dataclass(frozen=True)
class Command:
    """Make tables of result rows: as text, CSV, LaTeX, and a page that opens from disk.

    ROWS are row files, or folders in which they are looked for. Without --tables, all tables that
    the rows hold are made: comparison, classification, transfer, spread, reported, explainers,
    pointing, selection, cells, noise; of part scores part-contents, part-schemes, part-extremes
    (each with -binary, too), part-errors, part-correlation, part-cl-ratio, part-suitability. A
    published table's name, such as 000-T6, 002-T2 or 004-S4, gives its layout, with the printed
    numbers beside ours in the CSV file.

    example:
      sightline report runs rows --out report --latex

      Methods against cam, MaxBoxAccV2
      method  pets small-resnet
      cam     62.9
      has     -1.2 [-2.6, +0.3] ~
      ...
    """

    rows: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """row files, or folders of them"""
    out: Path | None = None
    """folder for the page, index.html, and the tables"""
    tables: tuple[str, ...] = ()
    """which tables; all that the rows hold if not given"""
    against: str = "cam"
    """the method that others are compared with"""
    full: Path | None = None
    """folder of the same trials trained on everything: Kendall's tau of ROWS against them"""
    latex: bool = False
    """write each table for LaTeX too (booktabs)"""
    paper: Path | None = None
    """folder for a LaTeX document with all tables (also Markdown, CSV) and figures (PDF, PNG)"""
    gallery: int = 500
    """images of each split that the page shows at most; 0 for none"""
    seed: int = 0
    """of the resampling"""
    json: str = ""
    """write the tables as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Make the tables, write and print them."""
        from sightline.reports import tables as paper

        made, lacking, shown = self.made()
        texts = [paper.as_text(table) for table in shown]
        texts += ["not made:\n" + "\n".join(f"  {line}" for line in lacking)] if lacking else []
        if self.out:
            texts.append(f"page  {self.write(shown, lacking, made)}")
            texts += [f"paper  {self.paper / 'main.tex'}"] if self.paper else []
        content = {
            "tables": {m.name: {"numbers": m.numbers, "notes": m.notes} for m in made},
            "not_made": lacking,
        }
        deliver(content, "\n\n".join(texts), self.json)

    def write(
        self, shown: "list[Table]", lacking: Sequence[str], made: "Sequence[Made]" = ()
    ) -> Path:
        """Write the page and its files; say where it is."""
        from sightline.cli import report_page
        from sightline.protocol.layouts import Material
        from sightline.reports import tables as paper

        assert self.out
        files = paper.write(shown, self.out, latex=self.latex)
        material = Material(self.rows, against=self.against, seed=self.seed)
        return report_page.build(
            shown,
            lacking,
            material,
            self.out,
            gallery=self.gallery,
            files=files,
            paper=self.paper,
            drawings={m.name: m.draw for m in made if m.draw},
        )

    def made(self) -> "tuple[list[Made], list[str], list[Table]]":
        """Make the tables; say which could not be made, and how the others are shown."""
        from sightline.protocol.layouts import Material, between, layout_of, make
        from sightline.reports.tables import Table

        if self.seed < 0:
            raise UsageError("--seed starts at 0")
        if self.gallery < 0:
            raise UsageError("--gallery starts at 0")
        if self.latex and not self.out:
            raise UsageError("--latex needs --out, the folder to write to")
        if self.paper and not self.out:
            raise UsageError("--paper needs --out, the folder of the page")
        for place in (*self.rows, *((self.full,) if self.full else ())):
            if not place.exists():
                raise UsageError(f"{place}: no such row or folder of rows")
        material = Material(self.rows, against=self.against, seed=self.seed)
        alone = self.full and not self.tables
        made, lacking = ([], []) if alone else self._own(make, material)
        made += [between(material, Material([self.full]))] if self.full else []
        drawn = {m.name: m.draw(self.out / f"{m.name}.png") for m in made if m.draw and self.out}
        shown = [
            Table(
                m.name,
                m.title,
                m.lines,
                m.notes,
                m.numbers,
                _name(drawn.get(m.name)),
                layout_of(m.name),
            )
            for m in made
        ]
        return made, lacking, shown

    def _own(self, make: Any, material: Any) -> "tuple[list[Made], list[str]]":
        """Make tables of localization and of the part benchmark, whichever the rows hold."""
        from sightline.parts.scores import reporting

        parts = [name for name in self.tables if reporting.knows(name)]
        others = [name for name in self.tables if name not in parts]
        wanted = parts or not self.tables
        made, lacking = reporting.make(parts, self.rows) if wanted else ([], [])
        if others or not self.tables:
            try:
                found, left = make(others, material)
            except UsageError:
                if others or not made:
                    raise
                return made, lacking
            made, lacking = [*found, *made], [*left, *lacking]
        return made, lacking


def _name(file: Path | None) -> str:
    return file.name if file else ""


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
