"""Ray: the same rows as local processes, worker and driver killed, absent or out of reach."""

import importlib.util
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import fake_jobs
import pytest

from sightline import execution, rows
from sightline.errors import SightlineError, UsageError
from sightline.execution.ray import Ray

needs_ray = pytest.mark.skipif(
    not importlib.util.find_spec("ray"), reason="needs Ray: pip install 'sightline[ray]'"
)
ray_is_noisy = pytest.mark.filterwarnings("ignore")
COUNT, PAUSE = 6, 0.05


@pytest.fixture(scope="module")
def cluster():
    """Start two nodes on this machine, of one processor each."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    yield nodes
    nodes.shutdown()


def finish(folder, engine, how=None, count=COUNT, work=fake_jobs.misbehaving, **limits):
    jobs = fake_jobs.jobs(count, pause=PAUSE, **({"how": how} if how else {}))
    return execution.finish(jobs, work, folder, engine, limits=execution.Limits(**limits))


@needs_ray
@ray_is_noisy
def test_both_engines_give_the_same_rows(folder, tmp_path, cluster):
    local = tmp_path / "local"
    with execution.claimed(local):
        expected = finish(local, execution.Local(2))
    found = finish(folder, Ray(cluster.address))
    assert found.failures == []
    assert list(map(rows.result_hash, found.rows)) == list(map(rows.result_hash, expected.rows))
    assert [p.name for p in rows.find([folder])] == [p.name for p in rows.find([local])]
    assert len({row.provenance["process"] for row in found.rows}) == 2  # one on each node


@needs_ray
@ray_is_noisy
def test_failures_are_recorded_as_local_ones_are(folder, cluster):
    how = {"0": "raise", "1": "hang", "2": "eat", "3": "segfault", "4": "kill once"}
    found = finish(folder, Ray(cluster.address), how, seconds=3, gigabytes=0.25)
    assert [row.result["number"] for row in found.rows] == [4, 5]
    assert [failure.cause for failure in found.failures] == ["error", "time", "memory", "crash"]
    assert found.failures[0].reason.startswith("ValueError: three lines of it")


@needs_ray
@ray_is_noisy
@pytest.mark.parametrize("whom", ["ours", "Ray's own"])
def test_a_worker_killed_in_mid_trial_loses_nothing(folder, drive, cluster, tmp_path, whom):
    process = drive(folder / "rows", COUNT, 0.3, cluster.address)
    try:
        while not fake_jobs.diary(folder / "rows"):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        victim = int(fake_jobs.diary(folder / "rows")[0].split()[2])
        if whom != "ours":
            victim = int(Path(f"/proc/{victim}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(victim, signal.SIGKILL)
        assert process.wait(90) == 0
    finally:
        process.kill()
    check_against_undisturbed(folder / "rows", tmp_path, pause=0.3)


@needs_ray
@ray_is_noisy
@pytest.mark.long
def test_a_node_lost_in_mid_trial_loses_nothing(folder, drive, cluster, tmp_path):
    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    process = drive(folder / "rows", COUNT, 0.3, cluster.address)
    while len(fake_jobs.diary(folder / "rows")) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    cluster.remove_node(node, allow_graceful=False)
    assert process.wait(120) == 0
    check_against_undisturbed(folder / "rows", tmp_path, pause=0.3)


@needs_ray
@ray_is_noisy
@pytest.mark.long
def test_a_search_goes_on_after_its_driver_died(folder, drive, cluster, tmp_path):
    process = drive(folder / "rows", COUNT, 0.2, cluster.address)
    while len(list(rows.find([folder / "rows"]))) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.kill()
    process.wait()
    kept = {path: path.read_bytes() for path in rows.find([folder / "rows"])}
    again = drive(folder / "rows", COUNT, 0.2, cluster.address)
    assert again.wait(90) == 0
    assert {path: path.read_bytes() for path in kept} == kept
    check_against_undisturbed(folder / "rows", tmp_path, pause=0.2)


def check_against_undisturbed(folder, tmp_path, pause):
    alone = tmp_path / "alone"
    alone.mkdir()
    jobs = fake_jobs.jobs(COUNT, pause=pause)
    expected = [row.result for row in execution.run(jobs, fake_jobs.steps, alone)]
    found = [json.loads(path.read_text())["result"] for path in rows.find([folder])]
    assert sorted(found, key=lambda result: result["number"]) == expected
    assert not [line for line in fake_jobs.diary(folder) if line.startswith("again")]


@needs_ray
@ray_is_noisy
def test_more_than_any_machine_has_is_refused(folder, cluster):
    with pytest.raises(SightlineError, match="has 64 CPUs and 0 GPUs for a trial; ask for less"):
        finish(folder, Ray(cluster.address, cpus=64))


@needs_ray
@ray_is_noisy
def test_a_folder_that_the_machines_do_not_share(folder, cluster, monkeypatch):
    (folder / ".lock").unlink()  # as it looks from a machine that has another disk
    found = finish(folder, Ray(cluster.address), count=1)
    assert "choose a folder that all nodes share" in found.failures[0].reason


@needs_ray
def test_a_cluster_that_does_not_answer_is_one_line(folder):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(SightlineError, match=f"no Ray cluster answers at {address}; start one"):
            finish(folder, Ray(address))


@needs_ray
def test_no_cluster_on_this_machine_is_one_line(folder, monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(SightlineError, match=r"Ray cannot be reached \(.*\); start one with"):
        finish(folder, Ray("localhost"))


def test_without_ray_it_is_said_how_to_get_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match="Ray is not installed; pip install"):
        finish(folder, Ray())


@pytest.mark.parametrize("asked", [{"cpus": 0}, {"gpus": -1}])
def test_requests_that_mean_nothing(asked):
    with pytest.raises(UsageError):
        Ray(**asked)
