"""`sightline data check` on folders with everything that can be wrong with them."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

NAMES = tuple(f"{kind}/{i}.png" for kind in ("bee", "wasp") for i in range(4))


def noise(width: int = 32, height: int = 24) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)


def write_lists(folder: Path, names: tuple[str, ...] = NAMES, size: str = "32,24") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lists = {
        "image_ids": names,
        "class_labels": [f"{name},{int(name.startswith('wasp'))}" for name in names],
        "image_sizes": [f"{name},{size}" for name in names],
        "localization": [f"{name},2,3,20,18" for name in names],
    }
    for kind, lines in lists.items():
        (folder / f"{kind}.txt").write_text("\n".join(lines))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write eight images, listed in two splits."""
    for name in NAMES:
        file = tmp_path / "images" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(noise()).save(file)
    write_lists(tmp_path / "metadata/train", NAMES[:2] + NAMES[4:6])
    write_lists(tmp_path / "metadata/test", NAMES[2:4] + NAMES[6:])
    return tmp_path


def checked(sightline, *words: object) -> dict:
    answer = sightline("data", "check", *words, "--json", "-")
    assert "Traceback" not in answer.err
    return json.loads(answer.out)


def test_all_splits_of_a_folder_are_checked(root, sightline):
    answer = sightline("data", "check", root)
    assert answer.code == 0
    assert answer.out.splitlines()[:2] == [f"{root} (split train, test): whole", "train: whole"]
    report = checked(sightline, root)
    assert report["counts"]["images"] == 8
    assert report["splits"]["test"]["counts"]["boxes"] == 4
    assert report["problems"] == []
    (root / "metadata/test/localization.txt").write_text("wasp/2.png,2,3,20,18")
    report = checked(sightline, root)
    assert len(report["problems"]) == 3
    assert set(report["left_out"]) == {"bee/2.png", "bee/3.png", "wasp/3.png"}


def damaged(file: Path, how: str) -> None:
    """Write what may be met in the place of a photograph."""
    plain = Image.fromarray(noise())
    if how == "zero bytes":
        file.write_bytes(b"")
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:700])
    elif how == "text":
        file.write_text("<html>not found</html>")
    elif how == "bomb":
        header = file.read_bytes()
        large = header[:16] + (60000).to_bytes(4, "big") * 2 + header[24:29]
        import zlib

        crc = zlib.crc32(large[12:29]).to_bytes(4, "big")
        file.write_bytes(large + crc + header[33:])
    elif how == "another size":
        Image.fromarray(noise(50, 24)).save(file)
    elif how == "JPEG":
        plain.save(file, "JPEG")
    elif how == "CMYK":
        plain.convert("CMYK").save(file, "JPEG")
    elif how == "gray":
        plain.convert("L").save(file)
    elif how == "16 bit":
        Image.fromarray(np.full((24, 32), 40000, np.uint16)).save(file)
    elif how == "animated":
        plain.save(file, "PNG", save_all=True, append_images=[plain.rotate(180)])
    elif how in ("turned", "turned as stated"):
        exif = Image.Exif()
        exif[0x0112] = 6
        turned = plain if how == "turned" else plain.transpose(Image.Transpose.ROTATE_90)
        turned.save(file, "JPEG", exif=exif)
    elif how == "absent":
        file.unlink()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("zero bytes", "is empty"),
        ("truncated", "truncated"),
        ("text", "is not an image"),
        ("bomb", "million pixels"),
        ("another size", "is 50 x 24, where the annotations say 32 x 24"),
        ("absent", "image file is missing"),
    ],
)
def test_pictures_that_cannot_be_used_are_problems(root, sightline, how, words):
    file = root / "images" / NAMES[2]
    damaged(file, how)
    report = checked(sightline, root, "--split", "test")
    (problem,) = report["problems"]
    assert problem.startswith(f"{file}, {NAMES[2]}: ")
    assert words in problem
    assert report["left_out"] == [NAMES[2]]
    assert sightline("data", "check", root, "--split", "test").code == 1
    answer = sightline("data", "check", root, "--split", "test", "--on-error", "skip")
    assert answer.code == 0
    assert f"left out: {NAMES[2]}" in answer.out


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("JPEG", "another format than their extension"),
        ("CMYK", "CMYK"),
        ("gray", "grayscale"),
        ("16 bit", "16-bit"),
        ("animated", "several pictures"),
        ("turned", "EXIF rotations not applied: the stated sizes are the stored ones"),
        ("turned as stated", "EXIF rotations applied, as the stated sizes ask for"),
    ],
)
def test_pictures_that_are_unusual_are_named(root, sightline, how, words):
    damaged(root / "images" / NAMES[2], how)
    report = checked(sightline, root, "--split", "test")
    assert report["problems"] == []
    named = [names for remark, names in report["unusual"].items() if words in remark]
    assert named == [[NAMES[2]]]
    assert f"1 ({NAMES[2]})" in sightline("data", "check", root, "--split", "test").out


def test_headers_alone_are_fast_and_tell_less(root, sightline):
    damaged(root / "images" / NAMES[2], "JPEG")
    damaged(root / "images" / NAMES[2], "truncated")
    damaged(root / "images" / NAMES[3], "another size")
    assert len(checked(sightline, root, "--split", "test")["problems"]) == 2
    report = checked(sightline, root, "--split", "test", "--fast")
    assert report["left_out"] == [NAMES[3]]


def test_a_mask_that_follows_exif_where_no_size_is_stated(root, sightline):
    """Without a stated size the picture is not turned, so that its mask would not fit."""
    for name in NAMES[:4]:
        file = root / "masks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        turned = name == NAMES[1]
        Image.fromarray(np.full((32, 24) if turned else (24, 32), 255, np.uint8)).save(file)
    damaged(root / "images" / NAMES[1], "turned")
    table = root / "table.csv"
    table.write_text("\n".join(["image,mask", *(f"{name},masks/{name}" for name in NAMES[:4])]))
    report = checked(sightline, table)
    (problem,) = report["problems"]
    assert NAMES[1] in problem
    assert "mask is 24 x 32, its image 32 x 24, as EXIF would turn it" in problem


def test_masks_of_another_size(root, sightline):
    lists = root / "metadata/test"
    text = "\n".join(f"{name},{name}," for name in NAMES[2:4] + NAMES[6:])
    (lists / "localization.txt").write_text(text)
    shapes = {NAMES[2]: (24, 32), NAMES[3]: (48, 64), NAMES[6]: (30, 30), NAMES[7]: (24, 32)}
    for name, shape in shapes.items():
        file = root / "masks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        values = np.zeros(shape)
        values[:9, :9] = 255
        values[12:14] = 128 * (name == NAMES[7])
        Image.fromarray(values.astype(np.uint8)).save(file)
    report = checked(sightline, root, "--split", "test", "--masks", root / "masks")
    (problem,) = report["problems"]
    assert f"{NAMES[6]}: mask is 30 x 30, its image 32 x 24" in problem
    Image.fromarray(np.zeros((24, 32), np.uint8)).save(root / "masks" / NAMES[2])
    again = checked(sightline, root, "--split", "test", "--masks", root / "masks")
    assert again["unusual"]["masks of objects with no pixel inside"] == [NAMES[2]]
    named = {names[0]: remark for remark, names in report["unusual"].items()}
    assert "another size" in named[NAMES[3]]
    assert "several values" in named[NAMES[7]]


def test_pictures_that_no_list_names(root, sightline):
    Image.fromarray(noise()).save(root / "images/bee/stray.png")
    (root / "images/bee/.hidden.png").touch()
    report = checked(sightline, root)["splits"]["test"]
    assert report["unusual"] == {"pictures that no list names": [f"{root}/images/bee/stray.png"]}
    assert "unusual" in sightline("data", "check", root).out
    alone = checked(sightline, root, "--split", "test")  # it may belong to another split
    assert alone["unusual"] == {}


def test_classes_without_images_are_named(root, sightline):
    (root / "class_names.txt").write_text("bee\nwasp\nant")
    (root / "metadata/test/class_labels.txt").write_text(
        "\n".join(f"{name},1" for name in NAMES[2:4] + NAMES[6:])
    )
    report = checked(sightline, root, "--split", "test")
    assert report["unusual"]["classes without image"] == ["0 (bee)", "2 (ant)"]


def test_listed_twice(root, sightline):
    with (root / "metadata/test/image_ids.txt").open("a") as file:
        file.write(f"\n{NAMES[2]}")
    report = checked(sightline, root, "--split", "test")
    assert "image_ids.txt:5" in report["problems"][0]
    assert "listed twice" in report["problems"][0]


def test_training_images_need_classes_alone(root, sightline):
    for split in ("train", "test"):
        (root / f"metadata/{split}/localization.txt").unlink()
    report = checked(sightline, root)
    train, test = report["splits"]["train"], report["splits"]["test"]
    assert train["problems"] == []
    assert "classes alone, nothing is localized: fit for training" in train["notes"]
    assert train["counts"]["images"] == 4
    (problem,) = test["problems"]
    assert "nothing is localized in any image" in problem
    bare = checked(sightline, root / "metadata/train")
    assert bare["split"] == "unknown"
    assert bare["problems"] == []


def test_a_split_without_an_image_is_not_whole(root, sightline):
    for file in (root / "metadata/test").iterdir():
        file.write_text("")
    assert "no image is listed" in checked(sightline, root, "--split", "test")["problems"][0]


def test_names_cannot_write_to_the_terminal(root, sightline):
    Image.fromarray(noise()).save(root / "images/bee/a\x1b[2Jb.png")
    (root / "metadata/test/localization.txt").write_text("bee/\x1b[2J.png,1,2,3,4")
    out = sightline("data", "check", root, "--on-error", "skip").out
    assert "\x1b" not in out
    assert "left out: bee/\\x1b[2J.png" in out


def test_no_folder_of_images_is_said(root, sightline):
    (root / "images").rename(root / "elsewhere")
    report = checked(sightline, root, "--split", "test")
    assert report["problems"] == []
    assert "pictures were not looked at" in report["notes"][0]
    report = checked(sightline, root, "--split", "test", "--images", root / "elsewhere")
    assert report["notes"] == []
    wrong = checked(sightline, root, "--split", "test", "--images", root / "metadata")
    assert "none of the 4 images that are listed is here" in wrong["problems"][0]


@pytest.mark.parametrize("name", ["cub", "ilsvrc", "openimages", "pets", "glas", "camelyon"])
def test_an_empty_folder_of_a_known_data_set_says_how_to_get_it(tmp_path, sightline, name):
    answer = sightline("data", "check", f"{name}:{tmp_path}")
    assert answer.code == 1
    assert answer.err == ""
    assert answer.out.count("not there; get ") >= 1
    assert "https://" in answer.out
    assert "KeyError" not in answer.out


def test_a_folder_called_as_a_data_set_is_not_taken_for_it(root, sightline, tmp_path):
    renamed = tmp_path / "metadata/test"
    renamed.rename(tmp_path / "cub")
    assert checked(sightline, tmp_path / "cub")["problems"] == []
    problems = checked(sightline, f"cub:{tmp_path / 'cub'}", "--split", "test")["problems"]
    assert "4 images where 5794 were published" in problems[0]


def test_a_check_leaves_no_trace_in_the_log(root, sightline, openings_log):
    sightline("data", "check", root, "--split", "test")
    assert not openings_log.exists()


def test_real_counts(shared, sightline):
    """What the released lists hold: shared/facts."""
    lists = shared / "data/wsol_metadata"
    report = checked(sightline, f"cub:{lists / 'CUB'}")
    assert report["problems"] == []
    sizes = {name: part["counts"]["images"] for name, part in report["splits"].items()}
    assert sizes == {"train": 5994, "val": 1000, "test": 5794}
    counts = report["splits"]["val"]["counts"]
    assert (counts["fewest images a class"], counts["most images a class"]) == (3, 6)
    report = checked(sightline, f"ilsvrc:{lists / 'ILSVRC'}")
    counts = {name: part["counts"] for name, part in report["splits"].items()}
    assert (counts["val"]["images"], counts["val"]["boxes"]) == (10000, 18532)
    assert counts["val"]["images with several boxes"] == 2052
    assert (counts["test"]["images"], counts["test"]["boxes"]) == (50000, 80477)
    assert counts["test"]["images with several boxes"] == 11715
    assert any("no split 'train' is here" in note for note in report["splits"]["val"]["notes"])
    train = checked(sightline, f"openimages:{lists / 'OpenImages'}", "--split", "train-weaksup")
    assert train["problems"] == []
    counts = train["counts"]
    assert (counts["images"], counts["classes"]) == (29819, 100)
    assert (counts["fewest images a class"], counts["most images a class"]) == (230, 300)


@pytest.mark.parametrize(
    ("place", "images"),
    [("pets-small:{}/pets", 2405), ("{}/pascal_part", 18), ("{}/coco256", 254)],
)
def test_real_photographs_are_whole(shared, sightline, place, images):
    report = checked(sightline, place.format(shared / "data"), "--fast")
    assert report["problems"] == []
    assert report["counts"]["images"] == images
