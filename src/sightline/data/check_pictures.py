"""Whether the pictures of a split are there and can be read; what is unusual, by name."""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sightline import progress
from sightline.data.annotations import PICTURES, Annotations
from sightline.data.finding import find_picture
from sightline.data.photographs import Facts, header_problems_of, problems_of
from sightline.errors import Problem
from sightline.types import Masks

Size = tuple[int, int]
NO_FOLDER = "pictures were not looked at: no folder of images is known; pass --images FOLDER"


@dataclass(slots=True)
class Pictures:
    """What was found out about the pictures of a split."""

    files: dict[str, Path] = field(default_factory=dict)  # by image, those that can be read
    facts: dict[str, Facts] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unusual: dict[str, list[str]] = field(default_factory=dict)  # remark -> images
    notes: list[str] = field(default_factory=list)
    roots: set[Path] = field(default_factory=set)  # folders in which any picture was found
    listed: list[Path] = field(default_factory=list)  # files that are there, sound or not


def check_pictures(annotations: Annotations, *, decode: bool) -> Pictures:
    """Find the picture of every image and read it, or its header alone."""
    found = Pictures()
    sizes = _sizes(annotations)
    roots = [root for root in annotations.picture_roots if root.is_dir()]
    if not annotations.picture_roots:
        found.notes.append(NO_FOLDER)
    if not roots or not sizes:
        return found
    files = {image: find_picture(image, roots) for image in sizes}
    present = {image: file for image, file in files.items() if file}
    absent = [image for image, file in files.items() if not file]
    found.problems += _absent(absent, len(files), roots[0])
    found.listed = list(present.values())
    found.roots = {root for root in roots for f in present.values() if f.is_relative_to(root)}
    read = problems_of if decode else header_problems_of
    workers = min(4, os.cpu_count() or 1)
    with (
        ThreadPoolExecutor(workers) as pool,
        progress.shown("reading pictures", len(present)) as step,
    ):
        answers = pool.map(lambda image: read(present[image], sizes[image]), present)
        for done, (image, (problems, unusual, facts)) in enumerate(
            zip(present, answers, strict=True), start=1
        ):
            found.problems += [_about(problem, image) for problem in problems]
            for remark in unusual:
                found.unusual.setdefault(remark, []).append(image)
            if facts and not problems:
                found.files[image], found.facts[image] = present[image], facts
            step(done)
    return found


def _sizes(annotations: Annotations) -> Mapping[str, Size]:
    """List the images, those without annotations too, with their stated sizes."""
    split = annotations.split
    sizes = (tuple(map(int, size)) for size in split.sizes)
    stated = {image: (size[0], size[1]) for image, size in zip(split.images, sizes, strict=True)}
    return stated | {image: (0, 0) for image in annotations.unannotated if image not in stated}


def _absent(images: list[str], listed: int, root: Path) -> list[Problem]:
    if images and len(images) == listed:
        what = f"none of the {listed} images that are listed is here"
        return [Problem(what, str(root), remedy="restore them, or pass --images FOLDER")]
    return [
        Problem("image file is missing", str(root / image), image=image, remedy="restore it")
        for image in images
    ]


def _about(problem: Problem, image: str) -> Problem:
    return Problem(problem.what, problem.file, problem.line, image, problem.remedy)


def unlisted(roots: Iterable[Path], listed: Iterable[Path], masks: Iterable[Masks]) -> list[str]:
    """List the pictures below the folders that no list names; masks are none."""
    known = {file.resolve() for file in listed}
    for group in masks:
        sources = (source for item in (*group.objects, *group.ignored) for source in item)
        files = (s if isinstance(s, Path) else getattr(s, "file", None) for s in sources)
        known.update(file.resolve() for file in files if file)
    found = {file for root in roots for file in _pictures(root) if file.resolve() not in known}
    return sorted(str(file) for file in found)


def _pictures(root: Path) -> Iterator[Path]:
    for file in root.rglob("*"):
        if file.suffix.lower()[1:] in PICTURES and not file.name.startswith("."):
            yield file
