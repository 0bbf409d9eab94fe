"""What differs between two settings, with the count and the threshold of each side."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from explained_sessions import plan, plans, repeated, sessions, written
from hypothesis import given, settings

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.studies import comparing_policy
from dsh_calibrate.studies.comparing import Side, comparing, kind_of
from dsh_calibrate.studies.comparing_totals import totals

LOOP = "Let me write. Go. OK. Emit now. " * 60


def compared(folder, session, a, b):
    return comparing([written(folder, session)], Side("a", a), Side("b", b), jobs=1)


def numbers(standing):
    return standing.count, standing.threshold


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (
            plan({"warnAt": 5}),
            plan({"warnAt": 6}),
            [("rtb", 4, "only_a", (5, 5), (5, 6)), ("rtb", 5, "only_b", (6, 5), (6, 6))],
        ),
        (plan({"warnAt": 5}), plan({"warnAt": 0}), [("rtb", 4, "only_a", (5, 5), (5, None))]),
        (
            plan(tfb={"maxFailures": 5}),
            plan(tfb={"maxFailures": 6}),
            [("tfb", 5, "only_a", (5, 5), (5, 6)), ("tfb", 6, "figures", (5, 5), (6, 6))],
        ),
        (
            plan(rtr={"thresholds": [3]}),
            plan(rtr={"thresholds": [4]}),
            [("rtr", 2, "only_a", (3, 3), (3, 4)), ("rtr", 3, "only_b", (4, 3), (4, 4))],
        ),
    ],
)
def test_each_side_is_told_with_its_count_and_threshold(tmp_path, a, b, expected):
    session = Session("s-1").human("Go")
    for _ in range(7):
        session.call("read", {"file_path": "/a"}).result("no", error=True)
    quiet = {"failWarnAt": 0, "failLimit": None}
    a = replace(a, rtb=plan({"warnAt": a.rtb.warn_at, **quiet}).rtb)
    b = replace(b, rtb=plan({"warnAt": b.rtb.warn_at, **quiet}).rtb)
    (found,) = compared(tmp_path, session, a, b)
    assert [
        (c.guard, c.call, c.kind, numbers(c.standing_a), numbers(c.standing_b))
        for c in found.changes
    ] == expected


def test_a_lower_limit_stops_earlier_and_shifts_what_follows(tmp_path):
    a, b = plan({"limits": {"cmd": None, "exact": 9}}), plan({"limits": {"cmd": None, "exact": 8}})
    (found,) = compared(tmp_path, repeated(10), a, b)
    told = [(c.call, c.kind, c.standing_a.setting, numbers(c.standing_b)) for c in found.changes]
    assert told == [
        (7, "only_b", "limits.exact", (8, 8)),
        (8, "verdict", "limits.exact", (9, 8)),
        (9, "figures", "limits.exact", (10, 8)),
    ]


def test_why_a_side_is_silent_in_words(tmp_path):
    on, without = plan({"warnAt": 3}), plan({"warnAt": 3, "limits": {"exact": None, "cmd": None}})
    (found,) = compared(tmp_path / "a", repeated(3), on, without)
    assert found.changes[0].standing_b.note == "cmd: has no limit"
    (found,) = compared(tmp_path / "b", repeated(3), on, plan({"exclude": ["bash"]}))
    assert found.changes[0].standing_b.note == "the tool is not tracked"
    session = Session("s-1").human("Go").reasoning(LOOP, size=40)
    deaf = {"minUnits": 90, "blockCount": 40, "kgramThreshold": 500}
    (found,) = compared(tmp_path / "c", session, plan(), plan(rlg=deaf))
    (change,) = found.changes
    assert (change.guard, change.kind, change.standing_b.threshold) == ("rlg", "only_a", 90)
    assert 4 < change.standing_b.count < 90
    (found,) = compared(tmp_path / "d", session, plan(), plan(rlg={"minUnits": 90}))
    assert [(c.kind, c.standing_b.measure) for c in found.changes] == [("verdict", "block-repeat")]


def test_another_version_reads_other_fingerprints(tmp_path):
    session = repeated(8, command=r"curl https://a\.example.org/x")
    (found,) = compared(tmp_path, session, plan(), plan(profile="0.5.2"))
    assert {c.kind for c in found.changes if not c.is_refusal} == {"measure"}
    assert {c.kind for c in found.changes if c.is_refusal} == {"only_a"}
    assert all(c.names_mechanism for c in found.changes if c.is_refusal)
    (sums,) = [t for g, t in totals([found]).items() if g == "rtb"]
    assert sums.refusals["only_a_naming_mechanism"] == 8


@given(sessions(), plans(), plans())
@settings(max_examples=60)
def test_changes_are_what_two_replays_differ_in(session, a, b):
    with tempfile.TemporaryDirectory() as folder:
        log = written(Path(folder), session)
        (found,) = comparing([log], Side("a", a), Side("b", b), jobs=1)
        (mirrored,) = comparing([log], Side("b", b), Side("a", a), jobs=1)
        outcomes = replay_log(log, a), replay_log(log, b)

    def kept(outcome):
        return {
            (d.guard, d.lifecycle, d.call, d.verdict, d.stage, d.ran and not d.shell_http, d.hits)
            for d in outcome.decisions
        }

    one, other = map(kept, outcomes)
    differing = {(g, life, call) for g, life, call, *_ in one ^ other}
    assert {(c.guard, c.lifecycle, c.call) for c in found.changes} == differing
    swap = {"only_a": "only_b", "only_b": "only_a"}
    assert [(c.seq, swap.get(c.kind, c.kind)) for c in found.changes] == [
        (c.seq, c.kind) for c in mirrored.changes
    ]
    for change in found.changes:
        assert kind_of(change.a, change.b) == change.kind
    for guard, counts in found.counts_b.items():
        whole = [d for d in outcomes[1].decisions if d.guard == guard]
        assert sum(counts.all.values()) == len(whole)


@given(sessions(), plans())
@settings(max_examples=20)
def test_a_side_does_not_differ_from_itself(session, how):
    with tempfile.TemporaryDirectory() as folder:
        found = compared(Path(folder), session, how, how)
    assert found[0].changes == ()
    for sums in totals(found).values():
        assert all(test.p_value == 1 for test in sums.whole.tests.values())


def test_tests_are_paired_per_session(tmp_path):
    logs = []
    for n, count in enumerate([6, 6, 6, 6, 6, 6, 2]):
        session = repeated(count)
        session.id = f"s-{n}"
        logs.append(written(tmp_path / str(n), session))
    found = comparing(logs, Side("a", plan({"warnAt": 5})), Side("b", plan()), jobs=1)
    sums = totals(found)["rtb"]
    assert (sums.logs, sums.whole.a["sessions_advised"], sums.whole.b["sessions_advised"]) == (
        7,
        6,
        0,
    )
    test = sums.exact.tests["sessions_advised"]
    assert (test.a, test.b, test.alike, test.p_value) == (6, 0, 1, 2 * 0.5**6)


def test_damaged_logs_are_in_no_total(tmp_path):
    log = written(tmp_path, repeated(8))
    with log.path.open("ab") as file:
        file.write(b"no json\n")
    (found,) = comparing([log], Side("a", plan({"warnAt": 5})), Side("b", plan()), jobs=1)
    assert found.coverage.status == "damaged"
    assert found.changes
    assert totals([found])["rtb"].logs == 0


def test_the_denylist_is_measured_beside_the_replay(tmp_path, monkeypatch):
    monkeypatch.setattr(comparing_policy, "refuses", lambda tool, command, config: "b" in command)
    session = Session("s-1").human("Go")
    for command in ("curl https://a.example.org", "cat b", "b https://c.example.org"):
        session.call("bash", {"command": command}).result("ok")
    sides = Side("a", plan()), Side("b", plan(shell_http="off"), "denylist")
    (found,) = comparing([written(tmp_path, session)], *sides, jobs=1)
    assert [(c.call, c.kind, c.names_mechanism) for c in found.changes] == [
        (0, "only_a", True),
        (1, "only_b", False),
    ]
    assert found.changes[0].standing_b.note == "allowed by the denylist"
    assert totals([found])["rtb"].refusals["only_a_naming_mechanism"] == 1
    enforced = Side("b", plan(shell_http="enforce"), "denylist")
    with pytest.raises(UsageError, match="measured, not enforced"):
        comparing([], sides[0], enforced)


def test_what_each_policy_alone_refuses(tmp_path):
    session = Session("s-1").human("Go")
    for command in (
        "git clone https://a.example.org/x",  # only carries an address
        "jq . https://a.example.org/curl",  # names a downloader in passing
        "curl https://a.example.org",  # refused by both
        "python3 -c 'import urllib.request as u'",  # has no address
        "curl --version",
        "ls",
    ):
        session.call("bash", {"command": command}).result("ok")
    a, b = plan({"shellHttpAllow": []}), plan({"shellHttpAllow": []}, shell_http="off")
    sides = Side("a", a), Side("b", b, "denylist")
    (found,) = comparing([written(tmp_path, session)], *sides, jobs=1)
    assert [(c.call, c.kind, c.names_mechanism) for c in found.changes] == [
        (0, "only_a", False),
        (1, "only_a", True),
        (3, "only_b", True),
    ]


def test_calls_that_both_policies_refuse_are_no_change_when_they_are_stopped_too(tmp_path):
    session = repeated(14, command="curl https://a.example.org/x")
    sides = Side("a", plan()), Side("b", plan(shell_http="off"), "denylist")
    (found,) = comparing([written(tmp_path, session)], *sides, jobs=1)
    assert found.changes == ()
    assert found.counts_b["rtb"].all["refuse"] == 14
