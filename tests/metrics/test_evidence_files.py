"""Evidence on disk is evidence: nothing changes on the way."""

import numpy as np
import pytest

from sightline.errors import DataError
from sightline.metrics import evidence_files
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.mask import MaskAccumulator

IDS = ["b", "a", "c"]


@pytest.fixture(params=["reference-v2", "exact", "pixels"])
def accumulator(request):
    masks = request.param == "pixels"
    made = MaskAccumulator(request.param) if masks else BoxAccumulator(request.param)
    for seed, name in enumerate(IDS):
        scores = np.random.default_rng(seed).random((16, 16))
        truth = np.zeros((16, 16), np.uint8)
        truth[4 : 10 + seed, 3:12] = 1
        made.update(scores, truth if masks else [[3, 4, 12, 10 + seed]], image=name)
    return made


def test_it_comes_back_as_it_was(accumulator, tmp_path):
    kept = evidence_files.of(accumulator)
    again = evidence_files.load(evidence_files.save(kept, tmp_path / "x.evidence.npz"))
    assert again.ids == ("a", "b", "c")
    weights = np.random.default_rng(0).integers(0, 4, (5, 3)).astype(np.int32) + 1
    assert (again.evidence.score(weights) == kept.evidence.score(weights)).all()
    once = again.evidence.score(np.ones((1, 3), np.int32))[0]
    assert once == pytest.approx(accumulator.compute()["value"])
    assert np.isnan(again.found).all()


def test_images_in_common(accumulator):
    whole = evidence_files.of(accumulator)
    other = type(accumulator)(accumulator.protocol)
    scores, truth = np.random.default_rng(1).random((16, 16)), np.ones((16, 16), np.uint8)
    masks = isinstance(accumulator, MaskAccumulator)
    for name in ("c", "x"):
        other.update(scores, truth if masks else [[0, 0, 5, 5]], image=name)
    mine, theirs = whole.common(evidence_files.of(other))
    assert mine.ids == theirs.ids == ("c",)
    assert mine.evidence.images == theirs.evidence.images == 1


@pytest.mark.parametrize("content", [b"", b"no evidence", b"PK\x03\x04"])
def test_a_broken_file_is_named(tmp_path, content):
    file = tmp_path / "x.evidence.npz"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"x\.evidence\.npz.*is no evidence"):
        evidence_files.load(file)
