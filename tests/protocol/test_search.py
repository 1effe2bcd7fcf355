"""The search: drawn first, resumed, compared with its table, chosen by any criterion."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that workers find the work by name

import fake_training

from sightline import execution, rows
from sightline.errors import DataError, SightlineError, UsageError
from sightline.protocol import samplers, trials
from sightline.protocol import search as searching
from sightline.protocol.search import search
from sightline.protocol.search_folder import run_folder
from sightline.protocol.search_plan import SearchPlan, Subject


@pytest.fixture(autouse=True)
def _no_data(monkeypatch):
    """Search on nothing: what the data are is not the question here."""
    monkeypatch.setattr(searching, "inputs_of", lambda subject, **_: {"train": "a", "val": "b"})


@pytest.fixture
def out(tmp_path):
    return tmp_path / "search"


def run(out, method="cam", trials=8, workers=2, plan=None, options=None, backbone=None, **settings):
    subject = Subject(
        method=method,
        backbone=backbone or "small-plain",
        data="data",
        plan={"epochs": 10, **(plan or {})},
        options=options or {},
    )
    return search(
        subject,
        out,
        SearchPlan(trials=trials, **settings),
        engine=execution.Local(workers),
        train=fake_training.trial,
    )


def diary(out):
    return (out / "diary").read_text().split()


def results(found):
    return [one.result for one in found.outcomes]


def test_one_row_a_trial_and_the_best_of_those_that_converged(out):
    found = run(out, trials=12)
    assert len(list(rows.find([out]))) == 12
    assert sorted(diary(out), key=int) == [str(i) for i in range(12)]
    values = [
        row.result["value"] if row.result["status"] == "converged" else -1 for row in found.outcomes
    ]
    assert found.best == values.index(max(values))
    assert found.chosen == out / "trials" / f"{found.best:04d}"
    assert found.criterion == "MaxBoxAccV2"
    assert found.counts()["converged"] + found.counts()["diverged"] == 12
    assert found.counts()["diverged"] > 0


def test_the_table_is_there_before_the_first_trial_and_says_what_was_run(out):
    found = run(out, "spg")
    table = trials.read(out)
    assert tuple(map(trials.values, table)) == found.draws
    for draw, row in zip(table, found.outcomes, strict=True):
        made = {**row.result["plan"], **row.result["options"]}
        assert {name: made[name] for name in draw} == draw


def test_the_table_precedes_the_trials(out, monkeypatch):
    def finish(jobs, *rest, **named):
        assert len(trials.read(out)) == 8
        raise KeyboardInterrupt

    monkeypatch.setattr(execution, "finish", finish)
    with pytest.raises(KeyboardInterrupt):
        run(out)
    assert len(trials.read(out)) == 8


def test_a_search_that_is_done_does_nothing(out):
    first = run(out)
    before = diary(out)
    again = run(out)
    assert diary(out) == before
    assert results(again) == results(first)
    assert again.best == first.best


def test_a_trial_that_failed_is_tried_again_with_the_same_draw(out, tmp_path):
    out.mkdir()
    (out / "how-2").write_text("raise once")
    (out / "how-4").write_text("kill")
    first = run(out)
    assert first.counts()["failed"] == 2
    assert [one.cause for one in first.outcomes if isinstance(one, execution.Failure)] == [
        "error",
        "crash",
    ]
    assert (out / "trials/0002/train.failed.json").is_file()
    (out / "how-4").unlink()
    again = run(out)
    assert "failed" not in again.counts()
    assert results(again) == results(run(tmp_path / "other"))


def test_a_longer_search_goes_on_with_the_same_draws(out, tmp_path):
    run(out, trials=4)
    longer = run(out, trials=8)
    assert results(longer) == results(run(tmp_path / "other", trials=8))
    assert len(diary(out)) == 8
    assert len(run(out, trials=3).outcomes) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"method": "has"}, "method cam where has is asked for"),
        ({"plan": {"epochs": 3}}, "plan.epochs 10 where 3 is asked for"),
        ({"plan": {"batch": 4}}, "plan.batch None where 4 is asked for"),
        ({"plan": {"seed": 1}}, "plan.seed None where 1 is asked for"),
        ({"proxy": 0.5}, "search.proxy 1.0 where 0.5 is asked for"),
        ({"backbone": "small-resnet"}, "backbone small-plain where small-resnet is asked for"),
    ],
)
def test_another_search_in_the_same_folder_is_refused(out, change, said):
    run(out, trials=2)
    with pytest.raises(UsageError, match=said):
        run(out, trials=2, **change)


def test_other_data_in_the_same_place_are_another_search(out, monkeypatch):
    run(out, trials=2)
    monkeypatch.setattr(searching, "inputs_of", lambda subject, **_: {"train": "a", "val": "c"})
    with pytest.raises(UsageError, match=r"inputs\.val b where c is asked for"):
        run(out, trials=2)


def test_two_searches_at_a_time_in_one_folder_are_refused(out):
    with execution.claimed(out), pytest.raises(SightlineError, match="is at work here"):
        run(out, trials=2)


@pytest.mark.parametrize(
    ("line", "text"), [(1, "1,0.5"), (2, "7,0.5,14"), (2, "1,0.5,14,3"), (2, "")]
)
def test_a_table_that_was_spoilt_is_said_to_be_so(out, line, text):
    run(out, trials=3)
    lines = (out / trials.TABLE).read_text().splitlines()
    lines[line] = text
    (out / trials.TABLE).write_text("\n".join(lines) + "\n")
    with pytest.raises((DataError, SightlineError), match=r"trials\.csv|trials/"):
        run(out, trials=3)


def test_a_table_that_was_edited_is_told_from_what_was_run(out):
    run(out, trials=3)
    file = out / trials.TABLE
    lines = file.read_text().splitlines()
    lines[2] = "1,0.25,16"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(SightlineError, match=r"trials/0001: was run with lr .* has 0.25"):
        run(out, trials=3)


def test_a_table_without_a_search_is_not_taken_over(out):
    out.mkdir()
    trials.write(out, [{"lr": 0.1}])
    with pytest.raises(UsageError, match=r"has a trials\.csv of something else"):
        run(out, trials=3)


def test_best_by_any_criterion(out):
    by_value = run(out)
    by_class = run(out, criterion="top1")
    by_loss = run(out, criterion="loss")
    rates = {i: d["lr"] for i, d in enumerate(by_value.draws) if d["lr"] <= 0.01}
    assert by_class.best == max(rates, key=rates.get)
    assert by_loss.best == min(rates, key=rates.get)
    assert by_value.best == min(rates, key=lambda i: abs(__import__("math").log(rates[i] / 0.003)))
    assert len(diary(out)) == 8


def test_a_criterion_that_was_not_recorded(out):
    with pytest.raises(UsageError, match="'PxAP' was not recorded; there are MaxBoxAccV2, top1"):
        run(out, criterion="PxAP")


def test_no_choice_where_nothing_converged(out):
    found = run(out, trials=3, plan={"lr": 0.9})
    assert (found.best, found.chosen, found.final) == (None, None, None)
    assert found.counts() == {"diverged": 3}


def test_what_is_given_is_not_drawn(out):
    found = run(out, "spg", trials=2, plan={"lr": 0.01}, options={"low_c": 0.5})
    assert all("lr" not in draw and "low_c" not in draw for draw in found.draws)
    assert {row.result["plan"]["lr"] for row in found.outcomes} == {0.01}
    assert {row.result["options"]["low_c"] for row in found.outcomes} == {0.5}


def test_a_proxy_ends_with_the_choice_trained_in_full(out):
    found = run(out, trials=3, proxy=0.1)
    assert found.chosen == out / "final"
    assert diary(out).count("final") == 1
    assert found.final.result["plan"]["lr"] == found.draws[found.best]["lr"]
    assert run(out, trials=3, proxy=0.1).final.result == found.final.result
    assert diary(out).count("final") == 1


def test_few_shot_is_searched_on_a_part_and_trained_on_all(out):
    found = run(out, "few-shot", trials=3)
    assert found.final.result["plan"]["evaluate_every"] == 0
    assert all("evaluate_every" not in row.result["plan"] for row in found.outcomes)


def test_a_final_run_that_fails_is_said_and_tried_again(out):
    out.mkdir()
    (out / "how-None").write_text("raise once")
    with pytest.raises(SightlineError, match="could not be trained in full: ValueError"):
        run(out, trials=2, proxy=0.5)
    assert run(out, trials=2, proxy=0.5).final is not None


def test_the_labels_that_all_trials_looked_at_are_counted_once(out):
    assert run(out, trials=3).ledger == [fake_training.LEDGER]


def test_the_grid_of_the_realistic_space(out):
    found = run(out, "has", trials=3, space="realistic", own_draws=2)
    assert len(found.outcomes) == 6
    assert set(found.draws[0]) >= {"lr", "weight_decay", "decay_factor", "decay_every"}
    assert SearchPlan(trials=180, own_draws=4, space="realistic").count == 720


def test_rows_of_another_version_are_told(out):
    run(out, trials=2)
    file = run_folder(out, 1) / "train.row.json"
    row = rows.load(file)
    rows.save(replace(row, provenance={"versions": {"sightline": "0.0.1"}}), file)
    (note,) = run(out, trials=2).notes
    assert note.startswith("1 trials were run by sightline 0.0.1, this is ")


@pytest.mark.parametrize(
    "wrong",
    [{"proxy": 0}, {"proxy": 1.5}, {"trials": 0}, {"space": "realistic", "sampler": "tpe"}],
)
def test_plans_that_mean_nothing(wrong):
    with pytest.raises(UsageError):
        SearchPlan(**wrong)


def test_without_optuna_it_is_said_how_to_get_it(out, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UsageError, match="Optuna is not installed; pip install"):
        run(out, trials=2, sampler="tpe")


@pytest.fixture
def _optuna():
    pytest.importorskip("optuna", reason="needs Optuna: pip install 'sightline[optuna]'")


@pytest.mark.usefixtures("_optuna")
@pytest.mark.filterwarnings("ignore")
def test_a_sampler_that_learns_draws_the_same_for_any_number_of_workers(out, tmp_path):
    first = run(out, "spg", trials=20, workers=1, sampler="tpe")
    second = run(tmp_path / "other", "spg", trials=20, workers=2, sampler="tpe")
    assert first.draws == second.draws
    for draw in first.draws:
        assert draw["low_c"] <= draw["high_c"]
    early, late = first.draws[: samplers.GROUP], first.draws[samplers.GROUP :]
    assert all(draw not in early for draw in late)


@pytest.mark.usefixtures("_optuna")
@pytest.mark.filterwarnings("ignore")
def test_a_sampler_that_learns_goes_on_where_it_was(out, tmp_path):
    whole = run(tmp_path / "whole", trials=12, sampler="tpe")
    shutil.copytree(tmp_path / "whole", out)
    for number in range(samplers.GROUP - 2, 12):
        shutil.rmtree(run_folder(out, number))
    table = trials.read(out)[: samplers.GROUP]
    trials.write(out, table)
    again = run(out, trials=12, sampler="tpe")
    assert again.draws == whole.draws
    assert results(again) == results(whole)


def test_a_kill_in_the_middle_of_a_search_changes_nothing(out, tmp_path, python):
    code = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent)]!r}
from pathlib import Path
import fake_training
from sightline import execution
from sightline.protocol import search, search_plan
search.inputs_of = lambda subject, **_: {{"train": "a", "val": "b"}}
subject = search_plan.Subject(
    method="cam", backbone="small-plain", data="data", plan={{"epochs": 10}}
)
import os, threading, signal
threading.Timer(float(sys.argv[1]), lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
search.search(subject, Path({str(out)!r}), search_plan.SearchPlan(trials=8),
    engine=execution.Local(2), train=fake_training.trial)
"""
    os.environ["FAKE_PAUSE"] = "0.2"
    try:
        for moment in (0.3, 1.0, 1.4):
            assert python("-c", code, moment).code == -9
    finally:
        del os.environ["FAKE_PAUSE"]
    assert results(run(out)) == results(run(tmp_path / "other"))
    assert len(list(rows.find([out]))) == 8
