"""The nouns and what they are kinds of, up to a root that is added above them all."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError

Path = tuple[int, ...]  # from a synset up to the added root, by number


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Synsets by number, in the order of their ids; the added root comes last.

    `kinds_of` are hypernyms, of instances too. `counts` is how often each was met in the tagged
    texts that WordNet's own counts come from.
    """

    ids: tuple[str, ...]
    kinds_of: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]

    @property
    def root(self) -> int:
        """Give the number of the added root."""
        return len(self.ids)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number the synsets by id."""
        return {name: number for number, name in enumerate(self.ids)}

    def number(self, synset: str) -> int:
        """Find a synset by its id, such as n02084071."""
        try:
            return self.numbers[synset]
        except KeyError:
            raise UsageError(f"'{synset}' is no noun synset of WordNet 3.0") from None

    def paths(self, number: int) -> list[Path]:
        """List every way up to the added root."""
        if number == self.root:
            return [(number,)]
        above = self.kinds_of[number] or (self.root,)
        return [(number, *path) for one in above for path in self.paths(one)]

    def depths(self, number: int) -> list[int]:
        """Give the number of synsets on every way up, both ends and the added root included."""
        return [len(path) for path in self.paths(number)]

    @cached_property
    def depth(self) -> int:
        """Give the number of synsets on the longest way, the root aside: 20 in WordNet 3.0."""
        known: dict[int, int] = {self.root: 0}

        def longest(number: int) -> int:
            if number not in known:
                above = self.kinds_of[number] or (self.root,)
                known[number] = 1 + max(map(longest, above))
            return known[number]

        return max(map(longest, range(len(self.ids))))

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Count how often a synset or a kind of it was met: once for every way up to it."""
        met = np.zeros(self.root + 1, np.int64)
        for number, count in enumerate(self.counts):
            waiting = [number] if count else []
            while waiting:
                here = waiting.pop()
                met[here] += count
                if here != self.root:
                    waiting.extend(self.kinds_of[here] or (self.root,))
        return met

    @cached_property
    def information(self) -> NDArray[np.float64]:
        """Give -ln(frequency / frequency of the root), 0 for what was never met."""
        total = int(self.frequencies[self.root])
        told = [-math.log(met / total) if met else 0.0 for met in self.frequencies.tolist()]
        return np.array(told) + 0.0  # no negative zero

    def above(self, number: int) -> set[int]:
        """Give a synset and all that it is a kind of, without the added root."""
        return {one for path in self.paths(number) for one in path} - {self.root}


@dataclass(frozen=True, eq=False)
class Ways:
    """All ways up of some synsets, as an array: a line a way, padded with what is no synset."""

    steps: NDArray[np.int32]  # (ways, longest)
    starts: NDArray[np.int64]  # (synsets,) the first way of each
    owners: NDArray[np.int64]  # (ways,) whose way it is

    @classmethod
    def of(cls, taxonomy: Taxonomy, numbers: Sequence[int]) -> "Ways":
        """Collect the ways up of synsets, in their order."""
        paths = [taxonomy.paths(number) for number in numbers]
        counts = np.array([len(ways) for ways in paths], np.int64)
        flat = [way for ways in paths for way in ways]
        steps = np.full((len(flat), max(map(len, flat), default=1)), taxonomy.root + 1, np.int32)
        for line, way in zip(steps, flat, strict=True):
            line[: len(way)] = way
        starts = np.cumsum(counts) - counts
        return cls(steps, starts, np.repeat(np.arange(len(numbers)), counts))


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where each of some ways first meets another way, and how many synsets lie on both."""

    at: NDArray[np.int32]  # (ways,) the first synset in common
    length: NDArray[np.int64]  # (ways,) synsets from one end over it to the other


def meetings(taxonomy: Taxonomy, ways: Ways, number: int) -> Iterator[Meeting]:
    """Meet ways with each way up of one synset. All end in the added root, so all do meet."""
    for path in taxonomy.paths(number):
        place = np.full(taxonomy.root + 2, -1, np.int64)
        place[list(path)] = np.arange(len(path))
        places = place[ways.steps]
        first = (places >= 0).argmax(axis=1)
        lines = np.arange(len(first))
        yield Meeting(ways.steps[lines, first], first + places[lines, first] + 1)


def shortest(taxonomy: Taxonomy, ways: Ways, number: int) -> NDArray[np.int64]:
    """Count the synsets on the shortest way from each of some synsets to another, both included."""
    found = [np.minimum.reduceat(m.length, ways.starts) for m in meetings(taxonomy, ways, number)]
    return np.asarray(np.minimum.reduce(found))
