"""Which of several networks is explained: CAM's best one, or each explainer's own."""

from collections.abc import Sequence

from sightline.data.dataset import Dataset
from sightline.explaining.explainers import Explainer
from sightline.explaining.study import Asked, Pair, Study
from sightline.explaining.subjects import Subject


def chosen(
    subjects: Sequence[Subject],
    dataset: Dataset,
    explainers: Sequence[Explainer],
    *,
    asked: Asked,
    own: bool,
) -> list[Pair]:
    """Pair each explainer with a network; the first protocol's score on the split decides.

    Args:
        subjects: the networks, such as the trials of a search.
        dataset: the split that chooses; the papers' is train-fullsup.
        explainers: the first one chooses for all, unless each has its own choice.
        asked: all else.
        own: whether each explainer chooses for itself.
    """
    if len(subjects) == 1:
        return [(subjects[0], one) for one in explainers]
    studies = [Study(subject, dataset, asked) for subject in subjects]
    choosers = explainers if own else explainers[:1]
    best = [studies[_best(studies, one)].subject for one in choosers]
    return list(zip(best if own else best * len(explainers), explainers, strict=True))


def _best(studies: Sequence[Study], one: Explainer) -> int:
    scores = []
    for study in studies:
        assessed, _ = study.passed(one, kept=False)
        scores.append(assessed.accumulators[study.protocols[0].name].compute()["value"])
    return max(range(len(scores)), key=lambda place: float(scores[place]))
