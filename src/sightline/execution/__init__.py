"""Runs jobs: a function that is handed over, on pure data, to result rows that are kept."""

from sightline.execution.contract import Engine, Failure, Limits, Place, Work, row_path
from sightline.execution.finishing import Finished, finish
from sightline.execution.keeping import claimed
from sightline.execution.local import Local, run

__all__ = [
    "Engine",
    "Failure",
    "Finished",
    "Limits",
    "Local",
    "Place",
    "Work",
    "claimed",
    "finish",
    "row_path",
    "run",
]
