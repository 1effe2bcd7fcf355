"""Result rows on disk: whole or absent, the same whatever the order, a table when read."""

import json
import math
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline import rows
from sightline.errors import DataError
from sightline.types import Artifact, Job, LedgerEntry, ResultRow

ENTRY = LedgerEntry("cub", "val", "threshold", "boxes", 10, 12, (1, 3), forced=True)
ROW = ResultRow(
    result={"metric": "MaxBoxAccV2", "value": 61.25, "per_delta": {"30": 90.0, "50": 60.5}},
    provenance={"time": "2024-01-01T00:00:00+00:00", "seconds": 1.5},
    ledger=(ENTRY,),
    artifacts={"images": Artifact("images.csv", "0" * 64)},
)


def test_a_row_comes_back_as_it_was(tmp_path):
    file = tmp_path / f"new/one{rows.SUFFIX}"
    rows.save(ROW, file)
    assert rows.load(file) == ROW
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_row_is_plain_json_and_ends_its_line(tmp_path):
    file = tmp_path / "one.row.json"
    rows.save(ROW, file)
    text = file.read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert json.loads(text).keys() == {"result", "provenance", "ledger", "artifacts"}


def test_a_row_replaces_the_one_before(tmp_path):
    file = tmp_path / "one.row.json"
    for value in (1.0, 2.0):
        rows.save(replace(ROW, result={"value": value}), file)
    assert rows.load(file).result == {"value": 2.0}


def test_what_is_not_finite_becomes_null(tmp_path):
    file = tmp_path / "one.row.json"
    wild = {"a": math.nan, "b": [math.inf, -math.inf], "c": {"d": np.float32("nan")}}
    rows.save(ResultRow(wild), file)
    assert rows.load(file).result == {"a": None, "b": [None, None], "c": {"d": None}}


def test_numbers_paths_and_arrays_are_made_plain():
    given = {
        "float": np.float64(0.5),
        "int": np.int64(3),
        "bool": np.bool_(True),
        "array": np.arange(3),
        "one": np.ones(1),
        "path": Path("a/b"),
        5: (1, 2),
    }
    assert json.loads(rows.canonical(given)) == {
        "float": 0.5,
        "int": 3,
        "bool": True,
        "array": [0, 1, 2],
        "one": [1.0],
        "path": "a/b",
        "5": [1, 2],
    }


# Identity


def shuffled(value):
    """Put the keys of all mappings in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def test_the_order_of_keys_is_irrelevant():
    assert rows.result_hash(replace(ROW, result=shuffled(ROW.result))) == rows.result_hash(ROW)


def test_identical_results_hash_equally_whatever_else_differs():
    other = replace(ROW, provenance={"time": "later"}, ledger=(), artifacts={})
    assert rows.result_hash(other) == rows.result_hash(ROW)
    typed = replace(ROW, result={**ROW.result, "value": np.float64(61.25)})
    assert rows.result_hash(typed) == rows.result_hash(ROW)
    pairs = ResultRow({"interval": (1.0, 2.0)}), ResultRow({"interval": [1.0, 2.0]})
    assert len(set(map(rows.result_hash, pairs))) == 1


def test_a_result_hashes_as_before_when_it_has_been_on_disk(tmp_path):
    wild = ResultRow({"nan": math.nan, "third": 1 / 3, "big": 1e300, "text": "hübsch", 3: None})
    rows.save(wild, tmp_path / "one.row.json")
    assert rows.result_hash(rows.load(tmp_path / "one.row.json")) == rows.result_hash(wild)


@pytest.mark.parametrize(
    "change", [{"value": 61.25000000000001}, {"metric": "PxAP"}, {"more": None}], ids=str
)
def test_another_result_hashes_differently(change):
    assert rows.result_hash(replace(ROW, result={**ROW.result, **change})) != rows.result_hash(ROW)


def test_hashes_are_the_same_in_another_process(python):
    code = (
        "from sightline import rows; from sightline.types import ResultRow; "
        "print(rows.result_hash(ResultRow({'b': {'x': 0.1, 'y': None}, 'a': [1, 'z']})))"
    )
    here = rows.result_hash(ResultRow({"a": [1, "z"], "b": {"y": math.nan, "x": 0.1}}))
    assert python("-c", code).out.strip() == here


def test_the_same_evaluation_hashes_equally(scene):
    import sightline as sl

    found = {
        rows.result_hash(sl.evaluate(scene.maps, scene.truth, threads=threads))
        for threads in (1, 2, 5)
    }
    assert len(found) == 1


def test_a_job_is_all_that_determines_its_result():
    job = Job("evaluate", {"normalize": "max", "split": "val"}, seed=1)
    same = Job("evaluate", {"split": "val", "normalize": "max"}, seed=1)
    assert rows.job_id(job) == rows.job_id(same)
    others = [
        replace(job, kind="train"),
        replace(job, options={"split": "val"}),
        replace(job, protocol={"name": "exact"}),
        replace(job, seed=2),
        replace(job, threads=2),
        replace(job, inputs={"maps": "1"}),
    ]
    assert len({rows.job_id(job), *map(rows.job_id, others)}) == 7


# Whole or not at all

WRITE_FOR_EVER = """
import sys
from pathlib import Path
from sightline import rows
from sightline.types import ResultRow
kept = [ResultRow({"number": n, "filler": [n] * 300_000}) for n in range(2)]
print("ready", flush=True)
while True:
    for row in kept:
        rows.save(row, Path(sys.argv[1]))
"""


@pytest.mark.parametrize("attempt", range(4))
def test_a_kill_in_the_middle_leaves_none_or_a_whole_one(tmp_path, attempt):
    file = tmp_path / "one.row.json"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE_FOR_EVER, str(file)], stdout=subprocess.PIPE
    )
    with writer.stdout:
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(random.Random(attempt).uniform(0.02, 0.3))
        writer.kill()
        writer.wait()
    found = list(rows.find([tmp_path]))
    assert found in ([], [file])
    for path in found:
        result = rows.load(path).result
        assert result["filler"] == [result["number"]] * 300_000


def test_a_failure_while_writing_leaves_the_old_row_and_no_rubbish(tmp_path, monkeypatch):
    file = tmp_path / "one.row.json"
    rows.save(ROW, file)

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        rows.save(replace(ROW, result={"value": 0}), file)
    assert rows.load(file) == ROW
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"5",
        b"[]",
        b"{}",
        b'{"result": {}}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"result": 5, "provenance": {}, "ledger": [], "artifacts": {}}',
        b'{"result": {}, "provenance": [], "ledger": [], "artifacts": {}}',
        b'{"result": {}, "provenance": {}, "ledger": [{}], "artifacts": {}}',
        b'{"result": {}, "provenance": {}, "ledger": {}, "artifacts": []}',
        b'{"result": {}, "provenance": {}, "ledger": [], "artifacts": {"a": {"path": 1}}}',
    ],
    ids=lambda content: content[:40].decode("latin-1"),
)
def test_what_is_no_row_is_named_in_one_line(tmp_path, content):
    file = tmp_path / "one.row.json"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        rows.load(file)
    assert str(file) in str(caught.value)
    assert "not a result row" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_row_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="nothing"):
        rows.load(tmp_path / "nothing.row.json")


# Many


def test_rows_are_found_in_folders_in_the_order_of_their_names(tmp_path):
    for name in ("b/2", "a/1", "b/1"):
        rows.save(ROW, tmp_path / f"{name}{rows.SUFFIX}")
    (tmp_path / "a/notes.json").write_text("{}")
    (tmp_path / "a/.1.row.json.k3j4").write_text('{"result"')  # what a kill leaves
    assert [str(p.relative_to(tmp_path)) for p in rows.find([tmp_path])] == [
        "a/1.row.json",
        "b/1.row.json",
        "b/2.row.json",
    ]
    assert list(rows.find([tmp_path / "b/2.row.json"])) == [tmp_path / "b/2.row.json"]


def test_ten_thousand_rows_are_a_table(tmp_path):
    rows.save(ROW, tmp_path / "first")
    text = (tmp_path / "first").read_text()
    for i in range(10_000):
        (tmp_path / f"{i:05d}.row.json").write_text(text.replace("61.25", str(i)))
    table = rows.table([tmp_path])
    assert list(table.columns) == [
        *("metric", "value", "per_delta.30", "per_delta.50", "labels", "file")
    ]
    assert table["value"].tolist() == list(range(10_000))
    assert (table["labels"] == 12).all()
    assert table["file"].iloc[7] == str(tmp_path / "00007.row.json")


def test_rows_of_different_kinds_share_a_table(tmp_path):
    rows.save(ROW, tmp_path / "a.row.json")
    rows.save(ResultRow({"metric": "PxAP", "nested": {"deep": {"er": 1}}}), tmp_path / "b.row.json")
    table = rows.table([tmp_path])
    assert table["nested.deep.er"].tolist()[1] == 1
    assert table["value"].isna().tolist() == [False, True]
    assert table["labels"].tolist() == [12, 0]


def test_a_table_of_nothing(tmp_path):
    assert rows.table([tmp_path]).empty


def test_an_artifact_is_known_by_its_bytes(tmp_path):
    (tmp_path / "curve.csv").write_bytes(b"abc")
    found = rows.artifact(tmp_path / "curve.csv", tmp_path)
    assert found.path == "curve.csv"
    assert found.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
