"""Bad input stops with one line that names it, or is left out and counted."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

HEIGHT, WIDTH = 24, 32


class Trap:
    """Leaves a file behind if it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


# Each spoils a scene and gives what the message has to name.


def nan_map(scene):
    scores = scene.scores(0)
    scores[3, 4] = np.nan
    return scene.save(0, scores), scene.ids[0], "NaN"


def infinite_map(scene):
    scores = scene.scores(0)
    scores[3, 4] = -np.inf
    return scene.save(0, scores), scene.ids[0], "infinite"


def map_of_nan_alone(scene):
    return scene.save(0, np.full((HEIGHT, WIDTH), np.nan, np.float16)), "NaN"


def empty_map(scene):
    return scene.save(0, np.zeros((0, WIDTH))), scene.ids[0], "empty"


def three_dimensional_map(scene):
    return scene.save(0, np.zeros((1, HEIGHT, WIDTH))), scene.ids[0], "3 dimensions"


def one_dimensional_map(scene):
    return scene.save(0, np.zeros(WIDTH)), "1 dimension"


def single_number(scene):
    return scene.save(0, np.float64(0.5)), "0 dimensions"


def complex_map(scene):
    return scene.save(0, np.zeros((HEIGHT, WIDTH), complex)), "complex"


def map_of_text(scene):
    return scene.save(0, np.full((HEIGHT, WIDTH), "0.5")), "numbers"


def structured_map(scene):
    return scene.save(0, np.zeros((HEIGHT, WIDTH), [("score", float)])), "numbers"


def missing_map(scene):
    scene.file(0).unlink()
    return scene.maps, scene.ids[0], "birds/0.npy", "no score map"


def dangling_link(scene):
    scene.file(0).unlink()
    scene.file(0).symlink_to(scene.root / "nowhere.npy")
    return scene.file(0), "cannot be read"


def map_above_one(scene):
    return scene.save(0, scene.scores(0) + 1), scene.ids[0], "[0, 1]", "--normalize"


def map_below_zero(scene):
    return scene.save(0, scene.scores(0) - 0.5), scene.ids[0], "[0, 1]", "--normalize"


def integer_map_to_255(scene):
    return scene.save(0, (255 * scene.scores(0)).astype(np.uint8)), "[0, 1]", "--normalize"


def pickled_map(scene):
    objects = np.empty((2, 2), object)
    objects[:] = Trap(scene.root / "trap")
    return scene.save(0, objects), "pickled"


def bare_pickle(scene):
    scene.file(0).write_bytes(pickle.dumps(Trap(scene.root / "trap")))
    return scene.file(0), ".npy"


def half_written_npy(scene):
    data = scene.file(0).read_bytes()
    scene.file(0).write_bytes(data[: len(data) // 2])
    return scene.file(0), "not a whole .npy"


def npy_cut_in_its_header(scene):
    scene.file(0).write_bytes(scene.file(0).read_bytes()[:40])
    return scene.file(0), "not a whole .npy"


def npy_of_no_bytes(scene):
    scene.file(0).write_bytes(b"")
    return scene.file(0), "not a whole .npy"


def half_written_png(scene):
    file = as_png(scene, (255 * scene.scores(0)).astype(np.uint8))
    file.write_bytes(file.read_bytes()[:-40])
    return file, "truncated"


def text_called_png(scene):
    file = as_png(scene, np.zeros((HEIGHT, WIDTH), np.uint8))
    file.write_text("no picture")
    return file, "cannot be decoded"


def colour_png(scene):
    return as_png(scene, np.zeros((HEIGHT, WIDTH, 3), np.uint8)), "3 channels", "grayscale"


def png_with_transparency(scene):
    return as_png(scene, np.zeros((HEIGHT, WIDTH, 4), np.uint8)), "4 channels"


def as_png(scene, picture):
    scene.file(0).unlink()
    return scene.save(0, picture, ".png")


def names_with_and_without_extension(scene):
    other = scene.maps / "birds/0.jpg.npy"
    np.save(other, scene.scores(0))
    return scene.file(0), other, scene.ids[0], "two maps"


def names_with_and_without_class(scene):
    other = scene.maps / "birds/0/0.npy"
    other.parent.mkdir()
    np.save(other, scene.scores(0))
    return scene.file(0), other, scene.ids[0], "two maps"


def npy_beside_png(scene):
    other = scene.save(0, np.zeros((HEIGHT, WIDTH), np.uint8), ".png")
    return scene.file(0), other, scene.ids[0], "two maps"


def label_out_of_range(scene):
    return f"{scene.edit('class_labels', 1, 'birds/0.jpg,-1')}:1", scene.ids[0], "label -1"


def label_beyond_all(scene):
    return f"{scene.edit('class_labels', 1, f'birds/0.jpg,{2**40}')}:1", "out of range"


def label_of_text(scene):
    return f"{scene.edit('class_labels', 1, 'birds/0.jpg,duck')}:1", scene.ids[0], "'duck'"


def label_missing(scene):
    scene.edit("class_labels", 1, "")
    return f"{scene.truth}/image_ids.txt:1", scene.ids[0], "no class"


def label_twice(scene):
    return f"{scene.edit('class_labels', 7, 'birds/0.jpg,0')}:7", scene.ids[0], "twice"


def inverted_box(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,20,3,4,15')}:1", "inverted", "20, 3, 4, 15"


def negative_box(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,-1,3,4,15')}:1", scene.ids[0], "negative"


def two_bad_boxes_of_one_image(scene):
    scene.edit("localization", 7, "birds/0.jpg,-1,3,4,15")
    return f"{scene.edit('localization', 8, 'birds/0.jpg,9,3,4,15')}:7", "negative", "1 more"


def box_outside(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,32,3,40,15')}:1", "outside", "32 x 24"


def box_below(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,3,24,9,30')}:1", "outside", "32 x 24"


def box_of_three_numbers(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,3,4,9')}:1", "columns"


def box_of_nan(scene):
    return f"{scene.edit('localization', 1, 'birds/0.jpg,nan,3,9,15')}:1", "whole numbers"


def no_ground_truth(scene):
    scene.edit("localization", 1, "")
    return f"{scene.truth}/image_ids.txt:1", scene.ids[0], "no ground truth"


def size_of_zero(scene):
    return f"{scene.edit('image_sizes', 1, 'birds/0.jpg,0,24')}:1", scene.ids[0], "0 x 24"


def size_unknown(scene):
    scene.edit("image_sizes", 1, "")
    return f"{scene.truth}/localization.txt:1", scene.ids[0], "size"


def duplicate_id(scene):
    return f"{scene.edit('image_ids', 7, 'birds/0.jpg')}:7", scene.ids[0], "twice"


ONE_IMAGE = [
    *(nan_map, infinite_map, map_of_nan_alone, empty_map),
    *(three_dimensional_map, one_dimensional_map, single_number),
    *(complex_map, map_of_text, structured_map),
    *(missing_map, dangling_link),
    *(map_above_one, map_below_zero, integer_map_to_255),
    *(pickled_map, bare_pickle),
    *(half_written_npy, npy_cut_in_its_header, npy_of_no_bytes, half_written_png, text_called_png),
    *(colour_png, png_with_transparency),
    *(names_with_and_without_extension, names_with_and_without_class, npy_beside_png),
    *(label_out_of_range, label_beyond_all, label_of_text, label_missing, label_twice),
    *(inverted_box, negative_box, two_bad_boxes_of_one_image, box_outside, box_below),
    *(box_of_three_numbers, box_of_nan, no_ground_truth),
    *(size_of_zero, size_unknown, duplicate_id),
]
spoilt = pytest.mark.parametrize("spoil", ONE_IMAGE, ids=lambda spoil: spoil.__name__)


@spoilt
def test_one_bad_image_stops_with_one_line_that_names_it(scene, sightline, spoil):
    named = spoil(scene)
    message = sightline("evaluate", scene.maps, scene.truth, "--json", "-").refusal()
    for text in named:
        assert str(text) in message
    assert not (scene.root / "trap").exists()


@spoilt
def test_one_bad_image_is_left_out_and_counted(scene, sightline, spoil):
    named = [str(text) for text in spoil(scene) if "more" not in str(text)]
    flags = ("--on-error", "skip", "--json")
    result = sightline("evaluate", scene.maps, scene.truth, *flags, "-").json
    assert (result["images"], result["skipped"]) == (5, 1)
    listed = "\n".join(result["left_out"])
    for text in named:
        assert text in listed
    assert not (scene.root / "trap").exists()


def test_the_rest_scores_as_if_the_bad_image_had_never_been(scene, sightline):
    nan_map(scene)
    result = sightline(
        "evaluate", scene.maps, scene.truth, "--on-error", "skip", "--json", "-"
    ).json
    scene.file(0).unlink()
    for name in ("image_ids", "class_labels", "image_sizes", "localization"):
        scene.edit(name, 1, "")
    sound = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    for key in ("value", "per_delta", "threshold", "mean_iou", "interval", "pointing", "energy"):
        assert result[key] == sound[key]


def test_the_number_left_out_stands_beside_the_score(scene, sightline):
    nan_map(scene)
    inverted_box(scene)
    scene.edit("localization", 2, "birds/1.jpg,20,3,4,15")
    answer = sightline("evaluate", scene.maps, scene.truth, "--on-error", "skip")
    assert answer.code == 0
    assert "4 scored, 2 skipped" in answer.out
    assert "localization.txt:1, birds/0.jpg: box 20, 3, 4, 15 is inverted" in answer.out
    assert "localization.txt:2, birds/1.jpg" in answer.out


def test_a_long_list_of_what_was_left_out_is_cut_in_print_alone(scene, sightline, tmp_path):
    scene = larger(scene)
    for i in range(8):
        scene.file(i).unlink()
    flags = ("--on-error", "skip", "--json", tmp_path / "result.json")
    answer = sightline("evaluate", scene.maps, scene.truth, *flags)
    assert "2 scored, 8 skipped" in answer.out
    assert answer.out.count("no score map") == 5
    assert "and 3 more" in answer.out
    assert len(json.loads((tmp_path / "result.json").read_text())["left_out"]) == 8


def test_the_first_of_many_problems_says_what_lists_the_others(scene, sightline):
    scene.file(0).unlink()
    scene.file(1).unlink()
    told = sightline("evaluate", scene.maps, scene.truth).refusal()
    assert told.endswith("(and 1 more; --on-error skip lists them)")
    scene.edit("localization", 1, "birds/0.jpg,20,3,4,15")
    scene.edit("localization", 2, "birds/1.jpg,20,3,4,15")
    told = sightline("evaluate", scene.maps, scene.truth).refusal()
    assert told.endswith("(and 1 more; 'sightline data check' lists them)")


def test_labels_beyond_the_classes_that_are_named(scene, sightline):
    (scene.truth / "class_names.txt").write_text("duck\nswan\n")
    told = sightline("evaluate", scene.maps, scene.truth).refusal()
    assert "birds/2.jpg: label 2 is out of range: 2 classes are named" in told


def larger(scene, images=10):
    """Add images that are like the first six."""
    for i in range(6, images):
        scene.ids.append(f"birds/{i}.jpg")
        scene.boxes.append((4, 3, 17, 15))
        scene.edit("image_ids", i + 1, scene.ids[i])
        scene.edit("class_labels", i + 1, f"{scene.ids[i]},0")
        scene.edit("image_sizes", i + 1, f"{scene.ids[i]},32,24")
        scene.edit("localization", i + 1, scene.box_line(i))
        scene.save(i, scene.scores(i % 4))
    return scene


def test_nothing_left_to_score_is_a_failure_even_where_bad_input_is_skipped(scene, sightline):
    for i in range(6):
        scene.save(i, np.full((HEIGHT, WIDTH), np.nan))
    answer = sightline("evaluate", scene.maps, scene.truth, "--on-error", "skip")
    assert answer.code == 1
    assert str(scene.file(0)) in answer.refusal()
    assert "5 more" in answer.err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../0.jpg", "'..'"),
        ("birds/../../0.jpg", "'..'"),
        ("/etc/0.jpg", "absolute"),
        ("C:\\birds\\0.jpg", "absolute"),
        ("..\\0.jpg", "'..'"),
        ("./0.jpg", "plain form"),
        ("birds//0.jpg", "plain form"),
        (" birds/0.jpg", "blanks"),
        ("birds/\x1b[31m.jpg", "printable"),
    ],
)
def test_an_id_that_leads_out_of_its_folder_is_refused(scene, sightline, name, reason):
    scene.file(0).unlink()
    scene.rename(0, name)
    answer = sightline("evaluate", scene.maps, scene.truth)
    assert f"{scene.truth}/image_ids.txt:1" in answer.refusal()
    assert reason in answer.err
    assert "\x1b" not in answer.err
    result = sightline("evaluate", scene.maps, scene.truth, "--on-error", "skip", "--json", "-")
    assert (result.json["images"], result.json["skipped"]) == (5, 1)


def test_a_map_for_an_unknown_image_is_refused_or_listed(scene, sightline):
    stranger = scene.maps / "birds/nine.npy"
    np.save(stranger, scene.scores(0))
    answer = sightline("evaluate", scene.maps, scene.truth)
    assert str(stranger) in answer.refusal()
    assert "unknown image" in answer.err
    result = sightline(
        "evaluate", scene.maps, scene.truth, "--on-error", "skip", "--json", "-"
    ).json
    assert result["images"] == 6
    assert [str(stranger) in line for line in result["left_out"]] == [True]


def test_a_map_that_fits_two_images_is_refused(scene, sightline):
    scene.file(1).unlink()
    scene.rename(1, "birds/0.png")
    answer = sightline("evaluate", scene.maps, scene.truth)
    assert str(scene.file(0)) in answer.refusal()
    assert "differ in their extension" in answer.err
    np.save(scene.maps / "birds/0.jpg.npy", scene.scores(0))
    np.save(scene.maps / "birds/0.png.npy", scene.scores(1))
    scene.file(0).unlink()
    assert sightline("evaluate", scene.maps, scene.truth, "--json", "-").json["images"] == 6


def test_a_folder_without_maps(scene, sightline, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/.hidden.npy").write_bytes(b"")
    answer = sightline("evaluate", tmp_path / "empty", scene.truth)
    assert answer.code == 2
    assert str(tmp_path / "empty") in answer.refusal()
    assert ".npy" in answer.err


def test_a_single_map_where_a_folder_is_needed_says_so(scene, sightline):
    message = sightline("evaluate", scene.file(0), scene.truth).refusal()
    assert str(scene.file(0)) in message
    assert "folder" in message


def test_places_that_do_not_exist(scene, sightline, tmp_path):
    assert "nomaps" in sightline("evaluate", tmp_path / "nomaps", scene.truth).refusal()
    assert "notruth" in sightline("evaluate", scene.maps, tmp_path / "notruth").refusal()
    assert (
        "nomasks"
        in sightline("evaluate", scene.maps, scene.truth, "--masks", tmp_path / "nomasks").refusal()
    )
    assert (
        "nobody"
        in sightline(
            "evaluate", scene.maps, scene.truth, "--predictions", tmp_path / "nobody.csv"
        ).refusal()
    )


def test_a_folder_that_is_no_ground_truth(scene, sightline, tmp_path):
    answer = sightline("evaluate", scene.maps, tmp_path / "maps")
    assert answer.code == 2
    assert str(tmp_path / "maps") in answer.refusal()
    assert "not recognised" in answer.err


def test_a_forgotten_split_is_named(scene, sightline):
    (scene.root / "set").mkdir()
    scene.truth.rename(scene.root / "set/val")
    answer = sightline("evaluate", scene.maps, scene.root / "set")
    assert "--split" in answer.refusal()
    assert "val" in answer.err
    assert sightline("evaluate", scene.maps, scene.root / "set", "--split", "val").code == 0


# Masks


def missing_mask(scene):
    file = scene.masks / "birds/1.png"
    file.unlink()
    return f"{scene.truth}/localization.txt:2", file, scene.ids[1], "missing"


def truncated_mask(scene):
    file = scene.masks / "birds/1.png"
    file.write_bytes(file.read_bytes()[:60])
    return file, "truncated"


def unreadable_mask(scene):
    file = scene.masks / "birds/1.png"
    file.write_text("no picture")
    return file, "cannot be decoded"


def damaged_mask(scene):
    file = scene.masks / "birds/1.png"
    data = bytearray(file.read_bytes())
    data[45] ^= 0xFF
    file.write_bytes(data)
    return file, "damaged"


def unreadable_ignore_region(scene):
    file = scene.masks / "birds/ignore.png"
    file.write_bytes(b"")
    return file, "empty"


def mask_outside_its_folder(scene):
    file = scene.edit("localization", 2, "birds/1.jpg,../truth/image_ids.txt,")
    return f"{file}:2", scene.ids[1], "'..'"


def absolute_mask(scene):
    file = scene.edit("localization", 2, f"birds/1.jpg,{scene.masks}/birds/1.png,")
    return f"{file}:2", scene.ids[1], "absolute"


BAD_MASKS = [
    *(missing_mask, truncated_mask, unreadable_mask, damaged_mask, unreadable_ignore_region),
    *(mask_outside_its_folder, absolute_mask),
]


@pytest.mark.parametrize("spoil", BAD_MASKS, ids=lambda spoil: spoil.__name__)
def test_a_bad_mask_stops_or_is_left_out(scene, sightline, spoil: Callable):
    scene.add_masks()
    named = spoil(scene)
    flags = ("evaluate", scene.maps, scene.truth, "--masks", scene.masks)
    message = sightline(*flags).refusal()
    for text in named:
        assert str(text) in message
    result = sightline(*flags, "--on-error", "skip", "--json", "-").json
    assert (result["metric"], result["images"], result["skipped"]) == ("PxAP", 5, 1)
    for text in named:
        assert str(text) in result["left_out"][0]


def test_masks_without_any_foreground_have_no_score(scene, sightline):
    scene.add_masks()
    for i in range(6):
        scene.paint(scene.masks / f"birds/{i}.png", (0, 0, 0, 0))
    assert (
        "foreground"
        in sightline("evaluate", scene.maps, scene.truth, "--masks", scene.masks).refusal()
    )


def test_a_ground_truth_without_masks_says_how_to_give_them(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--protocol", "pixels")
    assert answer.code == 2
    assert "--masks" in answer.refusal()


# Shards


def shards(scene, suffix):
    """Write the maps as two shards of three, in place of the folder of single maps."""
    folder = scene.root / f"shards{suffix}"
    folder.mkdir()
    for part in range(2):
        maps = {scene.ids[i]: scene.scores(i) for i in range(3 * part, 3 * part + 3)}
        write_shard(folder / f"{part}{suffix}", maps)
    return folder


def write_shard(file, maps):
    if file.suffix == ".npz":
        np.savez(file, **maps)
        return
    import pandas as pd

    rows = [
        {
            "id": name,
            "height": scores.shape[0],
            "width": scores.shape[1],
            "dtype": str(scores.dtype),
            "scores": scores.tobytes(),
        }
        for name, scores in maps.items()
    ]
    pd.DataFrame(rows).to_parquet(file)


both_shards = pytest.mark.parametrize("suffix", [".npz", ".parquet"])


@both_shards
@pytest.mark.parametrize("kept", [0, 0.3, 0.95], ids=["nothing", "a third", "nearly all"])
def test_a_half_written_shard_stops_or_is_left_out(scene, sightline, suffix, kept):
    folder = shards(scene, suffix)
    file = folder / f"1{suffix}"
    data = file.read_bytes()
    file.write_bytes(data[: int(kept * len(data))])
    assert str(file) in sightline("evaluate", folder, scene.truth).refusal()
    result = sightline("evaluate", folder, scene.truth, "--on-error", "skip", "--json", "-").json
    assert result["images"] == 3
    listed = "\n".join(result["left_out"])
    for name in (str(file), *scene.ids[3:]):
        assert name in listed


@both_shards
def test_a_map_in_two_shards_is_ambiguous(scene, sightline, suffix):
    folder = shards(scene, suffix)
    write_shard(folder / f"2{suffix}", {scene.ids[5]: scene.scores(5)})
    answer = sightline("evaluate", folder, scene.truth)
    for text in ("two maps", f"1{suffix}", f"2{suffix}", scene.ids[5]):
        assert text in answer.refusal()


@both_shards
def test_single_maps_beside_shards_are_ambiguous(scene, sightline, suffix):
    folder = shards(scene, suffix)
    np.save(folder / "birds.npy", scene.scores(0))
    assert "both" in sightline("evaluate", folder, scene.truth).refusal()


@both_shards
def test_a_bad_map_in_a_shard_is_named(scene, sightline, suffix):
    folder = shards(scene, suffix)
    write_shard(folder / f"1{suffix}", {name: np.full((2, 2), np.nan) for name in scene.ids[3:]})
    answer = sightline("evaluate", folder, scene.truth)
    for text in (f"1{suffix}", "birds/3.jpg", "NaN"):
        assert text in answer.refusal()
    result = sightline("evaluate", folder, scene.truth, "--on-error", "skip", "--json", "-").json
    assert (result["images"], result["skipped"]) == (3, 3)


def test_pickled_objects_in_a_shard_are_never_loaded(scene, sightline):
    folder = shards(scene, ".npz")
    objects = np.empty((2, 2), object)
    objects[:] = Trap(scene.root / "trap")
    write_shard(folder / "1.npz", dict.fromkeys(scene.ids[3:], objects))
    assert "pickled" in sightline("evaluate", folder, scene.truth).refusal()
    assert not (scene.root / "trap").exists()


def test_a_npy_called_npz(scene, sightline):
    folder = shards(scene, ".npz")
    with (folder / "1.npz").open("wb") as file:
        np.save(file, scene.scores(0))
    assert "1.npz" in sightline("evaluate", folder, scene.truth).refusal()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("height", 1000),
        ("height", None),
        ("dtype", "object"),
        ("dtype", "nonsense"),
        ("scores", None),
    ],
)
def test_a_parquet_shard_with_a_bad_cell(scene, sightline, column, value):
    import pandas as pd

    folder = shards(scene, ".parquet")
    file = folder / "1.parquet"
    table = pd.read_parquet(file).astype({"height": "Int64"})
    table.loc[0, column] = pd.NA if value is None else value
    table.to_parquet(file)
    assert "1.parquet" in sightline("evaluate", folder, scene.truth).refusal()


def test_a_parquet_table_of_something_else(scene, sightline, tmp_path):
    import pandas as pd

    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "x.parquet")
    answer = sightline("evaluate", tmp_path / "x.parquet", scene.truth)
    assert str(tmp_path / "x.parquet") in answer.refusal()


# Suspicious, but scored


def test_constant_maps_are_scored_as_misses_and_counted(scene, sightline):
    scene.save(0, np.full((HEIGHT, WIDTH), 0.5))
    scene.save(1, np.zeros((HEIGHT, WIDTH)))
    result = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    assert (result["images"], result["skipped"]) == (6, 0)
    assert result["warnings"]["constant_maps"] == 2
    assert result["per_delta"]["30"] == pytest.approx(100 * 4 / 6)
    text = sightline("evaluate", scene.maps, scene.truth).out
    assert "warning    constant maps: 2" in text


@pytest.mark.parametrize("box", ["4,3,32,15", "4,3,31,24", "4,3,50,60"])
def test_a_box_at_or_past_the_edge_is_clamped_and_counted(scene, sightline, box):
    scene.edit("localization", 1, f"birds/0.jpg,{box}")
    result = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    assert (result["images"], result["skipped"]) == (6, 0)
    assert result["warnings"]["boxes_at_or_past_edge"] == 1
    x1, y1 = (min(int(v), far) for v, far in zip(box.split(",")[2:], (32, 24), strict=True))
    scene.edit("localization", 1, f"birds/0.jpg,4,3,{x1},{y1}")
    clamped = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    assert result["per_delta"] == clamped["per_delta"]
    assert result["mean_iou"] == clamped["mean_iou"]


def test_a_box_without_area_is_scored_and_counted(scene, sightline):
    scene.edit("localization", 1, "birds/0.jpg,4,3,4,15")
    result = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    assert (result["images"], result["skipped"]) == (6, 0)
    assert result["warnings"]["zero_area_boxes"] == 1


def test_a_mask_without_foreground_is_scored_and_counted(scene, sightline):
    scene.add_masks()
    scene.paint(scene.masks / "birds/2.png", (0, 0, 0, 0))
    result = sightline(
        "evaluate", scene.maps, scene.truth, "--masks", scene.masks, "--json", "-"
    ).json
    assert (result["images"], result["skipped"]) == (6, 0)
    assert result["warnings"]["masks_without_foreground"] == 1


def test_the_interval_is_a_number_even_if_few_masks_have_foreground(scene, sightline):
    scene.add_masks()
    for i in range(1, 6):
        scene.paint(scene.masks / f"birds/{i}.png", (0, 0, 0, 0))
    result = sightline(
        "evaluate", scene.maps, scene.truth, "--masks", scene.masks, "--json", "-"
    ).json
    low, high = result["interval"]
    assert 0 <= low <= result["value"] <= high <= 100


def test_a_map_a_rounding_error_above_one_is_told_apart_in_the_message(scene, sightline):
    scores = scene.scores(0).astype(np.float32)
    scores[0, 0] = np.nextafter(np.float32(1), np.float32(2))
    scene.save(0, scores)
    message = sightline("evaluate", scene.maps, scene.truth).refusal()
    assert "to 1, outside" not in message


def test_png_files_have_nothing_to_exceed(scene, sightline):
    for i in range(6):
        scene.file(i).unlink()
        scene.save(i, (255 * scene.scores(i)).astype(np.uint8), ".png")
    assert cv2.imread(str(scene.file(0, ".png")), cv2.IMREAD_UNCHANGED).ndim == 2
    assert sightline("evaluate", scene.maps, scene.truth, "--json", "-").json["images"] == 6
