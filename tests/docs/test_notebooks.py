"""The notebooks run from top to bottom as they are."""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_is_one_for_each_kind_of_user():
    assert {file.stem for file in NOTEBOOKS} >= {
        "attribution-author",
        "classifier-evaluator",
        "practitioner",
        "wsol-researcher",
    }


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own
def test_a_notebook_runs(file, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.read(file, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "clear the outputs"
    environment = {**os.environ, "SIGHTLINE_HOME": str(tmp_path)}
    client = nbclient.NotebookClient(
        book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env=environment)
    shown = [o for cell in book.cells for o in cell.get("outputs", [])]
    assert any("text/html" in o.get("data", {}) for o in shown)
