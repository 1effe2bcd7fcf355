"""Every recipe of `sightline data make` keeps its contract: the same bytes, however it is run."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from sightline import registry

Flags = Sequence[object]
SPLITS = ("train", "val", "test")


def photographs(root: Path, count: int) -> Path:
    """Write pictures of two classes, each with a bar of its own."""
    for number in range(count):
        file = root / f"class{number % 2}" / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        picture = Image.new("RGB", (40, 30), "navy")
        ImageDraw.Draw(picture).line((3 * number, 0, 39 - 2 * number, 29), "white", 5)
        picture.save(file)
    return root


def lists(folder: Path, images: Sequence[str]) -> Path:
    folder.mkdir(parents=True)
    (folder / "image_ids.txt").write_text("\n".join(images))
    (folder / "class_labels.txt").write_text(
        "\n".join(f"{image},{number % 2}" for number, image in enumerate(images))
    )
    return folder


def cub_v2(root: Path) -> Flags:
    existing = photographs(root / "existing", 2)
    return ["--candidates", photographs(root / "photos", 8), "--against", existing]


def leaks(root: Path) -> Flags:
    return ["--splits", photographs(root / "one", 4), photographs(root / "other", 2)]


def openimages(root: Path) -> Flags:
    """Write a mask folder a split: any ground truth with masks will do."""
    for split in SPLITS:
        photographs(root / split / "images", 4)
        for picture in sorted((root / split / "images").rglob("*.png")):
            mask = root / split / "masks" / picture.relative_to(root / split / "images")
            mask.parent.mkdir(parents=True, exist_ok=True)
            Image.new("L", (40, 30), 255).save(mask)
    flags = ["--data", root, "--minimum", 2, 2, 2, "--per-class", 1, 2, 2, "--images"]
    return [*flags, root / "train/images"]


def pond(root: Path) -> Flags:
    return ["--images", 12, "--size", 48]


def proxy(root: Path) -> Flags:
    return ["--data", lists(root / "train", [f"{i}.jpg" for i in range(40)])]


def splits(root: Path) -> Flags:
    return ["--data", photographs(root / "photos", 10), "--val", 1, "--test", 2]


CASES: dict[str, Callable[[Path], Flags]] = {
    "cub-v2": cub_v2,
    "leaks": leaks,
    "openimages": openimages,
    "pond": pond,
    "proxy": proxy,
    "splits": splits,
}
OWN = [entry.name for entry in registry.describe("builder") if entry.source == "sightline"]


def tree(folder: Path) -> dict[str, bytes]:
    """Read all files that are no note of the recipe to itself."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {
        str(file.relative_to(folder)): file.read_bytes() for file in files if file.name[0] != "."
    }


@pytest.fixture
def make(sightline, tmp_path):
    """Run a recipe on its case."""
    prepared: dict[str, Flags] = {}

    def call(name: str, out: str, *flags: object):
        if name not in prepared:
            prepared[name] = CASES[name](tmp_path / "input")
        return sightline("data", "make", name, *prepared[name], "--out", tmp_path / out, *flags)

    return call


def test_every_recipe_has_a_case():
    assert set(OWN) <= set(CASES)


@pytest.mark.parametrize("name", OWN)
def test_a_recipe_gives_the_same_bytes_whatever_the_workers(name, make, tmp_path):
    assert make(name, "one", "--workers", 1).code == 0
    assert make(name, "two", "--workers", 2).code == 0
    assert tree(tmp_path / "one") == tree(tmp_path / "two") != {}


@pytest.mark.parametrize("name", OWN)
def test_a_recipe_that_is_run_again_changes_nothing(name, make, tmp_path):
    first = make(name, "out", "--json", "-").json
    before = tree(tmp_path / "out")
    assert make(name, "out", "--json", "-").json == first
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize("writes", [1, 3])
@pytest.mark.parametrize("name", OWN)
def test_a_recipe_that_is_stopped_comes_to_the_same(name, writes, make, tmp_path, monkeypatch):
    whole = make(name, "whole")
    assert whole.code == 0
    replace, left = Path.replace, [writes]

    def stopping(source: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stopping)
        stopped = make(name, "out")
    if left[0] <= 0:
        assert "same command" in stopped.refusal()
    assert make(name, "out").code == 0
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


@pytest.mark.parametrize("name", OWN)
def test_a_recipe_says_what_it_wrote_and_needs_a_place(name, make, sightline, tmp_path):
    answer = make(name, "out", "--json", "-").json
    assert answer["summary"]
    assert all(rows[0].keys() == row.keys() for rows in answer["tables"].values() for row in rows)
    flags = CASES[name](tmp_path / "more")
    text = sightline("data", "make", name, *flags).refusal()
    assert text == "--out is missing; name the folder to write to"
    assert "start at 0" in make(name, "out", "--seed", -1).refusal()
