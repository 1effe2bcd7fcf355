"""Jobs: done once, resumed, told apart by whatever determines their result."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline import execution, rows
from sightline.types import Job, ResultRow

JOBS = [Job("square", {"number": number}) for number in range(4)]


def square(job: Job, folder: Path) -> ResultRow:
    with (folder / "calls").open("a") as stream:
        stream.write(f"{job.options['number']}\n")
    return ResultRow({"value": job.options["number"] ** 2})


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().split()


def test_rows_come_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    found = [row.result["value"] for row in execution.run(JOBS, square, tmp_path)]
    assert found == [0, 1, 4, 9]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    list(execution.run(JOBS, square, tmp_path))
    again = [row.result["value"] for row in execution.run(JOBS, square, tmp_path)]
    assert again == [0, 1, 4, 9]
    assert calls(tmp_path) == ["0", "1", "2", "3"]


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    def stopping(job: Job, folder: Path) -> ResultRow:
        if job.options["number"] == 2:
            raise KeyboardInterrupt
        return square(job, folder)

    with pytest.raises(KeyboardInterrupt):
        list(execution.run(JOBS, stopping, tmp_path))
    found = [row.result["value"] for row in execution.run(JOBS, square, tmp_path)]
    assert found == [0, 1, 4, 9]
    assert calls(tmp_path) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "cube"},
        {"options": {"number": 1, "more": 2}},
        {"protocol": {"name": "exact"}},
        {"seed": 1},
        {"threads": 2},
        {"inputs": {"data": "abc"}},
    ],
)
def test_whatever_determines_the_result_makes_another_job(change: dict[str, object]) -> None:
    job = Job("square", {"number": 1})
    assert rows.job_id(replace(job, **change)) != rows.job_id(job)  # type: ignore[arg-type]


def test_the_order_of_options_does_not_matter() -> None:
    first, second = Job("k", {"a": 1, "b": 2}), Job("k", {"b": 2, "a": 1})
    assert rows.job_id(first) == rows.job_id(second)
