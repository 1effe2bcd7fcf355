"""The CUB-V2 recipe on candidates whose fates were worked out by hand."""

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline.data.build.sizes import matched
from sightline.data.photographs import inspect, open_upright

from .pictures import save, scene, tree

YES, NO = "1", "0"
# What each step leaves out. Pictures are scenes by number; the same number is the same picture.
CANDIDATES = {
    "ant/a.jpg": 1,  # a licence that is not allowed
    "ant/b.jpg": 2,
    "ant/c.jpg": 2,  # repeats b, smaller
    "ant/d.jpg": 100,  # in the existing split
    "ant/e.jpg": 3,  # two votes of three
    "ant/f.jpg": 4,  # confidence .49
    "ant/g.jpg": 5,
    "bee/h.jpg": 6,
    "bee/i.jpg": None,  # cannot be read
    "bee/j.jpg": 7,
    "bee/k.jpg": 8,
}
LICENCES = {"ant/a.jpg": "All Rights Reserved", "bee/k.jpg": "public domain mark"}
VOTES = {"ant/e.jpg": "yes,no,yes"}
CONFIDENCES = {"ant/f.jpg": "0.49", "bee/k.jpg": "0.5"}


class Birds:
    """The candidates on disk, and what is known of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, number in CANDIDATES.items():
            file = root / "candidates" / name
            if number is None:
                file.write_bytes(b"no picture")
            else:
                size = (80, 60) if name == "ant/c.jpg" else (400, 300)
                save(scene(number, (400, 300)).resize(size), file, quality=90)
        for number in (100, 101, 102):
            save(scene(number, (200, 150)), root / "existing" / "ant" / f"{number}.jpg")
        self.table("licences", "licence", LICENCES, "Attribution")
        self.table("votes", "ann,bob,cid", VOTES, "1,yes,True")
        self.table("confidences", "confidence", CONFIDENCES, "0.9")

    def table(self, name: str, columns: str, known: dict[str, str], usual: str) -> None:
        lines = [f"{image},{known.get(image, usual)}" for image in reversed(CANDIDATES)]
        (self.root / f"{name}.csv").write_text("\n".join([f"image,{columns}", *lines]))

    def edit(self, name: str, line: int, text: str) -> None:
        file = self.root / f"{name}.csv"
        lines = file.read_text().split("\n")
        lines[line - 1] = text
        file.write_text("\n".join(lines))


@pytest.fixture
def birds(tmp_path: Path) -> Birds:
    return Birds(tmp_path)


@pytest.fixture
def make(sightline, birds):
    def call(*flags, out="out"):
        words = ["data", "make", "cub-v2", "--candidates", birds.root / "candidates"]
        for name in ("licences", "votes", "confidences"):
            words += [f"--{name}", birds.root / f"{name}.csv"]
        words += ["--against", birds.root / "existing", "--out", birds.root / out]
        return sightline(*words, "--per-class", 2, *flags)

    return call


def rows(file: Path) -> list[list[str]]:
    with file.open() as stream:
        return list(csv.reader(stream))


def test_each_step_leaves_out_what_was_worked_out_by_hand(make, birds):
    answer = make("--json", "-").json
    out = birds.root / "out"
    assert [" ".join(row) for row in rows(out / "funnel.csv")] == [
        "step left out left classes",
        "candidates  11 2",
        "licence 1 10 2",
        "unreadable 1 9 2",
        "repeats a candidate 1 8 2",
        "in an existing split 1 7 2",
        "votes 1 6 2",
        "confidence 1 5 2",
        "not drawn 1 4 2",  # two of h, j, k
    ]
    fates = {image: fate for image, _, fate in rows(out / "candidates.csv")[1:]}
    assert fates["ant/a.jpg"] == "licence: All Rights Reserved"
    assert fates["ant/c.jpg"] == "repeats a candidate: ant/b.jpg"
    assert fates["ant/d.jpg"].startswith(
        f"in an existing split: {birds.root}/existing, ant/100.jpg"
    )
    assert fates["ant/e.jpg"] == "votes: 2 of 3 for it"
    assert fates["ant/f.jpg"] == "confidence: 0.49"
    assert fates["bee/i.jpg"] == "unreadable: is not an image in a known format"
    assert [fates[f"bee/{name}.jpg"] for name in "hjk"].count("not drawn: by chance") == 1
    kept = sorted(image for image, fate in fates.items() if not fate)
    assert (out / "image_ids.txt").read_text().split("\n") == kept
    labels = [f"{image},{int(image.startswith('bee'))}" for image in kept]
    assert (out / "class_labels.txt").read_text().split("\n") == labels
    assert (out / "image_sizes.txt").read_text().count(",400,300") == 4
    assert sorted(name for name in tree(out) if name.startswith("images/")) == [
        f"images/{image}" for image in kept
    ]
    assert answer["summary"] == {"images": 4, "of candidates": 11, "classes": 2}


def test_a_step_whose_file_is_not_given_is_passed_over(sightline, birds):
    words = ["--candidates", birds.root / "candidates", "--out", birds.root / "out"]
    answer = sightline("data", "make", "cub-v2", *words, "--json", "-").json
    skipped = [row["step"] for row in answer["tables"]["funnel"] if row["left out"] == "not asked"]
    assert skipped == ["licence", "in an existing split", "votes", "confidence"]
    assert answer["tables"]["classes short of images"] == [
        {"class": "bee", "images": 3, "needed": 5}
    ]


def test_the_result_depends_on_the_seed_alone(make, birds):
    make("--workers", 1)
    make("--workers", 3, out="again")
    assert tree(birds.root / "out") == tree(birds.root / "again")
    drawn = set()
    for seed in range(12):
        make("--seed", seed, out=f"seed{seed}")
        drawn.add((birds.root / f"seed{seed}/image_ids.txt").read_text())
    assert len(drawn) == 3


def test_sizes_are_those_of_the_existing_images(make, birds):
    make("--sizes", birds.root / "existing")
    out = birds.root / "out"
    for name in (out / "image_ids.txt").read_text().split("\n"):
        assert inspect(out / "images" / name).size == (200, 150)
    assert (out / "image_sizes.txt").read_text().count(",200,150") == 4
    (birds.root / "image_sizes.txt").write_text("a,b.jpg,100,50\nx.jpg,40,60")
    make("--sizes", birds.root, out="listed")
    assert (birds.root / "listed/image_sizes.txt").read_text().count(",60,45") == 2
    (birds.root / "image_sizes.txt").write_text("x.jpg,40,60\nx.jpg,40")
    assert (
        "image_sizes.txt:2: is not an image id, width and"
        in make("--sizes", birds.root, out="bad").refusal()
    )


def test_longest_sides_are_matched_by_rank_and_never_enlarged():
    sizes = {"a": (100, 50), "b": (400, 800), "c": (600, 300), "d": (30, 20)}
    like = [(500, 400), (60, 90), (200, 210), (100, 100)]
    assert matched(sizes, like) == {"d": (30, 20), "a": (100, 50), "c": (210, 105), "b": (250, 500)}
    assert matched({"x": (9, 3)}, like) == {"x": (9, 3)}
    assert matched({"x": (900, 1)}, like) == {"x": (210, 1)}


def test_rotated_photographs_are_written_upright(make, birds):
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    file = birds.root / "candidates/ant/g.jpg"
    save(scene(5, (400, 300)).transpose(Image.Transpose.ROTATE_180), file, exif=exif, quality=95)
    make()
    written = birds.root / "out/images/ant/g.jpg"
    assert inspect(written).orientation == 1
    seen = np.asarray(open_upright(written), float) - np.asarray(scene(5, (400, 300)), float)
    assert abs(seen).mean() < 5


def test_classes_keep_the_order_of_their_list(make, birds):
    listed = birds.root / "classes.txt"
    listed.write_text("wasp\nbee\nant\n")
    answer = make("--classes", listed, "--json", "-").json
    assert "ant/b.jpg,2" in (birds.root / "out/class_labels.txt").read_text()
    short = answer["tables"]["classes short of images"]
    assert short == [{"class": "wasp", "images": 0, "needed": 2}]
    listed.write_text("bee\nbee\n")
    assert (
        "classes.txt:2: class 'bee' is listed twice, first on line 1"
        in make("--classes", listed, out="x").refusal()
    )
    listed.write_text("bee\n")
    assert (
        f"candidates/ant: class 'ant' is not in {listed}; add or rename it"
        in make("--classes", listed, out="x").refusal()
    )


BROKEN = {
    "column missing": (
        "licences",
        1,
        "image,license",
        ":1: no column licence, only image, license",
    ),
    "short line": ("votes", 2, "bee/k.jpg,1,1", ":2: 3 columns where the header has 4"),
    "voter missing": ("votes", 1, "image,ann,bob", ":1: 2 columns of votes where there are 3"),
    "vote unknown": ("votes", 2, "bee/k.jpg,1,maybe,1", ":2: the vote of bob is 'maybe', which"),
    "vote empty": ("votes", 2, "bee/k.jpg,1,1,", ":2: the vote of cid is '', which is neither"),
    "absent": ("votes", 4, "bee/z.jpg,1,1,1", ":4, bee/z.jpg: candidate is listed but absent"),
    "not listed": ("confidences", 2, "", ", bee/k.jpg: candidate has no confidence; add a line"),
    "listed twice": ("licences", 3, "bee/k.jpg,x", ":3, bee/k.jpg: image is listed twice, first"),
    "leads out": ("licences", 3, "../k.jpg,x", ":3: image id '../k.jpg' is a path that leads out"),
    "no number": ("confidences", 2, "bee/k.jpg,high", ":2: confidence 'high' is not a number"),
    "not a number": ("confidences", 2, "bee/k.jpg,nan", ":2: confidence 'nan' is not a number"),
    "too sure": ("confidences", 2, "bee/k.jpg,99", ":2: confidence '99' is not a number from 0"),
    "quote open": ("licences", 3, '"bee/j.jpg,x', "licences.csv:"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_one_line_that_names_it(case, make, birds):
    table, line, text, words = BROKEN[case]
    birds.edit(table, line, text)
    refusal = make().refusal()
    assert words in refusal
    assert f"{table}.csv" in refusal
    assert not (birds.root / "out/image_ids.txt").exists()


def test_folders_that_do_not_do(make, sightline, birds):
    save(scene(1), birds.root / "candidates/loose.jpg")
    assert "loose.jpg: image lies in no class folder; put it into" in make().refusal()
    (birds.root / "candidates/loose.jpg").unlink()
    (birds.root / "existing/ant/101.jpg").write_bytes(b"")
    assert "existing/ant/101.jpg: is empty" in make().refusal()
    words = ["data", "make", "cub-v2", "--out", birds.root / "new", "--candidates"]
    assert "no such folder of images" in sightline(*words, birds.root / "nowhere").refusal()
    (birds.root / "void").mkdir()
    assert "no image in it" in sightline(*words, birds.root / "void").refusal()
    text = make("--sizes", birds.root / "candidates/bee/h.jpg").refusal()
    assert "h.jpg: no such folder of images" in text
    assert "--confidence is from 0 to 1" in make("--confidence", 50).refusal()
    assert "distance is 40; it is a number of bits from 0 to 31" in make("--distance", 40).refusal()
