"""Runs jobs: a function that is handed over, on pure data, to result rows that are kept."""

from sightline.execution.local import row_path, run

__all__ = ["row_path", "run"]
