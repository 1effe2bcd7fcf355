"""Scenes on disk: pictures and masks chunk by chunk, then the lists and tables of a split."""

import json
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2

from sightline.data.build.files import write_bytes
from sightline.data.pond.dials import Dials
from sightline.data.pond.known import TABLES, Lines, image_id, know
from sightline.data.pond.painting import paint
from sightline.data.pond.png import encode
from sightline.data.pond.scene import Plan, plan
from sightline.progress import shown

CHUNK = 32  # images that are done or not done
WORTH = 4  # chunks that a process must get for its start to be worth while
LISTS = ("class_labels", "image_sizes", "localization", "image_ids")
PLANES = ("images", "masks", "parts", "amodal")
NOISY = "train-weaksup"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a split's images."""

    folder: Path  # of the split
    dials: Dials
    seed: int
    split: str
    start: int
    stop: int

    @property
    def note(self) -> Path:
        """The file that says that the chunk is done, and holds its lines."""
        return self.folder / f".done-{self.start:08d}.json"

    def plans(self) -> Iterator[Plan]:
        """Decide the scenes."""
        for number in range(self.start, self.stop):
            yield plan(self.dials, self.seed, self.split, number, noisy=self.split == NOISY)


def chunks(out: Path, dials: Dials, seed: int, counts: dict[str, int]) -> list[Chunk]:
    """Cut the splits into chunks."""
    return [
        Chunk(out / split, dials, seed, split, start, min(start + CHUNK, count))
        for split, count in counts.items()
        for start in range(0, count, CHUNK)
    ]


def draw(wanted: Sequence[Chunk], workers: int) -> None:
    """Draw all chunks that are not done yet; what is done stays when this is stopped."""
    left = [chunk for chunk in wanted if not chunk.note.is_file()]
    done = sum(chunk.stop - chunk.start for chunk in wanted if chunk not in left)
    total = sum(chunk.stop - chunk.start for chunk in wanted)
    with shown("drawing scenes", total) as step:
        for count in _drawn(left, min(workers, len(left) // WORTH)):
            done += count
            step(done)


def _drawn(left: Sequence[Chunk], workers: int) -> Iterator[int]:
    """Draw chunks in this process, and in others where there are enough to do."""
    if workers < 2:
        yield from map(draw_chunk, left)
        return
    others, waiting, running = workers - 1, deque(left), set[Future[int]]()
    with ProcessPoolExecutor(others, get_context("spawn"), initializer=_begin) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * others:
                    running.add(pool.submit(draw_chunk, waiting.popleft()))
                if waiting:  # instead of looking on while the others start
                    yield draw_chunk(waiting.popleft())
                done, running = wait(running, 0 if waiting else None, FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin() -> None:
    """Leave Ctrl-C to the process that hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cv2.setNumThreads(1)


def draw_chunk(chunk: Chunk) -> int:
    """Draw and write some images; say how many."""
    lines: Lines = {name: [] for name in (*LISTS, *TABLES)}
    root, groups = str(chunk.folder), set[str]()
    for decided in chunk.plans():
        name = image_id(decided)
        group = name.rpartition("/")[0]
        if group not in groups:
            groups.add(group)
            for kind in PLANES:
                (chunk.folder / kind / group).mkdir(parents=True, exist_ok=True)
        painted = paint(decided, chunk.dials.size)
        known = know(decided, painted, chunk.dials)
        planes = (painted.picture, known.mask, painted.owners, painted.amodal)
        for kind, plane in zip(PLANES, planes, strict=True):
            _write(f"{root}/{kind}/{name}", encode(plane))
        for table, more in known.lines.items():
            lines[table] += more
    write_bytes(chunk.note, json.dumps(lines).encode())  # to wait for the disk takes much longer
    return chunk.stop - chunk.start


def _write(file: str, content: bytes) -> None:
    """Write a file; a chunk that is not noted as done is written again, so this may break off."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)


def finish(out: Path, wanted: Sequence[Chunk], splits: Iterable[str]) -> None:
    """Gather the lines of all chunks to lists and tables; the one that makes a split comes last."""
    for split in splits:
        own = [chunk for chunk in wanted if chunk.split == split]
        for table, header in TABLES.items():
            _gather(out / split / f"{table}.csv", own, table, [",".join(header)])
        for name in LISTS:
            _gather(out / split / f"{name}.txt", own, name, [])


def tidy(folder: Path) -> None:
    """Delete the notes of a split whose lists are written."""
    for note in sorted(folder.glob(".done-*.json")):
        note.unlink(missing_ok=True)


def _gather(file: Path, own: Sequence[Chunk], table: str, header: list[str]) -> None:
    """Write a table chunk by chunk, whole or not at all, whatever its length."""
    temporary = file.with_name(f".{file.name}.part")
    with temporary.open("w", encoding="utf-8", newline="") as lines:
        lines.writelines(f"{line}\n" for line in header)
        for number, chunk in enumerate(own):
            text = "\n".join(json.loads(chunk.note.read_text(encoding="utf-8"))[table])
            lines.write(f"\n{text}" if number else text)
        lines.write("\n" if header else "")  # the released lists end without one
    temporary.replace(file)
