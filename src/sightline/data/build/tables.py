"""Tables of comma-separated values with a header; whatever is wrong is told with its line."""

import csv
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from sightline.data.paths import unsafe
from sightline.errors import DataError, Problem
from sightline.progress import shown

MEGABYTE = 1 << 20
Line = tuple[int, list[str]]


def fault(file: Path, line: int, what: str, remedy: str, image: str = "") -> DataError:
    """Say what is wrong with a line."""
    return DataError([Problem(what, str(file), line, image, remedy)])


def read_header(file: Path) -> list[str]:
    """Read the names of a table's columns."""
    return next(_lines(file))[1]


def read_table(file: Path, columns: Sequence[str]) -> Iterator[Line]:
    """Yield the lines behind the header: their number, and the values of the columns wanted."""
    lines = _lines(file)
    _, header = next(lines)
    absent = [name for name in columns if name not in header]
    if absent:
        what = f"no column {' or '.join(absent)}, only {', '.join(header) or 'an empty line'}"
        raise fault(file, 1, what, f"the header needs {','.join(columns)}")
    at = [header.index(name) for name in columns]
    for number, values in lines:
        if len(values) != len(header):
            what = f"{len(values)} columns where the header has {len(header)}"
            raise fault(file, number, what, "mend the line")
        yield number, [values[i].strip() for i in at]


def _lines(file: Path) -> Iterator[Line]:
    """Yield number and values of the header and of every line that says something."""
    number = 0
    try:
        megabytes = file.stat().st_size // MEGABYTE
        with (
            file.open("rb") as binary,
            shown(f"reading {file.name}, in MB", megabytes) as step,
        ):
            text = (line.decode("utf-8" if at else "utf-8-sig") for at, line in enumerate(binary))
            table = csv.reader(text, strict=True)
            number = 1
            yield 1, [name.strip() for name in next(table, [])]
            for values in table:
                number = table.line_num
                if values:
                    yield number, values
                if not number & 0xFFFF:
                    step(binary.tell() // MEGABYTE)
    except UnicodeDecodeError:
        raise fault(file, number + 1, "not UTF-8 text", "save as UTF-8") from None
    except csv.Error as error:
        raise fault(file, number + 1, f"not a line of a table ({error})", "mend it") from None
    except OSError as error:
        raise fault(file, 0, f"cannot be read ({error.strerror})", "check the path") from None


def read_by_image(file: Path, columns: Sequence[str], known: Container[str]) -> dict[str, Line]:
    """Read a table with a column `image` and one line for an image that is known."""
    found: dict[str, Line] = {}
    for number, (image, *values) in read_table(file, ("image", *columns)):
        reason = unsafe(image)
        if reason:
            raise fault(file, number, f"image id '{image}' is {reason}", "use a plain id")
        if image in found:
            what = f"image is listed twice, first on line {found[image][0]}"
            raise fault(file, number, what, "remove one of the lines", image)
        if image not in known:
            what, remedy = "candidate is listed but absent", "restore its file or remove the line"
            raise fault(file, number, what, remedy, image)
        found[image] = (number, values)
    return found
