"""A driver for tests to kill: `python driver.py ENGINE FOLDER JOBS PAUSE`."""

import sys
from pathlib import Path

import fake_jobs

from sightline import execution
from sightline.execution.ray import Ray


def main() -> None:
    name, place, count, pause = sys.argv[1:]
    engine = (
        execution.Local(2) if name == "local" else Ray("" if name == "ray" else name, workers=2)
    )
    folder = Path(place)
    with execution.claimed(folder):
        execution.finish(
            fake_jobs.jobs(int(count), pause=float(pause)), fake_jobs.steps, folder, engine
        )


if __name__ == "__main__":
    main()
