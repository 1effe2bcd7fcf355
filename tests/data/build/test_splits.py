"""Splits of an image folder or an annotated set, proxy sets, and leaks between splits."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from sightline.data.truth import read_truth

from .pictures import drawn, save, save_mask, scene, tree


@pytest.fixture
def make(sightline, photos, tmp_path):
    def call(*flags, data=photos, out="out", counts=(1, 2)):
        words = ["--data", data, "--val", counts[0], "--test", counts[1], "--out", tmp_path / out]
        return sightline("data", "make", "splits", *words, *flags)

    return call


def ids(folder: Path) -> dict[str, list[str]]:
    return {
        name: (folder / name / "image_ids.txt").read_text().split("\n")
        for name in ("train", "val", "test")
    }


def test_every_class_gives_its_count_and_every_image_has_one_place(make, photos, tmp_path):
    make()
    splits = ids(tmp_path / "out")
    for name, count in {"train": 3, "val": 1, "test": 2}.items():
        for group in ("ant", "bee"):
            assert sum(image.startswith(group) for image in splits[name]) == count
    images = [image for group in splits.values() for image in group]
    assert sorted(images) == sorted(p.relative_to(photos).as_posix() for p in photos.rglob("*.jpg"))
    for name, group in splits.items():
        for image in group:
            copy = tmp_path / "out" / name / "images" / image
            assert copy.read_bytes() == (photos / image).read_bytes()
    labels = (tmp_path / "out/val/class_labels.txt").read_text().split("\n")
    assert [line[-2:] for line in labels] == [",0", ",1"]
    assert not list(tmp_path.glob("out/*/localization.txt"))


def test_more_of_one_split_takes_nothing_from_those_before_it(make, tmp_path):
    make("--train", 1)
    make("--train", 2, out="more", counts=(2, 2))
    less, more = ids(tmp_path / "out"), ids(tmp_path / "more")
    assert less["test"] == more["test"]
    assert set(less["val"]) < set(more["val"])
    assert list(map(len, more.values())) == [4, 4, 4]


def test_the_result_depends_on_the_seed_alone(make, tmp_path):
    make("--workers", 1)
    make("--workers", 3, out="again")
    make("--seed", 1, out="other")
    assert tree(tmp_path / "out") == tree(tmp_path / "again")
    assert ids(tmp_path / "out") != ids(tmp_path / "other")


def test_leaks_are_listed_and_repeats_can_be_left_out(make, photos, tmp_path):
    for number in range(6):  # all ants once more among the bees, the first three byte for byte
        source, target = photos / f"ant/{number}.jpg", photos / f"bee/again{number}.jpg"
        if number < 3:
            shutil.copy(source, target)
        else:
            with Image.open(source) as picture:
                save(picture.resize((48, 36)), target, quality=60)
    answer = make("--json", "-").json
    place = {image: name for name, group in ids(tmp_path / "out").items() for image in group}
    expected = {
        number: {place[f"ant/{number}.jpg"], place[f"bee/again{number}.jpg"]} for number in range(6)
    }
    expected = {number: pair for number, pair in expected.items() if len(pair) == 2}
    with (tmp_path / "out/leaks.csv").open() as table:
        leaks = list(csv.DictReader(table))
    found = {int(Path(line["image"]).stem[-1]): line for line in leaks}
    assert {n: {line["split"], line["other split"]} for n, line in found.items()} == expected
    assert all((line["same"] == "bytes") == (number < 3) for number, line in found.items())
    summary = answer["summary"]
    assert summary["identical across splits"] == sum(number < 3 for number in expected)
    assert summary["near-identical across splits"] == sum(number >= 3 for number in expected) > 0
    answer = make("--repeats", "drop", "--json", "-", out="without").json
    assert answer["summary"]["repeats left out"] == 6
    assert answer["tables"]["leaks"] == []
    assert not (tmp_path / "without/leaks.csv").exists()
    assert {"image": "bee/again0.jpg", "of": "ant/0.jpg"} in answer["tables"]["repeats"]


def test_classes_with_too_few_images_stop_it_or_are_left_out(make, photos, tmp_path):
    (photos / "ant/0.jpg").unlink()
    text = make(counts=(3, 2)).refusal()
    assert "1 classes have fewer than 6 images: ant (5); ask for fewer, or pass --short" in text
    answer = make("--short", "drop", "--json", "-", counts=(3, 2)).json
    assert answer["tables"]["classes left out"] == [{"class": "ant", "images": 5, "needed": 6}]
    assert answer["summary"]["classes"] == 1
    assert all(
        image.startswith("bee") for group in ids(tmp_path / "out").values() for image in group
    )
    assert (tmp_path / "out/test/class_labels.txt").read_text().endswith(",1")  # as it was


def test_what_cannot_be_read_stops_it_or_is_left_out(make, photos, tmp_path):
    (photos / "ant/0.jpg").write_bytes((photos / "ant/0.jpg").read_bytes()[:400])
    assert "ant/0.jpg: is truncated" in make().refusal()
    answer = make("--on-error", "skip", "--json", "-").json
    assert answer["summary"]["left out as unsound"] == 1
    assert "ant/0.jpg" in (tmp_path / "out/problems.csv").read_text()
    assert (tmp_path / "out/recipe.json").is_file()


def annotate(root: Path) -> Path:
    """Write reference lists: three images of two classes each, with a box and a mask."""
    (root / "images").mkdir(parents=True)
    names = [f"{group}{number}.png" for group in "ab" for number in range(3)]
    for number, name in enumerate(names):
        save(scene(number, (8, 4)), root / "images" / name)
        save_mask("........ .##..... .##..... ........", root / "masks" / name)
    lists = {
        "image_ids": names,
        "class_labels": [f"{name},{name[0] == 'b':d}" for name in names],
        "image_sizes": [f"{name},8,4" for name in names],
        "localization": [f"{name},1,1,3,3" for name in names],
    }
    for name, lines in lists.items():
        (root / f"{name}.txt").write_text("\n".join(lines))
    return root


def test_a_ground_truth_keeps_boxes_and_masks_where_they_are_needed(make, tmp_path):
    answer = make("--json", "-", data=annotate(tmp_path / "truth"), counts=(1, 1)).json
    assert answer["summary"]["places of objects"] == "boxes and masks"
    for split in ("val", "test"):
        truth = read_truth(tmp_path / "out", split=split)
        assert truth.has_boxes
        assert truth.has_masks
        assert len(truth.split.ids) == 2
        for file in (tmp_path / "out" / split / "masks").iterdir():
            assert drawn(file) == "........ .##..... .##..... ........"
        boxes = (tmp_path / "out" / split / "localization.txt").read_text()
        assert boxes.count(",1,1,3,3") == 2
    assert not (tmp_path / "out/train/localization.txt").exists()
    assert not (tmp_path / "out/train/masks").exists()


def test_trimaps_become_masks_with_regions_to_ignore(make, tmp_path):
    root = annotate(tmp_path / "truth")
    for file in (root / "masks").iterdir():
        trimap = Image.open(file).point(lambda value: value)
        trimap.putpixel((5, 0), 128)
        save(trimap, file)
        trimap.close()
    answer = make("--ignore-value", 128, "--json", "-", data=root, counts=(1, 1)).json
    assert answer["summary"]["places of objects"] == "masks"
    line = (tmp_path / "out/test/localization.txt").read_text().split("\n")[0]
    _, mask, ignored = line.split(",")
    assert drawn(tmp_path / "out/test" / mask) == "........ .##..... .##..... ........"
    assert drawn(tmp_path / "out/test" / ignored) == ".....#.. ........ ........ ........"


def test_images_of_several_classes_and_unsound_annotations(make, photos, tmp_path):
    images = [{"id": i, "file_name": f"{i}.jpg", "width": 96, "height": 72} for i in range(7)]
    annotations = [
        {"id": i, "image_id": i, "category_id": i % 2, "bbox": [1, 2, 30, 40.6]} for i in range(7)
    ]
    annotations.append({"id": 7, "image_id": 6, "category_id": 1, "bbox": [1, 2, 30, 40]})
    names = [{"id": 0, "name": "ant"}, {"id": 1, "name": "bee"}]
    content = {"images": images, "annotations": annotations, "categories": names}
    for number in range(7):
        save(scene(number), tmp_path / f"pictures/{number}.jpg")
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps(content))
    flags = ["--images", tmp_path / "pictures"]
    answer = make(*flags, "--json", "-", data=truth, counts=(1, 1)).json
    assert answer["summary"]["of several classes"] == 1
    assert ",1,2,31,43" in (tmp_path / "out/test/localization.txt").read_text()
    (tmp_path / "pictures/3.jpg").unlink()
    text = make(*flags, data=truth, counts=(1, 1), out="x").refusal()
    assert "3.jpg: image file is missing" in text
    assert (
        "no folder of images is known; pass --images"
        in make(data=truth, counts=(1, 1), out="x").refusal()
    )


def test_options_that_mean_nothing(make, photos):
    assert "start at 0" in make("--train", -1).refusal()
    assert "--repeats: maybe is none of keep, drop" in make("--repeats", "maybe").refusal()
    assert "distance is -1" in make("--distance", -1).refusal()
    save(scene(1), photos / "loose.jpg")
    assert "loose.jpg: image lies in no class folder" in make().refusal()


def test_a_proxy_set_holds_its_part_of_each_class(sightline, tmp_path):
    folder = tmp_path / "train"
    folder.mkdir()
    names = [f"{group}/{i}, no {i}.jpg" for i in range(30) for group in "ab"][:45]  # 23 and 22
    (folder / "image_ids.txt").write_text("\n".join(names))
    labels = [f"{name},{name[0] == 'b':d}" for name in names]
    (folder / "class_labels.txt").write_text("\n".join(reversed(labels)))
    (folder / "image_sizes.txt").write_text("\n".join(f"{name},8,6" for name in names))
    words = ["data", "make", "proxy", "--data", folder, "--out"]
    answer = sightline(*words, folder, "--json", "-").json
    assert answer["summary"] == {"images": 4, "of": 45, "classes": 2}
    kept = (folder / "image_ids_proxy.txt").read_text().split("\n")
    assert [name[0] for name in kept].count("a") == 2
    assert kept == [name for name in names if name in kept]
    sightline(*words, tmp_path / "whole", "--whole")
    assert (tmp_path / "whole/image_ids.txt").read_text().split("\n") == kept
    assert (tmp_path / "whole/image_sizes.txt").read_text().count(",8,6") == 4
    half = sightline(*words, tmp_path / "half", "--fraction", 0.5, "--json", "-").json
    assert half["summary"]["images"] == 23  # 11.5 and 11, halves up
    assert set(kept) < set((tmp_path / "half/image_ids_proxy.txt").read_text().split("\n"))
    refusals = {
        "--whole would overwrite the lists": (folder, "--whole"),
        "fraction is 0; it is above 0": (tmp_path / "x", "--fraction", "0"),
    }
    for text, flags in refusals.items():
        assert text in sightline(*words, *flags).refusal()
    (folder / "class_labels.txt").write_text("\n".join([*labels[1:], f"{names[1]},x"]))
    text = sightline(*words, tmp_path / "x").refusal()
    assert "class_labels.txt:45: is not an image id, a comma and a class counted from 0" in text
    (folder / "class_labels.txt").write_text("\n".join(labels[1:]))
    assert f"{names[0]}: image has no class" in sightline(*words, tmp_path / "x").refusal()
    (folder / "image_ids.txt").write_text("\n".join([*names, names[0]]))
    assert "image id is listed twice" in sightline(*words, tmp_path / "x").refusal()
    bare = tmp_path / "bare"
    bare.mkdir()
    asked = ("data", "make", "proxy", "--data", bare, "--out", tmp_path / "x")
    assert "no image_ids.txt in it" in sightline(*asked).refusal()


def test_a_proxy_set_of_several_splits_is_one_of_train(sightline, tmp_path):
    place = ("--data", "pond:images=40,size=48", "--fraction", 0.5)
    found = sightline("data", "make", "proxy", *place, "--out", tmp_path / "x", "--json", "-").json
    assert found["summary"] == {"images": 16, "of": 28, "classes": 16}
    kept = (tmp_path / "x/image_ids_proxy.txt").read_text().split("\n")
    assert all("/weaksup_" in name for name in kept)


def test_leaks_between_folders_of_images_or_lists(sightline, photos, tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "image_ids.txt").write_text("ant/0.jpg\nant/1.jpg")
    save(scene(1).resize((50, 40)), tmp_path / "other/x.jpg")
    (tmp_path / "other/bad.jpg").write_bytes(b"")
    words = ["data", "make", "leaks", "--out", tmp_path / "out", "--splits"]
    flags = ["--images", photos, "--json", "-"]
    answer = sightline(*words, lists, photos, tmp_path / "other", *flags).json
    pairs = [
        (line["image"], line["other image"], line["same"]) for line in answer["tables"]["leaks"]
    ]
    assert sorted(pairs) == [
        ("ant/0.jpg", "ant/0.jpg", "bytes"),
        ("ant/1.jpg", "ant/1.jpg", "bytes"),
        ("ant/1.jpg", "x.jpg", "look"),
        ("ant/1.jpg", "x.jpg", "look"),
    ]
    unreadable = answer["tables"]["unreadable"]
    assert unreadable == [{"split": "other", "image": "bad.jpg", "what": "is empty"}]
    text = sightline(*words, lists, photos).refusal()
    assert "lists images that do not lie in it; pass --images FOLDER" in text
    assert "no such folder of a split" in sightline(*words, tmp_path / "nowhere").refusal()
    assert "needs two splits or more" in sightline(*words, lists).refusal()
    assert "a split is given twice" in sightline(*words, lists, lists).refusal()
    (lists / "image_ids.txt").write_text("../photos/ant/0.jpg")
    assert (
        "leads out of its folder with '..'"
        in sightline(*words, lists, photos, "--images", photos).refusal()
    )


def test_the_pets_hold_the_same_photographs_in_several_splits(sightline, shared, tmp_path):
    pets = shared / "data/pets"
    words = ["--splits", pets / "metadata", "--images", pets / "images", "--out", tmp_path]
    answer = sightline("data", "make", "leaks", *words, "--json", "-").json
    pairs = {(line["image"], line["other image"]) for line in answer["tables"]["leaks"]}
    assert ("keeshond_99.jpg", "keeshond_152.jpg") in pairs  # looked at: one photograph
    assert len(pairs) == 4
