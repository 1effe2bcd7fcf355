"""`sightline list`: everything registered."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import tyro

from sightline import registry
from sightline.cli.output import deliver


@dataclass(frozen=True)
class Command:
    """List everything registered, with paper and options.

    example:
      sightline list protocol
    """

    kind: Annotated[str, tyro.conf.Positional] = ""
    """one kind alone, such as protocol"""
    json: str = ""
    """write the list as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Print the names by kind."""
        wanted = [_singular(self.kind)] if self.kind else registry.kinds()
        entries = [entry for kind in wanted for entry in registry.describe(kind)]
        text = "\n".join(line for kind in wanted for line in _lines(kind, entries))
        deliver([asdict(entry) for entry in entries], text, self.json)


def _singular(kind: str) -> str:
    """Take the plural of a kind as well."""
    plurals = {f"{one[:-1]}ies" if one[-1] == "y" else f"{one}s": one for one in registry.kinds()}
    return plurals.get(kind, kind)


def _lines(kind: str, entries: list[registry.Entry]) -> list[str]:
    lines = [f"{kind}:"]
    for entry in entries:
        if entry.kind == kind:
            origin = "" if entry.source == "sightline" else f" (from {entry.source})"
            lines.append(f"  {entry.name:<22} {entry.title}{origin}")
            lines += [f"  {'':<22} {entry.paper}"] if entry.paper else []
            lines += [f"  {'':<22}   --{_flag(option)}" for option in entry.options]
    return lines


def _flag(option: str) -> str:
    """Write the name as it is given on the command line."""
    name, colon, rest = option.partition(":")
    return f"{name.replace('_', '-')}{colon}{rest}"


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
