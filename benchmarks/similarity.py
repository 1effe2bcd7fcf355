"""Speed of similarities: all labels of ILSVRC against the part benchmark's categories.

    .venv/bin/python benchmarks/similarity.py [--columns 12]

The peer walks up from both synsets of every pair, as a definition reads; its numbers are compared
with ours before any time is reported. NLTK is timed in the same run where it is installed with
WordNet 3.0 (path, lch, res and lin are the same number there in another scale or none; its wup is
another measure). Loading is not counted.
"""

import argparse
import importlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sightline.data.class_names import imagenet
from sightline.parts.similarity import measuring
from sightline.parts.wordnet.categories import PASCAL
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.names import resolve
from sightline.parts.wordnet.taxonomy import Path, Taxonomy


def meet(one: Path, other: Path) -> tuple[int, int]:
    """Give where two ways first meet, and how many synsets lie on both."""
    place = next(number for number, synset in enumerate(one) if synset in other)
    return one[place], place + other.index(one[place]) + 1


def length(taxonomy: Taxonomy, a: int, b: int) -> int:
    """Count the synsets on the shortest way between two."""
    return min(meet(p, q)[1] for p in taxonomy.paths(a) for q in taxonomy.paths(b))


def walked(taxonomy: Taxonomy, name: str, a: int, b: int) -> float:
    """Measure one pair by walking up from both."""
    if name == "path":
        return 1 / length(taxonomy, a, b)
    met = {meet(p, q)[0] for p in taxonomy.paths(a) for q in taxonomy.paths(b)}
    if name == "res":
        return max(float(taxonomy.information[one]) for one in met)
    depths = {one: min(taxonomy.depths(one), key=lambda d: f"{d - 1}:") for one in met}
    deepest = max(depths.values())
    ends = min(
        length(taxonomy, a, one) + length(taxonomy, b, one)
        for one, depth in depths.items()
        if depth == deepest
    )
    return 2 * deepest / (2 * deepest + ends - 2)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Do something and say how long it took."""
    started = time.perf_counter()
    made = work()
    return made, time.perf_counter() - started


def nltk_seconds(name: str, rows: Sequence[str], columns: Sequence[str]) -> float:
    """Time NLTK, NaN where it or its WordNet is not installed."""
    try:
        wordnet = importlib.import_module("nltk.corpus").wordnet
        first = [wordnet.synset_from_pos_and_offset("n", int(one[1:])) for one in rows]
        second = [wordnet.synset_from_pos_and_offset("n", int(one[1:])) for one in columns]
    except (ImportError, LookupError):
        return math.nan
    method = {"path": "path_similarity", "wup": "wup_similarity"}.get(name)
    if method is None:
        return math.nan
    return timed(lambda: [[getattr(a, method)(b) for b in second] for a in first])[1]


def main() -> None:
    """Compare, then time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=len(PASCAL))
    columns = [resolve(name).synset for name in PASCAL][: parser.parse_args().columns]
    rows, wordnet = imagenet().synsets, WordNet()
    taxonomy = wordnet.taxonomy
    numbers = [[taxonomy.number(one) for one in side] for side in (rows, columns)]
    assert len(taxonomy.information) == taxonomy.root + 1  # counted before the clock starts
    print(f"{len(rows)} labels x {len(columns)} categories: pairs a second")
    for name in ("path", "res", "wup"):
        measure = measuring.make(name, wordnet)
        ours, seconds = timed(lambda m=measure: m.scores(rows, columns))
        plain, slow = timed(
            lambda n=name: [[walked(taxonomy, n, a, b) for b in numbers[1]] for a in numbers[0]]
        )
        np.testing.assert_allclose(ours, plain, rtol=1e-12)
        pairs = len(rows) * len(columns)
        rates = {"plain": slow, "NLTK": nltk_seconds(name, rows, columns)}
        told = (
            f"   {peer} {pairs / other:>9.0f} ({other / seconds:.0f}x)"
            for peer, other in rates.items()
            if not math.isnan(other)
        )
        print(f"{name:<5} ours {pairs / seconds:>9.0f}{''.join(told)}")


if __name__ == "__main__":
    main()
