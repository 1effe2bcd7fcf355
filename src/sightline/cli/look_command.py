"""`sightline look`: photographs in; labels, overlay and box out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sightline.cli.options import command_for
from sightline.cli.output import deliver
from sightline.errors import DataError, UsageError

if TYPE_CHECKING:
    from sightline.looking import Classifier, Sighting

DESCRIPTION = """\
Look at photographs with an ImageNet classifier, or one of your own: labels, overlay and box.

The classifier's weights come with the package. A folder gives a contact sheet too. The box is
around the largest component of the map, brought to [0, 1], at or above the threshold.

example:
  sightline look beagle.jpg --out look

  beagle.jpg
     86.8 %  beagle (n02088364)
      7.1 %  English foxhound (n02089973)
      ...
    box      31 12 410 388 for 'beagle'
    picture  look/beagle.png
  EfficientNet-Lite0 (ImageNet), input 224 x 224; cam, box at 0.2; no localization label consumed
"""
Channels = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags that do not depend on the explainer."""

    image: tyro.conf.Positional[tuple[Path, ...]]
    """photographs, or folders of them"""
    label: str = ""
    """the class to localize: a name, a WordNet id or a number; the likeliest if not given"""
    explainer: str = "cam"
    """what makes the score maps; 'sightline list explainer' tells all"""
    model: Path | None = None
    """a network of your own: TorchScript, torch.export, ONNX (programs: trust them), or a run"""
    class_names: Path | None = None
    """names of its classes, one a line; ImageNet's where it has 1,000"""
    size: Annotated[int | None, tyro.conf.arg(metavar="PIXELS")] = None
    """side of the square that photographs are warped to; 224, or that of the run if not given"""
    mean: Channels = (0.485, 0.456, 0.406)
    """of its input's normalization, with a --model file; a run knows its own"""
    std: Channels = (0.229, 0.224, 0.225)
    """of its input's normalization, with --model"""
    threshold: float = 0.2
    """of the map in [0, 1]"""
    out: Path = Path("look")
    """folder for the pictures"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at a broken photograph, or leave it out and list it"""
    json: str = ""
    """write what was seen as JSON to this file, or - for standard output"""
    options: tyro.conf.Suppress[Any] = None

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if not 0 <= self.threshold <= 1:
            raise UsageError("--threshold lies in [0, 1]")
        if self.size is not None and not 32 <= self.size <= 2048:
            raise UsageError("--size is from 32 to 2048")
        if not all(s > 0 for s in self.std):
            raise UsageError("--std takes three positive numbers")
        if self.class_names and not self.model:
            raise UsageError("--class-names names the classes of a --model; none is given")

    def run(self) -> int:
        """Look, draw, and say what was seen."""
        from sightline.allocation import keep_freed_memory
        from sightline.progress import shown

        keep_freed_memory()
        files = _photographs(self.image)
        classifier = self._classifier()
        label = classifier.names.find(self.label) if self.label else None
        seen: list[dict[str, Any]] = []
        tiles: list[Any] = []
        problems: list[str] = []
        with shown("looking", len(files)) as step:
            for done, (file, target) in enumerate(_targets(files, self.out), start=1):
                try:
                    sighting = self._look(classifier, file, label)
                except DataError as error:
                    if self.on_error == "stop":
                        raise
                    problems += map(str, error.problems)
                    continue
                seen.append(_entry(sighting, classifier, target))
                tiles.append(self._drawn(sighting, classifier, target))
                step(done)
        sheet = _sheet(tiles, self.out) if any(place.is_dir() for place in self.image) else None
        deliver(seen, self._text(seen, classifier, sheet, problems), self.json)
        return 1 if problems and not seen else 0

    def _classifier(self) -> "Classifier":
        from sightline.looking import SIDE, from_file, from_run, packaged

        side = self.size or SIDE
        if not self.model:
            return packaged(side)
        if self.model.is_dir():
            return from_run(self.model, names=self.class_names, size=self.size)
        return from_file(
            self.model, size=side, mean=self.mean, std=self.std, names=self.class_names
        )

    def _look(self, classifier: "Classifier", file: Path, label: int | None) -> "Sighting":
        from sightline.looking import look

        (sighting,) = look(
            classifier,
            [file],
            explainer=self.explainer,
            options=self.options,
            label=label,
            threshold=self.threshold,
        )
        return sighting

    def _drawn(self, sighting: "Sighting", classifier: "Classifier", target: Path) -> Any:
        """Write the picture of a photograph, and give a small one for the contact sheet."""
        from sightline.drawing.overlay import save
        from sightline.drawing.sighting import sighting as drawn
        from sightline.drawing.sighting import tile

        names = classifier.names
        top = [(names.name(label), share) for label, share in sighting.top]
        asked = names.name(sighting.label)
        target.parent.mkdir(parents=True, exist_ok=True)
        picture = drawn(
            sighting.photograph,
            sighting.score_map,
            sighting.box,
            top,
            asked,
            self._note(classifier),
        )
        save(picture, str(target))
        return tile(sighting.photograph, sighting.score_map, sighting.box, asked)

    def _note(self, classifier: "Classifier") -> str:
        return (
            f"{classifier.title}, input {classifier.size} x {classifier.size};"
            f" {self.explainer}, box at {self.threshold:g}"
        )

    def _text(
        self,
        seen: Sequence[dict[str, Any]],
        classifier: "Classifier",
        sheet: Path | None,
        problems: Sequence[str],
    ) -> str:
        lines = [line for entry in seen for line in _lines(entry)]
        lines += [f"skipped    {problem}" for problem in problems]
        lines += [f"contact sheet  {sheet}"] if sheet else []
        return "\n".join([*lines, f"{self._note(classifier)}; no localization label consumed"])


def _photographs(places: Sequence[Path]) -> list[Path]:
    """List the files given, and those in the folders given."""
    from sightline.data.photographs import SUFFIXES

    known = {suffix for suffixes in SUFFIXES.values() for suffix in suffixes}
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.iterdir() if path.suffix.lower() in known)
            if not inside:
                raise UsageError(f"{place}: no photograph in this folder")
            files += inside
        else:
            files.append(place)
    if not files:
        raise UsageError("name photographs, or a folder of them")
    return files


def _targets(files: Sequence[Path], out: Path) -> Iterator[tuple[Path, Path]]:
    """Name a picture for each photograph, no two alike."""
    taken: set[str] = set()
    for file in files:
        name, number = file.stem, 2
        while name in taken:
            name, number = f"{file.stem}-{number}", number + 1
        taken.add(name)
        yield file, out / f"{name}.png"


def _entry(sighting: "Sighting", classifier: "Classifier", target: Path) -> dict[str, Any]:
    names = classifier.names
    top = [
        {"label": names.name(label), "wnid": names.synsets[label], "probability": share}
        for label, share in sighting.top
    ]
    return {
        "image": sighting.file,
        "top": top,
        "localized": names.name(sighting.label),
        "box": sighting.box,
        "overlay": target,
    }


def _lines(entry: dict[str, Any]) -> Iterator[str]:
    yield str(entry["image"])
    for one in entry["top"]:
        known = f" ({one['wnid']})" if one["wnid"] else ""
        yield f"  {100 * one['probability']:5.1f} %  {one['label']}{known}"
    box = " ".join(map(str, entry["box"])) if entry["box"] else "none: the map is constant"
    yield f"  box      {box} for '{entry['localized']}'"
    yield f"  picture  {entry['overlay']}"


def _sheet(tiles: Sequence[Any], out: Path) -> Path | None:
    """Set the small pictures in rows."""
    from sightline.drawing.overlay import save, sheet

    if not tiles:
        return None
    file = out / "contact-sheet.png"
    save(sheet(tiles, min(6, len(tiles))), str(file))
    return file


def _explainer(arguments: Sequence[str]) -> str:
    """Find the explainer's name among the words of the command."""
    for place, word in enumerate(arguments):
        if word == "--explainer" and place + 1 < len(arguments):
            return arguments[place + 1]
        if word.startswith("--explainer="):
            return word.partition("=")[2]
    return "cam"


def command(arguments: Sequence[str]) -> type:
    """Build the flags: an explainer brings its own options."""
    return command_for("explainer", arguments, Common, DESCRIPTION, _explainer(arguments))
