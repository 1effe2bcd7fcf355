"""What fails in code that is not ours, a network or an explainer of the user's own, in one line."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline.errors import SightlineError

OTHERS = ("site-packages", "dist-packages", str(Path(__file__).parent))  # not the user's to mend


@contextmanager
def told(what: str, remedy: str = "") -> Iterator[None]:
    """Say what failed, how, and in which line; what is said well already is left alone."""
    try:
        yield
    except SightlineError:
        raise
    except Exception as error:
        advice = f"; {remedy}" if remedy else ""
        raise SightlineError(f"{what}: {reason(error)}{advice}") from error


def reason(error: Exception) -> str:
    """Give an error's kind, its first line, and where in the user's code it was raised."""
    lines = str(error).strip().splitlines()
    said = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not any(folder in frame.filename for folder in OTHERS):
            return f"{said} ({Path(frame.filename).name}:{frame.lineno})"
    return said
