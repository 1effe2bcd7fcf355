"""How a localization score is computed: every choice that papers differ in, as one value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import registry
from sightline.errors import UsageError, refuse_unlisted

THRESHOLD_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Protocol:
    """The choices behind a localization number. Presets are the files of `metrics/protocols`."""

    name: str
    ground_truth_kind: Literal["boxes", "masks"] = "boxes"
    evaluation_size: Annotated[
        int | None, "resize maps to a square of this side; as stored if not given"
    ] = None
    levels: Annotated[
        Literal["quantized", "exact"], "255 levels relative to the maximum, or all that occur"
    ] = "quantized"
    comparison: Annotated[
        Literal[">", ">="], "foreground is where the score is > or >= the threshold"
    ] = ">"
    connectivity: Annotated[Literal[4, 8], "of components"] = 8
    contours: Annotated[
        Literal["all", "largest"], "boxes of all components, or of the largest alone"
    ] = "all"
    largest_by: Annotated[
        Literal["polygon", "pixels"], "size is the area of the outline's polygon, or pixels"
    ] = "polygon"
    holes: Annotated[bool, "the outlines of holes are candidates too"] = True
    box_ends: Annotated[
        Literal["reference", "true"], "the released evaluator's reading of a side, or the true one"
    ] = "reference"
    iou_thresholds: Annotated[tuple[int, ...], "percentages"] = (30, 50, 70)
    threshold_choice: Annotated[
        Literal["per-delta", "joint", "fixed", "transferred", "per-image-oracle"],
        "best threshold for each IoU threshold, one for all, or each image's own",
    ] = "per-delta"
    thresholds: tuple[float, ...] = ()  # those given; empty: 0, .001, ... .999, or all with `exact`
    truth_boxes: Annotated[
        Literal["best", "first"], "match the best true box, or the first one alone"
    ] = "best"
    map_class: Annotated[
        Literal["gt-known", "top-1", "top-5"], "the true class's map, or that of predicted classes"
    ] = "gt-known"
    pointing_tolerance: Annotated[int, "pixels that the peak may lie off the object"] = 0

    def __post_init__(self) -> None:
        """Refuse choices that do not exist and combinations that mean nothing."""
        refuse_unlisted(self)
        if not self.iou_thresholds or not all(0 < t <= 100 for t in self.iou_thresholds):
            raise UsageError("IoU thresholds are percentages above 0 and up to 100")
        if len(set(self.iou_thresholds)) < len(self.iou_thresholds):
            raise UsageError("an IoU threshold is given twice")
        if not all(0 <= t <= 1 for t in self.thresholds):
            raise UsageError("thresholds lie in [0, 1]")
        if self.evaluation_size is not None and self.evaluation_size < 1:
            raise UsageError("the evaluation size is a number of pixels, 1 or more")
        given = self.threshold_choice in ("fixed", "transferred")
        if given and len(self.thresholds) not in (1, len(self.iou_thresholds)):
            raise UsageError(
                f"threshold choice '{self.threshold_choice}' needs one threshold, or one for each"
                " IoU threshold"
            )
        if not given and self.thresholds:
            raise UsageError("thresholds are given only with the choice 'fixed' or 'transferred'")
        if self.largest_by == "polygon" and self.contours == "largest" and self.connectivity == 4:
            raise UsageError("the largest polygon is defined for 8-connected components only")
        if self.pointing_tolerance < 0:
            raise UsageError("the pointing tolerance is a number of pixels, 0 or more")

    @property
    def metric(self) -> str:
        """Name the number in the papers' words."""
        if self.ground_truth_kind == "masks":
            return "PxAP"
        version = "V2" if self.contours == "all" else ""
        if self.threshold_choice == "per-image-oracle":
            return f"BoxAcc{version} (threshold per image)"
        return f"BoxAcc{version}" if self.thresholds else f"MaxBoxAcc{version}"

    def as_dict(self) -> dict[str, Any]:
        """Give every choice, as it is written into rows."""
        return asdict(self)


def threshold_grid(steps: int = THRESHOLD_STEPS) -> NDArray[np.float64]:
    """List the released evaluator's thresholds: 0, .001, ... .999, never 1."""
    return np.arange(0, 1, 1 / steps)


def preset(name: str, **choices: Any) -> Protocol:
    """Get a preset by name, with some of its choices replaced."""
    chosen: Protocol = registry.load("protocol", name).PROTOCOL
    return vary(chosen, choices)


def vary(protocol: Protocol, choices: Mapping[str, Any]) -> Protocol:
    """Replace choices and say so in the name."""
    unknown = [key for key in choices if key not in Protocol.__dataclass_fields__ or key == "name"]
    if unknown:
        raise UsageError(f"unknown protocol choice '{unknown[0]}'")
    changed = {key: value for key, value in choices.items() if value != getattr(protocol, key)}
    if not changed:
        return protocol
    shown = ", ".join(f"{key}={_shown(value)}" for key, value in sorted(changed.items()))
    return replace(protocol, **changed, name=f"{protocol.name} ({shown})")


def _shown(value: object) -> str:
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
