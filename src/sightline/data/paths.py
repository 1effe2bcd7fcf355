"""Ids become file names; none of them may lead out of its root."""

import re
from pathlib import PurePosixPath, PureWindowsPath

UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # a lone surrogate is no UTF-8


def unsafe(name: str) -> str:
    """Tell why a name from a data file must not be used as a path, or nothing if it may."""
    if not name or name != name.strip():
        return "empty or padded with blanks"
    if UNPRINTABLE.search(name):
        return "not printable text"
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute():
        return "an absolute path"
    if ".." in PurePosixPath(name.replace("\\", "/")).parts:
        return "a path that leads out of its folder with '..'"
    if PurePosixPath(name).as_posix() != name:
        return "not in its plain form (a/b.jpg, without './' or '//')"
    return ""
