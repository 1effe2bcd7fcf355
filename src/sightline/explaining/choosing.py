"""Which of several networks is explained: CAM's best one, or each explainer's own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sightline.data.dataset import Dataset
from sightline.explaining.explainers import Explainer
from sightline.explaining.passing import Asked
from sightline.explaining.study import Pair, Study
from sightline.explaining.subjects import Candidate, Subject
from sightline.types import LedgerEntry


def chosen(
    candidates: Sequence[Candidate],
    dataset: Dataset,
    explainers: Sequence[Explainer],
    *,
    asked: Asked,
    chooser: Explainer | None = None,
) -> list[Pair]:
    """Pair each explainer with a network; the first protocol's score on the split decides.

    No two networks are in memory while they are scored. What a network was chosen by, and the
    labels that it took, go with the network.

    Args:
        candidates: the networks, such as the trials of a search.
        dataset: the split that chooses; the papers' is train-fullsup.
        explainers: what is to explain.
        asked: all else.
        chooser: the one that chooses for all; without it each explainer chooses for itself.
    """
    if len(candidates) == 1:
        subject = candidates[0].make()
        return [(subject, one) for one in explainers]
    choosers = [chooser] if chooser else list(explainers)
    scored = [_scored(one.make(), dataset, choosers, asked) for one in candidates]
    best = np.argmax([found.scores for found in scored], 0).tolist()  # one for each chooser
    made = {place: candidates[place].make() for place in dict.fromkeys(best)}
    titles = [one.title for one in candidates]
    picked = []
    for number, place in enumerate(best):
        choice = {
            "by": choosers[number].name,
            "split": dataset.split.name,
            "metric": scored[place].metric,
            "values": {t: f.scores[number] for t, f in zip(titles, scored, strict=True)},
        }
        picked.append(_with(made[place], choice, scored[place].ledger))
    return list(zip(picked * len(explainers) if chooser else picked, explainers, strict=True))


@dataclass(frozen=True, slots=True)
class _Scores:
    scores: list[float]  # one for each chooser
    metric: str
    ledger: tuple[LedgerEntry, ...]


def _scored(
    subject: Subject, dataset: Dataset, choosers: Sequence[Explainer], asked: Asked
) -> _Scores:
    study = Study(subject, dataset, asked)
    protocol = study.protocols[0]
    scores = []
    for one in choosers:
        assessed, _ = study.passed(one, kept=False)
        scores.append(float(assessed.accumulators[protocol.name].compute()["value"]))
    entries = [e for e in study.ledger.entries if e.kind == protocol.ground_truth_kind]
    return _Scores(scores, protocol.metric, tuple(entries))


def _with(subject: Subject, choice: dict[str, object], ledger: tuple[LedgerEntry, ...]) -> Subject:
    """Let a network tell how it was chosen."""
    origin = {**subject.origin, "choice": choice}
    return replace(subject, origin=origin, ledger=(*subject.ledger, *ledger))
