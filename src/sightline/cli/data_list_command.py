"""`sightline data list`: data sets that are known by name, and formats that are recognised."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sightline import registry
from sightline.cli.output import deliver, table


@dataclass(frozen=True)
class Command:
    """List the data sets that are known by name, and the formats that are recognised.

    example:
      sightline data list
    """

    json: str = ""
    """write the list as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Print both lists."""
        known = [asdict(registry.load("dataset", n).DATASET) for n in registry.names("dataset")]
        formats = [asdict(entry) for entry in registry.describe("format")]
        rows = [
            {
                "name": dataset["name"],
                "classes": str(dataset["classes"]),
                "labels": dataset["labels"],
                "images by split": ", ".join(
                    f"{name} {count}" for name, count in dataset["images"].items()
                )
                or "-",
            }
            for dataset in known
        ]
        places = [f"  {dataset['name']:<12} {dataset['where']}" for dataset in known]
        lines = [f"  {entry['name']:<12} {entry['title']}" for entry in formats]
        text = "\n".join(
            [
                "Data sets (use them as NAME:FOLDER, with --split):",
                table(rows),
                "",
                "Where they come from ('sightline data check NAME:FOLDER' says what is missing):",
                *places,
                "",
                "Formats (recognised by themselves):",
                *lines,
            ]
        )
        deliver({"datasets": known, "formats": formats}, text, self.json)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
