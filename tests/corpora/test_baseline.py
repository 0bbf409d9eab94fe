"""baseline.jsonl: round trip, what was edited by hand, changes and taking them over."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.corpus_folders import make_corpus
from dsh_calibrate.corpora.baseline import Baseline, BaselineCoverage, Row, row_of, sorted_rows
from dsh_calibrate.corpora.baseline_changes import accept, compare
from dsh_calibrate.corpora.baseline_file import (
    BaselineError,
    parse_baseline,
    read_baseline,
    render_baseline,
)
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.replay.decision import Decision, ReasoningFigures

ROWS = sorted_rows(
    [
        Row("a/s.jsonl", 0, "call", 6, "rtb", "advise", "warn", "host", "00ff00ff00ff00ff", 6, 6),
        Row("a/s.jsonl", 0, "call", 11, "rtb", "ask", "repeat", "host", "00ff00ff00ff00ff", 11, 12),
        Row("a/s.jsonl", 0, "stream", 0, "rlg", "fire", "periodic-run", None, "0" * 16, 5),
        Row("b/s.jsonl", 1, "call", 2, "rtb", "refuse", "shell_http", "target"),
    ]
)


def baseline(rows=ROWS):
    coverage = BaselineCoverage(found=2, whole=2, lines=40, skipped_lines=0)
    return Baseline("0.1.0", {"rtb": "0.8"}, {"rtb": "00" * 8}, "ab" * 16, coverage, tuple(rows))


def lines():
    return render_baseline(baseline()).splitlines()


def test_the_file_says_what_the_contract_says():
    head, first, *_, last = map(json.loads, lines())
    assert list(first) == [
        *("log", "lifecycle", "call", "guard", "verdict", "stage"),
        *("measure", "fp", "count", "threshold"),
    ]
    assert list(last) == ["log", "lifecycle", "call", "guard", "verdict", "stage", "measure"]
    assert (head["schema"], head["engine"], head["rows"]) == (1, "0.1.0", 4)


def edit(number, **changes):
    def change(lines):
        row = json.loads(lines[number])
        row |= changes
        lines[number] = json.dumps(row, separators=(",", ":"))
        return lines

    return change


def swapped(lines):
    lines[1], lines[2] = lines[2], lines[1]
    return lines


EDITS = {
    "another schema": (edit(0, schema=2), "line 1: schema 2 is not known here"),
    "a schema that is true": (edit(0, schema=True), "line 1: schema True is not known"),
    "a key of line 1": (edit(0, author="me"), "line 1: 'author' is not a key here"),
    "an engine": (edit(0, engine=1), "line 1: engine must be a text"),
    "settings": (edit(0, settings=[]), "line 1: settings must be a table of texts"),
    "a count": (edit(0, coverage={"found": 1}), "line 1: coverage must hold found, whole"),
    "a negative count": (edit(0, rows=-1), "line 1: coverage and rows must be counts"),
    "the number of rows": (edit(0, rows=9), "line 1: does not vouch for the 4 lines"),
    "not JSON": (lambda lines: [*lines[:2], "{", *lines[2:]], "line 3: is not JSON"),
    "an array": (lambda lines: [*lines[:2], "[]", *lines[2:]], "line 3: is no JSON object"),
    "a blank line": (lambda lines: [*lines, ""], "line 6: is not JSON"),
    "an unknown key": (edit(2, seq=3), "line 3: 'seq' is not a key here"),
    "a missing key": (edit(2, guard=None), "line 3: guard must be a text"),
    "both ordinals": (edit(2, stream=1), "line 3: must have call or stream"),
    "a text for a number": (edit(2, count="6"), "line 3: count must be a number"),
    "a broken count": (edit(2, count=6.5), "line 3: count must be a number"),
    "a negative ordinal": (edit(2, call=-1), "line 3: call must be a whole number"),
    "spaces": (
        lambda lines: [lines[0], lines[1].replace(":", ": ", 1), *lines[2:]],
        "line 2: is not",
    ),
    "another order": (swapped, "line 3: is not in its place"),
    "a changed figure": (edit(1, count=7), "line 1: does not vouch"),
    "a line less": (lambda lines: lines[:-1], "line 1: does not vouch for the 3 lines"),
    "a line twice": (lambda lines: [*lines, lines[-1]], "line 1: does not vouch for the 5 lines"),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_was_edited_by_hand_is_named(name):
    change, words = EDITS[name]
    with pytest.raises(BaselineError) as wrong:
        parse_baseline("".join(f"{line}\n" for line in change(lines())), "b.jsonl")
    assert f"b.jsonl: {words}" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_file_that_is_cut_missing_or_binary_is_named(tmp_path):
    path = tmp_path / "baseline.jsonl"
    with pytest.raises(BaselineError, match="no baseline yet"):
        read_baseline(path)
    path.write_text(render_baseline(baseline())[:-1])
    with pytest.raises(BaselineError, match="line 5: the last line is not ended"):
        read_baseline(path)
    path.write_bytes(b"\xff\n")
    with pytest.raises(BaselineError, match="not UTF-8"):
        read_baseline(path)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.just("\ud800")
small = st.integers(0, 3)
rows = st.builds(
    Row,
    log=names,
    lifecycle=small,
    kind=st.sampled_from(["call", "stream"]),
    ordinal=small,
    guard=st.sampled_from(["rtb", "tfb"]),
    verdict=st.sampled_from(["advise", "deny"]),
    stage=st.sampled_from(["warn", "3"]),
    measure=st.none() | st.just("host"),
    fp=st.none() | st.sampled_from(["a" * 16, "b" * 16]),
    count=st.none() | small,
    threshold=st.none() | small | st.just(2.5),
)
many = st.lists(rows, max_size=8).map(sorted_rows)


@given(many)
def test_what_is_written_is_read_back(found):
    assert parse_baseline(render_baseline(baseline(found)), "x") == baseline(found)


@given(many, many)
def test_taking_every_change_over_gives_what_was_replayed(before, after):
    changes = compare(before, after)
    assert bool(changes) == (before != after)
    assert accept(baseline(before), changes, [c.id for c in changes]) == after


@given(many)
def test_nothing_changes_between_the_same(found):
    assert compare(found, found) == []


def test_changes_are_told_with_their_reasons():
    warned, asked, fired, refused = ROWS
    later = Row("a/s.jsonl", 0, "call", 6, "rtb", "advise", "warn", "cmd", "1" * 16, 7, 7)
    fresh = Row("c/s.jsonl", 0, "call", 1, "tfb", "deny", "circuit")
    changes = compare(ROWS, sorted_rows([later, asked, fired, fresh]))
    assert [(c.kind, c.row.log, c.reasons) for c in changes] == [
        (
            "changed",
            "a/s.jsonl",
            (
                "measure host is now cmd",
                "count 6 is now 7",
                "threshold 6 is now 7",
                "the fingerprint differs",
            ),
        ),
        (
            "vanished",
            "b/s.jsonl",
            (
                "the baseline has refuse shell_http, target",
                "rtb says nothing in this lifecycle now",
            ),
        ),
        ("new", "c/s.jsonl", ("deny circuit", "the baseline has no decision in this log")),
    ]
    assert (changes[0].before, changes[0].after, changes[1].after) == (warned, later, None)
    assert changes[1].before == refused


def test_decisions_of_one_place_are_paired_by_what_they_are():
    at = ("a", 0, "call", 4, "rtb")
    before = [Row(*at, "advise", "failure", count=2), Row(*at, "advise", "warn", count=7)]
    after = [Row(*at, "advise", "summarize", count=9), Row(*at, "advise", "failure", count=3)]
    first, second = compare(before, after)
    assert (first.before.stage, first.after.stage) == ("failure", "failure")
    assert (second.before.stage, second.after.stage) == ("warn", "summarize")


def test_one_change_is_taken_and_a_wrong_id_is_named():
    after = ROWS[1:-1]
    changes = compare(ROWS, after)
    taken = accept(baseline(), changes, [changes[0].id])
    assert taken == ROWS[1:]
    with pytest.raises(UsageError, match=f"--accept nope: no such change .*{changes[1].id}"):
        accept(baseline(), changes, ["nope"])


def test_a_row_has_no_text_of_the_log():
    common = {"log": "a", "session": "s", "lifecycle": 0, "seq": 9, "line": 9, "ran": True}
    hit = Hit("host", "host:secret.example.org", 6, 6.0, "repeat")
    said = row_of(
        Decision(**common, guard="rtb", verdict="advise", stage="warn", call=2, hits=(hit,))
    )
    assert (said.measure, said.count, said.threshold) == ("host", 6, 6)
    assert len(said.fp) == 16
    assert "secret" not in repr(said)
    figures = ReasoningFigures(at_utf16=3000, preview="my secret", units=5, period=40)
    fired = row_of(
        Decision(**common, guard="rlg", verdict="fire", stage="r", stream=0, reasoning=figures)
    )
    other = ReasoningFigures(at_utf16=3000, preview="another text", units=5, period=40)
    again = row_of(
        Decision(**common, guard="rlg", verdict="fire", stage="r", stream=0, reasoning=other)
    )
    assert fired == again
    assert (fired.kind, fired.count, len(fired.fp)) == ("stream", 5, 16)


def test_a_baseline_holds_nothing_of_the_commands(tmp_path):
    folder = make_corpus(tmp_path)
    text = (folder / "baseline.jsonl").read_text()
    assert text.count("\n") > 10
    assert not any(word in text for word in ("ls -la", "notes.txt", "cat ", "part"))
