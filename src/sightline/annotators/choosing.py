"""Choosing among the proposals for every image of a split, in as many processes as there are."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sightline.annotators import working
from sightline.annotators.answers import ranked, unpacked
from sightline.annotators.asking import Asked
from sightline.annotators.classifier import Asking, Classifier
from sightline.annotators.contract import Floats, Proposals
from sightline.annotators.selecting import Choice, Ints, Plan, Rank, choose
from sightline.annotators.selecting import unpacked as choice_of
from sightline.annotators.store import Store, key_of
from sightline.annotators.working import Order, Work
from sightline.data.dataset import Dataset
from sightline.data.photographs import read_photograph
from sightline.errors import UsageError
from sightline.types import LedgerEntry, Split

LAYOUT = 1  # raise it when kept choices come to mean something else


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen, for the images that have proposals; None for the others."""

    choices: tuple[Choice | None, ...]
    about: dict[str, Any]
    ledger: tuple[LedgerEntry, ...]


def choices(
    dataset: Dataset,
    asked: Asked,
    plan: Plan,
    asking: Asking,
    *,
    workers: int = 0,
    show_progress: bool = True,
) -> Chosen:
    """Choose a box for each image with proposals."""
    split, rank = dataset.split, plan.ranked_by(asked.module)
    if asking.scoring == "objectness" and rank == "classifier":
        raise UsageError(
            "--scoring objectness leaves the classifier nothing to rank by; pass --rank objectness"
        )
    classifier = Classifier(asking, split)
    with_some = [i for i, name in enumerate(split.ids) if name not in asked.failed]
    with_some = [i for i in with_some if isinstance(asked.answer(i), Proposals)]
    common = (LAYOUT, asdict(plan), rank, asdict(asking), classifier.origin)
    orders = {i: _order(dataset, asked, i, common) for i in with_some}
    opening = partial(opened, asking, split, str(asked.store.folder), plan, rank)
    failed = working.finish(
        list(orders.values()),
        opening,
        asked.store,
        workers=workers,
        title="choose",
        show_progress=show_progress,
    )
    found = [
        _read(asked.store, orders[i]) if i in orders and split.ids[i] not in failed else None
        for i in range(len(split.ids))
    ]
    plain = {
        name: value for name, value in asdict(asking).items() if name not in ("place", "batch")
    }
    about = {**asdict(plan), "rank": rank, **plain, **classifier.origin}
    return Chosen(tuple(found), about, classifier.ledger)


def _order(dataset: Dataset, asked: Asked, item: int, common: Sequence[Any]) -> Order:
    split = dataset.split
    label = int(split.labels[item])
    name = split.classes[label] if 0 <= label < len(split.classes) else ""
    size = int(split.sizes[item, 0]), int(split.sizes[item, 1])
    what = (str(dataset.pictures[item]), size, label, asked.keys[item])
    return Order(key_of(common, asked.keys[item], label, name), split.ids[item], what)


def _read(store: Store, order: Order) -> Choice | None:
    data = store.get(order.key)
    return choice_of(data) if data else None


def opened(asking: Asking, split: Split, folder: str, plan: Plan, rank: Rank) -> Work:
    """Make the choice ready, in whichever process."""
    classifier, store = Classifier(asking, split), Store(Path(folder))

    def work(what: tuple[str, tuple[int, int], int, str]) -> bytes:
        file, size, label, key = what
        image = read_photograph(Path(file), size=size)
        answer = unpacked(store.get(key))
        assert isinstance(answer, Proposals)
        proposals, _ = ranked(answer, image.shape[1], image.shape[0])
        if not len(proposals.boxes):
            return b""
        seen = classifier.see(image, label)

        def respond(places: Ints) -> Floats:
            if asking.scoring == "objectness":
                return proposals.scores[places]
            return classifier.respond(image, seen, proposals.boxes[places])

        return choose(proposals, seen.peak, plan, rank, respond).packed()

    return work
