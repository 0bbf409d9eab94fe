"""``--set``, ``--plugin-version`` and the plain scalars of YAML."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from settings_files import of_sets, refusals, remarks, value

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings.assignments import dotted, parse_assignment, split_key
from dsh_calibrate.replay.settings.nodes import plain
from dsh_calibrate.replay.settings.yaml_text import scalar


@pytest.mark.parametrize(
    ("text", "guard", "path", "expected"),
    [
        ("rtb.warnAt=9", "rtb", ("warnAt",), 9),
        ("rtb.warnAt=null", "rtb", ("warnAt",), None),
        ("rtb.warnAt= 9 ", "rtb", ("warnAt",), 9),
        ('rtb.hostAliases."a.b"=c', "rtb", ("hostAliases", "a.b"), "c"),
        ("rtb.hostAliases.'a.b'=c=d", "rtb", ("hostAliases", "a.b"), "c=d"),
        ('rtb.limits."verb:curl"=30', "rtb", ("limits", "verb:curl"), 30),
        ("rtb.limits.verb:curl=30", "rtb", ("limits", "verb:curl"), 30),
        ("rtb.limits={host: 9, net: null}", "rtb", ("limits",), {"host": 9, "net": None}),
        ("rtb.exclude=[a, 'b']", "rtb", ("exclude",), ["a", "b"]),
        ('rtb."a\\"b"=x', "rtb", ('a"b',), "x"),
        ("rlg.lineShare=.5", "rlg", ("lineShare",), 0.5),
        ("rtb.onLimit='deny'", "rtb", ("onLimit",), "deny"),
    ],
)
def test_assignments(text, guard, path, expected):
    found = parse_assignment(text)
    assert (found.guard, found.path, plain(found.node)) == (guard, path, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rtb", "expected guard.key=value"),
        ("rtb.warnAt", "expected guard.key=value"),
        ("=3", "expected guard.key=value"),
        ("rtb=3", "expected guard.key=value"),
        ("rtb..a=3", "expected guard.key=value"),
        ('rtb."a=3', "expected guard.key=value"),
        ("rtp.warnAt=3", "no guard rtp (known: rtb, tfb, rtr, rlg)"),
        ("rtb.warnAt=", "no value"),
        ("rtb.warnAt=#", "no value"),
        ("rtb.warnAt=[", "--set rtb.warnAt=[: "),
        ("rtb.warnAt=!!js x", "never evaluated"),
        ("rtb.exclude=[!!js x]", "never evaluated"),
        ("rtb.warnAt=!x y", "unknown tag !x"),
        ("rtb.warnAt=&a 3", "anchors and aliases"),
        ("rtb.warnAt.x=3", "--set: rtb.warnAt.x: warnAt has no parts"),
        ("rtb.hostAliases.a.b=c", "too many parts; quote a part that holds dots"),
        ("rtb.warnAt=off", "rtb.warnAt: must be a positive integer"),
    ],
)
def test_refused_assignments(text, expected):
    (message,) = refusals(of_sets(text))
    assert expected in message
    assert "\n" not in message


def test_the_last_assignment_wins_and_a_whole_map_replaces_its_parts():
    settings = of_sets("rtb.limits.host=9", "rtb.limits={net: 5}", "rtb.warnAt=3", "rtb.warnAt=4")
    assert value(settings, "rtb", "warnAt") == (4, "--set")
    assert value(settings, "rtb", "limits.host") == (16, "default")
    assert value(settings, "rtb", "limits.net") == (5, "--set")


def test_a_part_of_a_map_that_is_none_is_refused():
    (first, second) = refusals(of_sets("rtb.limits=3", "rtb.limits.host=4"))
    assert first.startswith("--set: rtb.limits.host: rtb.limits is a number; set it as a whole")
    assert second.startswith("--set: rtb.limits: must be")


def test_unknown_keys_are_accepted():
    settings = of_sets("rtb.wranAt=3", "rtb.foo.bar=.nan", "rtb.outputDir=x")
    assert not refusals(settings)
    assert remarks(settings) == [
        "--set: rtb.wranAt: unknown key, it changes nothing; did you mean warnAt?",
        "--set: rtb.foo.bar: unknown key, it changes nothing",
    ]
    assert settings.as_json()["rtb"]["foo"] == {"bar": "nan"}


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_dotted_keys_are_what_set_takes(path):
    assert split_key(dotted(path)) == tuple(path)


@pytest.mark.parametrize(
    ("versions", "profile", "keys"),
    [
        ((), "0.8", True),
        (("rtb=0.8",), "0.8", True),
        (("rtb=0.5.2",), "0.5.2", False),
    ],
)
def test_versions_choose_the_profile_and_its_keys(versions, profile, keys):
    settings = of_sets(plugin_versions=versions)
    assert settings.profile == profile
    assert settings.rtb is not None
    assert settings.rtb.profile.name == profile
    assert ("shellHttpAllow" in settings.guards["rtb"].keys) is keys
    assert settings.plugin_versions == {"rtb": profile}


@pytest.mark.parametrize("text", ["rtb=0.6", "rtb", "tfb=1", "", "rtb=0.8,rtb=9"])
def test_unknown_versions_name_the_known_ones(text):
    with pytest.raises(UsageError, match=r"unknown; known: rtb=0\.5\.2, rtb=0\.8"):
        of_sets(plugin_versions=[text])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None), ("~", None), ("Null", None), ("true", True), ("FALSE", False),
        ("yes", "yes"), ("off", "off"), ("12", 12), ("-3", -3), ("+7", 7), ("012", 12),
        ("0o17", 15), ("0x1F", 31), ("1_000", "1_000"), ("1.", 1.0), (".5", 0.5), ("1e3", 1e3),
        (".inf", math.inf), ("-.INF", -math.inf), ("1:30", "1:30"), ("2001-01-01", "2001-01-01"),
        ("9" * 400, math.inf), ("nan", "nan"), ("1\n", "1\n"),
    ],
)  # fmt: skip
def test_plain_scalars_follow_the_core_schema(text, expected):
    assert scalar(text) == expected
    assert type(scalar(text)) is type(expected)
