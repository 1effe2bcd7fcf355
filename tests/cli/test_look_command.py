import json
import warnings

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")


class Bright(torch.nn.Module):
    """Class 0 sees red, class 1 sees green: 3 x 3 averages are its only stage."""

    def __init__(self):
        super().__init__()
        self.stage = torch.nn.AvgPool2d(8)

    def forward(self, images):
        return 10 * self.stage(images).mean((2, 3))[:, :2]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "bright.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(Bright().eval(), (torch.zeros(1, 3, 64, 64),)), file)
    return file


@pytest.fixture
def flags(model, tmp_path):
    plain = ["--size", 64, "--mean", 0, 0, 0, "--std", 1, 1, 1]
    return ["--model", model, *plain, "--out", tmp_path / "look"]


@pytest.fixture
def photograph(tmp_path):
    """Draw a red square on black, and a green one, where a box must find them."""
    pixels = np.zeros((160, 320, 3), np.uint8)
    pixels[40:80, 80:160, 0] = 255
    pixels[100:140, 240:280, 1] = 200
    Image.fromarray(pixels).save(tmp_path / "square.png")
    return tmp_path / "square.png"


def test_labels_box_and_picture(sightline, flags, photograph, tmp_path):
    (seen,) = sightline("look", photograph, *flags, "--threshold", 0.9, "--json", "-").json
    assert seen["image"] == str(photograph)
    assert [one["label"] for one in seen["top"]] == ["class 0", "class 1"]
    assert sum(one["probability"] for one in seen["top"]) == pytest.approx(1)
    x0, y0, x1, y1 = seen["box"]  # cells of the stage are 40 x 20 pixels, smoothed in between
    assert (60 < x0 < 110, 30 < y0 < 55, 130 < x1 < 180, 65 < y1 < 90) == (True,) * 4
    with Image.open(seen["overlay"]) as picture:
        assert picture.format == "PNG"
        assert picture.width > 2 * 400
    assert seen["overlay"] == str(tmp_path / "look" / "square.png")


def test_a_class_can_be_asked_for(sightline, flags, photograph, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("red thing\ngreen thing\n")
    answer = sightline(
        "look", photograph, *flags, "--class-names", names, "--label", "green thing", "--json", "-"
    )
    (seen,) = answer.json
    assert seen["localized"] == "green thing"
    x0, y0, x1, y1 = seen["box"]
    assert x0 < 260 < x1
    assert y0 < 120 < y1
    assert x0 > 160


def test_what_is_printed_names_how_it_came_about(sightline, flags, photograph):
    out = sightline("look", photograph, *flags).out
    assert "class 0" in out
    assert "bright.pt2, input 64 x 64; cam, box at 0.2; no localization label consumed" in out


def test_an_explainer_brings_its_options(sightline, flags, photograph):
    asked = ["--explainer", "occlusion", "--steps", 5, "--patch", 0.3]
    assert "occlusion, box at 0.2" in sightline("look", photograph, *flags, *asked).out
    assert "--steps" in sightline("look", photograph, *flags, "--steps", 5).refusal()
    said = sightline("look", photograph, *flags, "--explainer", "cma").refusal()
    assert "unknown explainer 'cma'; did you mean cam" in said


def test_a_folder_gives_a_contact_sheet_and_no_picture_is_lost(sightline, flags, photograph):
    folder = photograph.parent / "folder"
    folder.mkdir()
    for name in ("a.jpg", "a.png", "b.png"):
        Image.open(photograph).save(folder / name)
    (folder / "notes.txt").write_text("no photograph")
    seen = sightline("look", folder, *flags, "--json", "-").json
    assert len(seen) == 3
    assert len({one["overlay"] for one in seen}) == 3
    with Image.open(photograph.parent / "look" / "contact-sheet.png") as sheet:
        assert sheet.width > 3 * 224


def test_an_upright_photograph_is_seen_upright(sightline, flags, photograph):
    turned = photograph.parent / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    Image.open(photograph).transpose(Image.Transpose.ROTATE_90).save(turned, exif=exif, quality=95)
    arguments = [*flags, "--threshold", 0.9, "--json", "-"]
    (upright,) = sightline("look", photograph, *arguments).json
    (seen,) = sightline("look", turned, *arguments).json
    assert np.abs(np.subtract(seen["box"], upright["box"])).max() <= 4


def test_a_broken_photograph_stops_or_is_listed(sightline, flags, photograph):
    broken = photograph.parent / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff nothing more")
    said = sightline("look", photograph, broken, *flags).refusal()
    assert "broken.jpg" in said
    answer = sightline("look", broken, photograph, *flags, "--on-error", "skip")
    assert answer.code == 0
    assert "skipped" in answer.out
    assert "broken.jpg" in answer.out
    alone = sightline("look", broken, *flags, "--on-error", "skip")
    assert alone.code == 1


def test_a_constant_map_has_no_box(sightline, flags, tmp_path):
    Image.new("RGB", (50, 50)).save(tmp_path / "black.png")
    answer = sightline("look", tmp_path / "black.png", *flags)
    assert "none: the map is constant" in answer.out
    assert (
        json.loads(sightline("look", tmp_path / "black.png", *flags, "--json", "-").out)[0]["box"]
        is None
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--threshold", 1.5], "--threshold lies in [0, 1]"),
        (["--size", 8], "--size is from 32 to 2048"),
        (["--label", "bagle"], "no class is called 'bagle'"),
        (["--std", 0, 1, 1], "--std takes three positive numbers"),
    ],
)
def test_wrong_flags_are_one_line(sightline, flags, photograph, more, said):
    assert said in sightline("look", photograph, *flags, *more).refusal()


def test_missing_photographs_and_empty_folders_are_one_line(sightline, flags, tmp_path):
    assert "absent.jpg" in sightline("look", tmp_path / "absent.jpg", *flags).refusal()
    (tmp_path / "empty").mkdir()
    assert "no photograph" in sightline("look", tmp_path / "empty", *flags).refusal()
    assert "class-names" in sightline("look", tmp_path, "--class-names", tmp_path).refusal()
