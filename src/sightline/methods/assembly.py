"""Puts a method on a backbone; the weights are random until `backbones.weights` fills others in.

`build` takes registered names, `combine` the modules that they stand for.
"""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, cast

from sightline import registry
from sightline.backbones import assembly as backbones
from sightline.backbones.contract import Backbone, BackboneModule
from sightline.errors import UsageError
from sightline.methods.contract import Method, MethodModule


def build(
    method: str,
    backbone: str,
    classes: int,
    *,
    options: Any = None,
    resolution: int | None = None,
) -> Method:
    """Make the network of a method on a backbone, both by name.

    Args:
        method: a registered method.
        backbone: a registered backbone.
        classes: how many classes it tells apart.
        options: the method's `Options`, or a mapping of some of them; its defaults if left out.
        resolution: side of the features; the backbone's first if left out.
    """
    module, body = module_of(method), backbones.module_of(backbone)
    side = body.RESOLUTIONS[0] if resolution is None else resolution
    return combine(module, body, classes, options=options, resolution=side)


def module_of(name: str) -> MethodModule:
    """Import the file of a method."""
    return cast(MethodModule, registry.load("method", name))


def combine(
    module: MethodModule, body: BackboneModule, classes: int, *, options: Any, resolution: int
) -> Method:
    """Make the network of a method's module on a backbone's module."""
    if classes < 1:
        raise UsageError(f"{classes} classes: a network needs one at least")
    refuse_unfit(module, body)
    chosen = options if isinstance(options, module.Options) else options_of(module, options or {})
    backbone = body.build(resolution=resolution, design=module.Method.design)
    made: Method = module.Method(backbone, classes, chosen)
    return made


def fits(module: MethodModule, body: BackboneModule) -> bool:
    """Tell whether a method runs on a backbone."""
    return issubclass(getattr(body, "KIND", Backbone), module.Method.runs_on)


def refuse_unfit(module: MethodModule, body: BackboneModule) -> None:
    """Refuse a backbone that is not of the kind a method needs, and tell which are."""
    if fits(module, body):
        return
    known = registry.names("backbone")
    fitting = [name for name in known if fits(module, backbones.module_of(name))]
    raise UsageError(f"--backbone: this method needs {' or '.join(fitting) or 'another kind'}")


def options_of(module: MethodModule, values: Mapping[str, Any]) -> Any:
    """Make a method's options from a mapping, as a row keeps them; unknown keys are refused."""
    known = [item.name for item in fields(module.Options)]
    for name in values:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = (
                f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known) or 'none'}"
            )
            raise UsageError(f"the method has no option '{name}'; {hint}")
    return module.Options(**values)
