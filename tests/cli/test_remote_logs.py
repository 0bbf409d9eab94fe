"""Commands over logs in stores: the same bytes as over local logs, and nothing worse."""

from __future__ import annotations

import os
import stat

import pytest
from typer.testing import CliRunner

from cluster_processes import cluster_of, needs_dask
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import encode, write_session
from dsh_calibrate.facts import measuring
from dsh_calibrate.logs import headers
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.stores import fetching, stored_object
from dsh_calibrate_cli.main import app
from stores import Quiet, in_memory, in_s3, needs_moto, needs_remote, web_server

pytestmark = needs_remote

SECRET = "hushhush"


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))
    fetching._kept.cache_clear()


def session(name, calls):
    told = Session(name, cwd="/work/app").human("Go")
    for _ in range(calls):
        told.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
    return told.reasoning("Look once more. " * 30, answer="So.").say("Done.")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Every state a log is found in, and names that addresses spell otherwise."""
    folder = tmp_path_factory.mktemp("remote") / "sessions"
    for number in range(4):
        write_session(folder / "a b", session(f"s-{number}", 3 + 4 * number))
    write_session(folder / "a b", session("s-1", 7), 3)  # an older generation
    write_session(folder / "copy", session("s-2", 11))
    plain = encode(session("s-big", 300), 4)
    (folder / "große sitzung 100%.jsonl").write_bytes(plain)
    (folder / "torn.jsonl").write_bytes(plain[: len(plain) // 3])
    (folder / "damaged.jsonl").write_bytes(plain[:4000] + b"{broken\n" + plain[4000:])
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "notes.jsonl").write_bytes(b'{"no": "log"}\n')
    (folder / "notes.txt").write_bytes(b"hello")
    assert (folder / "große sitzung 100%.jsonl").stat().st_size > stored_object.START
    return folder


@pytest.fixture(scope="module")
def s3():
    pytest.importorskip("moto.server")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    patch = pytest.MonkeyPatch()
    host, port = server.get_host_and_port()
    patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    patch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    yield server
    patch.undo()
    server.stop()


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def alike(address, root, *command):
    """Run a command on both, and hold the outputs together; paths alone may differ."""
    local = run(*command, root)
    remote = run(*command, address)
    assert remote.exit_code == local.exit_code, remote.stderr
    here = {log.key: log.path for log in discover([root]).logs}
    there = {log.key: log.path for log in discover([address]).logs}
    assert list(there) == list(here)
    spelled = local.stdout
    for key in sorted(here, key=lambda key: -len(str(here[key]))):
        spelled = spelled.replace(str(here[key]), str(there[key]))
    assert remote.stdout == spelled
    assert SECRET not in remote.output
    return remote


COMMANDS = (
    ("replay", "--format", "json"),
    ("failures", "--format", "json"),
    ("reasoning", "--format", "json"),
    ("report", "--format", "json"),
    ("corpus", "stats", "--format", "json"),
)


def test_logs_in_memory_give_the_same_bytes(root):
    address = in_memory(root, "bucket/logs")
    for command in COMMANDS:
        alike(address, root, *command)


@pytest.mark.slow
def test_logs_on_a_web_server_give_the_same_bytes(root):
    with web_server(root.parent) as (server, asked):
        for command in COMMANDS[::4]:
            alike(f"{server}/sessions/", root, *command)
        assert asked


@needs_moto
@pytest.mark.slow
def test_logs_in_s3_give_the_same_bytes(root, s3):
    address = in_s3(root, "bucket", "year/logs")
    for command in COMMANDS[::4]:
        alike(address, root, *command)
    alike(address, root, "replay", "--format", "json", "--jobs", "2")


@needs_moto
def test_one_object_by_its_address(root, s3):
    address = in_s3(root, "one", "logs")
    log = f"{address}/a b/--work-app--/s-3/session.v4.jsonl"
    assert (
        '"found": 1'
        in alike(log, next(root.glob("a b/*/s-3/*")), "replay", "--format", "json").stdout
    )
    timeline = run("explain", log)
    assert timeline.exit_code == 0, timeline.stderr
    assert "s3://one/logs/" in timeline.stdout


@needs_moto
@pytest.mark.slow
def test_facts_of_s3_are_those_of_the_folder_and_are_cached(root, s3, tmp_path, monkeypatch):
    address = in_s3(root, "facts", "logs")

    def export(place, name, *more):
        result = run("facts", "export", place, "-o", tmp_path / name, *more)
        assert result.exit_code == 0, result.stderr
        return {file.name: file.read_bytes() for file in sorted((tmp_path / name).iterdir())}

    local = export(root, "local", "--no-cache")
    assert export(address, "first") == local
    kept = sorted((tmp_path / "cache").iterdir())
    assert kept
    read = []
    real = measuring.replay_log
    monkeypatch.setattr(
        measuring,
        "replay_log",
        lambda log, *rest, **more: read.append(log) or real(log, *rest, **more),
    )
    assert export(address, "second") == local
    assert sorted((tmp_path / "cache").iterdir()) == kept
    assert read == []
    in_s3(root, "facts", "logs")  # the same bytes again
    changed = root.parent / "changed"
    (changed / "copy").mkdir(parents=True, exist_ok=True)
    write_session(changed / "copy", session("s-2", 12))
    in_s3(changed, "facts", "logs")
    assert export(address, "third") != local
    assert [log.key for log in read] == ["copy/--work-app--/s-2/session.v4.jsonl"]


@needs_moto
def test_a_bucket_that_is_not_there_is_one_line(s3):
    result = run("replay", "s3://no-such-bucket/logs")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("dsh-calibrate: s3://no-such-bucket/logs: ")
    assert SECRET not in result.stderr


def test_a_store_out_of_reach_is_one_line():
    result = run("replay", "http://127.0.0.1:9/logs")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "dsh-calibrate: http://127.0.0.1:9/logs: the store cannot be reached"
    )


class Forbidding(Quiet):
    """A web server that lists everything and gives one session to nobody."""

    def send_head(self):
        if "s-1" in self.path and not self.path.endswith("/"):
            self.send_error(403)
            return None
        return super().send_head()


def test_a_log_that_may_not_be_read_is_unreadable_by_its_name(root):
    with web_server(root, Forbidding) as (server, _):
        result = run("replay", server)
    assert result.exit_code == 0
    assert "a b/--work-app--/s-1/session.v4.jsonl: unreadable: the store refuses access" in (
        result.stderr
    )
    assert "Traceback" not in result.stderr


class Breaking(Quiet):
    """A web server that ends the connection in the middle of the large log."""

    def copyfile(self, source, outputfile):
        if "gro" in self.path and self.command == "GET":
            outputfile.write(source.read(70_000))
            return
        super().copyfile(source, outputfile)


def test_a_log_that_breaks_off_on_the_way_is_unreadable_and_not_torn(root):
    with web_server(root, Breaking) as (server, _):
        result = run("replay", server)
    assert (
        "große sitzung 100%.jsonl: unreadable: the store broke off in the middle" in result.stderr
    )


class Wandering(Quiet):
    """A web server whose listing leads elsewhere and in circles."""

    def list_directory(self, path):
        page = b'<a href="./">.</a><a href="/">/</a><a href="../">up</a><a href="s.jsonl?x=1">q</a>'
        page += b'<a href="http://192.0.2.1/evil.jsonl">e</a><a href="..%2f..%2fx.jsonl">x</a>'
        page += b'<a href="deep/">deep</a><a href="s.jsonl">s</a>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def send_head(self):
        if self.path.endswith("/"):
            self.list_directory(self.path)
            return None
        return super().send_head()


def test_a_listing_that_leads_elsewhere_or_in_circles_is_not_followed(tmp_path):
    (tmp_path / "s.jsonl").write_bytes(encode(session("s-1", 3), 4))
    with web_server(tmp_path, Wandering) as (server, asked):
        found = discover([server])
    assert "s.jsonl" in [log.key for log in found.logs]
    assert {key for log in found.logs for key in log.key.split("/")} == {"s.jsonl", "deep"} | {
        "s.jsonl"
    }
    assert len(asked) < 200
    assert not any("evil" in path or "?" in path or "%2f" in path for _, path in asked)


def test_of_a_large_object_only_the_start_is_fetched_to_know_it(root, monkeypatch):
    address = in_memory(root, "start/logs")
    opened = []
    real = headers.open_source
    monkeypatch.setattr(headers, "open_source", lambda path: opened.append(path.name) or real(path))
    found = {log.key: log for log in discover([address]).logs}
    assert found["große sitzung 100%.jsonl"].header.session == "s-big"
    assert "große sitzung 100%.jsonl" not in opened
    assert "torn.jsonl" in opened or (root / "torn.jsonl").stat().st_size > stored_object.START


def test_a_large_object_of_one_frame_is_known_too(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    noise = session("s-frame", 3).reasoning(os.urandom(120_000).hex(), answer="x")
    text = encode(noise.say("End."), 4)
    (tmp_path / "session.v4.jsonl.zstd").write_bytes(zstandard.compress(text))
    address = in_memory(tmp_path, "frame/logs")
    (log,) = discover([address]).logs
    assert log.size > stored_object.START
    assert log.header == discover([tmp_path]).logs[0].header


def test_copies_of_objects_are_private_and_go_away(root, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    address = in_memory(root, "private/logs")
    log = discover([address]).logs[0]
    with log.path.open("rb") as file:
        assert file.read()
    held = fetching.Fetched("memory", f"{address}/notes.txt")
    folder = held.path.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    del held
    assert not folder.exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("dsh-calibrate-fet")]


@needs_dask
@needs_moto
@pytest.mark.slow
def test_workers_of_a_cluster_read_the_store_themselves(root, s3, tmp_path):
    address = in_s3(root, "cluster", "logs")
    local = run("replay", address, "--format", "json")
    with cluster_of(tmp_path) as cluster:
        away = ["--executor", "dask", "--scheduler", cluster.address]
        remote = run("replay", address, "--format", "json", *away)
        assert remote.exit_code == 0, remote.stderr
        assert remote.stdout_bytes == local.stdout_bytes
        hidden = run("replay", in_memory(root, "hidden/logs"), *away)
    assert hidden.exit_code == 2
    assert "does not see it as this machine does" in hidden.stderr


def test_a_corpus_takes_logs_from_a_store(root, tmp_path):
    address = in_memory(root, "corpus/logs")
    corpus = tmp_path / "corpus"
    assert run("corpus", "init", corpus).exit_code == 0
    result = run("corpus", "add", f"{address}/copy", "--corpus", corpus, "--as-is")
    assert result.exit_code == 0, result.stderr
    (copied,) = (corpus / "sessions").rglob("*.jsonl")
    (original,) = (root / "copy").rglob("*.jsonl")
    assert copied.read_bytes() == original.read_bytes()


def test_labels_of_a_store_need_a_file_of_their_own(root):
    result = run("derive", in_memory(root, "labels/logs"))
    assert result.exit_code == 2
    assert "--labels" in result.stderr
