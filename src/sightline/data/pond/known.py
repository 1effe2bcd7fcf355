"""Everything that is known of a scene, as the lines of its tables."""

from dataclasses import dataclass

import cv2
import numpy as np

from sightline.data.pond.canvas import Image
from sightline.data.pond.dials import Dials
from sightline.data.pond.gazes import gazes
from sightline.data.pond.painting import MOST_PARTS, Painted, owner_of
from sightline.data.pond.scene import Plan
from sightline.data.pond.world import world

TABLES = {
    "parts": ("image", "part", "instance", "value", "pixels"),
    "fixations": ("image", "subject", "order", "x", "y"),
    "scenes": (
        "image",
        "species",
        "group",
        "label",
        "told",
        "background",
        "at_home",
        "coat",
        "objects",
        "occluded",
        "brightness",
    ),
    "objects": (
        "image",
        "instance",
        "view",
        "length",
        "pixels",
        "hidden",
        "x0",
        "y0",
        "x1",
        "y1",
    ),
}
Lines = dict[str, list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The lines of one image, and its mask."""

    lines: Lines  # by list or table
    mask: Image  # 255 on what is to be seen of objects


def image_id(plan: Plan) -> str:
    """Name an image; no other image of the data set has the same name."""
    name = world().species[plan.species].name.replace(" ", "_")
    return f"{name}/{plan.split.rpartition('-')[2]}_{plan.number:06d}.png"


def know(plan: Plan, painted: Painted, dials: Dials) -> Known:
    """Write down a scene."""
    name, size = image_id(plan), dials.size
    parts = np.where(painted.owners < owner_of(len(plan.objects), 0), painted.owners, 0)
    parts = parts.astype(np.uint8, copy=False)
    counts = np.bincount(parts.ravel(), minlength=256).tolist()
    return Known(
        {
            "image_ids": [name],
            "class_labels": [f"{name},{world().label(plan.told, dials.labels, dials.group)}"],
            "image_sizes": [f"{name},{size},{size}"],
            "localization": [f"{name},{box}" for box in _boxes(plan, parts)],
            "parts": _parts(name, plan, counts),
            "fixations": [
                f"{name},{one.subject},{one.order},{one.x:.2f},{one.y:.2f}"
                for one in gazes(plan, painted.owners)
            ],
            "scenes": [f"{name},{_scene(plan, dials)}"],
            "objects": _objects(name, plan, painted, counts, size),
        },
        (parts > 0).astype(np.uint8) * 255,
    )


def _boxes(plan: Plan, parts: Image) -> list[str]:
    """Box what is to be seen of each object; ends are exclusive."""
    boxes = []
    for which in range(len(plan.objects)):
        inside = parts if len(plan.objects) == 1 else _of(parts, which)
        x, y, width, height = cv2.boundingRect(inside)
        if width:
            boxes.append(f"{x},{y},{x + width},{y + height}")
    return boxes


def _of(parts: Image, which: int) -> Image:
    inside = (parts >= owner_of(which, 0)) & (parts < owner_of(which + 1, 0))
    return inside.astype(np.uint8)


def _parts(name: str, plan: Plan, counts: list[int]) -> list[str]:
    lines = []
    for which, placed in enumerate(plan.objects):
        view = world().species[plan.species].views[placed.view]
        for part, drawn in enumerate(view.parts):
            value = owner_of(which, part)
            lines.append(f"{name},{drawn.name},{which},{value},{counts[value]}")
    return lines


def _scene(plan: Plan, dials: Dials) -> str:
    known = world()
    own = known.species[plan.species]
    values = (
        own.name,
        own.coarse,
        known.label(plan.species, dials.labels, dials.group),
        known.label(plan.told, dials.labels, dials.group),
        plan.background,
        int(plan.at_home),
        known.species[plan.coat].name,
        len(plan.objects),
        len(plan.occluders),
        f"{plan.light.brightness:.3f}",
    )
    return ",".join(map(str, values))


def _objects(name: str, plan: Plan, painted: Painted, counts: list[int], size: int) -> list[str]:
    """Tell of each object what is seen, what is hidden in the frame, and its whole box."""
    lines = []
    for which, placed in enumerate(plan.objects):
        seen = sum(counts[owner_of(which, part)] for part in range(MOST_PARTS))
        whole = int(np.count_nonzero(painted.amodal & (1 << which)))
        box = ",".join(f"{end:.1f}" for end in painted.boxes[which])
        view = world().species[plan.species].views[placed.view].name
        length = f"{size * placed.length:.1f}"
        lines.append(f"{name},{which},{view},{length},{seen},{whole - seen},{box}")
    return lines
