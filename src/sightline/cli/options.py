"""Options that are declared once, as fields of a dataclass, become flags."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, make_dataclass
from typing import Annotated, Any, Optional, get_args, get_origin, get_type_hints

import tyro

from sightline import registry
from sightline.errors import SightlineError, UsageError


def flags_of(declared: type) -> type:
    """Give a dataclass of the same fields, whose texts are the help of its flags.

    A field is `name: Annotated[type, "help", ...] = default`; a field that is a dataclass itself
    adds its own.
    """
    hints = get_type_hints(declared, include_extras=True)
    flags = [(item.name, _flag(hints[item.name]), _default(item)) for item in fields(declared)]
    return make_dataclass(declared.__name__, flags, bases=(declared,), frozen=True)


def _flag(hint: Any) -> Any:
    kind, *texts = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if isinstance(kind, type) and is_dataclass(kind):
        return flags_of(kind)
    shown = tyro.conf.arg(help=str(texts[0]) if texts else "")
    return Annotated[kind, shown, *texts[1:]]  # a range stays, so that a flag's value is checked


def _default(item: Field[Any]) -> Any:
    factory = item.default_factory
    if factory is not MISSING:
        made = flags_of(factory) if isinstance(factory, type) and is_dataclass(factory) else factory
        return field(default_factory=made)
    return field() if item.default is MISSING else field(default=item.default)


def optional_flags_of(
    declared: type, hint: Callable[[object], str], *, leave: Sequence[str] = ()
) -> type:
    """Make flags of a dataclass's fields that are unset unless given."""
    hints = get_type_hints(declared, include_extras=True)
    flags: list[Any] = [
        (item.name, _optional_flag(hints[item.name], hint(item.default)), field(default=None))
        for item in fields(declared)
        if item.name not in leave
    ]
    return make_dataclass(declared.__name__, flags, frozen=True)


def _optional_flag(declared: Any, hint: str) -> Any:
    """Make a type optional, with the text that annotates it as its help."""
    kind, *texts = get_args(declared) if get_origin(declared) is Annotated else (declared,)
    shown = tyro.conf.arg(help=texts[0] if texts else "", help_behavior_hint=hint)
    flag = Annotated[Optional[kind], shown]  # type: ignore[valid-type] # noqa: UP045
    return Annotated[flag, tyro.conf.FlagConversionOff] if kind is bool else flag


def chosen(kind: str, arguments: Sequence[str]) -> str:
    """Find the registered name among a command's words: the first that is no flag's value."""
    known = registry.names(kind)
    before = ""
    for word in arguments:
        if not word.startswith("-") and not (before.startswith("-") and word not in known):
            return word
        before = word
    return ""


def command_for(
    kind: str, arguments: Sequence[str], common: type, description: str, name: str = ""
) -> type:
    """Add the options of the chosen name to the flags that all names of a kind share."""
    name = name or chosen(kind, arguments)
    if not name:
        return _without_name(kind, common, description)
    module = registry.load(kind, name)
    options: Any = flags_of(module.Options)
    clash = sorted(_names(module.Options) & _names(common))
    if clash:
        raise SightlineError(f"{kind} '{name}' has an option '{clash[0]}', as the command has")
    required = any(_is_required(item) for item in fields(module.Options))
    shown = Annotated[options, tyro.conf.arg(name=name)]
    made: Any = field() if required else field(default_factory=options)
    built = make_dataclass(
        "Command", [("options", shown, made)], bases=(common,), frozen=True, kw_only=True
    )
    built.__doc__ = f"{description}\n\n{(module.__doc__ or '').strip()}"
    return built


def _names(declared: type) -> set[str]:
    """Give the names of all flags, those of nested dataclasses too."""
    found: set[str] = set()
    for item in fields(declared):
        kind = get_type_hints(declared)[item.name]
        found |= _names(kind) if isinstance(kind, type) and is_dataclass(kind) else {item.name}
    return found


def _is_required(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _without_name(kind: str, common: type, description: str) -> type:
    lines = [f"  {entry.name:<16} {entry.title}" for entry in registry.describe(kind)]

    @dataclass(frozen=True)
    class Nameless(common):  # type: ignore[misc]
        def run(self) -> None:
            raise UsageError(f"name one of: {', '.join(registry.names(kind))}")

    Nameless.__doc__ = "\n".join([description, "", f"{kind}s:", *lines])
    return Nameless
