"""``conformance vectors`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from dsh_calibrate.errors import UsageError
from dsh_calibrate_cli.commands import conformance

GOOD = {"in": {"tool": "read", "text": "fine"}, "expect": None}
BAD = {
    "in": {"tool": "bash", "text": "[exit code: 2]", "note": "a \x1b[31mred\x1b[0m note"},
    "expect": {"reason": "exit", "detail": "3\u202e"},
}


def run(*arguments):
    app = typer.Typer()
    app.callback()(lambda: None)
    conformance.register(app)
    return CliRunner().invoke(app, ["conformance", "vectors", *map(str, arguments)])


def write(path, *vectors):
    path.write_text("".join(json.dumps(vector) + "\n" for vector in vectors))
    return path


def test_all_agree(tmp_path):
    write(tmp_path / "failures.jsonl", GOOD, GOOD)
    result = run(tmp_path)
    assert result.exit_code == 0
    assert "2 of 2 vectors agree" in result.stdout
    assert "DIFFERS" not in result.stdout


def test_a_difference_is_shown_side_by_side_and_exits_1(tmp_path):
    result = run(write(tmp_path / "failures.jsonl", GOOD, BAD))
    assert result.exit_code == 1
    assert "1 of 2 vectors agree: the engine DIFFERS" in result.stdout
    assert "failures.jsonl:2" in "".join(result.stdout.split())
    row = next(line for line in result.stdout.splitlines() if line.strip().startswith("detail"))
    assert row.split() == ["detail", '"3\\u202e"', '"2"']
    assert "reason" not in [line.split()[:1] for line in result.stdout.splitlines()]


def test_nothing_from_a_vector_reaches_the_terminal_as_a_control(tmp_path):
    result = run(write(tmp_path / "failures.jsonl", BAD))
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


def test_first_limits_what_is_shown(tmp_path):
    path = write(tmp_path / "failures.jsonl", *[BAD] * 5)
    result = run(path, "--first", "1")
    assert "4 more differ" in " ".join(result.stdout.split())
    shown = json.loads(run(path, "--first", "2", "--format", "json").stdout)
    assert len(shown["files"][0]["differences"]) == 2
    assert run(path, "--first", "-1").exit_code == 2


def test_json_holds_both_sides_in_full(tmp_path):
    path = write(tmp_path / "failures.jsonl", GOOD, BAD)
    write(tmp_path / "strange.jsonl", GOOD)
    result = run(tmp_path, "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "vectors": 2,
        "agreed": 1,
        "files": [
            {
                "path": str(path),
                "kind": "failures",
                "vectors": 2,
                "agreed": 1,
                "differences": [
                    {
                        "line": 2,
                        "note": BAD["in"]["note"],
                        "keys": ["detail"],
                        "in": BAD["in"],
                        "expected": BAD["expect"],
                        "got": {"reason": "exit", "detail": "2"},
                    }
                ],
            }
        ],
        "not_checked": [
            {
                "path": str(tmp_path / "strange.jsonl"),
                "reason": "no vector file is known by this name",
            }
        ],
    }


def test_a_file_that_is_not_checked_is_told_apart_from_one_that_agrees(tmp_path):
    write(tmp_path / "failures.jsonl", GOOD)
    write(tmp_path / "strange.jsonl", GOOD)
    result = run(tmp_path)
    assert result.exit_code == 0
    assert f"{tmp_path}/strange.jsonl: not checked: no vector file" in result.stdout
    assert result.stdout.endswith("1 of 1 vector agrees: all agree; files not checked: 1\n")


def test_a_lone_surrogate_is_shown_as_an_escape(tmp_path):
    vector = {"in": {"tool": "read", "text": "\ud800"}, "expect": "\udfff"}
    path = write(tmp_path / "failures.jsonl", vector)
    text = run(path)
    assert text.exit_code == 1
    assert "\\udfff" in text.stdout
    shown = json.loads(run(path, "--format", "json").stdout)
    assert shown["files"][0]["differences"][0]["expected"] == "\udfff"


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("failures.jsonl", b'{"in":{}\n', "failures.jsonl:1"),
        ("failures.jsonl", b"\n", "not one vector"),
        ("unknown.jsonl", b"{}\n", "no vector file recognised"),
        ("other", b"", "no such file"),
    ],
)
def test_what_cannot_be_run_is_an_error_of_exit_code_2(tmp_path, name, data, told):
    (tmp_path / name).write_bytes(data)
    result = run(tmp_path / ("missing" if name == "other" else name))
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert told in str(result.exception)


def test_importing_the_command_imports_nothing_heavy():
    code = (
        "import sys; import dsh_calibrate_cli.commands.conformance;"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('regex', 'can_ada', 'polars', 'scipy', 'zstandard')"
        " or m.startswith(('dsh_calibrate.conformance', 'dsh_calibrate.guards'))))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
