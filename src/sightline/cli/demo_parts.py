"""The part benchmark in the demo: a classifier of species, judged on species and on groups."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.output import table

if TYPE_CHECKING:
    from sightline.cli.demo_stages import Story

LEVELS = {"species": "", "groups": "pond-groups"}  # and what gathers classes to them
ORDERINGS = ("e-us", "random")
CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")
CLASSIFIER = "cam"
TABLES = ("part-contents", "part-contents-binary")
EACH = {"species": 2, "groups": 6}  # objects of a category


def benchmark(story: "Story") -> None:
    """Prepare, classify and score, as `sightline parts prepare`, `sequences`, `score` do."""
    if CLASSIFIER not in story.trained:
        return
    synsets = _synsets(story.data, story.out / "parts")
    for level, gathered in LEVELS.items():
        story.judged[level] = _judged(story, level, gathered, synsets)


def _synsets(data: Path, out: Path) -> Path:
    """Write which nouns Pond's classes and groups are."""
    from sightline.parts.prepared import write_table

    with (data / "classes.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    known = {one["species"]: one["synset"] for one in lines}
    known |= {one["group"]: one["group_synset"] for one in lines}
    write_table(out / "synsets.csv", ("name", "synset"), sorted(known.items()))
    return out / "synsets.csv"


def _judged(story: "Story", level: str, gathered: str, synsets: Path) -> Any:
    from sightline.parts import named
    from sightline.parts.annotated import read_annotated
    from sightline.parts.classifiers import run
    from sightline.parts.classifying import Wanted, classify
    from sightline.parts.prepared import Prepared
    from sightline.parts.preparing import Choices, prepare
    from sightline.parts.schemes import AS_IS, SHIPPED, read_schemes

    folder = story.out / "parts" / level
    categories = SHIPPED / f"{gathered}.csv" if gathered else None
    source = read_annotated(str(story.data), split="test")
    schemes = read_schemes(AS_IS, "drop", categories)
    prepare(source, schemes, folder / "prepared", Choices(room="any"))
    names = str(story.data / "class_names.txt")
    classifier = run.load(run.Options(story.out / "runs" / CLASSIFIER, names))
    wanted = Wanted(
        tuple(named.chosen("ordering", ORDERINGS)),
        tuple(named.chosen("content", CONTENTS)),
        objects=EACH[level],
    )
    answers = classify(Prepared(folder / "prepared"), {CLASSIFIER: classifier}, wanted, folder)
    return _scored(answers[CLASSIFIER], synsets, story.rows(f"parts-{level}"))


def _scored(answers: Path, synsets: Path, out: Path) -> Any:
    from sightline.cli.parts_score_command import Command
    from sightline.parts.scores import layouts, recording

    command = Command((answers,), mapping="hypernymy", average="mean", synsets=synsets)
    scores, collected, meanings = command.scored()
    made = [layouts.contents(scores, metric=m, seed=0, times=0) for m in ("cds", "b_cds")]
    numbers = {one.name: one.numbers for one in made}
    return recording.record(scores, collected, meanings, numbers, out)


def summary(story: "Story") -> str:
    """Say how the classifier did on either level, chance beside it."""
    lines = []
    for level, row in story.judged.items():
        for name, metric in zip(TABLES, ("CDS", "B-CDS"), strict=True):
            cells = row.result["tables"][name]
            found = {one["content"]: one for one in cells if one["metric"] != "improvement"}
            line = {"judged on": level, "score": metric}
            line |= {content: _cell(found[content]["value"]) for content in CONTENTS}
            lines.append(line | {"chance": _cell(found[CONTENTS[0]]["chance"])})
    if not lines:
        return ""
    told = "parts added one by one, shown in four ways; 0 is right from the first part on"
    return f"\n{table(lines)}\n{CLASSIFIER}, trained on species; {told}\n"


def _cell(value: float) -> str:
    return f"{value:.3f}"
