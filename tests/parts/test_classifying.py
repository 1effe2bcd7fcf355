"""Classifiers answer to sequences: each image once, whatever the batch, resumed to the same."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sightline.errors import DataError, UsageError
from sightline.parts import classifying, named
from sightline.parts.answers import about, read
from sightline.parts.classifiers.contract import Answered, Picture
from sightline.parts.classifying import Wanted, classify, count
from sightline.parts.prepared import Prepared
from sightline.parts.writing import write

CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")


class Bright:
    """Answers how bright a picture is, and remembers what it was asked."""

    title = "bright"
    labels = ("dark", "light")

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.sizes: list[int] = []

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        self.asked += names
        self.sizes.append(len(pictures))
        return [
            Answered((f"{'light' if p.mean() > 60 else 'dark'}",), (float(p.mean() / 255),))
            for p in pictures
        ]


def wanted(**choices: object) -> Wanted:
    orderings = named.chosen("ordering", ("e-u", "e-us", "random"))
    return Wanted(tuple(orderings), tuple(named.chosen("content", CONTENTS)), **choices)


def test_every_image_is_answered_once_and_every_step_has_a_line(
    prepared: Prepared, tmp_path: Path
) -> None:
    bright = Bright()
    files = classify(prepared, {"bright": bright}, wanted(batch=7), tmp_path / "out")
    lines = list(read(files["bright"]))
    counts = count(prepared, wanted())
    assert len(lines) == counts.steps == 4 * 3 * 4 * 5
    assert len(bright.asked) == len(set(bright.asked)) == counts.images < counts.steps / 2
    assert max(bright.sizes) == 7  # batches go across objects
    assert sum(size < 7 for size in bright.sizes) <= 1
    first = lines[0]
    assert (first.classifier, first.steps, first.step) == ("bright", 5, 1)
    assert {one.content for one in lines} == set(CONTENTS)
    said = about(files["bright"])
    assert said.labels == {"bright": ("dark", "light")}
    assert said.facts["prepared"]["objects"] == 4
    assert said.facts["contents"]["low-detail"]["half"] == 0.01
    assert said.facts["orderings"]["e-u"]["dog"][0]
    assert not (tmp_path / "out/.answers").exists() or not list(
        (tmp_path / "out/.answers").iterdir()
    )


def test_a_missing_part_is_told_by_its_empty_name(prepared: Prepared, tmp_path: Path) -> None:
    files = classify(prepared, {"bright": Bright()}, wanted(), tmp_path)
    lines = [one for one in read(files["bright"]) if one.image == "dog-2#1"]
    by_series: dict[tuple[str, str], list[str]] = {}
    for one in lines:
        by_series.setdefault((one.part_scheme, one.content), []).append(one.part)
    for parts in by_series.values():
        assert sorted(parts) == ["", "", "head", "torso", "unlabeled-rest"]
        assert parts[-1] == "unlabeled-rest"


@pytest.mark.parametrize("batch", [1, 5, 64])
def test_batches_change_nothing(prepared: Prepared, tmp_path: Path, batch: int) -> None:
    files = classify(prepared, {"b": Bright()}, wanted(batch=batch), tmp_path / "some")
    others = classify(prepared, {"b": Bright()}, wanted(), tmp_path / "others")
    assert list(read(files["b"])) == list(read(others["b"]))


def test_what_was_stopped_goes_on(
    prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classifying, "GROUP", 1)

    class Stopping(Bright):
        def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
            if names[0].startswith("cat"):
                raise KeyboardInterrupt
            return super().answers(pictures, names)

    stopping, rest = Stopping(), Bright()
    with pytest.raises(KeyboardInterrupt):
        classify(prepared, {"b": stopping}, wanted(), tmp_path / "out")
    assert not (tmp_path / "out/b.parquet").exists()
    files = classify(prepared, {"b": rest}, wanted(), tmp_path / "out")
    whole = classify(prepared, {"b": Bright()}, wanted(), tmp_path / "whole")
    assert list(read(files["b"])) == list(read(whole["b"]))
    assert not set(stopping.asked) & set(rest.asked)


def test_several_classifiers_share_what_is_made(prepared: Prepared, tmp_path: Path) -> None:
    files = classify(prepared, {"one": Bright(), "two:x=1": Bright()}, wanted(), tmp_path)
    assert files["two:x=1"].name == "two-x-1.parquet"
    one, two = (list(read(file)) for file in files.values())
    assert [a.labels for a in one] == [a.labels for a in two]
    assert {a.classifier for a in two} == {"two:x=1"}


def test_two_classifiers_never_share_a_file(prepared: Prepared, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two classifiers would have one file"):
        classify(prepared, {"a:b": Bright(), "a-b": Bright()}, wanted(), tmp_path)


def test_few_objects_of_each_category(prepared: Prepared) -> None:
    counts = count(prepared, wanted(objects=1))
    assert counts.sequences == 2 * 3 * 4


def test_images_on_disk_are_those_that_are_answered(prepared: Prepared, tmp_path: Path) -> None:
    import csv

    import cv2

    counts = write(prepared, wanted(), tmp_path / "out")
    bright = Bright()
    files = classify(prepared, {"b": bright}, wanted(), tmp_path)
    on_disk = {
        str(f.relative_to(tmp_path / "out/images"))
        for f in (tmp_path / "out/images").rglob("*.png")
    }
    assert on_disk == set(bright.asked)
    assert len(on_disk) == counts.images
    with (tmp_path / "out/sequences.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    answers = list(read(files["b"]))
    assert len(lines) == len(answers)
    for line, answer in list(zip(lines, answers, strict=True))[::7]:
        assert (line["image"], line["part_scheme"], int(line["step"])) == (
            answer.image,
            answer.part_scheme,
            answer.step,
        )
        picture = cv2.imread(str(tmp_path / "out/images" / line["file"]))
        assert picture.mean() / 255 == pytest.approx(answer.probabilities[0], abs=1e-6)


def test_people_answer_by_file(prepared: Prepared, tmp_path: Path) -> None:
    bright = Bright()
    classify(prepared, {"b": bright}, wanted(), tmp_path)
    table = tmp_path / "ann.csv"
    rows = [f"{name},a dog" for name in bright.asked]
    table.write_text("\n".join(["file,label", *rows, f"{bright.asked[0]},a cat"]))
    chosen = named.read("classifier", f"people:file={table}")
    people = chosen.module.load(chosen.options)
    files = classify(prepared, {"ann": people}, wanted(), tmp_path)
    labels = {one.labels for one in read(files["ann"])}
    assert labels == {("a dog",), ("a dog", "a cat")}
    table.write_text("\n".join(["file,label", *rows[1:]]))
    lacking = chosen.module.load(chosen.options)
    with pytest.raises(DataError, match="has no answer to dog-1#1/"):
        classify(prepared, {"ann": lacking}, wanted(), tmp_path / "2")


def test_a_function_of_one_s_own(prepared: Prepared, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "LABELS = ['n02084071', 'n02121620']\n"
        "def classify(pictures):\n"
        "    return ['n02084071' for _ in pictures]\n"
        "def pairs(pictures):\n"
        "    return [[('cat', .7), ('dog', .3)] for _ in pictures]\n"
        "def scores(pictures):\n"
        "    return np.tile([.2, .8], (len(pictures), 1))\n"
        "def few(pictures):\n"
        "    return ['dog']\n"
        "def broken(pictures):\n"
        "    return 1 / 0\n"
        "def odd(pictures):\n"
        "    return [3 for _ in pictures]\n"
        "def wide(pictures):\n"
        "    return np.zeros((len(pictures), 5))\n"
    )
    picture = [np.zeros((4, 4, 3), np.uint8)] * 2

    def answers(function: str) -> list[Answered]:
        chosen = named.read("classifier", f"callable:file={file},function={function}")
        return list(chosen.module.load(chosen.options).answers(picture, ["a", "b"]))

    assert answers("classify")[1] == Answered(("n02084071",))
    assert answers("pairs")[0] == Answered(("cat", "dog"), (0.7, 0.3))
    assert answers("scores")[0] == Answered(("n02121620", "n02084071"), (0.8, 0.2))
    for function, message in (
        ("few", "1 answers to 2 pictures"),
        ("odd", "gave no labels"),
        ("broken", r"failed \(ZeroDivisionError: division by zero; .*mine\.py:12\)"),
        ("wide", r"an array of \(2, 5\) where \(2, 2\) is right"),
        ("none", "has no function 'none'"),
    ):
        with pytest.raises(UsageError, match=message):
            answers(function)


def test_memory_does_not_grow_with_images(prepared: Prepared, tmp_path: Path) -> None:
    """Pictures are let go: a few batches are alive at most, whatever their number."""
    import gc
    import weakref

    alive: list[weakref.ref] = []
    most = 0

    class Watching(Bright):
        def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
            nonlocal most
            alive.extend(weakref.ref(p) for p in pictures)
            gc.collect()
            most = max(most, sum(one() is not None for one in alive))
            return super().answers(pictures, names)

    classify(prepared, {"b": Watching()}, wanted(batch=2), tmp_path)
    assert len(alive) > 60
    assert most < 20
