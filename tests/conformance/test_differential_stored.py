"""What the published 0.5.2 answered, stored: checked without Node, and able to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsh_calibrate.conformance.vectors import check_vectors
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker import config, fingerprints, memo, profiles, stages

STORED = Path(__file__).parents[1] / "vectors" / "rtb-0.5.2"


def differing():
    return {file.kind: file.differing for file in check_vectors([STORED]).files}


def test_all_agree():
    outcome = check_vectors([STORED])
    found = [
        (file.kind, d.line, d.note, d.places) for file in outcome.files for d in file.differences
    ]
    assert found == []
    assert outcome.vectors > 400


def test_every_difference_ever_found_is_there():
    lines = (STORED / "guard-replays.jsonl").read_text().splitlines()
    notes = {json.loads(line)["in"]["note"] for line in lines}
    assert notes >= {
        "bracketed IPv6 hosts are not local",
        "a host that only its dot kept is none",
        "empty labels do not count for the site",
        "an empty alias changes nothing",
        "four parts of more than three digits are no address literal",
        "a stop on both tracks commits twice",
    }
    assert all(json.loads(line)["in"]["profile"] == "0.5.2" for line in lines)


@pytest.mark.parametrize(
    ("key", "value"),
    [("warnAt", 8), ("summarizeAt", 10), ("failWarnAt", 4), ("failLimit", 6), ("window", 12)],
)
def test_a_changed_default_is_caught(monkeypatch, key, value):
    monkeypatch.setattr(config, "DEFAULTS", {**config.DEFAULTS, key: value})
    assert differing()["guard-replays"]


def test_a_changed_cap_is_caught(monkeypatch):
    def higher(caps, fingerprint):
        cap = config.cap_of(caps, fingerprint)
        return cap and cap + 1

    monkeypatch.setattr(memo, "cap_of", higher)
    assert differing()["guard-replays"]


def test_a_swapped_rank_is_caught(monkeypatch):
    ranks = {**stages._RANKS, "cmd": stages._RANKS["exact"], "exact": stages._RANKS["cmd"]}
    monkeypatch.setattr(stages, "_RANKS", ranks)
    assert differing()["guard-replays"]


def test_an_off_by_one_stage_is_caught(monkeypatch):
    real = stages.failure_advisory
    monkeypatch.setattr(
        "dsh_calibrate.guards.repeat_tool_breaker.breaker.failure_advisory",
        lambda streaks, caps, ranks, at: real([s and s - 1 for s in streaks], caps, ranks, at),
    )
    assert differing()["guard-replays"]


def test_a_bracketed_host_taken_for_local_is_caught(monkeypatch):
    real = fingerprints.urls.is_local
    monkeypatch.setattr(fingerprints.urls, "is_local", lambda host: real(host.strip("[]")))
    found = differing()
    assert found["guard-replays"]
    assert found["tool-calls"]


def test_a_profile_that_is_not_there_is_named_once(tmp_path):
    given = {"tool": "read", "text": "fine", "profile": "9.9"}
    line = json.dumps({"in": given, "expect": None}) + "\n"
    (tmp_path / "failures.jsonl").write_text(line * 3)
    with pytest.raises(UsageError) as refused:
        check_vectors([tmp_path])
    told = str(refused.value)
    assert told.startswith(f"{tmp_path / 'failures.jsonl'}:1: these vectors are of")
    assert "repeat-tool-breaker 9.9" in told
    assert "add it to guards/repeat_tool_breaker/profiles.py" in told
    assert "9.9" not in profiles.PROFILES
