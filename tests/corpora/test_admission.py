"""Which logs may join a corpus, and where they go."""

from __future__ import annotations

import shutil

import pytest

from corpora.corpus_folders import looping
from dsh_calibrate.corpora.admission import admit, take
from dsh_calibrate.corpora.manifest import Manifest
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.envelope import file_digest


@pytest.fixture
def corpus(tmp_path):
    """A corpus folder with one listed log, and what lists it."""
    folder = tmp_path / "corpus"
    path = write_session(folder / "sessions", looping("loop", "ls"))
    (member,), _ = admit(folder, Manifest(), discover([folder]))
    assert member.inside
    assert path.is_file()
    return folder, Manifest(logs=tuple(take(folder, [member])))


def decided(corpus, *paths, related=False):
    folder, manifest = corpus
    admitted, refused = admit(folder, manifest, discover(paths), related=related)
    return [a.path for a in admitted], {r.key: r.reason for r in refused}


def test_a_log_is_copied_byte_for_byte_and_listed(corpus, tmp_path):
    folder, manifest = corpus
    source = write_session(tmp_path / "home/sessions", looping("new", "pwd"), 4, "zstd")
    admitted, refused = admit(folder, manifest, discover([tmp_path / "home"]))
    assert not refused
    (listed,) = take(folder, admitted, provenance="mine", licence="CC0")
    assert listed.path == "sessions/--w--/new/session.v4.jsonl.zstd"
    assert (folder / listed.path).read_bytes() == source.read_bytes()
    assert listed.digest == file_digest(source)
    assert (listed.provenance, listed.licence) == ("mine", "CC0")
    assert not list(folder.rglob("*.part"))


def test_a_single_file_goes_to_a_folder_of_its_session(corpus, tmp_path):
    source = write_session(tmp_path / "home", looping("new", "pwd"))
    assert decided(corpus, source) == (["sessions/new/session.v4.jsonl"], {})


def test_what_is_there_already_is_refused(corpus, tmp_path):
    folder, _ = corpus
    assert decided(corpus, folder) == (
        [],
        {"sessions/--w--/loop/session.v4.jsonl": "is listed already"},
    )
    shutil.copytree(folder / "sessions", tmp_path / "copy")
    assert decided(corpus, tmp_path / "copy", related=True) == (
        [],
        {
            "--w--/loop/session.v4.jsonl": "has the same bytes as "
            "'sessions/--w--/loop/session.v4.jsonl'"
        },
    )


def test_a_file_that_is_not_listed_is_never_overwritten(corpus, tmp_path):
    folder, _ = corpus
    write_session(folder / "sessions", looping("new", "pwd", 3))
    write_session(tmp_path / "home", looping("new", "pwd"))
    paths, refused = decided(corpus, tmp_path / "home")
    assert not paths
    assert (
        "its place in the corpus, 'sessions/--w--/new/session.v4.jsonl', is taken"
        in refused.popitem()[1]
    )


def test_other_logs_of_a_session_are_refused_unless_allowed(corpus, tmp_path):
    write_session(tmp_path / "home", looping("loop", "ls"), 0, "zstd")
    paths, refused = decided(corpus, tmp_path / "home")
    assert not paths
    assert "is another log of the session of" in str(refused)
    paths, refused = decided(corpus, tmp_path / "home", related=True)
    assert paths == ["sessions/--w--/loop/session.jsonl.zstd"]
    assert not refused


def test_older_generations_copies_and_look_alikes_are_refused(corpus, tmp_path):
    home = tmp_path / "home"
    for version in (0, 4):
        write_session(home, looping("two", "pwd"), version)
    newest = write_session(home, looping("three", "pwd"))
    shutil.copy(newest, newest.with_name("session.v04.jsonl"))
    shutil.copytree(newest.parent, home / "elsewhere")
    paths, refused = decided(corpus, home)
    assert paths == [
        "sessions/--w--/three/session.v4.jsonl",
        "sessions/--w--/two/session.v4.jsonl",
    ]
    assert refused == {
        "--w--/two/session.jsonl": "an older generation of its session",
        "elsewhere/session.v4.jsonl": "a copy of another log named here",
        "--w--/three/session.v04.jsonl": "no log, or only the look-alike of one",
        "elsewhere/session.v04.jsonl": "no log, or only the look-alike of one",
    }
    paths, refused = decided(corpus, newest.with_name("session.v04.jsonl"))
    assert not paths
    assert "only looks like a log's" in str(refused)


def fork(parent: Session) -> Session:
    return parent.fork("child").human("and now").call("bash", {"command": "pwd"}).result("/")


def test_a_fork_and_its_parent_are_not_both_taken(corpus, tmp_path):
    write_session(tmp_path / "forks", fork(looping("loop", "ls")))
    paths, refused = decided(corpus, tmp_path / "forks")
    assert not paths
    assert "is a fork of the session of 'sessions/--w--/loop/" in str(refused)
    paths, _ = decided(corpus, tmp_path / "forks", related=True)
    assert paths == ["sessions/--w--/child/session.v4.jsonl"]


def test_the_parent_of_a_fork_is_refused_too(tmp_path):
    folder = tmp_path / "corpus"
    write_session(folder / "sessions", fork(looping("loop", "ls")))
    admitted, _ = admit(folder, Manifest(), discover([folder]))
    manifest = Manifest(logs=tuple(take(folder, admitted)))
    write_session(tmp_path / "home", looping("loop", "ls"))
    paths, refused = decided((folder, manifest), tmp_path / "home")
    assert not paths
    assert "is the session of which 'sessions/--w--/child/" in str(refused)
