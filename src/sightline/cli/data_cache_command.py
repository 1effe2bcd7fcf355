"""`sightline data cache`: where decoded photographs lie, and how to be rid of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.cli.output import deliver


@dataclass(frozen=True)
class Command:
    """Tell where decoded photographs are kept and how much they take up, or delete them.

    example:
      sightline data cache --clear
    """

    folder: Path | None = None
    """where to look (SIGHTLINE_HOME or the user's folder for caches if not given)"""
    clear: bool = False
    """delete them; whatever needs them decodes its photographs again"""
    json: str = ""
    """write folder, files and bytes as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Look, and delete if told to."""
        from sightline.data.pipeline import cache

        folder = self.folder or cache.default_folder()
        files = {str(file): size for file, size in cache.kept(folder)}
        if self.clear:
            cache.clear(folder)
        total = sum(files.values())
        deed = "deleted" if self.clear else "kept"
        many = "list" if len(files) == 1 else "lists"
        text = f"{folder}: photographs of {len(files)} {many}, {total / 1e6:.1f} MB, {deed}"
        content = {"folder": folder, "files": files, "bytes": total, "deleted": self.clear}
        deliver(content, text, self.json)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
