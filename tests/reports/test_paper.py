"""`sightline report --paper`: a folder that LaTeX can read, with every table and figure in it."""

import csv
import re

import cv2
import numpy as np
import pytest

from sightline.reports import charts, paper
from sightline.reports.paper import FONT_SIZE, Figure, in_one_style, write
from sightline.reports.tables import Table, escaped

TABLE = Table(
    "odd_one".replace("_", "-"),
    r"Cost & use of \alpha_1 {50 %}",
    [{"method": "a_b", "score": "1 ~ 2 $"}, {"method": "x^2 # | <b>", "score": "é → ß"}],
    ["100 % of_labels"],
    [{"method": "a_b", "value": 1.25}],
)


@pytest.fixture
def written(sightline, measured, tmp_path):
    out = tmp_path / "paper"
    flags = ("--out", tmp_path / "page", "--against", "maps", "--paper", out)
    answer = sightline("report", measured, *flags)
    assert answer.code == 0, answer.err
    assert f"paper  {out / 'main.tex'}" in answer.out
    return out


def whole(folder) -> str:
    """Put what the document reads in its place, and see that all of it is there."""
    text = (folder / "main.tex").read_text(encoding="utf-8")
    for name in re.findall(r"\\input\{(.*?)\}", text):
        text = text.replace(f"\\input{{{name}}}", (folder / f"{name}.tex").read_text("utf-8"))
    for name in re.findall(r"\\includegraphics\{(.*?)\}", text):
        assert (folder / name).is_file(), name
    return text


def refuse_what_latex_would(text: str) -> None:
    """Check what can be checked without LaTeX: braces, environments, and letters it acts upon."""
    text = re.sub(r"\\newcommand\{\\fitted\}.*?\n.*?\n.*?\n", "", text)
    assert text.isascii() or text.encode("latin-1")
    plain = re.sub(r"(?<!\\)%.*", "", text)
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    bare = re.sub(r"\\[&%_#${}\\]", "", plain)
    depth = 0
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    outside = re.sub(r"\\begin\{tabular\}.*?\\end\{tabular\}", "", bare, flags=re.DOTALL)
    outside = re.sub(r"\\(label|input|includegraphics)(\[.*?\])?\{.*?\}", "", outside)
    assert not set("&#_^") & set(outside)
    assert bare.count("$") % 2 == 0
    for tabular in re.findall(
        r"\\begin\{tabular\}\{(.*?)\}(.*?)\\end\{tabular\}", plain, re.DOTALL
    ):
        rows = [line for line in tabular[1].splitlines() if line.endswith(r"\\")]
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(tabular[0]) - 1}


def test_the_document_has_all_that_it_names_and_nothing_that_latex_would_refuse(written):
    text = whole(written)
    refuse_what_latex_would(text)
    assert text.count(r"\begin{table}") == len(list((written / "tables").glob("*.tex"))) >= 2
    assert text.count(r"\begin{figure}") == len(list((written / "figures").glob("*.pdf"))) >= 2
    for package in ("booktabs", "graphicx"):
        assert f"\\usepackage{{{package}}}" in text
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(set(labels)) == len(labels)


def test_each_table_is_there_three_times_and_each_figure_twice(written):
    tables = {f.name for f in (written / "tables").iterdir()}
    assert {"comparison.tex", "comparison.md", "comparison.csv"} <= tables
    assert {name.rpartition(".")[0] for name in tables if name.endswith(".tex")} == {
        name.rpartition(".")[0] for name in tables
    }
    assert len(tables) % 3 == 0
    for file in (written / "figures").glob("*.pdf"):
        assert file.read_bytes().startswith(b"%PDF-")
        picture = cv2.imread(str(file.with_suffix(".png")))
        assert min(picture.shape[:2]) > 50
        assert picture.min() < picture.max()


def test_captions_name_protocol_seeds_and_labels(written):
    captions = re.findall(r"\\caption\[.*?\]\{(.*)\}", whole(written))
    assert captions
    for caption in captions:
        assert "protocol reference-v2" in caption
        assert "resample images with seed 0" in caption
        assert "no localization labels" in caption


def test_the_document_is_the_same_again(written, sightline, measured, tmp_path):
    other = tmp_path / "again"
    flags = ("--out", tmp_path / "page", "--against", "maps", "--paper", other)
    assert sightline("report", measured, *flags).code == 0
    assert whole(other) == whole(written)


def test_a_paper_needs_a_page(sightline, measured, tmp_path):
    assert "--paper needs --out" in sightline("report", measured, "--paper", tmp_path).refusal()


def test_odd_cells_are_printed_and_not_acted_upon(tmp_path):
    write([TABLE], [], "Protocol a_b; 5 %.", tmp_path, title="A & B")
    text = whole(tmp_path)
    refuse_what_latex_would(text)
    assert r"Cost \& use of \textbackslash{}alpha\_1 \{50 \%\}. Protocol a\_b; 5 \%." in text
    assert r"x\textasciicircum{}2 \# | <b>" in text
    markdown = (tmp_path / "tables/odd-one.md").read_text(encoding="utf-8")
    assert r"| x^2 # \| &lt;b> | é → ß |" in markdown
    lines = list(csv.DictReader((tmp_path / "tables/odd-one.csv").read_text("utf-8").splitlines()))
    assert lines == [{"method": "a_b", "value": "1.25"}]


def test_letters_that_latex_does_not_have_become_question_marks():
    assert escaped("é → ß\n x") == "é ? ß x"


def test_a_figure_that_cannot_be_drawn_is_not_in_the_document(tmp_path):
    write([], [Figure("gone", "A figure", lambda file: None)], "x", tmp_path, title="t")
    assert "includegraphics" not in whole(tmp_path)


def test_charts_have_one_font_size():
    spec = {"title": {"text": "t", "fontSize": 30}, "layer": [{"axis": {"labelFontSize": 3}}]}
    spec["vconcat"] = [{"width": charts.WIDTH}]
    styled = in_one_style({**spec, "config": {"view": {"stroke": None}, "font": "Comic"}})
    sizes = set(re.findall(r"[fF]ontSize': (\d+)", str(styled)))
    assert sizes == {str(FONT_SIZE)}
    assert styled["vconcat"] == [{"width": paper.NARROW}]
    assert styled["config"]["view"] == {"stroke": None}
    assert styled["config"]["font"] == paper.FONT


def test_what_matplotlib_draws_has_the_same_font_size_whatever_it_says(tmp_path):
    from matplotlib.figure import Figure as Drawn
    from matplotlib.text import Text

    usual, seen = Drawn.savefig, set()

    def draw(file):
        figure = Drawn(figsize=(3, 2))
        axes = figure.subplots()
        axes.set_title("large", fontsize=30)
        axes.set_xlabel("usual")
        figure.savefig(file)
        seen.update(t.get_fontsize() for t in figure.findobj(Text) if t.get_text())
        return file

    write([], [Figure("drawn", "A figure", draw)], "x", tmp_path, title="t")
    assert seen == {FONT_SIZE}
    assert Drawn.savefig is usual
    assert (tmp_path / "figures/drawn.pdf").read_bytes().startswith(b"%PDF")
    assert r"\fitted{\includegraphics{figures/drawn.pdf}}" in whole(tmp_path)


def test_a_picture_made_of_pixels_is_put_into_a_pdf(tmp_path):
    def draw(file):
        cv2.imwrite(str(file), np.full((20, 30, 3), 90, np.uint8))
        return file

    write([], [Figure("pixels", "A figure", draw)], "x", tmp_path, title="t")
    assert (tmp_path / "figures/pixels.pdf").read_bytes().startswith(b"%PDF")
    assert r"{figures/pixels.pdf}" in whole(tmp_path)


def test_colors_can_be_told_apart_by_the_color_blind():
    """Colors as the eye without green or red cones sees them (Viénot et al. 1999) stay apart."""
    from sightline.protocol.figures import COLORS

    for colors in (COLORS, charts.COLORS[:6]):
        rgb = [[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colors]
        linear = [[v**2.2 for v in color] for color in rgb]
        seen = [(0.29275 * r + 0.70725 * g, b) for r, g, b in linear]
        light = [(y**0.4, b**0.4) for y, b in seen]
        for n, one in enumerate(light):
            for other in light[:n]:
                assert max(abs(a - b) for a, b in zip(one, other, strict=True)) > 0.05
