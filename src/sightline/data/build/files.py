"""Image folders, work on many files at once, and files written whole."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sightline.data.annotations import PICTURES
from sightline.data.paths import unsafe
from sightline.errors import DataError, Problem, UsageError
from sightline.progress import shown

T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], things: Sequence[T], workers: int, title: str) -> list[R]:
    """Do the same with many things on several threads; results keep the order of the things."""
    results: list[R] = []
    with shown(title, len(things)) as step, ThreadPoolExecutor(max(1, workers)) as pool:
        try:
            for result in pool.map(work, things):
                results.append(result)
                step(len(results))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def find_images(folder: Path) -> list[str]:
    """List the images below a folder by their paths in it, sorted; hidden ones are none."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of images")
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix[1:].lower() in PICTURES and path.is_file()
    )
    names = [name for name in names if not any(part[0] == "." for part in name.split("/"))]
    locate(folder, names)
    return names


def locate(root: Path, names: Sequence[str]) -> list[Path]:
    """Find images by their ids; none of them may be absent or lead out of the folder."""
    problems = [problem for name in names if (problem := _fault(root, name))]
    if problems:
        raise DataError(problems)
    return [root / name for name in names]


def _fault(root: Path, name: str) -> Problem | None:
    reason = unsafe(name)
    if reason:
        return Problem(f"image id '{name}' is {reason}", str(root), remedy="use a plain name")
    file = root / name
    if not file.is_file():
        return Problem("image file is missing", str(file), image=name, remedy="restore it")
    return None


def by_class(names: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """Group images by the folder they lie in; one that lies in none has no class."""
    groups: dict[str, list[str]] = {}
    for name in names:
        group, slash, _ = name.partition("/")
        if not slash:
            remedy = "put it into the folder of its class"
            raise DataError(
                [Problem("image lies in no class folder", str(folder / name), 0, "", remedy)]
            )
        groups.setdefault(group, []).append(name)
    return groups


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that nobody meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[-100:]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def place(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk has no such thing."""
    if target.exists() and target.samefile(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(source.resolve())
    except OSError:
        temporary = target.with_name(f".{target.name[-100:]}.part")
        shutil.copyfile(source, temporary)
        temporary.replace(target)
