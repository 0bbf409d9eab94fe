"""Whole corpora: every log agrees with its original, and nothing of it can be read."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.event_story import CORPORA
from corpora.redacting import KEY, everything, redacted
from dsh_calibrate.corpora.redaction import agreement, leak_check
from dsh_calibrate.corpora.redaction.corpus import redact_corpus
from dsh_calibrate.corpora.redaction.spread import spread
from dsh_calibrate.corpora.redaction.stored_lines import load_lines
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.log import replay_log
from shared_material import ROOT, needs_shared


def unwritten(report) -> list[tuple[str, str | None]]:
    return [(log.log, log.why) for log in report.logs if log.path is None]


@pytest.mark.parametrize("corpus", ["first-loops", "all-guards"])
def test_every_shipped_log_agrees(corpus, tmp_path):
    report = redacted(CORPORA / corpus / "sessions", tmp_path / "out")
    assert unwritten(report) == []
    assert report.written > 20
    assert len(report.settings) >= 6


@needs_shared
@pytest.mark.parametrize("corpus", ["harness-v0", "later-formats"])
def test_every_shared_log_agrees(corpus, tmp_path):
    report = redacted(ROOT / "corpora" / corpus, tmp_path / "out")
    assert unwritten(report) == []


@needs_shared
def test_every_looping_text_agrees(tmp_path):
    texts = json.loads((ROOT / "corpora/reasoning-177/degenerate.json").read_text())
    for number, entry in enumerate(texts):
        text = (entry["text"] if isinstance(entry, dict) else entry)[-9000:]
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        session = Session(f"loop-{number}").human("go").reasoning(pieces)
        write_session(tmp_path / "in", session, 4, "zstd")
    assert unwritten(redacted(tmp_path / "in", tmp_path / "out")) == []


def test_damaged_logs_are_copied_up_to_the_damage(tmp_path):
    report = redacted(CORPORA / "damaged-logs/sessions", tmp_path / "out")
    assert {why for _, why in unwritten(report)} <= {"empty: it holds no complete line"}
    assert any(log.cut for log in report.logs)
    plans = spread()
    for log in discover([tmp_path / "out"]).logs:
        assert replay_log(log, plans["defaults"]).coverage.status != "damaged"


PRIVATE = """
    Jürgen müller kundenakte Straßenbau hunter2Geheim acme-intern 你好世界 Иванов geheimnis
    ghp_abcdefghijklmnopqrstuvwxyz012345 AKIAIOSFODNN7EXAMPLE 4915112345678 /srv/acme/personal
    mail@personal.example.org 203.0.113.9 hunter2 KundenError: 😀
"""
WORDS = st.sampled_from(PRIVATE.split())
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
HOSTS = st.sampled_from(
    ["api.acme.example.org", "www.Acme.example", "10.3.4.5", "localhost:9999", "[fd00::7]"]
)


@st.composite
def commands(draw) -> str:
    kind, host, word = draw(st.integers(0, 4)), draw(HOSTS), draw(WORDS)
    return [
        f"curl -sS -m 20 'https://{host}/kunden/{word}?b={word}&a=1&utm_source={word}' -o {word}",
        f"wget http://{host}/{word} > ./{word}.json",
        f"FOO={word} timeout 9s /opt/acme/bin/deploy --password={word}",
        f"git commit -am '{word}' | tee /dev/null",
        f'grep "{word}',
    ][kind]


@st.composite
def private_sessions(draw) -> Session:
    session = Session("session-kunde7", cwd="/home/jürgen/kundenakte").human(draw(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        act, repeat = draw(st.integers(0, 3)), draw(st.integers(1, 5))
        tool, arguments, text = "bash", {"command": draw(commands())}, draw(TEXTS)
        if act == 1:
            tool, arguments = "acme_websearcher", {"url": draw(HOSTS), "kunde": text}
        elif act == 2:
            texts = draw(st.lists(TEXTS, min_size=1, max_size=4))
            session.reasoning([f"{text} " for text in texts] * repeat)
        elif act == 3:
            session.human(text)
        for _ in range(repeat):
            session.call(tool, arguments).result(text, error=draw(st.booleans()))
    return session


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(private_sessions(), st.sampled_from([(0, "plain"), (2, "zstd"), (4, "zstd")]))
def test_sessions_full_of_private_things(tmp_path_factory, session, form):
    folder = tmp_path_factory.mktemp("private")
    write_session(folder / "in", session, *form)
    assert unwritten(redacted(folder / "in", folder / "out")) == []
    text = everything(folder / "out").lower()
    for word in re.findall(r"[^\W_]{5,}", "jürgen müller kundenakte straßenbau geheimnis иванов"):
        assert word not in text
    for secret in ("hunter2", "ghp_abc", "akiaios", "4915112345678", "203.0.113.9", "你好"):
        assert secret not in text


def secret_session(tmp_path):
    session = Session("secret-session", cwd="/home/someone/project")
    session.human("Ask someone").call("bash", {"command": "ssh someone@host"}).result("hello")
    return write_session(tmp_path / "in", session, 4, "zstd")


def test_a_key_repeats_a_run_and_none_does_not(tmp_path):
    secret_session(tmp_path)
    logs = discover([tmp_path / "in"]).logs
    said = []
    for name, key in (("a", KEY), ("b", KEY), ("c", None), ("d", None)):
        redact_corpus(logs, tmp_path / name, key=key)
        said.append(everything(tmp_path / name))
    assert said[0] == said[1]
    assert len({*said}) == 3


def test_header_folder_and_times_go_with_the_log(tmp_path):
    secret_session(tmp_path)
    redacted(tmp_path / "in", tmp_path / "same")
    redacted(tmp_path / "in", tmp_path / "moved", shift_times=True)
    one, two, before = (discover([tmp_path / name]).logs[0] for name in ("same", "moved", "in"))
    assert one.key == two.key != before.key
    assert one.key.startswith("--home-")
    assert "someone" not in one.key
    gaps = []
    for log in (before, one, two):
        times = [line["time"] for line in load_lines(log.path).lines[1:]]
        gaps.append([b - a for a, b in pairwise(times)])
    assert gaps[0] == gaps[1] == gaps[2]
    assert one.header.created_at == before.header.created_at
    assert two.header.created_at < before.header.created_at - 300 * 24 * 3600 * 1000


def test_settings_in_force_are_rewritten_and_tried(tmp_path):
    session = Session("s").human("go")
    for host in ("old.acme.example", "new.acme.example") * 2:
        session.call("web_fetch", {"url": f"https://{host}/a"}).result("x")
    write_session(tmp_path / "in", session, 4)
    rows = {"rtb": {"hostAliases": {"old.acme.example": "new.acme.example"}, "warnAt": 3}}
    report = redacted(tmp_path / "in", tmp_path / "out", rows=rows)
    assert unwritten(report) == []
    assert "acme" not in json.dumps(report.rows)
    assert report.rows["rtb"]["warnAt"] == 3
    (alias,) = report.rows["rtb"]["hostAliases"]
    assert alias in everything(tmp_path / "out")


def test_a_log_that_does_not_agree_is_not_written(tmp_path, monkeypatch):
    secret_session(tmp_path)
    monkeypatch.setattr(
        "dsh_calibrate.corpora.redaction.corpus.disagreement", lambda *_: "rtb: differs"
    )
    report = redacted(tmp_path / "in", tmp_path / "out")
    assert unwritten(report)[0][1] == "rtb: differs"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "other",
    [
        Session("s").human("x").call("bash", {"command": "ls"}).result("a"),
        Session("s").human("x").call("bash", {"command": "curl http://a.example/"}).result("a"),
        Session("s")
        .human("x")
        .call("bash", {"command": "curl http://10.0.0.1/"})
        .result("a", error=True),
    ],
    ids=["fewer fingerprints", "locality", "failure"],
)
def test_agreement_sees_differences(tmp_path, other):
    session = Session("s").human("x").call("bash", {"command": "curl http://10.0.0.1/"})
    one = write_session(tmp_path / "a", session.result("a"), 4)
    two = write_session(tmp_path / "b", other, 4)
    assert agreement.disagreement(one, one, spread()) is None
    assert agreement.disagreement(one, two, spread())


def test_the_leak_check_finds_what_was_forgotten(tmp_path):
    lines = load_lines(secret_session(tmp_path)).lines
    words, secrets = leak_check.words_of(lines), leak_check.secrets_of(lines)
    assert {"someone", "project", "hello"} <= words
    assert not leak_check.check(lines, words, secrets).is_clean
    forgotten = [{"type": "x", "data": {"unheard": "ask SOMEONE"}}]
    assert leak_check.check(forgotten, words, secrets).words == 1
    assert leak_check.check([{"type": "session"}], words, secrets).is_clean


def test_nothing_is_mixed_into_a_folder_in_use(tmp_path):
    path = secret_session(tmp_path)
    with pytest.raises(UsageError, match="new or empty"):
        redact_corpus(discover([path]).logs, tmp_path / "in")


@pytest.mark.parametrize(
    "text", ["\x1b[32mPASSED\x1b[0m", "a\u2028b zebrafish", "\x07\x00 zebrafish"]
)
@pytest.mark.parametrize("version", [0, 4])
def test_control_characters_in_arguments_are_no_words(tmp_path, text, version):
    session = Session("s-1").human("Go").call("write", {"content": text}).result(text)
    write_session(tmp_path / "in", session, version, "plain")
    report = redacted(tmp_path / "in", tmp_path / "out")
    assert unwritten(report) == []
    assert "zebrafish" not in everything(tmp_path / "out")


def test_a_word_behind_an_escape_is_still_looked_for():
    original = [{"arguments": '{"a":"\\u001bzebrafish \\u00e9lephant"}'}]
    words = leak_check.words_of(original)
    assert {"zebrafish", "u00e9lephant"} <= words
    assert "u001bzebrafish" not in words
    assert leak_check.check(original, words, frozenset()).words == len(words)
