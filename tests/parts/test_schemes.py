"""Part schemes: what annotations become."""

from pathlib import Path

import numpy as np
import pytest

from sightline.errors import DataError, UsageError
from sightline.parts.schemes import (
    Scheme,
    copy_schemes,
    counted,
    read_schemes,
    shipped,
    simplify,
)

PASCAL = {  # raw names that PASCAL-Part has, and the part of each when sides are dropped
    "person": {"lear": "ear", "rear": "ear", "luarm": "arm", "rlleg": "leg", "lebrow": "eyebrow"},
    "cat": {"rear": "ear", "lfpa": "paw", "rbleg": "leg"},
    "horse": {"lfuleg": "leg", "rbho": "hoof", "rear": "ear"},
    "bird": {"rleg": "leg", "lwing": "wing"},
    "aeroplane": {"engine_3": "engine", "wheel_12": "wheel", "stern": "stern"},
    "car": {"window_20": "window", "bliplate": "license plate", "roofside": "roof"},
    "train": {"coach_2": "coach", "cleftside_7": "side", "hfrontside": "front"},
    "bicycle": {"bwheel": "wheel", "saddle": "seat"},
}


def block(y0: int, y1: int, x0: int, x1: int) -> np.ndarray:
    mask = np.zeros((40, 40), bool)
    mask[y0:y1, x0:x1] = True
    return mask


def test_twelve_categories_are_shipped_whose_names_are_the_paper_s() -> None:
    schemes = read_schemes("pascal", "drop")
    names = "aeroplane bicycle bird bus car cat cow dog horse person sheep train"
    assert sorted(schemes.tables) == names.split()
    assert set(shipped()) == {"pascal", "pets"}


@pytest.mark.parametrize("category", PASCAL)
def test_raw_names_become_parts(category: str) -> None:
    scheme = read_schemes("pascal", "drop").of(category)
    assert scheme
    for raw, part in PASCAL[category].items():
        row = scheme.row(raw)
        assert row
        assert scheme.name_of(row) == part
    assert scheme.row("rocket") is None


def test_real_annotations_are_all_known(shared: Path) -> None:
    from sightline.data.mat_files import read_things

    schemes = read_schemes("pascal", "drop")
    seen = 0
    for file in sorted((shared / "data/pascal_part").glob("*.mat")):
        for thing in read_things(file):
            scheme = schemes.of(thing.name)
            for part in thing.parts if scheme else ():
                assert scheme
                assert scheme.row(part.name), (thing.name, part.name)
                seen += 1
    assert seen > 300


def test_sides_are_dropped_or_kept_and_halves_of_a_limb_are_merged_either_way() -> None:
    raw = [
        ("luleg", block(2, 10, 2, 8)),
        ("llleg", block(13, 22, 3, 9)),
        ("ruleg", block(2, 10, 20, 26)),
    ]
    whole = block(0, 40, 0, 40)
    dropped = read_schemes("pascal", "drop").of("person")
    kept = read_schemes("pascal", "keep").of("person")
    assert dropped
    assert kept
    first, second = simplify(dropped, raw, whole), simplify(kept, raw, whole)
    assert list(first.parts) == ["leg"]
    assert list(second.parts) == ["left leg", "right leg"]
    (closed,) = first.closed.values()
    assert set(first.closed) == {"left leg"}
    assert closed.pieces == raw[0][1].sum() + raw[1][1].sum()
    assert closed.pieces < closed.merged < closed.hull
    assert second.parts["left leg"].sum() > raw[0][1].sum() + raw[1][1].sum()
    assert (first.parts["leg"] == second.parts["left leg"] | second.parts["right leg"]).all()
    assert (second.parts["right leg"] == raw[2][1]).all()


def test_several_things_of_one_name_are_never_bridged() -> None:
    raw = [("wheel_1", block(2, 8, 2, 8)), ("wheel_2", block(2, 8, 20, 26))]
    car = read_schemes("pascal", "drop").of("car")
    assert car
    made = simplify(car, raw, block(0, 40, 0, 40))
    assert made.parts["wheel"].sum() == 72
    assert not made.closed


def test_parts_are_cut_to_their_object_and_the_rest_can_be_a_part() -> None:
    pets = read_schemes("pets", "drop")
    scheme = pets.of("dog")
    assert scheme
    assert pets.category("Abyssinian") == "cat"
    assert pets.category("beagle") == "dog"
    whole = block(5, 30, 5, 30)
    made = simplify(scheme, [("head", block(0, 15, 0, 15))], whole)
    assert made.parts["head"].sum() == 100
    assert made.clipped == 125
    assert (made.parts["head"] ^ made.parts["body"] == whole).all()
    unseen = simplify(scheme, [("head", block(0, 4, 0, 4)), ("hat", whole)], whole)
    assert list(unseen.parts) == ["body"]
    assert unseen.unknown == ("hat",)


def test_an_added_part_counts_once_it_is_drawn() -> None:
    cat = read_schemes("pascal", "drop").of("cat")
    assert cat
    without = counted(cat, ["head"])
    drawn = counted(cat, ["head", "whiskers"])
    assert ("whiskers", True) not in without
    assert drawn == [*without, ("whiskers", True)]
    assert counted(Scheme("x"), ["b", "a", "b"]) == [("a", False), ("b", False)]


def test_shipped_tables_are_copied_to_be_edited(tmp_path: Path) -> None:
    copy_schemes("pascal", tmp_path / "own")
    table = tmp_path / "own" / "dog.csv"
    text = table.read_text()
    assert "lear,left ear,ear,," in text
    table.write_text(text.replace("lear,left ear,ear,,", "lear,left ear,listener,,"))
    dog = read_schemes(str(tmp_path / "own"), "drop").of("dog")
    assert dog
    assert "listener" in dog.parts
    with pytest.raises(UsageError, match=r"aeroplane\.csv is there already"):
        copy_schemes("pascal", tmp_path / "own")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("head,head,,,", "part or sided is empty"),
        ("head,head,head,glue,", "merge is 'glue'"),
        ("head,head,head,,maybe", "added is 'maybe'"),
        (",head,head,,", "raw is empty in a part that is not added"),
        ("eye,eye,eye,,", "raw 'eye' is listed twice"),
    ],
)
def test_a_wrong_line_of_a_table_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "dog.csv").write_text(f"raw,sided,part,merge,added\neye,eye,eye,,\n{line}\n")
    with pytest.raises(DataError, match=message) as error:
        read_schemes(str(tmp_path), "drop")
    assert "dog.csv:3" in str(error.value)


def test_an_unknown_scheme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither as-is, pascal, pets nor a folder"):
        read_schemes("passcal", "drop")
    with pytest.raises(UsageError, match="holds no table"):
        read_schemes(str(tmp_path), "drop")
