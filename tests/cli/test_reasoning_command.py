"""`reasoning` on files of texts and on session logs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app
from shared_material import ROOT, needs_shared

LOOP = "Let me write. Go. OK. Emit. Now. " * 60


def run(*arguments: object):
    return CliRunner().invoke(app, ["reasoning", *map(str, arguments)])


def test_texts_and_logs_together(tmp_path):
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps([{"text": LOOP}, "One quiet sentence."]))
    write_session(tmp_path / "s", Session("s-1").human("Go").reasoning(LOOP, size=40), 4, "zstd")
    done = run(texts, tmp_path / "s", "--pieces", "40,1000", "--format", "json")
    document = json.loads(done.stdout)
    rows = {(row["file"].rpartition("/")[2], row["piece"]): row for row in document["pieces"]}
    assert rows["texts.json", 40]["fires"] == 1
    assert rows["texts.json", 40]["streams"] == 2
    assert rows["session.v4.jsonl.zstd", "recorded"]["by_rule"]["periodic-run"] == 1
    assert rows["session.v4.jsonl.zstd", "recorded"]["first_utf16"] == {"min": 800, "max": 800}
    assert document["coverage"]["found"] == 1
    text = run(texts, "--pieces", "40")
    assert text.exit_code == 0
    assert "texts.json" in text.stdout
    assert "periodic-run 1" in text.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such.json"], "no such file"),
        (["{texts}", "--pieces", "0"], "--pieces"),
        (["{texts}", "--pieces", "x"], "--pieces x"),
        (["{texts}", "--guard", "rtb"], "rlg"),
        (["{texts}", "--set", "rlg.minPeriod=400"], "rlg.minPeriod"),
    ],
)
def test_mistakes(tmp_path, arguments, message):
    texts = tmp_path / "texts.json"
    texts.write_text('["x"]')
    done = run(*(a.format(texts=texts) for a in arguments))
    assert done.exit_code == 2
    assert message in done.stderr


@needs_shared
@pytest.mark.slow
def test_the_177_streams_at_every_piece_size():
    folder = ROOT / "corpora" / "reasoning-177"
    done = run(folder / "degenerate.json", folder / "healthy.json", "--format", "json")
    rows = json.loads(done.stdout)["pieces"]
    assert [(row["piece"], row["fires"], row["streams"]) for row in rows] == [
        *((size, 11, 11) for size in (1, 8, 40, 200, 1000, 4000)),
        *((size, 0, 166) for size in (1, 8, 40, 200, 1000, 4000)),
    ]
