"""What a species is made of: plain data, so that a new one is one file in `species/`.

An outline is a text of points `x,y` in the species' own frame: x to where it faces, y downwards,
any unit (the whole is scaled to length 1). The points are joined by a smooth closed curve; a point
with `!` behind it is a corner; `|` separates several outlines of one part, such as two legs.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """Something painted on a part: an eye, a stripe, a vein. It should not leave its part."""

    outline: str
    colour: str
    line: float = 0.0  # width of an open stroke in the species' unit; 0: a filled shape


@dataclass(frozen=True, slots=True)
class Part:
    """A named part. Colours are `#rrggbb`, or the coat's: `coat`, `light`, `dark`."""

    name: str
    outline: str
    colour: str
    tells: float = 1.0  # how much the part tells of the class: order of parts, weight of fixations
    on: str = ""  # the part that carries it along when it swings
    pivot: tuple[float, float] = (0.0, 0.0)
    swing: float = 0.0  # degrees either way
    hides: float = 0.0  # how often it is not to be seen anyway
    stays: bool = False  # never tucked away, however telling: a head, a neck
    marks: tuple[Mark, ...] = ()

    @property
    def wears_coat(self) -> bool:
        """Tell whether the part is one of those that other classes may look like."""
        return not self.colour.startswith("#")


@dataclass(frozen=True, slots=True)
class View:
    """The parts as seen from one side, in the order of painting: what is nearer comes later."""

    name: str
    parts: tuple[Part, ...]
    tilt: float = 8.0  # degrees that the whole turns either way in the picture
    turn: float = 0.8  # how narrow it becomes at most when it turns away
    ground: float | None = None  # y of what it rests on, where that is not its lowest point
    waterline: float | None = None  # y of the surface that it floats on


@dataclass(frozen=True, slots=True, eq=False)
class Species:
    """A class of the world: how it is called, where it is at home and what it looks like."""

    name: str
    coarse: str
    synset: str  # WordNet 3.0, as n01858441
    lemma: str
    coarse_synset: str
    background: str  # where it is at home
    rests: str  # floats, stands or hovers: what is seen of it on the ground or the water
    coat: tuple[str, str, str]  # colour, lighter and darker one of the larger parts
    views: tuple[View, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Name the parts, the most telling one first."""
        told = {part.name: part.tells for view in reversed(self.views) for part in view.parts}
        return tuple(sorted(told, key=lambda name: (-told[name], name)))


def circle(x: float, y: float, radius: float, squeeze: float = 1.0) -> str:
    """Outline an eye or a spot; `squeeze` is its height over its width."""
    c = 0.7071 * radius
    ring = (
        (radius, 0),
        (c, c),
        (0, radius),
        (-c, c),
        (-radius, 0),
        (-c, -c),
        (0, -radius),
        (c, -c),
    )
    return " ".join(f"{x + dx:g},{y + squeeze * dy:g}" for dx, dy in ring)


def eye(x: float, y: float, radius: float, iris: str = "#f4efe0") -> tuple[Mark, ...]:
    """Paint an eye with a highlight."""
    return (
        Mark(circle(x, y, radius), iris),
        Mark(circle(x + 0.1 * radius, y, 0.66 * radius), "#141414"),
        Mark(circle(x + 0.3 * radius, y - 0.3 * radius, 0.22 * radius), "#ffffff"),
    )
