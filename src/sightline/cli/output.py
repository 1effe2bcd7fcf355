"""What goes where: results to standard output, or as JSON to a file or standard output alone."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sightline.rows import plain, write_whole


def deliver(content: Any, text: str, json_place: str) -> None:
    """Print text, unless the JSON goes to standard output; write the JSON where it is wanted."""
    if json_place != "-":
        print(text)
    if json_place:
        encoded = json.dumps(plain(content), indent=1, allow_nan=False)
        if json_place == "-":
            sys.stdout.write(encoded + "\n")
        else:
            write_whole(Path(json_place), encoded + "\n")


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Set rows of the same columns in a plain table."""
    if not rows:
        return "(none)"
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    lines = [{name: name for name in widths}, *rows]
    return "\n".join(
        "  ".join(f"{line[name]:<{width}}" for name, width in widths.items()).rstrip()
        for line in lines
    )
