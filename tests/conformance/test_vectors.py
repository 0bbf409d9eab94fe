"""Running vector files: what agrees, what differs, what is not checked."""

from __future__ import annotations

import json

import pytest

from dsh_calibrate.conformance import runners
from dsh_calibrate.conformance.runners import KINDS, Runner, has_runner
from dsh_calibrate.conformance.vectors import check_file, check_vectors
from dsh_calibrate.errors import UsageError
from shared_material import ROOT, needs_shared

DOUBLE = Runner(("n",), lambda given: given["n"] * 2)
GOOD = {"in": {"tool": "read", "text": "fine"}, "expect": None}
BAD = {"in": {"tool": "read", "text": "fine", "note": "wrong"}, "expect": {"reason": "exit"}}
KINDS_WITH_RUNNER = [kind for kind in KINDS if has_runner(kind)]


def write(path, *vectors):
    path.write_text("".join(json.dumps(vector) + "\n" for vector in vectors))
    return path


def test_counts_and_keeps_the_first_differences(tmp_path):
    vectors = [{"in": {"n": n}, "expect": 2 * n + (n % 3 == 0)} for n in range(10)]
    outcome = check_file(write(tmp_path / "x", *vectors), "doubles", DOUBLE, first=2)
    assert (outcome.vectors, outcome.agreed, outcome.differing) == (10, 6, 4)
    assert [(d.line, d.expected, d.got) for d in outcome.differences] == [(1, 1, 0), (4, 7, 6)]
    assert outcome.differences[0].given == {"n": 0}


def test_an_engine_that_fails_differs(tmp_path):
    path = write(tmp_path / "x", {"in": {"n": None}, "expect": 0}, {"in": {"n": 2}, "expect": 4})
    outcome = check_file(path, "doubles", DOUBLE)
    assert outcome.agreed == 1
    raised = outcome.differences[0].got
    assert isinstance(raised, dict)
    assert raised["raised"].startswith("TypeError")


def test_files_are_recognised_by_name(tmp_path):
    write(tmp_path / "failures.jsonl", GOOD, BAD)
    write(tmp_path / "fallacies.jsonl", GOOD)
    outcome = check_vectors([tmp_path])
    assert [(file.kind, file.vectors, file.agreed) for file in outcome.files] == [
        ("failures", 2, 1)
    ]
    assert [entry.path.name for entry in outcome.not_checked] == ["fallacies.jsonl"]
    assert not outcome.all_agree
    difference = outcome.files[0].differences[0]
    assert (difference.line, difference.note) == (2, "wrong")
    assert check_vectors([write(tmp_path / "failures.jsonl", GOOD)]).all_agree


def test_a_kind_without_a_runner_is_not_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(runners, "KINDS", (*KINDS, "futures"))
    monkeypatch.setattr("dsh_calibrate.conformance.vectors.KINDS", (*KINDS, "futures"))
    write(tmp_path / "failures.jsonl", GOOD)
    future = write(tmp_path / "futures.jsonl", GOOD)
    outcome = check_vectors([tmp_path])
    assert outcome.vectors == 1
    assert [(entry.path, entry.reason) for entry in outcome.not_checked] == [
        (future, "no runner for futures vectors yet")
    ]
    with pytest.raises(UsageError, match="not one vector could be run"):
        check_vectors([future])


def test_nothing_recognised_and_nothing_inside_are_errors(tmp_path):
    with pytest.raises(UsageError, match="no vector file recognised"):
        check_vectors([tmp_path])
    with pytest.raises(UsageError, match="no vector file recognised"):
        check_vectors([write(tmp_path / "notes.jsonl", GOOD)])
    with pytest.raises(UsageError, match="not one vector could be run"):
        check_vectors([write(tmp_path / "failures.jsonl")])


@pytest.mark.parametrize("kind", KINDS_WITH_RUNNER)
def test_the_projects_own_vectors_agree(request, kind):
    path = request.config.rootpath / "tests" / "vectors" / f"{kind}.jsonl"
    outcome = check_vectors([path], first=5)
    assert outcome.vectors >= 24
    assert outcome.files[0].differences == ()
    assert outcome.all_agree


@pytest.mark.parametrize("kind", KINDS_WITH_RUNNER)
def test_a_wrong_answer_is_noticed_in_every_kind(request, kind, tmp_path):
    source = request.config.rootpath / "tests" / "vectors" / f"{kind}.jsonl"
    vectors = [json.loads(line) for line in source.read_bytes().split(b"\n") if line][:4]
    path = write(tmp_path / source.name, *({**v, "expect": {"other": 1}} for v in vectors))
    outcome = check_vectors([path])
    assert outcome.agreed == 0


@needs_shared
@pytest.mark.parametrize("kind", KINDS_WITH_RUNNER)
def test_the_golden_vectors_agree(kind):
    outcome = check_vectors([ROOT / "goldens" / f"{kind}.jsonl"], first=5)
    assert outcome.files[0].differences == ()
    assert outcome.all_agree
