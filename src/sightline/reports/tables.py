"""A table with its notes: as text, CSV, LaTeX and HTML, on a page that needs nothing else."""

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.rows import write_whole

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .7rem; text-align: left }
th, td { white-space: nowrap }
caption, h2 { text-align: left; margin-top: 2.5rem }
li { color: #444 }
"""
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
    lines = [f"% {table.title}", *(f"% {note}" for note in table.notes)]
    lines += [rf"\begin{{tabular}}{{l{'c' * (len(names) - 1)}}}", r"\toprule"]
    lines += [_latex_row(names), r"\midrule"]
    lines += [_latex_row([line.get(name, "") for name in names]) for line in table.lines]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"


def as_html(table: Table) -> str:
    """Set a table for a page."""
    names = table.columns
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(line.get(n, ''))}</td>" for n in names) + "</tr>\n"
        for line in table.lines
    )
    notes = "".join(f"<li>{html.escape(note)}</li>\n" for note in table.notes)
    shown = f"<img src='{html.escape(table.picture)}' alt=''>\n" if table.picture else ""
    return (
        f"<h2 id='{html.escape(table.name)}'>{html.escape(table.title)}</h2>\n"
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n{shown}<ul>{notes}</ul>\n"
    )


def as_csv(table: Table) -> str:
    """Write the long form, or the lines where there is none."""
    lines = table.numbers or table.lines
    names = list(dict.fromkeys(name for line in lines for name in line))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def write(tables: Sequence[Table], out: Path, *, latex: bool = False) -> Path:
    """Write the page, a CSV file for each table, and LaTeX if wanted; give the page."""
    for table in tables:
        write_whole(out / f"{table.name}.csv", as_csv(table))
        if latex:
            write_whole(out / f"{table.name}.tex", as_latex(table))
    links = " · ".join(f"<a href='#{t.name}'>{html.escape(t.title)}</a>" for t in tables)
    page = (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>Sightline</title>\n"
        f"<style>{STYLE}</style></head><body>\n<h1>Results</h1>\n<p>{links}</p>\n"
        f"{''.join(map(as_html, tables))}</body></html>\n"
    )
    write_whole(out / "index.html", page)
    return out / "index.html"
