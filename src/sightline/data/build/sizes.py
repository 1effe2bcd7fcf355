"""Sizes of photographs made like those of another set."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image

from sightline.data.build.files import place, write_bytes
from sightline.data.build.leakage import find_members
from sightline.data.build.lists import SIZES, read_lines
from sightline.data.build.tables import fault
from sightline.data.photographs import inspect, open_upright

Size = tuple[int, int]  # width and height
QUALITY = 95  # of JPEG and WebP files that are written anew


def read_sizes(folder: Path) -> list[Size]:
    """Read the sizes of a split: from its list, or from its images."""
    file = folder / f"{SIZES}.txt"
    if not file.is_file():
        return [inspect(image).turned_size for image in find_members(folder, None).values()]
    sizes = []
    for number, line in read_lines(file):
        try:
            width, height = map(int, line.rsplit(",", 2)[1:])
        except ValueError:
            raise fault(file, number, "is not an image id, width and height", "mend it") from None
        sizes.append((width, height))
    return sizes


def matched(sizes: Mapping[str, Size], like: Sequence[Size]) -> dict[str, Size]:
    """Give images the longest sides of other images: the middle one that of the middle one.

    The order by length and the aspect stay as they are; none is enlarged.
    """
    wanted = sorted(map(max, like))
    order = sorted(sizes, key=lambda name: (max(sizes[name]), name))
    found = {}
    for rank, name in enumerate(order):
        longest = wanted[(2 * rank + 1) * len(wanted) // (2 * len(order))]
        scale = min(1.0, longest / max(sizes[name]))
        width, height = (max(1, round(side * scale)) for side in sizes[name])
        found[name] = (width, height)
    return found


def write_sized(source: Path, target: Path, size: Size) -> None:
    """Write a photograph upright and of a size; one that is so already is placed as it is."""
    facts = inspect(source)
    if facts.size == size and facts.orientation == 1:
        place(source, target)
        return
    picture = open_upright(source).resize(size, Image.Resampling.LANCZOS)
    content = BytesIO()
    kind = Image.registered_extensions()[target.suffix.lower()]
    picture.save(content, kind, quality=QUALITY)
    write_bytes(target, content.getvalue())
