"""Answers to part sequences on disk."""

import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sightline.errors import DataError, UsageError
from sightline.parts import answers
from sightline.parts.answers import About, Answer, Writer

SAID = About({"lite0": ("n02084071", "n02121620")}, {"seed": 3, "ledger": []})
HEAD = "image,category,part_scheme,content,step,steps,labels\n"


def line(step: int, **changed) -> Answer:
    made = Answer(
        classifier="lite0",
        image="rex, the dog#0",
        category="dog",
        part_scheme="e-us",
        content="intra-object",
        step=step,
        steps=3,
        labels=("n02084071", "n02121620"),
        probabilities=(0.75, 0.125),
        part="head" if step == 1 else "",
    )
    return dataclasses.replace(made, **changed)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_what_is_written_is_read_back(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(answers, "GROUP", 2)  # more lines than are kept
    file = tmp_path / f"lite0{suffix}"
    lines = [line(1), line(2, probabilities=()), line(3, labels=("a cat",), probabilities=(1.0,))]
    with Writer(file, SAID) as writer:
        writer.write(lines[:1])
        writer.write(lines[1:])
    assert list(answers.read(file)) == lines
    assert answers.about(file) == SAID
    (tmp_path / "orders.csv").write_text("category,part\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / file.name).write_bytes(file.read_bytes())
    assert answers.find([tmp_path]) == [file]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_file_that_was_not_finished_does_not_appear(tmp_path, suffix):
    def stopped():
        with Writer(tmp_path / f"lite0{suffix}") as writer:
            writer.write([line(1)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []


def test_people_may_leave_columns_out(tmp_path):
    file = tmp_path / "anna.csv"
    file.write_text(f"{HEAD}rex,dog,e-us,intra-object,1,2,a dog|a wolf\n")
    (only,) = answers.read(file)
    assert (only.classifier, only.labels) == ("anna", ("a dog", "a wolf"))
    assert (only.probabilities, only.part) == ((), "")
    assert answers.about(file) == About()


def test_parquet_of_another_program_is_read(tmp_path):
    plain = dataclasses.asdict(line(1))
    table = pa.Table.from_pylist([{**plain, "labels": list(plain["labels"])}])
    pq.write_table(table, tmp_path / "a.parquet")
    assert list(answers.read(tmp_path / "a.parquet")) == [line(1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}rex,dog,e-us,intra-object,one,2,x\n", ":2, rex: invalid literal"),
        (f"{HEAD}rex,dog,e-us,intra-object,1,2,\n", ":2, rex: 'labels' is empty"),
        (f"{HEAD}rex,,e-us,intra-object,1,2,x\n", ":2, rex: 'category' is empty"),
        (HEAD.replace("steps", "length"), ":1: has no column 'steps'"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, text, said):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises((DataError, UsageError)) as refused:
        list(answers.read(tmp_path / "a.csv"))
    assert said in str(refused.value)


def test_what_is_no_table_of_answers_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_text("no parquet")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        list(answers.read(tmp_path / "a.parquet"))
    pq.write_table(pa.table({"image": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(UsageError, match="has no column 'classifier'"):
        list(answers.read(tmp_path / "b.parquet"))
    with pytest.raises(UsageError, match="no such file or folder"):
        answers.find([tmp_path / "nowhere"])
    with pytest.raises(UsageError, match=r"\.parquet or \.csv"):
        Writer(tmp_path / "c.json")
