"""``config show`` and ``config validate``, and the options that all commands share."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dsh_calibrate.errors import UsageError
from dsh_calibrate_cli.main import app
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings, selected_guards


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home that mounts rtb with a setting of its own, and is the one in force."""
    folder = tmp_path / "home"
    profile = folder / "profiles" / "web"
    profile.mkdir(parents=True)
    (profile / "package.json").write_text(
        '{"dsh": {"profile": {"bundles": ["dsh-repeat-tool-breaker"]}}}'
    )
    (folder / "cordis.patch.yml").write_text("- {id: repeat-tool-breaker, config: {warnAt: 3}}")
    monkeypatch.setenv("DSH_HOME", str(folder))
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["config", *map(str, arguments)])


def shown(*arguments):
    result = run("show", "--format", "json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_show_tells_values_sources_and_what_is_mounted(home):
    document = shown("--set", "rtb.limits.host=20")
    assert document["schema_version"] == 1
    assert document["plugin_versions"] == {"rtb": "0.8"}
    guards = document["guards"]
    assert list(guards) == ["rtb", "tfb", "rtr", "rlg"]
    assert [g for g, known in guards.items() if known["mounted"]] == ["rtb"]
    keys = guards["rtb"]["keys"]
    patch = str(home / "cordis.patch.yml")
    assert keys["warnAt"] == {"value": 3, "source": patch}
    assert keys["limits.host"] == {"value": 20, "source": "--set"}
    assert keys["limits.net"] == {"value": 12, "source": "default"}
    assert keys["exclude"] == {"value": ["todo_write"], "source": "default"}


def test_show_can_be_about_a_file_a_version_and_a_guard(tmp_path):
    (tmp_path / "a.toml").write_text('[rtb]\nwarnAt = "off"\n')
    arguments = ("--config", tmp_path / "a.toml", "--plugin-version", "rtb=0.5.2", "--guard", "rtb")
    guards = shown(*arguments)["guards"]
    assert list(guards) == ["rtb"]
    assert guards["rtb"]["keys"]["warnAt"] == {"value": None, "source": str(tmp_path / "a.toml")}
    assert "blockShellHttp" not in guards["rtb"]["keys"]


def test_files_are_named_as_people_type_them(tmp_path):
    first, second = tmp_path / "a.yml", tmp_path / "b.yml"
    first.write_text("rtb: {warnAt: 9}")
    second.write_text("tfb: {maxFailures: 4}\nrlg: {minUnit: 3}")
    shown = json.loads(run("show", first, second, "--format", "json").stdout)
    assert shown["guards"]["rtb"]["keys"]["warnAt"] == {"value": 9, "source": str(first)}
    assert shown["guards"]["tfb"]["keys"]["maxFailures"]["value"] == 4
    checked = run("validate", second)
    assert checked.exit_code == 0
    assert "minUnits?" in checked.stdout
    assert run("validate", tmp_path / "none.yml").exit_code == 2
    both = json.loads(run("show", second, "--config", first, "--format", "json").stdout)
    assert both["guards"]["rtb"]["keys"]["warnAt"]["value"] == 9
    assert both["guards"]["tfb"]["keys"]["maxFailures"]["value"] == 4


def test_show_in_words(home):
    patch = home / "cordis.patch.yml"
    patch.write_text('- {id: repeat-tool-breaker, config: {warnAt: !!js "x\\e[31m", failLimit: 9}}')
    result = run("show")
    assert result.exit_code == 0
    assert "rtb (repeat-tool-breaker 0.8)" in result.stdout
    assert "tfb (tool-failure-circuit-breaker): not mounted" in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.split()[:1] == ["warnAt"])
    assert row.split()[1:4] == ["?", "run", "time"]
    assert "\x1b" not in result.stdout
    assert "rtb.warnAt: decided at run time (!!js)" in result.stderr


def test_show_writes_a_file(tmp_path):
    result = run("show", "--format", "json", "-o", tmp_path / "out.json")
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text())["guards"]
    assert result.stdout == ""


def test_without_a_home_show_tells_the_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "absent"))
    guards = shown()["guards"]
    assert {entry["source"] for g in guards.values() for entry in g["keys"].values()} == {"default"}


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ((), 0, ["accepted, 0 warnings"]),
        (("--strict",), 0, ["accepted, 0 warnings"]),
        (("--set", "rtb.warnAt=16"), 0, ["warning: --set: rtb.warnAt: dead", "1 warning"]),
        (("--set", "rtb.warnAt=16", "--strict"), 1, ["1 warning"]),
        (("--set", "rtb.warnAt=16", "--strict", "--guard", "tfb"), 0, ["0 warnings"]),
        (
            ("--set", "rtb.window=1", "--set", "rtr.thresholds=[]"),
            2,
            ["refused: --set: rtb.window: must", "refused: --set: rtr.thresholds", "2 refused"],
        ),
        (("--config", "absent.yml"), 2, ["refused: absent.yml: no such file"]),
    ],
)
def test_validate(arguments, code, expected):
    result = run("validate", *arguments)
    assert result.exit_code == code, result.output
    lines = result.stdout.splitlines()
    for text in expected:
        assert any(text in line for line in lines), result.stdout


def test_validate_as_json():
    result = run("validate", "--format", "json", "--set", "rtb.window=1", "--set", "rtb.x=1")
    document = json.loads(result.stdout)
    assert result.exit_code == 2
    assert document["accepted"] is False
    assert document["refusals"] == ["--set: rtb.window: must be an integer of at least 4"]
    assert document["warnings"] == ["--set: rtb.x: unknown key, it changes nothing"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dsh-profile", "nope"), "no such profile (there: web)"),
        (("--dsh-home", "/nowhere/at/all"), "no such folder"),
        (("--plugin-version", "rtb=9"), "known: rtb=0.5.2, rtb=0.8"),
        (("--guard", "rtx"), "--guard rtx: no such guard (known: rtb, tfb, rtr, rlg)"),
        (("--format", "xml"), "known formats: text, json"),
        (("--set", "rtb.window=1"), "--set: rtb.window: must be an integer of at least 4"),
    ],
)
def test_mistakes_are_one_line_on_stderr(arguments, message):
    result = run("show", *arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "has_paths", "warn_at"),
    [
        ({}, False, 3),
        ({}, True, 7),
        ({"config": ["auto"]}, True, 3),
        ({"dsh_profile": "web"}, True, 3),
        ({"assignments": ["rtb.warnAt=5"]}, False, 5),
    ],
)
def test_which_settings_a_command_gets(options, has_paths, warn_at, capsys):
    settings = resolve_settings(SettingsOptions(**options), has_paths=has_paths)
    assert settings.rtb is not None
    assert settings.rtb.warn_at == warn_at
    assert capsys.readouterr().err.startswith("settings in force")


def test_warnings_about_selected_guards_reach_stderr(capsys):
    options = SettingsOptions(assignments=["rtb.x=1", "tfb.y=1"], guard=["rtb"])
    settings = resolve_settings(options, has_paths=True, quiet=True)
    assert capsys.readouterr().err == ("warning: --set: rtb.x: unknown key, it changes nothing\n")
    assert settings.tfb is None
    assert settings.selected == ("rtb",)


def test_guards_are_selected_in_table_order():
    assert selected_guards(["rlg,rtb", "tfb"]) == ("rtb", "tfb", "rlg")
    assert selected_guards([]) == ("rtb", "tfb", "rtr", "rlg")
    with pytest.raises(UsageError, match="no guard is named"):
        selected_guards([","])
