"""The layers of a DSH home, each over the one before it (settings-files.md)."""

from __future__ import annotations

import json

import pytest
from settings_files import Inputs, make_home, of_home, refusals, remarks, resolve, value, write

from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.replay.settings import describe_in_force

PROFILE = "profiles/web/cordis.patch.yml"
HOME = "cordis.patch.yml"
PAGE = "settings.yaml"
SWITCHES = "dsh-reasoning-loop-guard/config.json"
ROW = "- id: repeat-tool-breaker\n  config: {{warnAt: {}}}\n"


@pytest.mark.parametrize(
    ("files", "sets", "expected", "source"),
    [
        ({}, (), 7, "default"),
        ({PROFILE: ROW.format(3)}, (), 3, PROFILE),
        ({PROFILE: ROW.format(3), HOME: ROW.format(4)}, (), 4, HOME),
        (
            {PROFILE: ROW.format(3), HOME: ROW.format(4), PAGE: "repeat-tool-breaker: {warnAt: 5}"},
            (),
            5,
            PAGE,
        ),
        (
            {PROFILE: ROW.format(3), PAGE: "repeat-tool-breaker: {warnAt: 5}"},
            ("rtb.warnAt=6",),
            6,
            "--set",
        ),
        ({"settings.json": '{"repeat-tool-breaker":{"warnAt":8}}'}, (), 8, "settings.json"),
        ({"settings.yml": "repeat-tool-breaker: {warnAt: null}"}, (), None, "settings.yml"),
    ],
)
def test_later_layers_win(tmp_path, files, sets, expected, source):
    settings = of_home(make_home(tmp_path, files), *sets)
    shown = source if source in ("default", "--set") else str(tmp_path / source)
    assert value(settings, "rtb", "warnAt") == (expected, shown)
    assert settings.rtb is not None
    assert settings.rtb.warn_at == expected


def test_a_patch_replaces_the_whole_config(tmp_path):
    home = make_home(
        tmp_path,
        {
            PROFILE: "- id: repeat-tool-breaker\n  config: {warnAt: 3, window: 9}\n",
            HOME: ROW.format(4),
        },
    )
    assert value(of_home(home), "rtb", "window") == (16, "default")


def test_the_settings_page_overrides_key_by_key_under_the_row_id(tmp_path):
    patch = (
        "- insert: [{id: mine, name: dsh-repeat-tool-breaker, config: {warnAt: 3, failLimit: 9}}]"
    )
    page = "mine: {warnAt: 5, window: 99}\nrepeat-tool-breaker: {failLimit: 2}\n"
    settings = of_home(make_home(tmp_path, {PROFILE: patch, PAGE: page}, bundles=()))
    assert value(settings, "rtb", "warnAt")[0] == 5
    assert value(settings, "rtb", "failLimit")[0] == 9
    assert value(settings, "rtb", "window") == (16, "default")
    assert any("mine.window: the settings page has no such field" in r for r in remarks(settings))


def test_a_field_of_the_row_alone_is_not_taken_for_another_one(tmp_path):
    page = "repeat-tool-breaker: {limits: {exact: 9}, warnat: 3}\n"
    found = remarks(of_home(make_home(tmp_path, {PAGE: page})))
    [limits] = [text for text in found if ".limits:" in text]
    assert limits.endswith("the settings page has no such field; set it in the cordis patch row")
    [spelling] = [text for text in found if ".warnat:" in text]
    assert spelling.endswith("no field of the settings page; did you mean warnAt?")


@pytest.mark.parametrize(
    ("bundles", "files", "mounted"),
    [
        ((), {}, {}),
        (("dsh-repeat-tool-breaker",), {}, {"rtb"}),
        (("@deepseek-ai/dsh-repeat-tool-reminder", "dsh-reasoning-loop-guard"), {}, {"rtr", "rlg"}),
        (("dsh-repeat-tool-breaker",), {HOME: "- {id: repeat-tool-breaker, disabled: true}"}, {}),
        ((), {PROFILE: "- insert: [{name: dsh-tool-failure-circuit-breaker}]"}, {"tfb"}),
        (
            (),
            {PROFILE: "- insert: [{name: /src/dsh-reasoning-loop-guard/lib/index.js, id: x}]"},
            {"rlg"},
        ),
        ((), {PROFILE: "- insert: [{name: ./mine/index.js, id: reasoning-loop-guard}]"}, {"rlg"}),
        (
            (),
            {
                PROFILE: "- insert: [{id: g, name: group, config: []}]\n"
                "- {id: g, insert: [{name: dsh-repeat-tool-breaker}]}\n"
            },
            {"rtb"},
        ),
        (
            (),
            {
                PROFILE: "- insert: [{id: g, name: group, disabled: true, "
                "config: [{name: dsh-repeat-tool-breaker}]}]\n"
            },
            {},
        ),
        ((), {PROFILE: "- {id: unseen, insert: [{name: dsh-repeat-tool-breaker}]}"}, {}),
    ],
)
def test_mounted(tmp_path, bundles, files, mounted):
    settings = of_home(make_home(tmp_path, files, bundles))
    assert not refusals(settings)
    assert {g for g, known in settings.guards.items() if known.mounted} == set(mounted)


def test_a_later_layer_changes_a_row_that_an_earlier_one_inserted(tmp_path):
    insert = "- insert: [{id: mine, name: dsh-repeat-tool-breaker, config: {warnAt: 3}}]"
    change = "- {id: mine, config: {warnAt: 4}}"
    settings = of_home(make_home(tmp_path, {PROFILE: insert, HOME: change}, bundles=()))
    assert value(settings, "rtb", "warnAt") == (4, str(tmp_path / HOME))


def test_an_unmounted_row_is_not_changed_and_is_warned_about(tmp_path):
    settings = of_home(make_home(tmp_path, {HOME: "\n" + ROW.format(3)}, bundles=()))
    assert value(settings, "rtb", "warnAt") == (7, "default")
    assert remarks(settings) == [
        f"{tmp_path / HOME}, line 2: id repeat-tool-breaker matches no row mounted so far; "
        "the entry is skipped"
    ]


def test_the_patch_of_an_installed_bundle_is_applied(tmp_path):
    below = "profiles/web/node_modules/some-bundle"
    files = {
        f"{below}/package.json": '{"dsh": {"bundle": {"patch": "./cordis.patch.yml"}}}',
        f"{below}/cordis.patch.yml": "- insert: [{id: mine, name: dsh-repeat-tool-breaker}]",
        HOME: "- {id: mine, config: {warnAt: 4}}",
    }
    settings = of_home(make_home(tmp_path, files, bundles=("some-bundle", "absent", "../../x")))
    assert value(settings, "rtb", "warnAt")[0] == 4
    assert settings.guards["rtb"].mounted


@pytest.mark.parametrize(
    ("row", "text", "enabled"),
    [
        ("{}", None, True),
        ("{}", '{"enabled": false}', False),
        ("{}", '{"enabled": 0}', True),
        ("{}", '{"enabled": null}', True),
        ("{}", "{}", True),
        ("{}", "not json {", True),
        ("{}", "[]", True),
        ("{enabled: false}", '{"enabled": true}', False),
        ("{settingsPath: other.json}", '{"enabled": false}', True),
        ("{settingsPath: dsh-reasoning-loop-guard/config.json}", '{"enabled": false}', False),
    ],
)
def test_only_an_explicit_false_turns_the_reasoning_guard_off(tmp_path, row, text, enabled):
    patch = f"- insert: [{{name: dsh-reasoning-loop-guard, config: {row}}}]"
    files = {PROFILE: patch} | ({} if text is None else {SWITCHES: text})
    settings = of_home(make_home(tmp_path, files, bundles=()))
    assert not refusals(settings)
    assert settings.rlg is not None
    assert settings.rlg.enabled is enabled


def test_switches_override_key_by_key(tmp_path):
    text = json.dumps({"effort": {"enabled": True}, "recovery": {"message": 3}, "window": 64})
    home = make_home(
        tmp_path,
        {PROFILE: "- {id: reasoning-loop-guard, config: {effort: {value: high}}}", SWITCHES: text},
        bundles=("dsh-reasoning-loop-guard",),
    )
    settings = of_home(home)
    assert value(settings, "rlg", "effort.enabled") == (True, str(tmp_path / SWITCHES))
    assert value(settings, "rlg", "effort.value") == ("high", str(tmp_path / PROFILE))
    assert value(settings, "rlg", "recovery.message") == ("", "default")
    assert value(settings, "rlg", "window") == (4096, "default")


def test_overlays_outrank_the_home_patch_but_not_the_settings_page(tmp_path):
    overlay = write(
        tmp_path / "overlay.yml", "- {id: repeat-tool-breaker, config: {warnAt: 4, window: 20}}"
    )
    home = make_home(
        tmp_path / "home", {HOME: ROW.format(3), PAGE: "repeat-tool-breaker: {warnAt: 5}"}
    )
    settings = of_home(home, config=("auto", str(overlay)))
    assert value(settings, "rtb", "warnAt")[0] == 5
    assert value(settings, "rtb", "window") == (20, str(overlay))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({PROFILE: "a: b"}, f"{PROFILE}, line 1: a patch is a list of entries, not a mapping"),
        ({PROFILE: "\n- config: {}"}, f"{PROFILE}, line 2: an entry needs an id"),
        ({HOME: "\n\n- {id: 3, config: {}}"}, f"{HOME}, line 3: id: must be a string"),
        (
            {HOME: "- id: repeat-tool-breaker\n  config: []\n"},
            f"{HOME}, line 2: repeat-tool-breaker.config: must be a mapping, not a list",
        ),
        (
            {HOME: "- insert:\n  - {id: x, name: dsh-repeat-tool-breaker}\n"},
            f"{HOME}, line 2: x: a second row of dsh-repeat-tool-breaker, the first is in",
        ),
        ({PAGE: "[]"}, f"{PAGE}, line 1: a settings document is a mapping"),
        ({PAGE: "repeat-tool-breaker: 3"}, f"{PAGE}, line 1: repeat-tool-breaker: must be"),
        (
            {PAGE: "repeat-tool-breaker:\n  failLimit: 1\n"},
            f"{PAGE}, line 2: rtb.failLimit: must be null or a finite number of at least 2",
        ),
        ({"profiles/web/package.json": '{"dsh": 3}'}, "package.json, line 1: expected a mapping"),
        (
            {"profiles/web/package.json": '{"dsh": {"profile": {\n"bundles": [1]}}}'},
            "package.json, line 2: dsh.profile.bundles: must be a list",
        ),
        ({"profiles/web/package.json": "{"}, "package.json, line 1: not JSON"),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_line(tmp_path, files, expected):
    settings = of_home(make_home(tmp_path, files))
    assert len(refusals(settings)) == 1, refusals(settings)
    assert str(tmp_path) in refusals(settings)[0]
    assert expected in refusals(settings)[0]
    with pytest.raises(CalibrateError, match="line") as raised:
        resolve(Inputs(config=["auto"], dsh_home=tmp_path))
    assert raised.value.exit_code == 2
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("profiles", "asked", "message"),
    [
        (("web", "desk"), None, "several profiles; choose one with --dsh-profile: desk, web"),
        (("web",), "nope", r"no such profile \(there: web\)"),
        (("web",), "../web", "no such profile"),
        ((), "web", r"no such profile \(there: none\)"),
    ],
)
def test_profiles_that_cannot_be_chosen(tmp_path, profiles, asked, message):
    for name in profiles:
        make_home(tmp_path, profile=name)
    with pytest.raises(UsageError, match=message):
        of_home(tmp_path, dsh_profile=asked)


def test_profiles_that_can_be_chosen(tmp_path):
    make_home(tmp_path, profile="web", bundles=())
    make_home(tmp_path, profile="desk")
    assert of_home(tmp_path, dsh_profile="desk").guards["rtb"].mounted
    assert not of_home(tmp_path, dsh_profile="web").guards["rtb"].mounted
    assert not of_home(write(tmp_path / "bare" / HOME, "").parent).guards["rtb"].mounted


def test_a_missing_home_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        of_home(tmp_path / "absent")
    with pytest.raises(UsageError, match="--dsh-home"):
        of_home(None)


def test_in_force_in_one_line(tmp_path):
    home = make_home(tmp_path, {PROFILE: ROW.format(3), SWITCHES: '{"enabled": false}'})
    line = describe_in_force(of_home(home, "tfb.maxFailures=3"))
    assert line == (
        f"settings in force ({tmp_path}): rtb 0.8 1 key from {tmp_path / PROFILE}; "
        "tfb 1 key from --set, not mounted; rtr defaults, not mounted; "
        f"rlg 1 key from {tmp_path / SWITCHES}, switched off, not mounted"
    )
