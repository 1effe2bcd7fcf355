"""Score maps as they come: number types, files, names, shards, sizes."""

import cv2
import numpy as np
import pandas as pd
import pytest


@pytest.mark.parametrize(
    "dtype", [*"?bBhHiIlLqQefdg", ">f4", "<f8", ">u2"], ids=lambda code: np.dtype(code).str
)
def test_maps_of_every_number_type(scene, evaluate, dtype):
    for i in range(6):
        scene.save(i, (scene.scores(i) > 0.5).astype(float))
    expected = evaluate()
    for i in range(6):
        scene.save(i, (scene.scores(i) > 0.5).astype(dtype))
    assert evaluate().numbers == expected.numbers
    assert expected["value"] > 0


def test_maps_in_another_memory_order(scene, evaluate):
    expected = evaluate()
    for i in range(6):
        scene.save(i, np.asfortranarray(scene.scores(i)))
    assert evaluate().numbers == expected.numbers


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_maps_as_grayscale_png(scene, evaluate, dtype):
    top = np.iinfo(dtype).max
    pictures = [(top * scene.scores(i)).astype(dtype) for i in range(6)]
    for i, picture in enumerate(pictures):
        scene.save(i, picture / top)
    expected = evaluate()
    for i, picture in enumerate(pictures):
        scene.file(i).unlink()
        scene.save(i, picture, ".png")
    assert evaluate().numbers == expected.numbers


def test_suffixes_in_capitals(scene, evaluate):
    expected = evaluate()
    for i in range(6):
        scene.file(i).rename(scene.file(i).with_suffix(".NPY"))
    assert evaluate().numbers == expected.numbers


def test_maps_named_with_the_extension_of_the_image(scene, evaluate):
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        scene.file(i).rename(scene.maps / f"{name}.npy")
    assert evaluate().numbers == expected.numbers


def test_maps_named_by_image_and_class(scene, evaluate):
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        folder = scene.maps / (name if i % 2 else name.removesuffix(".jpg"))
        folder.mkdir()
        scene.file(i).rename(folder / f"{scene.labels[i]}.npy")
        np.save(folder / "77.npy", np.zeros((3, 3)))  # the map of another class is no matter
    assert evaluate().numbers == expected.numbers


def test_maps_of_an_image_with_several_classes(scene, evaluate, sightline, tmp_path):
    truth = tmp_path / "classes.csv"
    lines = ["image,x0,y0,x1,y1,width,height,label", "a.jpg,2,2,9,9,32,24,1"]
    truth.write_text("\n".join([*lines, "a.jpg,20,10,30,20,32,24,3", "b.jpg,2,2,9,9,32,24,1"]))
    maps = tmp_path / "several"
    (maps / "a").mkdir(parents=True)
    for name, (x0, y0, x1, y1) in {
        "a/1": (2, 2, 9, 9),
        "a/3": (20, 10, 30, 20),
        "b": (2, 2, 9, 9),
    }.items():
        scores = np.zeros((24, 32))
        scores[y0:y1, x0:x1] = 1
        np.save(maps / f"{name}.npy", scores)
    result = evaluate(maps=maps, truth=truth)
    assert (result["images"], result["value"]) == (3, 100)
    (maps / "a/3.npy").rename(maps / "a.npy")
    message = sightline("evaluate", maps, truth).refusal()
    assert "a.jpg/3" in message
    assert "a/3.npy" in message


def test_files_of_other_kinds_among_the_maps_are_no_matter(scene, evaluate):
    expected = evaluate()
    (scene.maps / "notes.txt").write_text("made with CAM")
    (scene.maps / ".DS_Store").write_bytes(b"\0")
    (scene.maps / "birds/._0.npy").write_bytes(b"\0")
    (scene.maps / "birds/0_overlay.jpg").write_bytes(b"\0")
    assert evaluate().numbers == expected.numbers


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("bare", [False, True], ids=["with extension", "without"])
def test_maps_in_shards(scene, evaluate, tmp_path, suffix, parts, bare):
    expected = evaluate()
    folder = tmp_path / "shards"
    folder.mkdir()
    for part in range(parts):
        maps = {
            scene.ids[i].removesuffix(".jpg" if bare else "/"): scene.scores(i)
            for i in range(part, 6, parts)
        }
        write_shard(folder / f"{part}{suffix}", maps)
    assert evaluate(maps=folder).numbers == expected.numbers
    if parts == 1:
        assert evaluate(maps=folder / f"0{suffix}").numbers == expected.numbers


def write_shard(file, maps):
    if file.suffix == ".npz":
        np.savez_compressed(file, **maps)
        return
    columns = {
        "id": list(maps),
        "height": [scores.shape[0] for scores in maps.values()],
        "width": [scores.shape[1] for scores in maps.values()],
        "dtype": [str(scores.dtype) for scores in maps.values()],
        "scores": [scores.tobytes() for scores in maps.values()],
    }
    pd.DataFrame(columns).to_parquet(file, row_group_size=2)


def test_maps_at_the_size_of_the_original_image(scene, evaluate):
    """Boxes are stated in the image's pixels; twice the image with the same map is the same."""
    expected = evaluate()
    for i, name in enumerate(scene.ids):
        scene.edit("image_sizes", i + 1, f"{name},64,48")
        box = ",".join(str(2 * corner) for corner in scene.boxes[i])
        scene.edit("localization", i + 1, f"{name},{box}")
    assert evaluate().numbers == expected.numbers
    for i in range(6):
        scene.save(i, np.kron(scene.scores(i), np.ones((2, 2))))
    full_size = evaluate()
    assert full_size["value"] == pytest.approx(expected["value"], abs=10)
    assert full_size["warnings"] == {"maps_not_224x224": 6}


def test_normalization_is_done_only_when_asked_for(scene, evaluate, sightline):
    for i in range(6):
        scene.save(i, 7 * scene.scores(i))
    assert "--normalize" in sightline("evaluate", scene.maps, scene.truth).refusal()
    by_maximum, by_both = evaluate("--normalize", "max"), evaluate("--normalize", "min-max")
    for i in range(6):
        scene.save(i, scene.scores(i) / scene.scores(i).max())
    assert evaluate().numbers == pytest.approx(by_maximum.numbers)
    assert by_maximum["normalize"] == "max"
    for i in range(6):
        scores = scene.scores(i) - scene.scores(i).min()
        scene.save(i, scores / scores.max())
    assert evaluate().numbers == pytest.approx(by_both.numbers)


def test_maps_are_resized_before_they_are_normalized(scene, evaluate):
    flags = ("--evaluation-size", "224", "--normalize", "min-max")
    result = evaluate(*flags)
    assert (result["interpolation"], result["warnings"]) == ("cubic", {})
    for i in range(6):
        large = cv2.resize(scene.scores(i), (224, 224), interpolation=cv2.INTER_CUBIC)
        scene.save(i, (large - large.min()) / (large.max() - large.min()))
    assert evaluate().numbers == pytest.approx(result.numbers)
    assert evaluate(*flags, "--interpolation", "area")["interpolation"] == "area"


def test_folders_that_are_links_are_followed_but_not_in_circles(scene, evaluate):
    expected = evaluate()
    (scene.maps / "birds").rename(scene.root / "elsewhere")
    (scene.maps / "birds").symlink_to(scene.root / "elsewhere")
    (scene.maps / "again").symlink_to(scene.maps)
    assert evaluate().numbers == expected.numbers
    for one, other in (("a", "b"), ("b", "a")):
        (scene.root / one).mkdir()
        (scene.root / one / other).symlink_to(scene.root / other)
    (scene.maps / "a").symlink_to(scene.root / "a")
    np.save(scene.root / "b" / "stranger.npy", scene.scores(0))
    result = evaluate("--on-error", "skip")
    assert (result["images"], result["skipped"]) == (6, 1)
