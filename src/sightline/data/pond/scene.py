"""Plans of scenes: everything that chance decides, as plain data, before a pixel is drawn.

Each purpose has dice of its own, so that a dial changes what it is about and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sightline.data.pond.anatomy import Part, Species
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.dice import Dice
from sightline.data.pond.outlines import Matrix, rotation, then
from sightline.data.pond.world import world

TELLING = 2.5  # parts that tell at least so much may be tucked away
REACH = 0.3  # how far from the middle an object may be, by the side
MOST_THINGS = 8
THINGS = ("stone", "pad", "leaf", "twig", "flower")
OCCLUDERS = ("blades", "pad", "leaf")
Source = Callable[[str], Dice]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where and how one object is: the matrix takes its own frame to shares of the side."""

    view: int
    matrix: Matrix
    length: float
    angles: Mapping[int, float]
    hidden: frozenset[int]


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is not the object, beside it or in front of it."""

    kind: str
    x: float
    y: float
    length: float
    angle: float
    tone: float  # 0 to 1, between its two colours


@dataclass(frozen=True, slots=True)
class Light:
    """Brightness, warmth and the side it comes from."""

    brightness: float
    warmth: float
    shade: float
    direction: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A scene before it is drawn."""

    seed: int
    split: str
    number: int
    species: int
    told: int  # the species that the label tells, another one where labels are noisy
    background: str
    at_home: bool
    coat: int  # the species whose colours the object wears
    objects: tuple[Placement, ...]  # the first one is in front
    things: tuple[Thing, ...]
    occluders: tuple[Thing, ...]
    light: Light

    def dice(self, purpose: str) -> Dice:
        """Give the dice for a purpose."""
        return Dice(self.seed, self.number, f"{self.split} {purpose}")


def plan(dials: Dials, seed: int, split: str, number: int, *, noisy: bool) -> Plan:
    """Decide a scene; classes take turns."""

    def dice(purpose: str) -> Dice:
        return Dice(seed, number, f"{split} {purpose}")

    known = world()
    members = known.members(dials.group)
    label = members[number % len(members)]
    species = known.species[label]
    background = _background(species, dials.home, dice("background"))
    objects = _objects(species, background, dials, dice)
    return Plan(
        seed=seed,
        split=split,
        number=number,
        species=label,
        told=_told(label, dials, dice("noise")) if noisy else label,
        background=background,
        at_home=background == species.background,
        coat=_coat(label, dials.alike, dice("coat")),
        objects=objects,
        things=_things(dials.clutter, dice("clutter")),
        occluders=_occluders(objects[0], dials.occlusion, dice("occlusion")),
        light=_light(dice("light")),
    )


def _background(species: Species, home: float, dice: Dice) -> str:
    at_home = dice.chance(home)
    others = [name for name in BACKGROUNDS if name != species.background]
    return species.background if at_home else dice.pick(others)


def _told(label: int, dials: Dials, dice: Dice) -> int:
    """Exchange a label for one of another class."""
    known, wrong = world(), dice.chance(dials.noise)
    own = known.label(label, dials.labels, dials.group)
    others = [
        i for i in known.members(dials.group) if known.label(i, dials.labels, dials.group) != own
    ]
    return dice.pick(others) if wrong else label


def _coat(label: int, alike: float, dice: Dice) -> int:
    drawn = dice.chance(alike)
    return dice.pick(world().mates(label)) if drawn else label


def _objects(
    species: Species, background: str, dials: Dials, dice: Source
) -> tuple[Placement, ...]:
    counted = dice("several")
    count = 1 + (counted.chance(dials.several) * (1 + counted.integer(2)))
    placed: list[tuple[float, float]] = []
    objects = []
    for which in range(count):
        factor = dice(f"size {which}").uniform(1 - dials.spread, 1 + dials.spread)
        length = min(0.98, dials.scale * factor * (1.0 if which == 0 else 0.7))
        at = _place(dials.centered if which == 0 else 0.0, placed, dice(f"place {which}"))
        placed.append(at)
        pose = dice(f"pose {which}")
        view = pose.integer(len(species.views))
        shown = species.views[view]
        mirror = -1.0 if pose.chance(0.5) else 1.0
        narrow = mirror * pose.uniform(shown.turn, 1.0) * length
        matrix = then((narrow, 0, 0, 0, length, 0), rotation(pose.uniform(-shown.tilt, shown.tilt)))
        matrix = then(matrix, (1, 0, at[0], 0, 1, at[1]))
        angles = {i: pose.uniform(-part.swing, part.swing) for i, part in enumerate(shown.parts)}
        hidden = _hidden(
            shown.parts, species.rests, background, dials.tucked, dice(f"tuck {which}")
        )
        objects.append(Placement(view, matrix, length, angles, hidden))
    return tuple(objects)


def _place(centered: float, placed: list[tuple[float, float]], dice: Dice) -> tuple[float, float]:
    """Draw where an object is; a further one goes where there is most room, of a few places."""
    reach = REACH * (1 - centered)
    places = [
        (0.5 + dice.uniform(-reach, reach), 0.5 + dice.uniform(-reach, reach)) for _ in range(4)
    ]
    if not placed:
        return places[0]

    def room(at: tuple[float, float]) -> float:
        return min((at[0] - x) ** 2 + (at[1] - y) ** 2 for x, y in placed)

    return max(places, key=room)


def _hidden(
    parts: tuple[Part, ...], rests: str, background: str, tucked: float, dice: Dice
) -> frozenset[int]:
    """Draw which parts are tucked away; what is under water is hidden as well."""
    draws = [dice.uniform() for _ in parts]
    gone = {
        i
        for i, (part, draw) in enumerate(zip(parts, draws, strict=True))
        if draw < (tucked if part.tells >= TELLING and not part.stays else part.hides)
    }
    if rests == "floats" and background == "water":
        gone |= {i for i, part in enumerate(parts) if part.name in ("feet", "keel")}
    carried = {i for i, part in enumerate(parts) if part.on in {parts[k].name for k in gone}}
    return frozenset(gone | carried)


def _things(clutter: float, dice: Dice) -> tuple[Thing, ...]:
    things = tuple(_thing(dice, THINGS, 0.5, 0.5, 0.55, 0.06, 0.16) for _ in range(MOST_THINGS))
    wanted = clutter * MOST_THINGS * dice.uniform(0.5, 1.5)
    return things[: min(MOST_THINGS, round(wanted))]


def _occluders(first: Placement, occlusion: float, dice: Dice) -> tuple[Thing, ...]:
    x, y = first.matrix[2], first.matrix[5]
    present, size = dice.chance(occlusion), 0.5 * first.length
    drawn = _thing(dice, OCCLUDERS, x, y, 0.5 * first.length, size, 1.1 * size)
    return (drawn,) if present else ()


def _thing(
    dice: Dice, kinds: tuple[str, ...], x: float, y: float, reach: float, low: float, high: float
) -> Thing:
    return Thing(
        dice.pick(kinds),
        x + dice.uniform(-reach, reach),
        y + dice.uniform(-reach, reach),
        dice.uniform(low, high),
        dice.uniform(-40, 40),
        dice.uniform(),
    )


def _light(dice: Dice) -> Light:
    return Light(
        dice.uniform(0.78, 1.12), dice.uniform(-0.08, 0.1), dice.uniform(0, 0.3), dice.integer(4)
    )
