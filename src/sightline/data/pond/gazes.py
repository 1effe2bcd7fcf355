"""Where simulated subjects look: at the telling parts that are to be seen, one after another."""

import numpy as np

from sightline.data.pond.canvas import Image
from sightline.data.pond.painting import MOST_PARTS
from sightline.data.pond.scene import Plan
from sightline.data.pond.world import world
from sightline.types import Fixation

SUBJECTS = 3
FEWEST, MORE = 3, 3  # fixations of a subject: 3 to 5
WANDERS = 0.08  # how often a gaze leaves the object
SPREAD = 0.012  # standard deviation of a gaze around its pixel, by the side


def gazes(plan: Plan, owners: Image) -> tuple[Fixation, ...]:
    """Draw the ordered fixations of all subjects."""
    dice, side = plan.dice("gaze"), len(owners)
    places, spans, weights = _seen(plan, owners)
    found = []
    for subject in range(SUBJECTS):
        left = list(weights)
        for order in range(FEWEST + dice.integer(MORE)):
            if not any(left):
                left = list(weights)
            if dice.chance(WANDERS) or not any(left):
                x, y = dice.uniform(0, side), dice.uniform(0, side)
            else:
                which = dice.weighted(left)
                left[which] = 0.0  # a subject looks at another part next
                start, stop = spans[which]
                row, column = divmod(int(places[start + dice.integer(stop - start)]), side)
                x = column + 0.5 + dice.around(0, SPREAD * side)
                y = row + 0.5 + dice.around(0, SPREAD * side)
            x, y = min(max(x, 0.0), side - 0.01), min(max(y, 0.0), side - 0.01)
            found.append(Fixation(f"s{subject + 1}", order, round(x, 2), round(y, 2)))
    return tuple(found)


def _seen(plan: Plan, owners: Image) -> tuple[np.ndarray, list[tuple[int, int]], list[float]]:
    """List the pixels part by part, where each part's begin and end, and what each tells."""
    flat = owners.ravel()
    places = np.flatnonzero(flat < MOST_PARTS * len(plan.objects) + 1)
    places = places[np.argsort(flat[places], kind="stable")]
    codes, starts = np.unique(flat[places], return_index=True)
    stops = [*starts[1:].tolist(), len(places)]
    weights = []
    for code in codes.tolist():
        which, part = divmod(code - 1, MOST_PARTS)
        view = world().species[plan.species].views[plan.objects[which].view]
        weights.append(view.parts[part].tells ** 2 / (1 + which))
    return places, list(zip(starts.tolist(), stops, strict=True)), weights
