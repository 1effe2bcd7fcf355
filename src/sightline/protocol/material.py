"""What layouts have in common: what lies in some folders, and a table on its way to the page."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.errors import UsageError
from sightline.protocol import epochs, results, selection_tables
from sightline.protocol.cells import ALL
from sightline.protocol.criteria import Criterion, localization, parse
from sightline.protocol.results import EXPLAINER, Result
from sightline.types import Made as Made
from sightline.types import ResultRow

TEST, PSEUDO = "test", "pseudo-annotation"


class Material:
    """All that lies in some places, read when it is asked for."""

    def __init__(
        self,
        places: Iterable[Path],
        *,
        against: str = "cam",
        seed: int = 0,
        protocols: Collection[str] = (),
    ) -> None:
        self.places, self.against, self.seed = list(places), against, seed
        self._protocols = protocols  # measured results of others are left out, if any is named

    def apart(self) -> dict[str, "Material"]:
        """Take results of one ruler each, where one data set was measured with several."""
        rulers: dict[tuple[str, ...], list[str]] = {}
        for one in self.measured:
            name = str(one.row.result["protocol"]["name"])
            known = rulers.setdefault((one.dataset, one.split, one.metric), [])
            known += [name] if name not in known else []
        if all(len(names) == 1 for names in rulers.values()):
            return {}
        return {
            name: Material(self.places, against=self.against, seed=self.seed, protocols=[name])
            for name in dict.fromkeys(name for names in rulers.values() for name in names)
        }

    @cached_property
    def measured(self) -> list[Result]:
        """Give the results on test splits, or on any where no test split was measured."""
        found = [
            one
            for one in results.read(self.places)
            if not self._protocols or one.row.result["protocol"]["name"] in self._protocols
        ]
        tests = [one for one in found if one.split == TEST]
        return tests or found

    @cached_property
    def methods(self) -> list[Result]:
        """Leave explainers out."""
        maps = ((one, str(one.row.result["maps"])) for one in self.measured)
        return [one for one, name in maps if not name.startswith(EXPLAINER)]

    @cached_property
    def trials(self) -> list[Result]:
        """Give the training runs."""
        return results.trainings(self.places)

    @cached_property
    def groups(self) -> list[selection_tables.Group]:
        """Select by every criterion that was recorded."""
        records = epochs.find(self.places)
        if not records:
            return []
        first = records[0]
        names = ["class-accuracy"] if "val/class-accuracy" in first.series else []
        criteria = [parse(n, masks=first.by_masks) for n in [*names, *first.sources()]]
        return selection_tables.grouped(records, criteria)

    @cached_property
    def recorded_tests(self) -> dict[tuple[Path, str], float]:
        """Give what runs are worth on test after their last epoch, by folder and metric."""
        found = {}
        for record in epochs.find(self.places):
            if record.has_test:
                name, metric = ("PxAP", "pxap") if record.by_masks else ("MaxBoxAccV2", "v2")
                values = localization(record, epochs.TEST, Criterion(epochs.TRUTH, metric))
                found[Path(record.place), name] = float(values[-1])
        return found

    @cached_property
    def annotations(self) -> list[ResultRow]:
        """Give the rows of what pseudo annotators' boxes are worth, step by step."""
        found = map(rows.load, rows.find(self.places))
        return [row for row in found if row.result.get("kind") == PSEUDO]

    @cached_property
    def noise(self) -> list[Mapping[str, Any]]:
        """Give the rows of noise studies."""
        found = [rows.load(file) for file in rows.find(self.places) if "noise" in file.name]
        return [row.result for row in found if str(row.result.get("kind", "")).startswith("noise-")]


def text_of(value: Any) -> str:
    """Write a number with two digits, anything else as it is."""
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def column_of(dataset: str, backbone: str) -> str:
    """Title the column of a data set and a backbone."""
    return " ".join(filter(None, (dataset if dataset != ALL else "total", backbone)))


def need(there: Any, what: str) -> None:
    """Refuse to make a table of nothing."""
    if not there:
        raise UsageError(f"the rows hold no {what}")
