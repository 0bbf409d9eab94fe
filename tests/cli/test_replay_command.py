"""`replay` as a user runs it: formats, coverage, exit codes, bad input."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
COMMAND = Path(sys.executable).with_name("dsh-calibrate")


def run(*arguments: object, **env: str):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)], env={"NO_COLOR": "1", **env})


def installed(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        **options,
    )


@pytest.fixture
def sessions(tmp_path):
    looping = Session("s-loop").human("Go")
    for _ in range(13):
        looping.call("bash", {"command": "ls a"}).result("ok")
    healthy = Session("s-well").human("Go").call("read", {"file_path": "/a"}).result("x")
    root = tmp_path / "sessions"
    write_session(root, looping, 4, "zstd")
    write_session(root, healthy, 0, "plain")
    return root


def test_text_names_the_guards_and_the_noisiest_log(sessions):
    done = run(sessions)
    assert done.exit_code == 0
    assert "What each guard would have done" in done.stdout
    assert "1: 50.0% (1.3% to 98.7%)" in done.stdout
    assert "dsh-calibrate explain" in done.stdout
    assert "2 logs found: 2 read" in done.stderr


def test_json_adds_up(sessions):
    document = json.loads(run(sessions, "--format", "json").stdout)
    coverage = document["coverage"]
    assert (
        coverage["found"]
        == 2
        == sum(
            coverage[k]
            for k in ("read", "damaged", "empty", "no_calls", "not_understood", "unreadable")
        )
    )
    assert document["totals"]["calls"] == 14
    rtb = document["guards"]["rtb"]
    assert rtb["advisories"] == {"warn": 1, "summarize": 1, "failure": 0}
    assert rtb["exact"]["advisories"] == {"warn": 1, "summarize": 0, "failure": 0}
    assert rtb["gates"] == {"repeat": 2, "failure": 0}
    assert rtb["asks"] == 1
    assert document["plugin_versions"]["rtb"] == "0.8"
    assert [log["session"] for log in document["logs"]] == ["s-loop", "s-well"]


def test_jsonl_has_one_line_each_time_a_guard_acts(sessions):
    lines = [json.loads(line) for line in run(sessions, "--format", "jsonl").stdout.splitlines()]
    rtb = [line for line in lines if line["guard"] == "rtb"]
    assert [(line["call"], line["verdict"], line["stage"]) for line in rtb] == [
        (6, "advise", "warn"),
        (10, "advise", "summarize"),
        (11, "ask", "repeat"),
        (12, "deny", "repeat"),
    ]
    assert {"log", "session", "lifecycle", "seq", "call_id", "ran", "measure", "fingerprint",
            "count", "threshold", "divergence", "exact"} <= set(rtb[0])  # fmt: skip
    assert [line["guard"] for line in lines][:1] == ["rtr"]


def test_csv_has_the_same_rows(sessions):
    rows = run(sessions, "--format", "csv").stdout.splitlines()
    lines = run(sessions, "--format", "jsonl").stdout.splitlines()
    assert len(rows) == len(lines) + 1


@pytest.mark.parametrize("early", [True, False])
def test_text_tells_tokens_behind_the_first_intervention_where_logs_count_them(tmp_path, early):
    session = Session("s").human("Go")
    for _ in range(9):
        session.call("read", "{}").result("four")
    write_session(tmp_path, session, 0, options=LineOptions(early=early))
    done = run(tmp_path, "--guard", "rtb", COLUMNS="150")
    (row,) = [line for line in done.stdout.splitlines() if "1 of 1 " in line]
    words = row.split()
    assert words[:5] == ["rtb", "1", "of", "1", "2"]  # two calls
    assert (words[6] == "–") is early
    assert words[7:] == ["22%", "of", "9"]


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path):
    outputs = []
    for jobs in (1, 4):
        out = tmp_path / f"{jobs}.json"
        done = run(CORPORA, "--jobs", jobs, "--format", "json", "-o", out, "-q",
                   "--output", f"jsonl={tmp_path / str(jobs)}.jsonl")  # fmt: skip
        assert done.exit_code == 0, done.stderr
        outputs.append((out.read_bytes(), (tmp_path / f"{jobs}.jsonl").read_bytes()))
    assert outputs[0] == outputs[1]


def test_same_session_in_every_version_has_the_same_figures(tmp_path):
    session = Session("s-1").human("Go").reasoning("Let me write. Go. OK. Emit. " * 60)
    for _ in range(13):
        session.call("bash", {"command": "make"}).result("x\n[exit code: 2]")
    found = set()
    for version in (0, 1, 2, 3, 4):
        for encoding in ("plain", "zstd"):
            root = tmp_path / f"{version}-{encoding}"
            write_session(root, session, version, encoding)
            document = json.loads(run(root, "--format", "json").stdout)
            found.add(json.dumps([document["totals"], document["guards"]], sort_keys=True))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/path"], "no such file or folder"),
        (["{empty}"], "no DSH session log"),
        (["{pi}"], "no DSH session log"),
        (["{ok}", "--format", "yaml"], "--format yaml: unknown here"),
        (["{ok}", "--fail-on", "sneeze"], "--fail-on sneeze: unknown"),
        (["{ok}", "--fail-on", "ask,infeasible"], "--fail-on infeasible: replay never finds that"),
        (["{ok}", "--set", "rtb.window=3"], "rtb.window"),
        (["{ok}", "--set", "rtb.localHosts=ask"], "onLimit: ask"),
        (["{ok}", "--set", "rlg.kgram=5000"], "rlg.kgram"),
        (["{ok}", "--plugin-version", "rtb=9.9"], "9.9"),
        (["{ok}", "--config", "/no/such.yml"], "/no/such.yml"),
        (["{ok}", "--guard", "xyz"], "xyz"),
        (["{ok}", "-o", "/no/such/folder/out.txt"], "cannot write"),
        (["{ok}", "--output", "json"], "FORMAT=FILE"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(sessions, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    pi = tmp_path / "pi.jsonl"
    pi.write_text('{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z"}\n')
    places = {"empty": tmp_path / "empty", "pi": pi, "ok": sessions}
    done = run(*(a.format(**places) for a in arguments))
    assert done.exit_code == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("dsh-calibrate: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("advise", 1), ("deny,fire", 1), ("fire", 0), ("damaged", 0), ("ask", 1), ("refuse", 0)],
)
def test_fail_on(sessions, fail_on, code):
    assert run(sessions, "--fail-on", fail_on).exit_code == code


def test_damaged_logs_are_named_measured_apart_and_cover_less(sessions):
    session = Session("s-bad").human("Go")
    for _ in range(8):
        session.call("bash", {"command": "ls a"}).result("ok")
    log = write_session(sessions, session, 4, "plain")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:-1], b'{"type": nonsense\n', lines[-1]]))
    done = run(sessions, "--format", "json", "--fail-on", "damaged")
    document = json.loads(done.stdout)
    assert done.exit_code == 1
    assert document["coverage"]["damaged"] == 1
    assert document["totals"]["logs"] == 2
    assert document["damaged"]["guards"]["rtb"]["advisories"]["warn"] == 1
    assert "damaged at line" in done.stderr
    assert run(sessions, "--min-coverage", "0.9").exit_code == 3
    assert run(sessions, "--min-coverage", "90").exit_code == 3
    assert run(sessions, "--min-coverage", "0.6").exit_code == 0


def test_enforced_block_and_guard_selection(sessions):
    session = Session("s-curl").human("Go")
    session.call("bash", {"command": "curl -s https://example.org/"}).result("x")
    write_session(sessions, session, 4, "plain")
    enforced = json.loads(run(sessions, "--shell-http", "enforce", "--format", "json").stdout)
    measured = json.loads(run(sessions, "--guard", "rtb", "--format", "json").stdout)
    off = json.loads(run(sessions, "--set", "rtb.blockShellHttp=false", "--format", "json").stdout)
    assert enforced["guards"]["rtb"]["shell_http"]["refused"] == 1
    assert measured["guards"]["rtb"]["shell_http"]["target"] == 1
    assert set(measured["guards"]) == {"rtb"}
    assert off["guards"]["rtb"]["shell_http"]["refused"] == 0


def test_nothing_is_written_below_a_sessions_root(sessions):
    def listing() -> list[tuple[str, float, int]]:
        return [(str(p), p.stat().st_mtime, p.stat().st_size) for p in sorted(sessions.rglob("*"))]

    before = listing()
    for folder in [sessions, *(p for p in sessions.rglob("*") if p.is_dir())]:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert run(sessions, "--jobs", 2).exit_code == 0
    for folder in [sessions, *(p for p in sessions.rglob("*") if p.is_dir())]:
        folder.chmod(stat.S_IRWXU)
    assert listing() == before


def test_hostile_names_do_not_reach_the_terminal(tmp_path):
    session = Session("\x1b[2J-id").human("Go")
    for _ in range(8):
        session.call("bash\x1b]0;x\x07", {"command": "\u202els\x1b[31m"}).result("ok")
    write_session(tmp_path / "s", session, 4, "plain")
    done = run(tmp_path / "s")
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output


def test_installed_command_and_broken_pipe(sessions):
    done = installed("replay", sessions, "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["totals"]["calls"] == 14
    with subprocess.Popen(
        f"{COMMAND} replay {CORPORA} --format jsonl -q | head -n 1",
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as piped:
        out, err = piped.communicate(timeout=120)
    assert out.count(b"\n") == 1
    assert b"Traceback" not in err


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['dsh-calibrate', '--help']\n"
        "from dsh_calibrate_cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'polars', 'pyarrow', 'numpy', 'scipy', 'altair', 'vl_convert', 'zstandard', "
        "'can_ada', 'regex', 'ruamel.yaml', 'msgspec', 'duckdb'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stderr.strip() == "[]"
    assert "replay" in done.stdout


def test_reasoning_that_was_not_read_is_null_and_other_guards_are_the_same(sessions):
    everything = json.loads(run(sessions, "--format", "json").stdout)
    one = json.loads(run(sessions, "--guard", "rtb", "--format", "json").stdout)
    assert one["totals"] == {**everything["totals"], "streams": None, "reasoning_utf16": None}
    assert one["guards"]["rtb"] == everything["guards"]["rtb"]
    assert one["coverage"] == everything["coverage"]


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv"])
def test_mask_leaves_nothing_that_calls_and_names_contain(tmp_path, form):
    session = Session("secretsession").human("Go")
    for _ in range(13):
        session.call("bash", {"command": "curl https://private.example.org/hush"}).result("ok")
    session.reasoning("Clandestine words. " * 100)
    write_session(tmp_path / "--secretproject--", session, 4, "plain")
    words = ("secretproject", "secretsession", "private", "hush", "landestine")
    full = run(tmp_path, "--format", form)
    assert full.exit_code == 0
    masked = run(tmp_path, "--format", form, "--mask")
    assert [word for word in words if word in masked.stdout] == []
    shown = run(tmp_path, "--format", form, "--show-content").stdout
    assert shown == full.stdout
    assert "secretproject" in shown
    if form == "jsonl":
        keys = [
            [sorted(json.loads(line)) for line in x.splitlines()] for x in (masked.stdout, shown)
        ]
        assert keys[0] == keys[1]
