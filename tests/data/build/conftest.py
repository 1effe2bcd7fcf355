"""An annotation set as OpenImages has them, small enough that its answer is known by hand."""

from pathlib import Path

import pytest

from .pictures import save, save_mask, scene

BOX = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf"
MASK = "MaskPath,ImageID,LabelName,BoxID,BoxXMin,BoxXMax,BoxYMin,BoxYMax,PredictedIoU,Clicks"
FULL = "######## ######## ######## ########"
# Two apples (m/0a), three books (m/0b), a cat (m/0c), two dogs (m/0d), two images of two classes.
TRAIN = ["a1 0a", "a2 0a", "b1 0b", "b2 0b", "b3 0b", "c1 0c", "d1 0d", "d2 0d"]
TRAIN += ["m1 0a", "m1 0b", "m2 0d", "m2 0a"]
VAL = {
    "va 0a 1": ".##..... .##..... ........ ........",
    "va 0a 2": "........ ..###... ..###... ........",
    "vb 0b 1": "........ ....##.. ....##.. ........",
    "vc 0c 1": FULL,
    "vd 0c 1": FULL,
    "vm 0a 1": FULL,
    "vm 0c 1": FULL,
}
TEST = {
    "ta 0a 1": "#....... ........ ........ ........",
    "tb 0b 1": "........ ........ ........ .......#",
    "tc 0c 1": FULL,
}
GROUPS = {  # a box around more books, one around apples beside the book, one around a single book
    "validation": ["vb,x,/m/0b,1,0.5,1,0.25,0.75,0,0,1", "vb,x,/m/0a,1,0,1,0,1,0,0,1"],
    "test": ["tb,x,/m/0b,1,0,1,0,1,0,0,0"],
    "train": [],
}


class OpenImages:
    """The set on disk, so that a test can spoil any part of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        masks = {"train": TRAIN, "validation": list(VAL), "test": list(TEST)}
        for split, lines in masks.items():
            self.write(split, "object-segmentation", MASK, [self.line(line) for line in lines])
            self.write(split, "bbox", BOX, GROUPS[split])
            for number, name in enumerate(sorted({line.split()[0] for line in lines})):
                save(scene(number, (16, 8)), root / "images" / split / f"{name}.jpg")
        for split, drawings in (("validation", VAL), ("test", TEST)):
            for line, art in drawings.items():
                save_mask(art, root / "masks" / split / self.line(line).partition(",")[0])
        names = "/m/0a,Apple\n/m/0b,Book\n/m/0c,Cat\n/m/0d,Dog\n"
        (root / "class-descriptions-boxable.csv").write_text(names)

    @staticmethod
    def line(text: str) -> str:
        image, label, *number = text.split()
        name = f"{image}_m{label}_{''.join(number)}.png"
        return f"{name},{image},/m/{label},1,0,1,0,1,.9,"

    def file(self, split: str, kind: str) -> Path:
        return self.root / f"{split}-annotations-{kind}.csv"

    def write(self, split: str, kind: str, header: str, lines: list[str]) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.file(split, kind).write_text("\n".join([header, *lines]) + "\n")

    def edit(self, split: str, kind: str, line: int, text: str) -> None:
        """Exchange a line, counted from 1."""
        lines = self.file(split, kind).read_text().split("\n")
        lines[line - 1] = text
        self.file(split, kind).write_text("\n".join(lines))

    def mask(self, split: str, text: str) -> Path:
        return self.root / "masks" / split / self.line(text).partition(",")[0]


@pytest.fixture
def annotated(tmp_path: Path) -> OpenImages:
    return OpenImages(tmp_path / "openimages")


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Twelve pictures of two classes."""
    for number in range(12):
        name = f"{'ant' if number < 6 else 'bee'}/{number}.jpg"
        save(scene(number), tmp_path / "photos" / name)
    return tmp_path / "photos"
