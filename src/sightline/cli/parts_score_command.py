"""`sightline parts score`: how early classifiers know what they see."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from sightline.cli.output import deliver
from sightline.cli.parts_scoring import Scoring, checked
from sightline.errors import UsageError


@dataclass(frozen=True)
class Command(Scoring):
    """Score answers to part sequences: CDS and B-CDS, with the tables of paper 002.

    ANSWERS come from 'sightline parts sequences --classifiers', or are a CSV file that people have
    filled in, with the columns image, category, part_scheme, content, step, steps and labels.
    Chance and floor stand beside every CDS: a classifier that names any label would have the one,
    one that always names the best label there is the other.

    --out writes a row, from which 'sightline report' makes the same tables and figures.

    example:
      sightline parts score answers --out scores

      CDS by content
      classifier  intra-object  neighborhood                  low-detail  ...  chance  floor
      lite0       0.4213        0.3897 (+7.50 % [+4.1, +9.8])  0.3302      ...  0.4812  0.0571
    """

    resamples: int = 500
    """of the images of each category, for intervals; 0 for none"""
    seed: int = 0
    """of the resampling"""

    def run(self) -> None:
        """Score, write and print."""
        from sightline.parts.scores import layouts, recording
        from sightline.reports import tables as paper
        from sightline.reports.tables import Table

        checked(self.resamples, self.seed)
        scores, collected, meanings = self.scored()
        made, lacking = [], []
        makers = dict(layouts.LAYOUTS)
        for name, metric in (("part-contents", "cds"), ("part-contents-binary", "b_cds")):
            makers[name] = partial(
                layouts.contents, metric=metric, seed=self.seed, times=self.resamples
            )
        for name, make in makers.items():
            try:
                made.append(make(scores))
            except UsageError as error:
                lacking.append(f"not made {name}: {error}")
        notes = [*self.notes(collected, meanings), *lacking]
        numbers = {m.name: m.numbers for m in made}
        content: dict[str, Any] = {"tables": numbers, "notes": notes}
        if self.out:
            row = recording.record(scores, collected, meanings, numbers, self.out)
            shown = [Table(m.name, m.title, m.lines, m.notes, m.numbers) for m in made]
            paper.write(shown, self.out)
            for one in made:
                if one.draw:
                    one.draw(self.out / f"{one.name}.png")
            content |= {"row": self.out / recording.ROW, "ledger": list(map(asdict, row.ledger))}
            notes.append(f"row      {self.out / recording.ROW}")
        texts = [paper.as_text(Table(m.name, m.title, m.lines, m.notes)) for m in made]
        deliver(content, "\n\n".join([*texts, "\n".join(notes)]), self.json)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
