"""Warnings about settings that are legal but dead or risky."""

from __future__ import annotations

import pytest
from settings_files import of_file, of_sets, refusals, remarks, write

CASES = [
    ("rtb.summarizeAt=16", "rtb.summarizeAt: dead: 16 is at or above every cap (highest: 16)"),
    ("rtb.warnAt=40", "rtb.warnAt: dead: 40 is at or above every cap"),
    ("rtb.limits.host=17", "rtb.limits.host: 17 is above the window (16): reached only when"),
    ("rtb.limits.host=18", "rtb.limits.host: unreachable: 18 is above the window (16)"),
    ("rtb.window=12", "rtb.limits.host: unreachable: 16 is above the window (12)"),
    ("rtb.failWarnAt=6", "rtb.failWarnAt: dead: 6 is above failLimit (5)"),
    ("rtb.warnAt=11", "rtb.warnAt: dead: summarizeAt is 11 too"),
    (
        "rtb.limits.hots=9",
        "rtb.limits.hots: no such measure, the cap does nothing; did you mean host",
    ),
    (
        "rtb.limits={exact: null, cmd: null, net: null, sink: null, host: null}",
        "no measure has a cap: neither track can ever fire",
    ),
    ("rtb.ignoreArgs={'web_*': [x]}", "rtb.ignoreArgs.web_*: names of tools are no patterns"),
    ("rtb.hostAliases={A.org: b.org}", 'rtb.hostAliases."A.org": hosts are looked up in lower'),
    ("rtb.include=[todo_write]", "rtb.include: every included name is excluded too"),
    ("rtb.exclude=['*']", "rtb.exclude: excludes every tool"),
    ("tfb.exclude=['*']", "tfb.exclude: excludes every tool"),
    ("rtr.include=[todo_write]", "rtr.include: every included name is excluded too"),
    ("rtb.warnat=3", "rtb.warnat: unknown key, it changes nothing; did you mean warnAt?"),
    ("tfb.maxFailure=3", "tfb.maxFailure: unknown key, it changes nothing; did you mean maxFail"),
    ("rtr.threshold=[2]", "rtr.threshold: unknown key, it changes nothing; did you mean thresh"),
    ("rlg.effort={vlaue: low}", "rlg.effort.vlaue: unknown key, it changes nothing; did you mean"),
    ("rlg.enabled=false", "rlg.enabled: the guard is switched off"),
    ("rlg.enabled='false'", "rlg.enabled: only an explicit false switches the guard off"),
    ("rlg.failureCode=REASONING_LOOP", "rlg.failureCode: REASONING_LOOP is generic"),
    ("rlg.minUnits=151", "rlg.minUnits: periodic-run is dead"),
    ("rlg.kgramThreshold=4034", "rlg.kgramThreshold: kgram-repeat is dead"),
    ("rlg.lineCount=410", "rlg.lineCount: line-repeat is dead"),
    ("rlg.fillerRun=4097", "rlg.fillerRun: filler-run is dead"),
    ("rlg.every=4097", "rlg.every: 4097 is longer than window (4096)"),
] + [
    (f"rlg.failureCode={code}", f"rlg.failureCode: {code} is retryable")
    for code in ("EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT")
]


@pytest.mark.parametrize(("assignment", "expected"), CASES)
def test_legal_but_dead_or_risky(assignment, expected):
    settings = of_sets(assignment)
    assert not refusals(settings)
    assert [text for text in remarks(settings) if expected in text], remarks(settings)


@pytest.mark.parametrize(
    "assignments",
    [
        (),
        ("rtb.summarizeAt=15",),
        ("rtb.warnAt=0", "rtb.summarizeAt=0"),
        ("rtb.warnAt=12",),
        ("rtb.failWarnAt=5",),
        ("rtb.failLimit=null", "rtb.failWarnAt=50"),
        ("rtb.limits.verb:curl=9",),
        ("rtb.limits.exact=5",),
        ("rlg.minUnits=150",),
        ("rlg.kgramThreshold=4033",),
        ("rlg.lineCount=409",),
        ("rlg.fillerRun=4096",),
        ("rlg.failureCode=MINE",),
        ("rtb.exclude=[a]", "rtb.include=[a, b]"),
    ],
)
def test_sound_settings_bring_no_warning(assignments):
    settings = of_sets(*assignments)
    assert not refusals(settings)
    assert remarks(settings) == []


def test_keys_of_a_later_version():
    settings = of_sets("rtb.blockShellHttp=false", plugin_versions=["rtb=0.5.2"])
    assert remarks(settings) == [
        "--set: rtb.blockShellHttp: version 0.5.2 does not know this key; it changes nothing"
    ]


@pytest.mark.parametrize("key", ["blockLocalHttp=true", "shellHttpAllow=[git]"])
def test_keys_of_a_block_that_is_off(key):
    settings = of_sets("rtb.blockShellHttp=false", f"rtb.{key}")
    assert remarks(settings) == [f"--set: rtb.{key.split('=')[0]}: dead: blockShellHttp is false"]


def test_a_warning_names_file_and_line(tmp_path):
    path = write(tmp_path / "a.yml", "rtb:\n  window: 16\n  summarizeAt: 30\n")
    assert remarks(of_file(path)) == [
        f"{path}, line 3: rtb.summarizeAt: dead: 30 is at or above every cap (highest: 16)"
    ]
