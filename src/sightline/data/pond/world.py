"""All species with their labels: what the world is made of."""

from dataclasses import dataclass
from functools import cache

from sightline import registry
from sightline.data.pond.anatomy import Species
from sightline.data.pond.dials import background_given_class


@dataclass(frozen=True, slots=True)
class World:
    """The species in the order of their labels, and the groups in the order of theirs."""

    species: tuple[Species, ...]
    groups: tuple[str, ...]

    def label(self, species: int, granularity: str) -> int:
        """Give the class that an image of a species has."""
        coarse = granularity == "coarse"
        return self.groups.index(self.species[species].coarse) if coarse else species

    def classes(self, granularity: str) -> tuple[str, ...]:
        """Name the classes by label."""
        return self.groups if granularity == "coarse" else tuple(one.name for one in self.species)

    def mates(self, species: int) -> tuple[int, ...]:
        """List the species of the same group, itself included."""
        coarse = self.species[species].coarse
        return tuple(i for i, one in enumerate(self.species) if one.coarse == coarse)

    def posterior(self, background: str, share: float) -> tuple[float, ...]:
        """Give p(species | background) by Bayes' rule, where all species are as frequent."""
        each = [background_given_class(one.background, share)[background] for one in self.species]
        total = sum(each)
        return tuple(p / total if total else 0.0 for p in each)


@cache
def world() -> World:
    """Collect this package's own species: a world that others add to would differ by machine."""
    entries = [e for e in registry.describe("species") if e.source == "sightline"]
    species = tuple(registry.load("species", entry.name).SPECIES for entry in entries)
    return World(species, tuple(sorted({one.coarse for one in species})))
