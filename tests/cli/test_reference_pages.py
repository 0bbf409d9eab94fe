"""The pages under docs/commands are what the command line says of itself."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate_cli.reference import pages

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "commands"


def test_pages_are_current():
    wanted = pages()
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert sorted(found) == sorted(wanted)
    stale = [name for name in wanted if found[name] != wanted[name]]
    assert stale == [], "python -m dsh_calibrate_cli.reference docs/commands writes them again"


def test_every_command_has_a_page_with_its_options():
    wanted = pages()
    assert {"replay.md", "explain.md", "derive.md", "corpus-redact.md", "index.md"} <= set(wanted)
    assert "--min-coverage" in wanted["replay.md"]
