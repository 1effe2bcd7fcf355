"""Per-image records that grow, merge and come out in the order of the images' ids."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Columns:
    """A small table of numbers, one row an image: compact, appended to, merged by id.

    Images without an id are numbered, and numbered on when tables are merged.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.ids: list[str | int] = []
        self._known: set[str] = set()
        self._unnamed = 0
        self._columns = {name: array("d") for name in names}

    def __len__(self) -> int:
        return len(self.ids)

    def append(self, image: str | None, values: Sequence[float]) -> int:
        """Add a row and give its position."""
        self._add_id(image if image is not None else self._unnamed)
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(value)
        return len(self.ids) - 1

    def extend(self, other: "Columns") -> None:
        """Add another table's rows; an image that both hold is an error."""
        if other is self:
            raise ValueError("a part cannot be merged into itself")
        shared = self._known & other._known
        if shared:
            raise ValueError(f"image '{min(shared)}' was counted in both parts")
        first = self._unnamed
        for image in other.ids:
            self._add_id(image + first if isinstance(image, int) else image)
        for name, column in self._columns.items():
            column.extend(other._columns[name])

    def _add_id(self, image: str | int) -> None:
        if isinstance(image, int):
            self._unnamed = max(self._unnamed, image + 1)
        elif image in self._known:
            raise ValueError(f"image '{image}' was counted already")
        else:
            self._known.add(image)
        self.ids.append(image)

    def order(self) -> NDArray[np.int64]:
        """Give the positions of the rows by id, unnamed ones first in their number's order."""
        keys = [("", i) if isinstance(i, int) else (i, 0) for i in self.ids]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)

    def sorted_ids(self) -> list[str | int]:
        """List the ids in that order."""
        return [self.ids[i] for i in self.order()]

    def column(self, name: str) -> NDArray[np.float64]:
        """Give a column by id."""
        return np.array(self._columns[name])[self.order()]

    @property
    def bytes(self) -> int:
        """Count the bytes of the numbers held."""
        return sum(len(column) * column.itemsize for column in self._columns.values())
