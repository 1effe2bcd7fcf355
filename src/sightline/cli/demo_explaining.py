"""The stage of `sightline demo` that explains the network that CAM has trained."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.cli.demo_stages import Story

EXPLAINERS = ("grad-cam", "vb", "gb", "sg-vb", "ig-vb")
FOLDER = "explainers"
SAMPLES = 10  # the papers' N is 50, which a demo has no time for
BLUR = 127 / 224  # the papers' kernel, as a share of the image's side


def explain(story: "Story") -> None:
    """Score explainers of CAM's network against CAM, as `sightline explain --run` does."""
    if "cam" not in story.trained:
        return
    from sightline.explaining.explainers import explainer
    from sightline.explaining.passing import Asked
    from sightline.explaining.study import study
    from sightline.explaining.subjects import from_run

    subject = from_run(story.out / "runs" / "cam", "last")
    options = {"samples": SAMPLES, "blur": _odd(BLUR * story.size)}
    pairs: Any = [(subject, explainer(name, options)) for name in ("cam", *EXPLAINERS)]
    asked = Asked(out=story.rows(FOLDER), show_progress=False)
    for one in study(pairs, story.split(), against=pairs[0], asked=asked):
        story.explained[one.explainer.name] = one.rows


def _odd(number: float) -> int:
    return 2 * int(number / 2) + 1
