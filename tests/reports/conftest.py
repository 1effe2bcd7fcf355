"""A split with photographs, two sets of maps and the baseline, measured by boxes and by masks."""

import cv2
import numpy as np
import pytest

MARKUP = "birds/<b>'x' & \"y\".jpg"


@pytest.fixture
def measured(scene, sightline):
    """Measure everything; give the folder of rows."""
    scene.rename(2, MARKUP)
    (scene.maps / "birds/2.npy").rename(scene.file(2))
    for number, name in enumerate(scene.ids):
        rng = np.random.default_rng(number)
        picture = rng.integers(0, 255, (24, 32, 3)).astype(np.uint8)
        file = scene.truth / name
        file.parent.mkdir(parents=True, exist_ok=True)
        assert cv2.imwrite(str(file), picture)
    other = scene.root / "worse"
    for number in range(len(scene.ids)):
        file = (other / scene.ids[number]).with_suffix(".npy")
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, np.random.default_rng(number).random((24, 32)))
    for maps in (scene.maps, other, "baseline:center-gaussian"):
        flags = ("--protocol", "reference-v2", "--out", scene.root / "rows", "--split", "test")
        answer = sightline("evaluate", maps, scene.truth, *flags)
        assert answer.code == 0, answer.err
    return scene.root / "rows"
