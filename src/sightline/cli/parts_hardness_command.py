"""`sightline parts hardness`: which images are hard, and which of their parts machines fail on."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.output import deliver, table
from sightline.cli.parts_scoring import Scoring

if TYPE_CHECKING:
    from sightline.parts.scores.hardness import Row
    from sightline.parts.scores.scoring import Scores

SHOWN = 10


@dataclass(frozen=True)
class Command(Scoring):
    """Rank images by semantic hardness: the median of their CDS (paper 002, supplement C).

    For each content it is over classifiers and part schemes, for each classifier over contents and
    part schemes. ANSWERS may be the folder of 'sightline parts score --out', too.

    CAPTCHA candidates are images of a sequence that come too early for all classifiers: from the
    second on, before the least hardness of the image, as a share of the sequence's length.

    example:
      sightline parts hardness scores --images prepared --out hard

      low-detail     easiest: 2008_004995 0.051, ... hardest: 2010_000489 0.771, ...
      ...
    """

    images: Path | None = None
    """folder of 'sightline parts prepare', or of pictures named by image: draws the galleries"""

    def run(self) -> None:
        """Rank, write and print."""
        from sightline.parts.scores import hardness

        scores, notes = self._scores()
        tables: dict[str, Any] = {
            name: hardness.hardness(scores.frame, name) for name in hardness.FIXED
        }
        rows: dict[str, list[Row]] = {
            name: hardness.gallery(found) for name, found in tables.items()
        }
        candidates = hardness.captchas(scores.frame)
        lines = [_line(row) for of in rows.values() for row in of]
        if self.out:
            notes += self._write(tables, rows, candidates, self.out)
        shown = [
            {
                "image": one.image,
                "category": one.category,
                "threshold": f"{one.threshold:.3f}",
                "steps": f"{one.first} to {one.last} of {one.steps}",
            }
            for one in candidates[:SHOWN]
        ]
        title = f"CAPTCHA candidates: {len(candidates)} images"
        text = "\n".join([*lines, "", title, table(shown), "", *notes])
        content: dict[str, Any] = {
            "hardness": {
                name: [
                    {"category": category, "image": image, **scored.to_dict()}
                    for (category, image), scored in zip(
                        found.index.tolist(), (line for _, line in found.iterrows()), strict=True
                    )
                ]
                for name, found in tables.items()
            },
            "gallery": {name: list(map(asdict, of)) for name, of in rows.items()},
            "captchas": list(map(asdict, candidates)),
            "notes": notes,
        }
        deliver(content, text, self.json)

    def _scores(self) -> "tuple[Scores, list[str]]":
        from sightline.parts.scores import recording

        found = recording.find([place for place in self.answers if place.exists()])
        if len(found) == 1:
            return recording.load(found[0]), [f"scores   {found[0]}"]
        scores, collected, meanings = self.scored()
        return scores, self.notes(collected, meanings)

    def _write(
        self, tables: dict[str, Any], rows: "dict[str, list[Row]]", candidates: Any, out: Path
    ) -> list[str]:
        import pandas as pd

        from sightline.parts.scores import galleries
        from sightline.rows import write_whole

        notes = []
        for name, found in tables.items():
            file = out / f"hardness-by-{name}.csv"
            write_whole(file, found.reset_index().to_csv(index=False, lineterminator="\n"))
            notes.append(f"written  {file}")
            if self.images:
                sheet = galleries.draw(rows[name], self.images, out / f"hardness-by-{name}.png")
                notes.append(f"gallery  {sheet}")
        listed = pd.DataFrame([asdict(one) for one in candidates])
        write_whole(out / "captchas.csv", listed.to_csv(index=False, lineterminator="\n"))
        return [*notes, f"written  {out / 'captchas.csv'}"]


def _line(row: "Row") -> str:
    named = [f"{image} {score:.3f}" for image, score in zip(row.images, row.scores, strict=True)]
    return f"{row.name:<16} easiest: {', '.join(named[:3])}; hardest: {', '.join(named[-3:])}"


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
