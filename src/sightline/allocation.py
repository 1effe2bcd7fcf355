"""Memory that networks free and take again, kept instead of given back to the system each time.

A batch's features are hundreds of megabytes. The C library gives blocks of that size back when
they are freed, so that the next batch pays for every page anew. Where pages are dear that is most
of the time.
"""

import ctypes
import sys

MAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # the names of mallopt's settings, from malloc.h
LARGEST_BLOCK = 1 << 30  # bytes; what is larger is given back
MOST_KEPT = (1 << 31) - 1  # bytes, the largest value there is


def keep_freed_memory() -> bool:
    """Keep what is freed for what comes next, and tell whether this system can; harmless twice."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return bool(mallopt(MAP_THRESHOLD, LARGEST_BLOCK) and mallopt(TRIM_THRESHOLD, MOST_KEPT))
