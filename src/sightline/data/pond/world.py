"""All species with their labels: what the world is made of."""

from dataclasses import dataclass
from functools import cache

from sightline import registry
from sightline.data.pond.anatomy import Species
from sightline.data.pond.dials import Dials, background_given_class


@dataclass(frozen=True, slots=True)
class World:
    """The species in the order of their labels, and the groups in the order of theirs."""

    species: tuple[Species, ...]
    groups: tuple[str, ...]

    def members(self, group: str = "") -> tuple[int, ...]:
        """List the species of a group, or all."""
        return tuple(i for i, one in enumerate(self.species) if group in ("", one.coarse))

    def label(self, species: int, granularity: str, group: str = "") -> int:
        """Give the class that an image of a species has."""
        if granularity == "coarse":
            return self.groups.index(self.species[species].coarse)
        return self.members(group).index(species)

    def classes(self, granularity: str, group: str = "") -> tuple[str, ...]:
        """Name the classes by label."""
        if granularity == "coarse":
            return self.groups
        return tuple(self.species[i].name for i in self.members(group))

    def mates(self, species: int) -> tuple[int, ...]:
        """List the species of the same group, itself included."""
        return self.members(self.species[species].coarse)

    def posterior(self, background: str, home: float, group: str = "") -> dict[int, float]:
        """Give p(species | background) by Bayes' rule, where all species are as frequent."""
        each = {
            i: background_given_class(self.species[i].background, home)[background]
            for i in self.members(group)
        }
        total = sum(each.values())
        return {i: p / total if total else 0.0 for i, p in each.items()}

    def posterior_given_coat(self, coat: int, alike: float) -> dict[int, float]:
        """Give p(species | coat): its own, or drawn evenly from the group."""
        mates = self.mates(coat)
        return {i: (1 - alike) * (i == coat) + alike / len(mates) for i in mates}

    def posterior_ratio(self, species: int, dials: Dials) -> float:
        """Give the least p(species | its coat) over the largest p(species | its background).

        Above 1 a threshold on the posterior of cues separates object from background (the lemma of
        section 3 of Choe et al., CVPR 2020); cues that never go with the species do not count.
        """
        coats = self.mates(species) if dials.alike > 0 else (species,)
        object_cues = [self.posterior_given_coat(i, dials.alike)[species] for i in coats]
        home = self.species[species].background
        backgrounds = [
            self.posterior(name, dials.home, dials.group)[species]
            for name, p in background_given_class(home, dials.home).items()
            if p > 0
        ]
        return min(object_cues) / max(backgrounds)


@cache
def world() -> World:
    """Collect this package's own species: a world that others add to would differ by machine."""
    entries = [e for e in registry.describe("species") if e.source == "sightline"]
    species = tuple(registry.load("species", entry.name).SPECIES for entry in entries)
    return World(species, tuple(sorted({one.coarse for one in species})))
