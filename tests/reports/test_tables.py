"""Tables as text, CSV and LaTeX: nothing of a cell is lost or acted upon."""

import csv
import io

from sightline.reports.tables import Table, as_csv, as_latex, as_text, write

MADE = Table(
    "comparison",
    "A & B",
    [{"method": "cam", "pets_1": "60.0"}, {"method": "<b>", "pets_1": "+1 % ~"}],
    ["100 % of labels"],
    [{"method": "cam", "value": 60.01}, {"method": "<b>", "value": 1, "low": -2.5}],
)


def test_text_is_aligned_with_its_notes_below():
    assert as_text(MADE).splitlines() == [
        "A & B",
        "method  pets_1",
        "cam     60.0",
        "<b>     +1 % ~",
        "  100 % of labels",
    ]


def test_csv_has_the_long_form_with_all_digits():
    lines = list(csv.DictReader(io.StringIO(as_csv(MADE))))
    assert lines[0] == {"method": "cam", "value": "60.01", "low": ""}
    assert lines[1]["low"] == "-2.5"


def test_latex_escapes_what_it_would_act_upon():
    text = as_latex(MADE)
    assert r"method & pets\_1 \\" in text
    assert r"+1 \% $\sim$ \\" in text
    assert "% 100 % of labels" in text
    assert r"\begin{tabular}{lc}" in text


def test_each_table_has_its_files(tmp_path):
    files = write([MADE], tmp_path, latex=True)
    assert files == {"comparison": ["comparison.csv", "comparison.tex"]}
    assert {f.name for f in tmp_path.iterdir()} == {"comparison.csv", "comparison.tex"}
