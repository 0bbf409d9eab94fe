"""Blind spots: each kind of work is seen where it is, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_calibrate.calibrate.blind_spots import MINIMUM, RULES, blind_spots
from dsh_calibrate.calibrate.blind_spots_seen import Seen, see, seen_in
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "derive.md"


def bash(session, *commands, text="ok"):
    for command in commands:
        session.call("bash", {"command": command}).result(text)
    return session


def local_development(session):
    bash(session, "make", "cd a && make -j2", "npm run build", "pytest -q", "cargo test")


def file_editing(session):
    for k in range(5):
        session.call("edit", {"file_path": f"/a{k}"}).result("ok")


def local_requests(session):
    bash(session, *(f"curl http://localhost:80{k}0/" for k in range(2)), "curl http://127.0.0.1/x")


def pagination(session):
    bash(session, *(f"curl 'https://api.example.org/list?page={k}'" for k in range(3)))


def polling(session):
    for k in range(3):
        session.call("bash", {"command": "cat job.state"}).result(f"{k} of 3")


def one_host(session):
    bash(session, *(f"curl -O https://files.example.org/pkg-{c}.tgz" for c in "abcde"))


def installs(session):
    bash(session, "sudo apt-get -y install zstd")


def batch(session):
    for k in range(3):
        session.call("read", {"file_path": f"/a{k}"})
    for _ in range(3):
        session.result("text")


def failures(session):
    bash(session, "ls /nowhere", "ls /none", text="no\n[exit code: 2]")
    session.call("read", {"file_path": "/a"}).result("Error: gone", error=True)


def sub_calls(session):
    session.call("run_code", {"code": "x"}).sub_call("bash", {"command": "ls"}).sub_result()
    session.result("done")


def long_turn(session):
    for k in range(30):
        session.call("read", {"file_path": f"/a{k}"}).result("text")


def long_session(session):
    for turn in range(4):
        session.human("On")
        for k in range(25):
            session.call("read", {"file_path": f"/{turn}/{k}"}).result("text")


def humans(session):
    session.say("a").human("b").say("c").human("d")


def code(session):
    session.reasoning("Look:\n" + "if (x) {\n  y();\n}\n" * 4, size=7)


def cjk(session):
    session.reasoning("先看看这个文件再说" * 30, size=5)


def long_reasoning(session):
    session.reasoning(" ".join(map(str, range(5000))), size=500)


def lists(session):
    session.reasoning("".join(f"- item {k}\n" for k in range(10)), size=9)


KINDS = {
    "local development": local_development,
    "file editing": file_editing,
    "requests to this machine": local_requests,
    "pagination": pagination,
    "polling": polling,
    "one-host installs": one_host,
    "package installs": installs,
    "parallel batches": batch,
    "failures": failures,
    "sub-calls": sub_calls,
    "long turns": long_turn,
    "long sessions": long_session,
    "several human turns": humans,
    "code reasoning": code,
    "CJK reasoning": cjk,
    "long reasoning": long_reasoning,
    "lists in reasoning": lists,
}
ALSO = {"one-host installs": set(), "long sessions": {"several human turns"}}
"""What a story shows beside its own kind."""


def shown(folder, story, version=4):
    session = Session("s-1").human("Go")
    story(session)
    write_session(folder, session, version)
    seen = see(discover([folder]).logs[0])
    return {rule.kind for rule in RULES if getattr(seen, rule.of) >= rule.least}


def test_every_rule_has_a_story():
    assert list(KINDS) == [rule.kind for rule in RULES]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [0, 4])
def test_a_kind_of_work_is_seen_where_it_is(tmp_path, kind, version):
    assert shown(tmp_path, KINDS[kind], version) == {kind} | ALSO.get(kind, set())


@pytest.mark.parametrize(
    ("kind", "story"),
    [
        ("polling", lambda s: bash(s, "cat a", "cat a", "cat a")),  # equal results: a loop
        ("pagination", lambda s: bash(s, *["curl https://api.example.org/p?page=1"] * 4)),
        (
            "pagination",
            lambda s: (
                bash(s, "curl https://a.example.org/1").human("x")
                and bash(s, "curl https://a.example.org/2", "curl https://a.example.org/1")
            ),
        ),
        ("parallel batches", lambda s: bash(s, "ls a", "ls b", "ls c")),
        ("local development", lambda s: bash(s, *[f"cat makefile{k}" for k in range(6)])),
        ("package installs", lambda s: bash(s, "cat install.md", "pip list")),
        ("requests to this machine", lambda s: bash(s, *["curl http://localhost.example.org"] * 3)),
    ],
)
def test_and_not_where_it_is_not(tmp_path, kind, story):
    assert kind not in shown(tmp_path, story)


def test_a_spot_is_blind_below_the_minimum():
    seen = {f"log-{k}": Seen(pages=9 if k < MINIMUM else 0) for k in range(20)}
    each = [(log,) for log in seen]
    assert "pagination" not in {s.rule.kind for s in blind_spots(seen, each, ("rtb",))}
    spots = {s.rule.kind: s for s in blind_spots(seen, each[1:], ("rtb",))}
    assert (spots["pagination"].found, spots["pagination"].of) == (MINIMUM - 1, 19)
    # Two logs of one session count once.
    joined = [("log-0", "log-1"), *each[2:]]
    assert blind_spots(seen, joined, ("rtb",))[3].rule.kind == "pagination"


def test_only_rules_that_matter_to_the_guards():
    kinds = {s.rule.kind for s in blind_spots({}, [], ("rlg",))}
    assert "CJK reasoning" in kinds
    assert "pagination" not in kinds
    assert "failures" not in {s.rule.kind for s in blind_spots({}, [], ("rtr",))}


def test_the_document_holds_every_rule():
    text = DOCUMENT.read_text()
    for rule in RULES:
        assert (
            f"| {rule.kind} | {rule.least:,} {rule.words} | {', '.join(sorted(rule.guards))} |"
            in text
        )


def test_logs_are_looked_at_by_key(tmp_path):
    for name in ("s-a", "s-b"):
        write_session(tmp_path, bash(Session(name).human("Go"), "ls"), 4)
    logs = discover([tmp_path]).logs
    assert {key: seen.calls for key, seen in seen_in(logs, jobs=1).items()} == dict.fromkeys(
        (log.key for log in logs), 1
    )
