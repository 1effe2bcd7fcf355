"""When, where and with what code a result was made: never compared, always kept."""

import platform
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("numpy", "numba", "opencv-contrib-python-headless")


@cache
def versions() -> dict[str, str]:
    """List the versions of what numbers depend on."""
    found = {"python": platform.python_version()}
    for name in ("sightline", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def now() -> dict[str, Any]:
    """Describe this run."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}",
        "command": " ".join(sys.argv),
        "versions": versions(),
    }
