"""``--executor`` and ``--scheduler`` as typed; a worker killed while a command runs."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cluster_processes import cluster_of, needs_dask, until
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.executors import dask_client
from dsh_calibrate_cli.main import app

COMMAND = Path(sys.executable).with_name("dsh-calibrate")


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))


def written(folder, logs, calls):
    for number in range(logs):
        session = Session(f"s-{number}", cwd="/work/app").human("Go")
        for call in range(calls):
            session.call("bash", {"command": f"make t{call % 7}"}).result("no\n[exit code: 2]")
        session.reasoning("The build fails again. Look once more. " * 20, answer="So.")
        write_session(folder, session.say("Done."))
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return written(tmp_path_factory.mktemp("logs"), 6, 30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with cluster_of(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def bytes_below(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--executor", "dask"], "--executor dask: name the scheduler with --scheduler"),
        (["--scheduler", "tcp://127.0.0.1:8786"], "add --executor dask"),
        (["--executor", "dask", "--scheduler", "127.0.0.1"], "tcp://HOST:PORT"),
        (
            ["--executor", "dask", "--scheduler", "tcp://127.0.0.1:8786", "--jobs", "2"],
            "leave --jobs out",
        ),
    ],
)
@pytest.mark.parametrize("command", [["replay"], ["failures"], ["journal", "agree"], ["check"]])
def test_options_that_contradict_are_one_line_before_anything_is_read(command, options, words):
    result = run(*command, *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    "command", [["corpus", "redact", "-o", "x"], ["conformance", "plugin", "--package", "x"]]
)
def test_commands_that_stay_on_this_machine_say_so(command, root):
    result = run(*command, root, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:8786")
    assert result.exit_code == 2
    assert "works on this machine alone" in result.stderr


def test_without_the_extra_one_line_says_how_to_install_it(root, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("replay", root, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert 'pip install "dsh-calibrate[dask]"' in result.stderr.splitlines()[-1]


@needs_dask
def test_a_scheduler_out_of_reach_is_one_line(root, monkeypatch):
    monkeypatch.setattr(dask_client, "CONNECT", 1.0)
    result = run("replay", root, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[-1].startswith("dsh-calibrate: tcp://127.0.0.1:9: no Dask scheduler answers")
    assert "Traceback" not in result.stderr


@needs_dask
@pytest.mark.slow
def test_every_kind_of_command_gives_the_same_bytes(root, cluster):
    away = ["--executor", "dask", "--scheduler", cluster.address]
    for command in (
        ["replay", root, "--format", "jsonl"],
        ["failures", root, "--format", "json"],
        ["sweep", root, "--over", "rtb.limits.exact=3..6", "--format", "json", "--no-cache"],
        ["compare", root, "--a", "rtb=0.5.2", "--b", "rtb=0.8", "--format", "json"],
        ["reasoning", root, "--format", "json"],
        ["corpus", "stats", root, "--format", "json"],
    ):
        here, there = run(*command), run(*command, *away)
        assert there.exit_code == here.exit_code, there.stderr
        assert there.stdout_bytes == here.stdout_bytes


@needs_dask
@pytest.mark.slow
def test_facts_come_back_with_the_same_bytes_and_fill_the_cache(root, cluster, tmp_path):
    away = ["--executor", "dask", "--scheduler", cluster.address]
    assert run("facts", "export", root, "-o", tmp_path / "here", "--no-cache").exit_code == 0
    assert run("facts", "export", root, "-o", tmp_path / "there", *away).exit_code == 0
    assert bytes_below(tmp_path / "there") == bytes_below(tmp_path / "here")
    kept = {entry.name: entry.stat().st_mtime_ns for entry in (tmp_path / "cache").iterdir()}
    assert len(kept) == 2 * 6
    assert run("facts", "export", root, "-o", tmp_path / "again").exit_code == 0  # from the cache
    assert bytes_below(tmp_path / "again") == bytes_below(tmp_path / "here")
    assert {e.name: e.stat().st_mtime_ns for e in (tmp_path / "cache").iterdir()} == kept


def long_log(folder):
    """Seconds of work for one worker: reasoning without a repetition."""
    letters = random.Random(1)
    session = Session("s-long", cwd="/work/app").human("Go")
    for _ in range(20):
        text = "".join(letters.choices("abcdefgh \n", k=60_000))
        session.reasoning(text, size=200, answer="So.").call("bash", {"command": "make"}).result(
            "no"
        )
    return write_session(folder, session.say("Done."))


@needs_dask
@pytest.mark.slow
def test_a_worker_killed_while_a_command_runs_changes_no_byte(tmp_path):
    from distributed import Client

    root = written(tmp_path / "logs", 6, 30)
    long_log(root)
    keys = [log.key for log in discover([root]).logs]
    task = f"-{next(i for i, key in enumerate(keys) if 's-long' in key)}"
    here = run("replay", root, "--format", "jsonl", "-q")
    (tmp_path / "cluster").mkdir()
    with cluster_of(tmp_path / "cluster") as cluster:
        command = [str(COMMAND), "replay", str(root)]
        options = ["--format", "jsonl", "-q", "--executor", "dask", "--scheduler", cluster.address]
        with Client(cluster.address, set_as_default=False) as client:
            pids = client.run(os.getpid)
            process = subprocess.Popen(
                [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
            )

            def readers():
                found = client.processing().items()
                return [pids[at] for at, tasks in found if any(t.endswith(task) for t in tasks)]

            until(readers)
            os.kill(readers()[0], signal.SIGKILL)
            assert process.poll() is None, "the command was over before a worker was killed"
        out, errors = process.communicate(timeout=120)
        assert sum(worker.poll() is not None for worker in cluster.workers) == 1
    assert process.returncode == here.exit_code == 0
    assert out == here.stdout_bytes
    assert not re.search(rb"distributed|Traceback", errors)
