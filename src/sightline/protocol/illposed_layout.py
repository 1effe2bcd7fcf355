"""The ill-posedness laboratory as table and figure, out of its row alone.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, section 3.3
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.protocol.figures import COLORS, _figure, _saved
from sightline.protocol.material import Made, Material, need, text_of

COLUMNS = ("home", "alike", "empty", "ratio", "limiting", "posterior", "background", "cam")


def laboratory(material: Material) -> Made:
    """Set ratio and pixel accuracy of each world side by side."""
    found = [rows.load(file) for file in rows.find(material.places) if "illposed" in file.name]
    results = [row.result for row in found if row.result.get("points")]
    need(results, "rows of 'sightline illposed'")
    numbers = []
    for result in results:
        named = [("", point) for point in result["points"]]
        named += list(result.get("remedies", {}).items())
        numbers += [
            {"world": name or "sweep", **{key: point[key] for key in COLUMNS}}
            for name, point in named
        ]
    lines = [{name: text_of(value) for name, value in line.items()} for line in numbers]
    notes = [
        "pixel accuracy in percent, at the best threshold of each class, mean over classes",
        "ratio: the least posterior of an object's cue over the largest of a background cue",
    ]
    draw = None
    if find_spec("matplotlib"):

        def draw(file: Path) -> Path | None:
            return drawn(results[0], file)

    return Made("illposed", "Posterior ratio and pixel accuracy", lines, numbers, notes, draw)


def drawn(result: Mapping[str, Any], file: Path) -> Path | None:
    """Draw pixel accuracy by ratio, with the crossing at 1 marked."""
    if not find_spec("matplotlib"):
        return None
    figure = _figure(5, 3.6)
    axes = figure.subplots()
    points = sorted(result["points"], key=lambda point: float(point["ratio"]))
    ratios = [point["ratio"] for point in points]
    names = {"posterior": "true posterior", "cam": "trained CAM", "background": "all background"}
    for color, (key, name) in zip(COLORS, names.items(), strict=False):
        if all(point[key] is not None for point in points):
            axes.plot(ratios, [point[key] for point in points], "o-", color=color, label=name)
    for name, point in result.get("remedies", {}).items():
        if point["cam"] is not None:
            axes.plot(point["ratio"], point["cam"], "x", color=COLORS[1])
            axes.annotate(name, (point["ratio"], point["cam"]), fontsize=7)
    axes.axvline(1, color="#999999", lw=0.8)
    axes.set(xscale="log", xlabel="foreground-background posterior ratio", ylabel="pixel accuracy")
    axes.legend(fontsize=8)
    return _saved(figure, file)
