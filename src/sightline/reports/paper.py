"""Everything of a report for a paper: tables, figures, and a document that compiles.

    PAPER/main.tex                  the document
    PAPER/tables/NAME.tex .md .csv  each table: LaTeX (booktabs), Markdown, all digits
    PAPER/figures/NAME.pdf .png     each figure

Figures have one font size, and colors that the color-blind can tell apart. A caption says under
which protocol, with which seeds and from which labels its numbers were made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2

from sightline.reports.charts import WIDTH, Chart
from sightline.reports.tables import Table, as_csv, as_latex, as_markdown, escaped
from sightline.rows import write_whole

Draw = Callable[[Path], Path | None]  # draws into a file, whose ending says how
FONT_SIZE, FONT = 8, "DejaVu Sans"
NARROW = 340  # of a chart, whose legend stands beside it
ENLARGED = 3  # pixels of a PNG for each unit of its chart
MATPLOTLIB: Any = {
    **dict.fromkeys(
        ("font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize"),
        FONT_SIZE,
    ),
    **{"legend.fontsize": FONT_SIZE, "figure.titlesize": FONT_SIZE, "font.family": FONT},
    "pdf.fonttype": 42,  # letters as letters, which publishers ask for
}
SIZED = {"labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
VEGA: Mapping[str, Any] = {
    "font": FONT,
    "background": "white",
    "axis": SIZED,
    "legend": SIZED,
    "header": SIZED,
    "title": {"fontSize": FONT_SIZE, "fontWeight": "normal", "subtitleFontSize": FONT_SIZE},
    "text": {"fontSize": FONT_SIZE},
}
HEAD = r"""\documentclass[10pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[margin=2cm]{geometry}
\newsavebox{\sightlinetable}
\newcommand{\fitted}[1]{\sbox{\sightlinetable}{#1}%
  \ifdim\wd\sightlinetable>\linewidth\resizebox{\linewidth}{!}{\usebox{\sightlinetable}}%
  \else\usebox{\sightlinetable}\fi}
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """What is drawn, and what is said of it."""

    name: str
    caption: str
    content: Chart | Draw


def write(
    tables: Sequence[Table], figures: Sequence[Figure], made: str, out: Path, *, title: str
) -> Path:
    """Write the folder.

    Args:
        tables: in their order.
        figures: in theirs.
        made: how the numbers were made: protocol, seeds, labels.
        out: the folder.
        title: of the document.
    """
    parts = [_table(table, made, out / "tables") for table in tables]
    drawn = [figure for figure in figures if _drawn(figure, out / "figures")]
    parts += [_figure(figure, made) for figure in drawn]
    body = "\n".join(parts)
    text = f"{HEAD}\\title{{{escaped(title)}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"
    write_whole(out / "main.tex", f"{text}{body}\n\\end{{document}}\n")
    return out / "main.tex"


def _table(table: Table, made: str, folder: Path) -> str:
    """Write a table's files, and give the line that puts it into the document."""
    tabular = "\n".join(line for line in as_latex(table).splitlines() if not line.startswith("%"))
    notes = "".join(f"\\par {escaped(note)}\n" for note in table.notes)
    text = (
        f"\\begin{{table}}[htbp]\n\\centering\n{_caption(table.title, made, f'tab:{table.name}')}"
        f"\\fitted{{%\n{tabular}\n}}\n"
        f"\\par\\smallskip\\begin{{minipage}}{{\\linewidth}}\\footnotesize\n{notes}\\end{{minipage}}\n"
        "\\end{table}\n"
    )
    for ending, content in (("tex", text), ("md", as_markdown(table)), ("csv", as_csv(table))):
        write_whole(folder / f"{table.name}.{ending}", content)
    return f"\\input{{tables/{table.name}}}"


def _figure(figure: Figure, made: str) -> str:
    caption = _caption(figure.caption, made, f"fig:{figure.name}")
    picture = f"\\fitted{{\\includegraphics{{figures/{figure.name}.pdf}}}}\n"
    return f"\\begin{{figure}}[htbp]\n\\centering\n{picture}{caption}\\end{{figure}}"


def _caption(title: str, made: str, label: str) -> str:
    said = f"{title.rstrip('.')}. {made}"
    return f"\\caption[{escaped(title)}]{{{escaped(said)}}}\n\\label{{{label}}}\n"


def _drawn(figure: Figure, folder: Path) -> bool:
    """Draw a figure as PDF and PNG, where there is something to draw with."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{figure.name}.{ending}" for ending in ("pdf", "png")]
    if not isinstance(figure.content, Chart):
        with _one_style():
            return _drawn_twice(figure.content, *files)
    import vl_convert

    spec = in_one_style(figure.content.spec)
    files[0].write_bytes(vl_convert.vegalite_to_pdf(spec))
    files[1].write_bytes(vl_convert.vegalite_to_png(spec, scale=ENLARGED))
    return True


def _drawn_twice(draw: Draw, vectors: Path, pixels: Path) -> bool:
    """Draw into both files; what is made of pixels alone is put into a PDF as it is."""
    if not draw(pixels):
        return False
    with suppress(cv2.error):
        draw(vectors)
    if not vectors.is_file():
        from PIL import Image

        with Image.open(pixels) as picture:
            picture.convert("RGB").save(vectors, resolution=150)
    return True


@contextmanager
def _one_style() -> Iterator[None]:
    if not find_spec("matplotlib"):
        yield
        return
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawn
    from matplotlib.text import Text

    usual = Drawn.savefig

    def savefig(self: Drawn, *places: Any, **how: Any) -> None:
        for text in self.findobj(Text):
            text.set_fontsize(FONT_SIZE)  # sizes of its own would differ
        usual(self, *places, **how)

    Drawn.savefig = savefig  # type: ignore[method-assign]
    try:
        with mpl.rc_context(MATPLOTLIB):
            yield
    finally:
        Drawn.savefig = usual  # type: ignore[method-assign]


def in_one_style(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Give a chart one font size, whatever it says of its own."""
    plain = _narrowed(_without(spec, {"fontSize", "labelFontSize", "titleFontSize", "font"}))
    return {**plain, "config": {**plain.get("config", {}), **VEGA}}


def _narrowed(value: Any) -> Any:
    """Make charts as wide as a page of paper has room for, so that letters keep their size."""
    if isinstance(value, Mapping):
        wide = value.get("width") == WIDTH
        return {k: _narrowed(v) for k, v in value.items()} | ({"width": NARROW} if wide else {})
    return [_narrowed(v) for v in value] if isinstance(value, list) else value


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {k: _without(v, names) for k, v in value.items() if k not in names}
    return [_without(v, names) for v in value] if isinstance(value, list) else value
