"""``report`` as users run it: every format, masked, deterministic, readable in a browser."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
NASTY = "https://secret-host.example.org/<script>alert(1)</script>/=cmd|x"


def run(*arguments):
    done = CliRunner().invoke(app, ["report", "--no-cache", *map(str, arguments)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "out"
    run(ROOT / "corpora" / "first-loops", "-o", folder, "--jobs", "1")
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    session = Session("evil|<b>session", cwd="/work/\u202eprivate-project")
    session.human("=1+1\x1b[2J")
    for _ in range(9):
        session.call("bash", {"command": f"curl {NASTY}"}).result("\x1b]0;x\x07[exit code: 2]")
    write_session(folder, session, version=4, encoding="plain")
    return folder


def test_all_files(written):
    names = set(files(written))
    assert {"report.html", "report.md", "report.json"} <= names
    assert {"charts/peaks.svg", "tables/rates.csv", "tables/rates.parquet"} <= names


def test_schema(written):
    schema = json.loads((ROOT / "docs" / "schemas" / "report.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    document = json.loads((written / "report.json").read_text())
    Draft202012Validator(schema).validate(document)
    for section in document["report"]["sections"]:
        for block in section["blocks"]:
            table = block.get("table", block)
            assert all(len(row) == len(table["columns"]) for row in table.get("rows", ()))


def test_same_bytes_for_any_jobs(written, tmp_path):
    run(ROOT / "corpora" / "first-loops", "-o", tmp_path, "--jobs", "2")
    assert files(tmp_path) == files(written)


def test_headings_in_order(written):
    text = (written / "report.html").read_text()
    levels = [int(level) for level in re.findall(r"<h([1-6])", text)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_nothing_is_fetched(written):
    text = (written / "report.html").read_text()
    assert not re.search(r"<(link|img|iframe|object|embed|script[^>]*src)", text)
    assert not re.search(r"(url\(|@import|href=\"(?!#))", text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("labels", [True, False])
def test_hostile_sessions(hostile, tmp_path, labels):
    if labels:
        (hostile / "labels.toml").write_text('[[label]]\nsession = "*"\noutcome = "stuck"\n')
    out = tmp_path / "out"
    run(hostile, "-o", out)
    for name, content in files(out).items():
        if name.endswith(".parquet"):
            continue
        text = content.decode()
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), name
        assert "secret-host" not in text, name
        assert "private-project" not in text, name
        assert "<script>alert" not in text, name
    printed = run(hostile)
    assert "\x1b" not in printed
    assert "secret-host" not in printed


def test_show_content_says_so(hostile, tmp_path):
    run(hostile, "-o", tmp_path / "out", "--show-content")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "secret-host" in page
    assert "--show-content asked for it" in page
    assert "<script>alert" not in page
    assert json.loads((tmp_path / "out" / "report.json").read_text())["report"]["masked"] is False


def test_without_labels_it_says_so(tmp_path):
    session = Session("plain").human("x").call("read", {"file_path": "/a"}).result("ok")
    write_session(tmp_path, session, version=4, encoding="plain")
    text = run(tmp_path, "--guard", "rtb")
    assert "No labels were given" in text
    assert "No settings are recommended" in text
    assert "rlg is not selected" in text


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").write_text("")
    done = CliRunner().invoke(
        app, ["report", str(ROOT / "corpora" / "first-loops"), "-o", str(tmp_path / "x")]
    )
    assert done.exit_code == 2
    assert "is a file" in done.stderr


MEASURE = (
    "<script>addEventListener('load',()=>{document.title="
    "document.documentElement.scrollWidth+' '+innerWidth+' '"
    "+performance.getEntriesByType('resource').length})</script>"
)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
@pytest.mark.parametrize("width", [500, 1400])
def test_in_a_browser(written, tmp_path, width):
    # Headless windows are at least 500 wide; 400 is a frame of that width.
    page = tmp_path / "page.html"
    page.write_text((written / "report.html").read_text().replace("</body>", MEASURE + "</body>"))
    title = dumped_title(page, width)
    found, window, fetched = map(int, title.split())
    assert found <= window
    assert fetched == 0


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_in_a_narrow_frame(written, tmp_path):
    page = (written / "report.html").read_text()
    (tmp_path / "page.html").write_text(page)
    frame = tmp_path / "frame.html"
    frame.write_text(
        '<iframe src="page.html" style="width:400px;height:900px;border:0"></iframe>'
        "<script>addEventListener('load',()=>{const d=frames[0].document.documentElement;"
        "document.title=d.scrollWidth+' '+d.clientWidth})</script>"
    )
    found, window = map(int, dumped_title(frame, 1000).split())
    assert window <= 400
    assert found <= window


def dumped_title(page, width):
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            f"--window-size={width},900",
            "--virtual-time-budget=3000",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return re.search(r"<title>([^<]*)</title>", done.stdout)[1]


def locked_versions_differ():
    wanted = re.findall(
        r"^(altair|vl-convert-python|polars|pyarrow|scipy)==([^\s;\\]+)",
        (ROOT / "requirements.lock").read_text(),
        re.MULTILINE,
    )
    # A library has several versions there, one for each range of Python versions.
    allowed = {}
    for name, version in wanted:
        allowed.setdefault(name, set()).add(version)
    found = {name: importlib.metadata.version(name) for name in allowed}
    return [f"{name} {found[name]}" for name in allowed if found[name] not in allowed[name]]


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["first-loops", "all-guards"])
def test_shipped_reports_are_current(corpus, tmp_path):
    differing = locked_versions_differ()
    if differing:
        pytest.skip(f"versions differ from requirements.lock: {', '.join(differing)}")
    run(ROOT / "corpora" / corpus, "-o", tmp_path, "--title", f"Calibration report: {corpus}")
    assert files(tmp_path) == files(ROOT / "reports" / corpus)
