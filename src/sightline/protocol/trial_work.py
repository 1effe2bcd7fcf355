"""One trial of a search: a training run, of all training images or of a share of them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.protocol.search_folder import place
from sightline.types import Job, ResultRow


def train_trial(job: Job, folder: Path, *, conduct: Mapping[str, Any]) -> ResultRow:
    """Train what a job says, in this process."""
    import torch

    from sightline import training

    torch.set_num_threads(job.threads)
    asked = job.options
    settings = {**asked["plan"], "seed": job.seed}
    data: Any = asked["data"]
    if asked.get("proxy", 1.0) < 1:
        data = _proxy(job, skip=conduct.get("on_error") == "skip")
    else:
        settings |= asked["places"]
    return training.train(
        asked["method"],
        data,
        asked["backbone"],
        place(job, folder).parent,
        weights=asked["weights"],
        options=asked["options"],
        **settings,
        **{"threads": job.threads, "workers": 0, "show_progress": False, **conduct},
    )


def _proxy(job: Job, *, skip: bool) -> Any:
    """Keep a share of the training images of each class."""
    from sightline.data.build.sampling import draw, portion
    from sightline.methods.assembly import module_of
    from sightline.training.material import read_material
    from sightline.training.plan import Places, Plan

    asked, plan = job.options, Plan(**job.options["plan"])
    places = Places(data=asked["data"], **asked["places"])
    material = read_material(
        places,
        from_masks=module_of(asked["method"]).Method.needs == "masks",
        evaluated=bool(plan.evaluate_every),
        skip_problems=skip,
        seed=plan.seed,
    )
    split = material.train.split
    kept: list[int] = []
    for label in sorted(set(split.labels.tolist())):
        items = [i for i, other in enumerate(split.labels.tolist()) if other == label]
        wanted = portion(asked["proxy"], len(items))
        names = set(draw((split.ids[i] for i in items), wanted, job.seed))
        kept += [i for i in items if split.ids[i] in names]
    return replace(material, train=material.train.chosen(sorted(kept)), places=places)
