"""Which networks `sightline explain` is about: columns, and in each the runs to choose among."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sightline import rows
from sightline.cli.explain_flags import Flags
from sightline.errors import UsageError

if TYPE_CHECKING:
    from sightline.explaining.subjects import Candidate, Subject

PACKAGED = "packaged"


def columns(flags: Flags) -> "Mapping[str, Sequence[Candidate]]":
    """List networks by column: a backbone with its runs, or a model file."""
    if flags.runs:
        return _of_runs(flags)
    from sightline.explaining.subjects import Candidate

    if flags.models:
        titles = _short({place: Path(place).name for place in flags.models})
        return {
            title: [Candidate(title, partial(_from_file, place, flags))]
            for place, title in titles.items()
        }
    return {PACKAGED: [Candidate(PACKAGED, partial(_packaged, flags))]}


def _of_runs(flags: Flags) -> "Mapping[str, Sequence[Candidate]]":
    """Group runs by backbone, and by method too where there are several."""
    from sightline.explaining.subjects import Candidate, from_run
    from sightline.training.folder import RunFolder

    places = list(dict.fromkeys(run for place in flags.runs for run in _runs_in(place)))
    configs = {place: RunFolder(place).config() for place in places}
    methods = {config["method"] for config in configs.values()}
    titles = _short({str(place): place.resolve().name for place in places})
    found: dict[str, list[Candidate]] = {}
    for place, config in configs.items():
        words = (config["method"], config["backbone"]) if len(methods) > 1 else ()
        column = " ".join(words) or config["backbone"]
        title = titles[str(place)]
        make = partial(from_run, place, flags.checkpoint, flags.layer, title)
        found.setdefault(column, []).append(Candidate(title, make))
    return found


def _runs_in(place: Path) -> list[Path]:
    """Give a run, or the trials of a search, or of several, that converged."""
    from sightline.protocol.choosing import CONVERGED
    from sightline.protocol.search_folder import run_folder

    searches = [run_folder(at, 0).parent for at in (place, *sorted(place.glob("*/")))]
    searches = [trials for trials in searches if trials.is_dir()]
    if not searches:
        return [place]
    done = [run for trials in searches for run in sorted(trials.iterdir()) if _row(run).exists()]
    runs = [run for run in done if rows.load(_row(run)).result["status"] == CONVERGED]
    if not runs:
        raise UsageError(f"{place}: no trial of this search has converged; name a run with --run")
    return runs


def _row(run: Path) -> Path:
    from sightline.training.folder import RunFolder

    return RunFolder(run).row


def _short(names: Mapping[str, str]) -> dict[str, str]:
    """Name places by their last part where that is enough to tell them apart."""
    often = Counter(names.values())
    return {place: name if often[name] == 1 else place for place, name in names.items()}


def _from_file(place: str, flags: Flags) -> "Subject":
    from sightline.backbones.contract import Normalization
    from sightline.explaining.subjects import from_file

    return from_file(place, flags.size, Normalization(flags.mean, flags.std), flags.layer)


def _packaged(flags: Flags) -> "Subject":
    from sightline.explaining.subjects import of_network
    from sightline.looking import packaged

    classifier = packaged(flags.size)
    return of_network(classifier.title, classifier.network, flags.size)
