"""The ill-posedness laboratory on Pond, as `sightline illposed PLACE --remedies` has it.

With epochs a CAM is trained in each world, as with `--train EPOCHS --out WORK`.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline import provenance
from sightline.data.pond.place import parsed
from sightline.illposedness import lab
from sightline.types import ResultRow


def measure(
    data: Path,
    place: str,
    homes: Sequence[float],
    remedies: bool = True,
    epochs: int = 0,
    work: Path | None = None,
) -> ResultRow:
    """Measure worlds that differ by p(home | class), and the paper's two remedies.

    Args:
        data: not needed.
        place: dials of the worlds.
        homes: values of p(home | class).
        remedies: whether they are tried.
        epochs: of a CAM in each world; 0 trains none.
        work: where runs are kept, to go on with what was stopped; nowhere if not given.
    """
    given, numbers = parsed(place)
    dials = lab.unlike(given)
    with nullcontext(work) if work else TemporaryDirectory() as kept:
        training = lab.Training(Path(kept), epochs) if epochs else None
        points = {
            f"home-{100 * h:.0f}": p
            for h, p in zip(
                homes, lab.sweep(dials, homes, training=training, **numbers), strict=True
            )
        }
        if remedies:
            tried = lab.remedies(dials, training=training, **numbers)
            points |= {name.replace(" ", "-"): point for name, point in tried.items()}
    ledger = tuple(dict.fromkeys(entry for point in points.values() for entry in point.ledger))
    result: dict[str, Any] = {"kind": "illposed", "place": place, "epochs": epochs}
    for name, point in points.items():
        result[name] = asdict(point)
        del result[name]["ledger"]
    return ResultRow(result, provenance.now(), ledger)
