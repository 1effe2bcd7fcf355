"""Names with options in one word, such as `low-detail:half=0.02`: so any of them can be swept.

`mine=callable:file=mine.py` has the name `mine` in every table.
"""

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from sightline import registry
from sightline.errors import UsageError


@dataclass(frozen=True, slots=True)
class Named:
    """A registered module with options; its text is its name in every table."""

    text: str
    module: ModuleType
    options: Any


def chosen(kind: str, texts: Sequence[str]) -> list[Named]:
    """Read names with their options; none may be given twice."""
    found = [read(kind, text) for text in texts]
    known = [one.text for one in found]
    twice = [text for text in dict.fromkeys(known) if known.count(text) > 1]
    if twice:
        raise UsageError(f"{kind} '{twice[0]}' is given twice")
    return found


def read(kind: str, text: str) -> Named:
    """Read `NAME` or `NAME:OPTION=VALUE,OPTION=VALUE`, with `CALLED=` before it or not."""
    before, _, rest = text.partition(":")
    called, _, name = before.rpartition("=")
    module = registry.load(kind, name)
    hints = get_type_hints(module.Options, include_extras=True)
    values: dict[str, Any] = {}
    for pair in filter(None, rest.split(",")):
        option, equals, value = pair.partition("=")
        option = option.strip().replace("-", "_")
        if not equals or option not in hints:
            known = ", ".join(hints) or "none"
            raise UsageError(f"{kind} '{name}' has no option '{option}'; there are {known}")
        values[option] = _value(hints[option], value.strip(), f"{kind} '{name}': {option}")
    lacking = [
        item.name
        for item in fields(module.Options)
        if item.name not in values and item.default is MISSING and item.default_factory is MISSING
    ]
    if lacking:
        raise UsageError(f"{kind} '{name}' needs {lacking[0]}: write {name}:{lacking[0]}=...")
    return Named(called or text, module, module.Options(**values))


def _value(hint: Any, text: str, where: str) -> Any:
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise UsageError(f"{where} '{text}' is none of {', '.join(map(str, get_args(kind)))}")
        return text
    if kind is bool:
        if text not in ("true", "false"):
            raise UsageError(f"{where} '{text}' is neither true nor false")
        return text == "true"
    try:
        return Path(text) if kind is Path else kind(text)
    except (TypeError, ValueError):
        raise UsageError(f"{where} '{text}' is no {kind.__name__}") from None
