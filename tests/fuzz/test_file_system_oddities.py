"""What a file system can do to a reader: pipes, devices, circles, files that move meanwhile."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from time_limits import within

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import encode, write_session
from dsh_calibrate.logs import frames
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.logs.events import Call, Event
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.plan import Plan

COMMAND = Path(sys.executable).with_name("dsh-calibrate")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="files of POSIX")


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    with within(60):
        yield


def session(name: str = "session-a", calls: int = 1) -> Session:
    made = Session(name).human("Go")
    for number in range(calls):
        made.call("bash", {"command": f"make {number}"}).result("ok " * 50)
    return made


def read(path: Path) -> tuple[list[Event], LogCoverage]:
    reading = read_log(path)
    return list(reading), reading.coverage


def replayed(root: Path, *more: str) -> dict:
    """The JSON of the installed command, whose bytes must be UTF-8."""
    done = subprocess.run(
        [COMMAND, "replay", root, "--format", "json", "--jobs", "1", *more],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    done.stderr.decode("utf-8")
    return json.loads(done.stdout.decode("utf-8"))


# -- a file that changes while it is read --------------------------------------------------


@pytest.mark.parametrize("encoding", ["plain", "zstd"])
def test_a_file_that_grows_is_read_as_it_was(encoding: str, tmp_path: Path) -> None:
    path = write_session(tmp_path, session(calls=40), 4, encoding)
    whole, _ = read(path)
    more = path.read_bytes()
    reading = read_log(path)
    seen = []
    for event in reading:
        if len(seen) % 20 == 0:
            with path.open("ab") as file:
                file.write(more)
        seen.append(event)
    assert seen == whole
    assert reading.coverage.status == "read"
    _, grown = read(path)
    assert grown.status in ("damaged", "read")


@pytest.mark.parametrize("encoding", ["plain", "zstd"])
@pytest.mark.parametrize("left", [0, 1, 300, 2000])
def test_a_file_cut_short_while_it_is_read(
    encoding: str, left: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "PIECE", 256)
    monkeypatch.setattr(frames, "_BATCH", 256)
    path = write_session(tmp_path, session(calls=60), 4, encoding)
    whole, _ = read(path)
    reading = read_log(path)
    seen = []
    for event in reading:
        if not seen:
            os.truncate(path, left)
        seen.append(event)
    calls = [event.call_id for event in seen if isinstance(event, Call)]
    assert calls == [event.call_id for event in whole if isinstance(event, Call)][: len(calls)]
    assert reading.coverage.status in ("read", "damaged", "no_calls", "empty")


@pytest.mark.parametrize("gone", ["file", "folder", "pipe", "folder instead", "emptied"])
def test_a_log_that_is_gone_once_it_was_found(gone: str, tmp_path: Path) -> None:
    path = write_session(tmp_path, session(), 4, "zstd")
    write_session(tmp_path, session("session-b"), 4, "zstd")
    logs = discover([tmp_path]).logs
    path.unlink()
    if gone == "folder":
        path.parent.rmdir()
    elif gone == "pipe":
        os.mkfifo(path)
    elif gone == "folder instead":
        path.mkdir()
    elif gone == "emptied":
        path.touch()
    missing, whole = replay_corpus(logs, Plan(), jobs=1)
    assert missing.coverage.status == ("empty" if gone == "emptied" else "unreadable")
    assert whole.coverage.status == "read"


def test_a_folder_that_vanishes_while_it_is_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(tmp_path, session(), 4, "zstd")
    (tmp_path / "--gone--").mkdir()
    names = os.listdir

    def listed(folder: Path) -> list[str]:
        found = names(folder)
        if (tmp_path / "--gone--").exists():
            (tmp_path / "--gone--").rmdir()
        return found

    monkeypatch.setattr(os, "listdir", listed)
    found = discover([tmp_path])
    assert len(found.logs) == 1


# -- links ---------------------------------------------------------------------------------


def test_links_in_circles(tmp_path: Path) -> None:
    path = write_session(tmp_path, session(), 4, "zstd")
    (path.parent / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    (tmp_path / "session.jsonl").symlink_to(tmp_path / "session.jsonl")
    found = discover([tmp_path])
    assert [log.path for log in found.logs] == [path]
    assert found.ignored == ("session.jsonl",)
    assert replayed(tmp_path)["coverage"]["found"] == 1


def test_links_to_the_outside_are_read_once(tmp_path: Path) -> None:
    outside = write_session(tmp_path / "outside", session(), 4, "zstd")
    root = tmp_path / "root"
    root.mkdir()
    (root / "folder").symlink_to(outside.parent)
    (root / "file.jsonl.zstd").symlink_to(outside)
    (root / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    coverage = replayed(root)["coverage"]
    assert (coverage["found"], coverage["duplicates"], coverage["ignored"]) == (1, 0, 1)


# -- what is no file -----------------------------------------------------------------------


def test_pipes_sockets_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    write_session(tmp_path, session(), 4, "zstd")
    os.mkfifo(tmp_path / "session.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl.zst")
    (tmp_path / "zero").mkdir()
    (tmp_path / "zero" / "session.jsonl").symlink_to("/dev/zero")
    (tmp_path / "tty").mkdir()
    (tmp_path / "tty" / "session.jsonl").symlink_to("/dev/tty")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)  # a socket's path must be short
        try:
            listening.bind("socket.jsonl")
        finally:
            os.chdir(here)
        found = discover([tmp_path])
        assert len(found.logs) == 1
        assert len(found.ignored) == 5
        assert replayed(tmp_path)["coverage"]["ignored"] == 5
    for name in ("session.jsonl", "socket.jsonl", "zero/session.jsonl"):
        done = subprocess.run(
            [COMMAND, "replay", tmp_path / name], capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 2
        assert b"not a file that can be read" in done.stderr


def test_a_folder_that_is_called_like_a_log(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").mkdir()
    (tmp_path / "session.v4.jsonl.zstd").mkdir()
    path = write_session(tmp_path / "session.jsonl", session(), 4, "plain")
    assert [log.path for log in discover([tmp_path]).logs] == [path]


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5000])
@pytest.mark.parametrize(
    "name", ["session.jsonl", "session.v4.jsonl.zstd", "x.jsonl", "x.jsonl.zst"]
)
def test_nothing_but_zeros(size: int, name: str, tmp_path: Path) -> None:
    write_session(tmp_path, session(), 4, "zstd")
    for name in ("a/session.jsonl", "b/session.v4.jsonl.zstd", "x.jsonl", "x.jsonl.zst"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\0" * size)
    found = discover([tmp_path])
    states = [read(log.path)[1].status for log in found.logs]
    assert sorted(states) == ["empty"] * 4 + ["read"]


# -- permission ----------------------------------------------------------------------------


def unprivileged(work: Callable[[], object]) -> object:
    """Run ``work`` as nobody in a process of its own; what it returns must be JSON."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgid(65534)
            os.setuid(65534)
            os.write(theirs, json.dumps(work()).encode())
        except BaseException as error:
            os.write(theirs, json.dumps(repr(error)).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said)


def statuses(root: Path) -> Callable[[], object]:
    def look() -> object:
        found = discover([root])
        states = {log.key: read_log(log) for log in found.logs}
        for reading in states.values():
            list(reading)
        told = {key: reading.coverage.status for key, reading in states.items()}
        return [told, sorted(found.ignored), list(found.warnings)]

    return look


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can become nobody")
def test_without_permission(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and folder.stat().st_mode & 5 != 5:
            folder.chmod(folder.stat().st_mode | 0o005)
    root = tmp_path / "root"
    for name in ("closed", "listed", "hidden", "open"):
        folder = root / name
        folder.mkdir(parents=True)
        (folder / "session.v4.jsonl").write_bytes(encode(session(f"session-{name}"), 4))
    (root / "hidden" / "session.v4.jsonl").chmod(0)
    (root / "listed").chmod(0o744)  # its names can be read, nothing else
    (root / "closed").chmod(0)
    told = unprivileged(statuses(root))
    assert told == [
        {"hidden/session.v4.jsonl": "unreadable", "open/session.v4.jsonl": "read"},
        ["listed/session.v4.jsonl"],
        ["closed: Permission denied; the folder was left out"],
    ]


# -- names ---------------------------------------------------------------------------------

NAMES = [
    b"caf\xe9",
    b"\xff\xfe",
    b"a\nb",
    b"\x1b[31mred\x1b]0;title\x07",
    "\u202egnp".encode(),
    "\u2028".encode(),
    b"\xed\xa0\x80",
    b"-o",
    b"[bold]x[/bold]",
    b"\"'`$(id)`;",
    b"\\x1b",
    b"a\tb\rc",
    b"x" * 255,
]


def test_any_name_comes_out_as_text(tmp_path: Path) -> None:
    taken = 0
    for number, name in enumerate(NAMES):
        folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        try:
            folder.mkdir()
        except OSError:
            continue  # this file system does not take the name
        (folder / "session.v4.jsonl").write_bytes(encode(session(f"session-{number}"), 4))
        (folder / "other.jsonl").write_bytes(b"{}\n")
        taken += 1
    assert taken > 5
    coverage = replayed(tmp_path)["coverage"]
    assert (coverage["read"], coverage["ignored"]) == (taken, taken)
    for format_ in ("text", "jsonl", "csv"):
        done = subprocess.run(
            [COMMAND, "replay", tmp_path, "--format", format_, "--jobs", "1"],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        shown = (done.stdout + done.stderr).decode("utf-8")
        assert not {"\x1b", "\x07", "\u202e", "\u2028", "\r"} & set(shown)


def test_keys_tell_logs_with_odd_names_apart(tmp_path: Path) -> None:
    for name in (b"\xff", b"\\xff"):
        folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        folder.mkdir()
        text = encode(session(f"session-{len(name)}"), 4)
        (folder / "session.v4.jsonl").write_bytes(text)
    logs: tuple[Log, ...] = discover([tmp_path]).logs
    assert len(logs) == 2
    assert len({log.key for log in logs}) == 2
