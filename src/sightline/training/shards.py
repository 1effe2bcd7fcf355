"""Score maps on disk as Parquet shards that `sightline evaluate` reads, written as they come."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError

Numbers = Literal["float16", "uint8"]
IN_SHARD, IN_GROUP = 1024, 64  # maps; a group is what a reader decodes at once


class ShardWriter:
    """Writes maps in [0, 1] and the likeliest classes; memory holds one shard at most.

    Args:
        folder: new, or without maps.
        numbers: how a score is stored; of uint8, 255 stands for 1.
    """

    def __init__(self, folder: Path, numbers: Numbers) -> None:
        if folder.is_file() or (folder.is_dir() and any(folder.glob("*.parquet"))):
            raise UsageError(f"{folder}: holds maps already; name another folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.numbers = folder, numbers
        self.maps = 0
        self._rows: list[dict[str, Any]] = []
        self._shards = 0
        self._named: set[str] = set()
        self._file = (folder / "predictions.csv").open("w", newline="", encoding="utf-8")
        self._predictions = csv.writer(self._file, lineterminator="\n")

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if kind is None:
            self._flush()

    def add(self, name: str, scores: NDArray[np.float64]) -> None:
        """Add a map by the name under which the evaluator looks for it."""
        whole = self.numbers == "uint8"
        stored = np.rint(255 * scores).astype(np.uint8) if whole else scores.astype(np.float16)
        height, width = stored.shape
        row = {"id": name, "height": height, "width": width, "dtype": self.numbers}
        self._rows.append(row | {"scores": stored.tobytes()})
        self.maps += 1
        if len(self._rows) == IN_SHARD:
            self._flush()

    def predict(self, image: str, classes: Sequence[int]) -> None:
        """Add an image's classes, best first; an image with several items counts once."""
        if image not in self._named:
            self._named.add(image)
            self._predictions.writerow([image, *classes])

    def _flush(self) -> None:
        if not self._rows:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = self.folder / f"maps-{self._shards:05d}.parquet"
        part = file.with_name(f".{file.name}")
        columns = {name: [row[name] for row in self._rows] for name in self._rows[0]}
        try:
            pq.write_table(pa.table(columns), part, row_group_size=IN_GROUP)
            part.replace(file)
        finally:
            if part.exists():
                os.unlink(part)  # noqa: PTH108
        self._shards += 1
        self._rows.clear()
