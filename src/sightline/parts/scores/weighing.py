"""One sequence: how much early answers count, and what its score is."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 10  # of the histogram of CL-ratios, from 0 to 1


def weights(length: int) -> Floats:
    """Give (N - j + 1) / N for j = 1 ... N: the less is seen, the more an answer counts."""
    return np.arange(length, 0, -1) / length


def dissimilarity(values: Floats) -> float:
    """Give 1 - sum(x_j w_j) / sum(w_j): CDS of similarities, B-CDS of hits (002, equation 6)."""
    weight = weights(len(values))
    return float(1 - values @ weight / weight.sum())


def cl_ratios(hits: NDArray[np.bool_], *, first: bool = True) -> list[tuple[int, float]]:
    """Give where runs of hits begin, from 1, and their length over all that could follow.

    Without `first` a run that begins with the sequence does not count: nothing is before it.
    """
    found = []
    place, total = 0, len(hits)
    while place < total:
        end = place
        while end < total and hits[end]:
            end += 1
        if end > place and (first or place > 0):
            found.append((place + 1, (end - place) / (total - place)))
        place = max(end, place + 1)
    return found
