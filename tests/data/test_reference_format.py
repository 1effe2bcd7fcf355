"""The reference format and the builder behind it: real data's traps, named by file and line."""

from pathlib import Path

import numpy as np
import pytest

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.formats import reference
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import read_truth
from sightline.errors import DataError, Problem, UsageError
from sightline.types import BACKGROUND, FOREGROUND, IGNORE

LISTS = {
    "image_ids": "a/x.jpg\na/y.jpg",
    "class_labels": "a/x.jpg,0\na/y.jpg,1",
    "image_sizes": "a/x.jpg,40,30\na/y.jpg,30,40",
    "localization": "a/x.jpg,1,2,30,20\na/y.jpg,0,0,5,5\na/y.jpg,6,7,29,39",
}


def write(folder: Path, **changed: str | bytes | None) -> Path:
    """Write the four lists without a trailing newline; None leaves one out."""
    for name, text in {**LISTS, **changed}.items():
        if text is not None:
            data = text.encode() if isinstance(text, str) else text
            (folder / f"{name}.txt").write_bytes(data)
    return folder


def read(folder: Path, masks: Path | None = None) -> Annotations:
    return reference.read(folder, Request("made-up", "val", masks))


def one_problem(found: Annotations) -> Problem:
    assert len(found.problems) == 1, [str(problem) for problem in found.problems]
    return found.problems[0]


def test_reads_the_lists_as_released(tmp_path: Path) -> None:
    found = read(write(tmp_path))
    assert not found.problems
    assert not found.warnings
    assert found.split.ids == found.split.images == ("a/x.jpg", "a/y.jpg")
    assert found.split.labels.tolist() == [0, 1]
    assert found.split.sizes.tolist() == [[40, 30], [30, 40]]  # width first
    assert found.boxes is not None
    assert found.boxes.corners.tolist() == [[1, 2, 30, 20], [0, 0, 5, 5], [6, 7, 29, 39]]
    assert found.boxes.offsets.tolist() == [0, 1, 3]
    assert found.masks is None


def test_line_ends_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    plain = read(write(tmp_path))
    windows = {name: text.replace("\n", "\r\n\r\n") + "\r\n" for name, text in LISTS.items()}
    found = read(write(tmp_path, **windows))
    assert not found.problems
    assert found.split.ids == plain.split.ids
    assert found.boxes is not None
    assert plain.boxes is not None
    assert np.array_equal(found.boxes.corners, plain.boxes.corners)


@pytest.mark.parametrize(
    ("file", "text", "line", "words"),
    [
        ("image_ids", "a/x.jpg\na/y.jpg\na/x.jpg", 3, "listed twice"),
        ("class_labels", "a/x.jpg,0\na/y.jpg,-1", 2, "label -1 is out of range"),
        ("class_labels", "a/x.jpg,0\na/y.jpg,dog", 2, "'dog' is not whole numbers"),
        ("class_labels", "a/x.jpg,0\na/y.jpg,1\na/y.jpg,1", 3, "labelled twice"),
        ("class_labels", "a/x.jpg,0\na/y.jpg,1\na/z.jpg,1", 3, "not in the list of images"),
        ("class_labels", "a/x.jpg,0\na/y.jpg", 2, "1 columns where 2 are needed"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,1,2,3", 2, "4 columns where 5 are needed"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,9,2,3,8", 2, "box 9, 2, 3, 8 is inverted"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,1,8,3,2", 2, "is inverted"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,-1,2,3,4", 2, "negative corner"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,30,2,33,4", 2, "outside its image of 30 x 40"),
        ("localization", "a/x.jpg,1,2,3,4\na/y.jpg,1,2,nan,4", 2, "not whole numbers"),
    ],
)
def test_one_wrong_line_is_one_problem(
    tmp_path: Path, file: str, text: str, line: int, words: str
) -> None:
    problem = one_problem(read(write(tmp_path, **{file: text})))
    assert words in problem.what
    assert problem.file == str(tmp_path / f"{file}.txt")
    assert problem.line == line
    assert f"{file}.txt:{line}" in str(problem)


@pytest.mark.parametrize(
    "name", ["../x.jpg", "a/../../x.jpg", "/etc/x.jpg", "C:\\x.jpg", "a\\..\\x"]
)
def test_ids_stay_below_their_root(tmp_path: Path, name: str) -> None:
    lists = {file: text.replace("a/x.jpg", name) for file, text in LISTS.items()}
    found = read(write(tmp_path, **lists))
    problem = one_problem(found)
    assert (problem.file, problem.line) == (str(tmp_path / "image_ids.txt"), 1)
    assert "absolute path" in problem.what or "'..'" in problem.what
    assert found.split.ids == ("a/y.jpg",)


def test_a_size_that_is_not_positive_is_named(tmp_path: Path) -> None:
    found = read(write(tmp_path, image_sizes="a/x.jpg,40,30\na/y.jpg,0,40"))
    assert "image size 0 x 40 is not positive" in found.problems[0].what
    assert found.problems[0].line == 2
    assert found.split.ids == ("a/x.jpg",)


def test_boxes_without_a_size_are_refused(tmp_path: Path) -> None:
    found = read(write(tmp_path, image_sizes=""))
    assert [problem.line for problem in found.problems] == [1, 2]  # once for each image
    assert all("no size is known" in problem.what for problem in found.problems)


def test_swapped_sizes_come_with_the_remedy(tmp_path: Path) -> None:
    found = read(
        write(
            tmp_path,
            localization="a/x.jpg,35,2,39,20\na/y.jpg,1,30,9,39",
            image_sizes="a/x.jpg,30,40\na/y.jpg,30,40",
        )
    )
    assert "width first" in one_problem(found).remedy


def test_boxes_at_the_far_edge_and_empty_ones_are_counted(tmp_path: Path) -> None:
    boxes = "a/x.jpg,1,2,40,20\na/y.jpg,0,0,0,0\na/y.jpg,6,7,29,41"
    found = read(write(tmp_path, localization=boxes))
    assert not found.problems
    assert found.warnings == {"boxes_at_or_past_edge": 2, "zero_area_boxes": 1}


def test_an_image_without_a_box_is_a_problem(tmp_path: Path) -> None:
    found = read(write(tmp_path, localization="a/x.jpg,1,2,3,4"))
    problem = one_problem(found)
    assert problem.what == "image has no ground truth"
    assert (problem.file, problem.line) == (str(tmp_path / "image_ids.txt"), 2)
    assert found.split.ids == ("a/x.jpg",)


def test_text_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    found = read(write(tmp_path, class_labels="a/x.jpg,0\na/ÿ.jpg,1".encode("latin-1")))
    assert "not UTF-8" in one_problem(found).what
    assert found.problems[0].file == str(tmp_path / "class_labels.txt")


def test_masks_carry_their_ignore_region_on_the_first_line_only(tmp_path: Path) -> None:
    (tmp_path / "root" / "a").mkdir(parents=True)
    for name in ("x_1", "x_2", "x_ignore", "y_1", "y_ignore"):
        (tmp_path / "root" / "a" / f"{name}.png").touch()
    text = "a/x.jpg,a/x_1.png,a/x_ignore.png\na/x.jpg,a/x_2.png,\na/y.jpg,a/y_1.png,a/y_ignore.png"
    write(tmp_path, image_sizes="", localization=text)
    found = read(tmp_path, tmp_path / "root")
    assert not found.problems
    assert found.boxes is None
    assert found.masks is not None
    names = [[source.name for source in group] for group in found.masks.objects]  # type: ignore[union-attr]
    assert names == [["x_1.png", "x_2.png"], ["y_1.png"]]
    assert [len(group) for group in found.masks.ignored] == [1, 1]
    assert not found.split.sizes.any()


def test_masks_that_all_lie_elsewhere_are_one_problem(tmp_path: Path) -> None:
    text = "a/x.jpg,a/x_1.png,\na/y.jpg,a/y_1.png,"
    found = read(write(tmp_path, image_sizes=None, localization=text))
    assert "do not lie beside it" in one_problem(found).what
    assert len(found.split.ids) == 2  # what the lists say is still there to be counted


def test_a_missing_mask_and_one_outside_are_named(tmp_path: Path) -> None:
    text = "a/x.jpg,a/x_1.png,\na/y.jpg,../y_1.png,"
    found = read(write(tmp_path, image_sizes=None, localization=text), tmp_path)
    missing, outside = found.problems
    assert "x_1.png is missing" in missing.what
    assert missing.line == 1
    assert "leads out of its folder" in outside.what
    assert outside.line == 2


def test_recognises_a_folder_with_ids(tmp_path: Path) -> None:
    request = Request("made-up", "val")
    assert not reference.recognises(tmp_path, request)
    assert reference.recognises(write(tmp_path), request)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    boxes = "a/x.jpg,9,2,3,4\na/y.jpg,-1,2,3,4"
    write(tmp_path, localization=boxes)
    with pytest.raises(DataError, match=r"localization\.txt:1.*inverted.*and 1 more") as error:
        read_truth(tmp_path)
    assert len(error.value.problems) == 2


def test_problems_can_be_skipped_but_not_all_images(tmp_path: Path) -> None:
    write(tmp_path, localization="a/x.jpg,9,2,3,4\na/y.jpg,1,2,3,4")
    truth = read_truth(tmp_path, skip_problems=True)
    assert truth.split.ids == ("a/y.jpg",)
    assert len(truth.problems) == 1
    write(tmp_path, localization="a/x.jpg,9,2,3,4\na/y.jpg,9,2,3,4")
    with pytest.raises(DataError):
        read_truth(tmp_path, skip_problems=True)


def test_a_folder_that_is_no_ground_truth_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"known formats: coco .*reference"):
        read_truth(tmp_path)


def test_builder_refuses_boxes_that_are_not_finite() -> None:
    builder = AnnotationBuilder(Request("made-up", "val"))
    builder.item("x", file="f", size=(9, 9))
    builder.add_box("x", (0, 0, float("nan"), 1), "f", 3)
    assert "not finite" in one_problem(builder.build()).what


@pytest.mark.parametrize(
    ("place", "images", "boxes"),
    [
        ("CUB/val", 1000, 1000),
        ("CUB/test", 5794, 5794),
        ("ILSVRC/val", 10000, 18532),
        ("CUB/train", 5994, 5994),
    ],
)
def test_released_lists(shared: Path, place: str, images: int, boxes: int) -> None:
    truth = read_truth(shared / "data" / "wsol_metadata" / place, split="val")
    assert len(truth.split.ids) == images
    assert len(truth.boxes("study", Ledger()).corners) == boxes
    assert not truth.warnings


def test_openimages_masks_that_are_here(shared: Path) -> None:
    data = shared / "data"
    truth = read_truth(
        data / "wsol_metadata" / "OpenImages" / "val",
        masks=data / "openimages_masks",
        skip_problems=True,
    )
    masks = truth.masks("study", Ledger())
    assert len(truth.split.ids) == 5
    assert sum(map(len, masks.objects)) + sum(map(len, masks.ignored)) == 11
    assert len(truth.problems) == 3854 + 2500 - 11  # every mask that is not


def test_pets_with_a_border_to_ignore(shared: Path) -> None:
    pets = shared / "data" / "pets"
    truth = read_truth(pets / "metadata", split="val", masks=pets / "masks", ignore_value=128)
    masks = truth.masks("study", Ledger())
    assert truth.has_boxes
    assert len(masks.objects) == 370
    for index in range(0, 370, 37):
        codes = read_mask(masks, index, None)
        assert codes.shape == (224, 224)
        assert set(np.unique(codes)) == {FOREGROUND, BACKGROUND, IGNORE}
