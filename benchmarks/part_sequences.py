"""Part sequences: images made and classified a second, and memory that stays the same.

.venv/bin/python benchmarks/part_sequences.py [--images 10000] [--size 224] [--threads 1]

Pond gives the objects. First all images are made and thrown away, then they are made again while
the packaged classifier answers them: if making were what takes long, the first rate would be the
lower one. Memory is the largest so far, told as images go by.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sightline.data.build.recipes.pond import Options, make
from sightline.parts import named, sequences
from sightline.parts.annotated import read_annotated
from sightline.parts.classifiers.contract import Answered, Picture
from sightline.parts.classifying import Wanted, classify, count
from sightline.parts.prepared import Prepared
from sightline.parts.preparing import Choices, prepare
from sightline.parts.schemes import AS_IS, Schemes

ORDERINGS = ("e-us", "random")
CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")
SHOWN_EVERY = 10  # shares of all images


class Told:
    """Answers as another classifier does, and tells the largest memory now and then."""

    def __init__(self, inner: object, total: int) -> None:
        self.inner, self.total, self.done, self.next = inner, total, 0, 0.0
        self.title, self.labels = inner.title, inner.labels  # type: ignore[attr-defined]
        self.started = time.perf_counter()

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        """Answer, and tell."""
        found: list[Answered] = self.inner.answers(pictures, names)  # type: ignore[attr-defined]
        self.done += len(pictures)
        if self.done >= self.next:
            print(f"  {self.done:>6} images classified, {memory():6.0f} MB at most")
            self.next += self.total / SHOWN_EVERY
        return found


def main() -> None:
    """Print rates and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    orderings = tuple(named.chosen("ordering", ORDERINGS))
    contents = tuple(named.chosen("content", CONTENTS))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        prepared = objects(root, asked.images // 65 + 1, asked.size)
        wanted = Wanted(orderings, contents)
        counts = count(prepared, wanted)
        print(
            f"{len(prepared.objects)} objects of {asked.size} pixels: {counts.steps} images of"
            f" {counts.sequences} sequences, {counts.images} differ"
        )
        started = time.perf_counter()
        made = thrown_away(prepared, wanted)
        making = made / (time.perf_counter() - started)
        print(f"made alone        {making:8.1f} images a second on one thread")
        import torch

        torch.set_num_threads(asked.threads)
        chosen = named.read("classifier", "lite0")
        told = Told(chosen.module.load(chosen.options), counts.images)
        started = time.perf_counter()
        classify(prepared, {"lite0": told}, wanted, root / "answers")
        both = counts.images / (time.perf_counter() - started)
        print(f"made, classified  {both:8.1f} images a second, {asked.threads} threads of PyTorch")
        print(f"making is {making / both:.1f} times as fast as what is done with it")


def objects(root: Path, count: int, size: int) -> Prepared:
    """Draw Pond and prepare a split of it."""
    make(Options(images=5 * count, size=size), root / "pond", seed=0, workers=1)
    source = read_annotated(str(root / "pond"), split="test")
    prepare(source, Schemes(AS_IS, "drop"), root / "prepared", Choices(room="any"))
    return Prepared(root / "prepared")


def thrown_away(prepared: Prepared, wanted: Wanted) -> int:
    """Make all images."""
    orders = sequences.orders(prepared, wanted.orderings)
    made = 0
    for one in prepared.objects:
        plan = sequences.plan(one, prepared.masks(one), orders, wanted.contents, wanted.first)
        context = prepared.context(one)
        made += sum(1 for _ in sequences.pictures(plan, context, wanted.contents))
    return made


def memory() -> float:
    """Give the largest memory so far in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
