"""What `sightline parts score` and `sightline parts hardness` have in common."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from sightline.errors import UsageError

if TYPE_CHECKING:
    from sightline.parts.scores.collecting import Collected
    from sightline.parts.scores.meaning import Meanings
    from sightline.parts.scores.scoring import Scores


@dataclass(frozen=True)
class Scoring:
    """The flags of both commands."""

    answers: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """files of answers (Parquet or CSV), or folders of them"""
    out: Path | None = None
    """folder to write to"""
    measure: str = "wup"
    """similarity of label and category; see 'sightline list similarities'"""
    mapping: str = "by-hand"
    """what counts as right: by-hand, hypernymy, or a CSV file (category, label)"""
    average: Literal["median-mean-mean", "mean", "pooled-median"] = "median-mean-mean"
    """over images, part schemes and categories; or mean, or pooled-median"""
    synsets: Path | None = None
    """CSV file (name, synset): the nouns of WordNet 3.0 that categories and labels mean"""
    labels: Path | None = None
    """file of all labels of classifiers whose answers do not tell them, one a line"""
    senses: Literal["first", "stop"] = "first"
    """of a name with several: take the most frequent one and say so, or stop"""
    wordnet: Path | None = None
    """folder of an installed WordNet 3.0, for measures that need it"""
    on_error: Literal["stop", "skip"] = "stop"
    """of answers that are incomplete and labels that mean nothing"""
    json: str = ""
    """write everything as JSON to this file, or - for standard output"""

    def scored(self) -> "tuple[Scores, Collected, Meanings]":
        """Read answers, find what they mean, score them."""
        from sightline.parts import answers
        from sightline.parts.scores import collecting, meaning, scoring
        from sightline.parts.similarity import measuring
        from sightline.parts.wordnet.installed import WordNet

        options = scoring.Options(self.measure, self.mapping, self.average)
        measure = measuring.make(self.measure, WordNet(self.wordnet))
        skip = self.on_error == "skip"
        collected = self._with_labels(collecting.collect(answers.find(self.answers), skip=skip))
        known = [label for of in collected.about.labels.values() for label in of]
        meanings = meaning.understand(
            sorted(set(collected.frame["category"])),
            [*known, *collected.labels],
            measure,
            self.mapping,
            told=meaning.read_synsets(self.synsets) if self.synsets else {},
            senses=self.senses,
            skip=skip,
        )
        return scoring.score(collected, meanings, options), collected, meanings

    def _with_labels(self, collected: "Collected") -> "Collected":
        """Give those whose labels are not known the ones of the file, or ILSVRC's."""
        from dataclasses import replace

        from sightline.data.class_names import imagenet, read_class_names

        who = list(dict.fromkeys(collected.frame["classifier"]))
        lacking = [name for name in who if not collected.about.labels.get(name)]
        if not lacking:
            return collected
        if self.labels:
            given = tuple(names[0] for names in read_class_names(self.labels).names)
        elif set(collected.labels) <= set(imagenet().synsets):
            given = imagenet().synsets
        else:
            return collected  # without all labels there is no chance level
        labels = {**collected.about.labels, **dict.fromkeys(lacking, given)}
        return replace(collected, about=replace(collected.about, labels=labels))

    @staticmethod
    def notes(collected: "Collected", meanings: "Meanings") -> list[str]:
        """Say what was decided and what was left out."""
        counts = ", ".join(f"{name} {len(of)}" for name, of in meanings.mapping.labels.items())
        frame = collected.frame
        found = [
            f"answers  {len(collected.best)} in {len(frame)} sequences"
            f" of {frame.groupby('category')['image'].nunique().sum()} images",
            f"mapping  {meanings.mapping.name}: {counts}",
        ]
        empty = meanings.mapping.empty
        if empty:
            found.append(f"warning  no label counts as {', '.join(empty)}: all answers are wrong")
        found += [f"sense    {note}" for note in meanings.notes[:10]]
        unsaid = len(meanings.notes) - 10
        found += [f"sense    {unsaid} more names have several"] if unsaid > 0 else []
        skipped = [*collected.problems, *meanings.problems]
        found += [f"left out {problem}" for problem in skipped[:10]]
        found += [f"left out {len(skipped) - 10} more"] if len(skipped) > 10 else []
        return found


def checked(resamples: int, seed: int) -> None:
    """Refuse numbers that mean nothing."""
    if resamples < 0 or resamples == 1 or seed < 0:
        raise UsageError("--resamples is 0 or from 2 on, and --seed starts at 0")
