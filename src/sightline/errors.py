"""What can go wrong, and how it is said: one clear line naming the file, the line and the remedy.

SightlineError              exit code 1, printed without a traceback
+-- UsageError              exit code 2: the call itself is wrong
+-- DataError               a file, map or label is wrong; carries the problems one by one
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints


def printable(text: str) -> str:
    """Write what a terminal would act upon, line breaks included, as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one file or image, so that it can be named, skipped and counted."""

    what: str
    file: str = ""
    line: int = 0
    image: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        subject = ", ".join(part for part in (place, self.image) if part)
        text = f"{subject}: {self.what}" if subject else self.what
        return printable(f"{text}; {self.remedy}" if self.remedy else text)

    @property
    def subject(self) -> str:
        """Name what is left out because of it: an image, or else a file or line."""
        return self.image or f"{self.file}:{self.line}"


class SightlineError(Exception):
    """Anything that a user can mend."""

    exit_code = 1


class UsageError(SightlineError):
    """The call is wrong: an unknown name, a missing folder, options that exclude each other."""

    exit_code = 2


def refuse_unlisted(values: Any) -> None:
    """Refuse a dataclass's values that its fields' `Literal` types do not list."""
    for name, hint in get_type_hints(type(values)).items():
        refuse_unknown(name, getattr(values, name), hint)


def refuse_unknown(name: str, value: object, hint: Any) -> None:
    """Refuse a value that a `Literal` type does not list."""
    if get_origin(hint) is Literal and value not in get_args(hint):
        listed = ", ".join(map(str, get_args(hint)))
        raise UsageError(f"{name} '{value}' does not exist; there are {listed}")


class DataError(SightlineError):
    """The data is wrong; the message is the first problem and the number of the others.

    `listed_by` is the command or flag that shows all of them.
    """

    def __init__(self, problems: Sequence[Problem], listed_by: str = "") -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - 1
        where = f"; {listed_by} lists them" if listed_by else ""
        super().__init__(f"{self.problems[0]}{f' (and {more} more{where})' if more else ''}")
