"""A table with its notes: as text, CSV, Markdown and LaTeX."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.rows import write_whole

LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "~": "$\\sim$",
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
    }
)


@dataclass(frozen=True, slots=True)
class Table:
    """What is printed: cells are text, and every line has the same columns."""

    name: str  # also that of its files
    title: str
    lines: Sequence[Mapping[str, str]]
    notes: Sequence[str] = ()
    numbers: Sequence[Mapping[str, object]] = ()  # the same in long form, for other programs
    picture: str = ""  # file of its figure, beside the page
    layout: str = ""  # the kind of table that it is, where its name is that of a published one

    @property
    def columns(self) -> list[str]:
        """List the columns in their order."""
        return list(dict.fromkeys(name for line in self.lines for name in line))


def as_text(table: Table) -> str:
    """Set a table in plain text, its notes below."""
    names = table.columns
    grid = [names, *([line.get(name, "") for name in names] for line in table.lines)]
    widths = [max(len(row[i]) for row in grid) for i in range(len(names))]
    body = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in grid
    ]
    return "\n".join([table.title, *body, *(f"  {note}" for note in table.notes)])


def as_latex(table: Table) -> str:
    """Set a table for the booktabs package, its notes as comments."""
    names = table.columns
    lines = [f"% {' '.join(said.split())}" for said in (table.title, *table.notes)]
    lines += [rf"\begin{{tabular}}{{l{'c' * (len(names) - 1)}}}", r"\toprule"]
    lines += [_latex_row(names), r"\midrule"]
    lines += [_latex_row([line.get(name, "") for name in names]) for line in table.lines]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"


def escaped(text: str) -> str:
    """Write text so that LaTeX prints it; letters that it may not have become question marks."""
    plain = " ".join(text.split()).encode("latin-1", "replace").decode("latin-1")
    return plain.translate(LATEX)


def as_markdown(table: Table) -> str:
    """Set a table in Markdown, its notes below."""
    names = table.columns
    grid = [names, ["---"] * len(names)]
    grid += [[line.get(name, "") for name in names] for line in table.lines]
    body = ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in grid]
    notes = [f"- {' '.join(note.split())}" for note in table.notes]
    return "\n".join([f"**{table.title}**", "", *body, "", *notes, ""])


def _markdown_cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())


def as_csv(table: Table) -> str:
    """Write the long form, or the lines where there is none."""
    lines = table.numbers or table.lines
    names = list(dict.fromkeys(name for line in lines for name in line))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def write(tables: Sequence[Table], out: Path, *, latex: bool = False) -> dict[str, list[str]]:
    """Write a CSV file for each table, and LaTeX if wanted; give the files by table."""
    files: dict[str, list[str]] = {}
    for table in tables:
        forms = {"csv": as_csv(table), **({"tex": as_latex(table)} if latex else {})}
        for suffix, text in forms.items():
            write_whole(out / f"{table.name}.{suffix}", text)
            files.setdefault(table.name, []).append(f"{table.name}.{suffix}")
    return files
