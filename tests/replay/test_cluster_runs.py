"""Work on a real Dask cluster: the same results, whatever happens to a worker."""

from __future__ import annotations

import functools
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import dsh_calibrate
from cluster_processes import cluster_of, needs_dask, until
from cluster_work import dying, dying_once, failing, here
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.engine import engine_id
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.executors import dask_client, dask_tasks
from dsh_calibrate.replay.executors.cluster import Cluster, ClusterError
from dsh_calibrate.replay.executors.cluster_tasks import Refused, run_checked
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs

pytestmark = [needs_dask, pytest.mark.slow]

PLAN = Plan(tfb=circuit.configure({}))


def session(name, calls):
    told = Session(name, cwd="/work/app").human("Go")
    for _ in range(calls):
        told.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
    return told.say("Done.")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sessions")
    for number in range(9):
        write_session(folder, session(f"s-{number}", 4 + 5 * (number % 4)))
    return folder


@pytest.fixture(scope="module")
def logs(root):
    return discover([root]).logs


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with cluster_of(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def dask(cluster):
    return Cluster(cluster.address)


def test_results_come_in_the_order_of_the_logs_from_other_processes(logs, dask):
    found = list(map_logs(here, logs, jobs=dask))
    assert [key for key, _ in found] == [log.key for log in logs]
    assert os.getpid() not in {pid for _, pid in found}


def test_a_cluster_replays_as_this_process_does(logs, dask):
    done = []
    away = replay_corpus(logs, PLAN, jobs=dask, on_done=done.append)
    assert away == replay_corpus(logs, PLAN, jobs=1)
    until(lambda: len(done) == len(logs))
    assert {log.key for log in done} == {log.key for log in logs}


def test_no_more_than_a_few_logs_are_ahead(logs, dask, monkeypatch):
    monkeypatch.setattr(dask_tasks, "AHEAD", 2)
    waiting = []
    real = dask_tasks._Run._send

    def noted(run, position):
        real(run, position)
        waiting.append(len(run._futures))

    monkeypatch.setattr(dask_tasks._Run, "_send", noted)
    found = list(map_logs(here, logs, jobs=dask))
    assert [key for key, _ in found] == [log.key for log in logs]
    assert len(waiting) == len(logs)
    assert max(waiting) == 2


def test_a_relative_path_means_the_same_file_and_reads_as_it_was_typed(root, dask, monkeypatch):
    monkeypatch.chdir(root.parent)
    typed = discover([root.name]).logs
    away = replay_corpus(typed, PLAN, jobs=dask)
    assert away == replay_corpus(typed, PLAN, jobs=1)
    assert away[0].path.startswith(f"{root.name}/")


def test_no_logs_need_no_cluster():
    assert list(map_logs(here, [], jobs=Cluster("tcp://127.0.0.1:9"))) == []


def test_a_run_that_is_given_up_leaves_the_cluster_usable(logs, dask):
    first = map_logs(here, logs, jobs=dask)
    assert next(first)[0] == logs[0].key
    first.close()
    assert len(list(map_logs(here, logs, jobs=dask))) == len(logs)


def test_an_error_of_the_work_is_raised_here(logs, dask):
    with pytest.raises(KeyError, match=logs[0].key):
        list(map_logs(failing, logs, jobs=dask))


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ("not-there", "there is no such file"),
        ("--work-app--/s-0/session.v4.jsonl", "bytes there, not"),
        ("--work-app--/s-7/session.v4.jsonl", "another session"),
        ("notes.txt", "no such log"),
    ],
)
def test_a_worker_that_finds_another_file_at_the_path_is_refused_by_name(
    root, logs, dask, monkeypatch, there, words
):
    (root / "notes.txt").write_text("x\n" * 100_000)
    log = logs[3]
    monkeypatch.setattr(dask_tasks, "sent", lambda log: replace(log, path=root / there))
    with pytest.raises(ClusterError) as caught:
        list(map_logs(here, [log], jobs=dask))
    text = str(caught.value)
    assert str(log.path) in text
    assert words in text
    assert "\n" not in text


@pytest.mark.parametrize("kind", ["changed", "missing"])
def test_a_worker_of_another_version_is_refused_by_name(tmp_path, logs, kind):
    other = tmp_path / "other"
    if kind == "changed":
        shutil.copytree(Path(dsh_calibrate.__file__).parent, other / "dsh_calibrate")
        with (other / "dsh_calibrate/logs/lines.py").open("a") as file:
            file.write("# another line\n")
    else:
        (other / "dsh_calibrate").mkdir(parents=True)
        (other / "dsh_calibrate/__init__.py").write_text("raise ImportError")
    with (
        cluster_of(tmp_path, 1, PYTHONPATH=str(other)) as cluster,
        pytest.raises(ClusterError) as caught,
    ):
        list(map_logs(here, logs, jobs=Cluster(cluster.address)))
    text = str(caught.value)
    assert cluster.address in text
    assert engine_id() in text
    assert ("runs dsh-calibrate" if kind == "changed" else "has no dsh-calibrate") in text


def test_a_worker_of_another_version_that_comes_later_is_refused_too(logs):
    answer = run_checked(here, "0.0+other", logs[0])
    assert answer == Refused(engine_id())


def test_a_log_that_went_away_meanwhile_is_unreadable_as_in_a_local_run(tmp_path, dask):
    write_session(tmp_path, session("s-gone", 5))
    gone = discover([tmp_path]).logs
    gone[0].path.unlink()
    away = replay_corpus(gone, PLAN, jobs=dask)
    assert away == replay_corpus(gone, PLAN, jobs=1)
    assert away[0].coverage.status == "unreadable"


def test_a_worker_killed_in_the_middle_loses_nothing_and_counts_nothing_twice(tmp_path, logs):
    with cluster_of(tmp_path) as cluster:
        traces = tmp_path / "traces"
        traces.mkdir()
        work = functools.partial(dying_once, traces, logs[4].key, PLAN)
        away = list(map_logs(work, logs, jobs=Cluster(cluster.address)))
        assert away == replay_corpus(logs, PLAN, jobs=1)
        until(lambda: sum(worker.poll() is not None for worker in cluster.workers) == 1)
        read = [trace.name for trace in traces.iterdir() if trace.name != "killed"]
        again = [name for name in read if logs[4].key.replace("/", "_") in name]
        assert len(again) == 2  # it was read twice and came out once


def test_a_log_that_ends_every_worker_is_named(tmp_path, logs):
    with cluster_of(tmp_path, 4) as cluster:
        work = functools.partial(dying, logs[0].key)
        with pytest.raises(ClusterError) as caught:
            list(map_logs(work, logs, jobs=Cluster(cluster.address)))
        assert logs[0].key in str(caught.value)
        assert "workers died" in str(caught.value)


def test_a_scheduler_that_goes_away_ends_the_run_with_one_line(tmp_path, logs, capfd):
    with cluster_of(tmp_path, 1) as cluster:
        results = map_logs(here, logs, jobs=Cluster(cluster.address))
        next(results)
        cluster.workers[0].kill()
        cluster.scheduler.kill()
        with pytest.raises(ClusterError, match="went away"):
            list(results)
    assert capfd.readouterr().err == ""


def test_a_cluster_without_workers_is_not_waited_for_for_ever(tmp_path, logs, monkeypatch):
    monkeypatch.setattr(dask_tasks, "NO_WORKER", 1.0)
    monkeypatch.setattr(dask_tasks, "_LOOK", 0.2)
    with cluster_of(tmp_path, 0) as cluster, pytest.raises(ClusterError, match="has no worker"):
        list(map_logs(here, logs, jobs=Cluster(cluster.address)))


def test_nobody_at_the_address_is_told_soon(logs, monkeypatch):
    monkeypatch.setattr(dask_client, "CONNECT", 1.0)
    with pytest.raises(ClusterError, match="no Dask scheduler answers there"):
        list(map_logs(here, logs, jobs=Cluster("tcp://127.0.0.1:9")))


@pytest.mark.parametrize("kind", ["none", "missing", "rubbish"])
def test_tls_without_certificates_that_work_is_one_line(tmp_path, logs, kind):
    import dask

    settings = {}
    if kind != "none":
        file = tmp_path / "x.pem"
        names = ("ca-file", "client.cert", "client.key")
        settings = {f"distributed.comm.tls.{name}": str(file) for name in names}
        if kind == "rubbish":
            file.write_text("no certificate")
    with dask.config.set(settings), pytest.raises(UsageError, match="certificates") as caught:
        list(map_logs(here, logs, jobs=Cluster("tls://127.0.0.1:9")))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "127.0.0.1:8786",
        "tcp://127.0.0.1",
        "http://127.0.0.1:8786",
        "tcp://a:b@h:1",
        "inproc://x",
    ],
)
def test_an_address_of_another_kind_is_refused(address):
    with pytest.raises(UsageError, match="--scheduler"):
        Cluster(address)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tls://dask.example.org:8786", "tcp://[::1]:8786"]
)
def test_tcp_and_tls_addresses_are_taken(address):
    assert Cluster(address).scheduler == address
