"""Accuracy of many resamples, against a count with plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.metrics.kernels.fast_resampling import resampled_accuracy

IMAGES, GROUPS, POSITIONS = 5, 2, 6


def runs_of(hits):
    """List runs of hits as image, group, start and stop."""
    rows = []
    for image, group in np.ndindex(IMAGES, GROUPS):
        ends = np.flatnonzero(np.diff(np.pad(hits[image, group].astype(int), 1)))
        rows += [(image, group, a, b) for a, b in ends.reshape(-1, 2)]
    return np.array(rows, np.int32).reshape(-1, 4).T.copy()


@given(
    npst.arrays(bool, (IMAGES, GROUPS, POSITIONS)),
    npst.arrays(np.int32, (3, IMAGES), elements=st.integers(0, 4)),
    st.booleans(),
)
def test_each_resample_chooses_its_own_best_threshold(hits, weights, joint):
    found = resampled_accuracy(weights, *runs_of(hits), GROUPS, POSITIONS, joint)
    for row, weighting in zip(found, weights, strict=True):
        counts = (hits * weighting[:, None, None]).sum(axis=0)
        best = counts.sum(axis=0).max() if joint else counts.max(axis=1).sum()
        assert row == best / max(1, weighting.sum()) / GROUPS


def test_no_hit_at_all_scores_zero():
    empty = np.zeros(0, np.int32)
    weights = np.ones((2, 3), np.int32)
    assert resampled_accuracy(weights, empty, empty, empty, empty, 3, 1, False).tolist() == [0, 0]
