"""What the tests of redaction share: a fixed key, and a corpus redacted in one line."""

from __future__ import annotations

import json
from pathlib import Path

from dsh_calibrate.corpora.redaction.corpus import RedactionReport, redact_corpus
from dsh_calibrate.corpora.redaction.pseudonyms import Pseudonyms
from dsh_calibrate.corpora.redaction.rewriting import Collector, Rewriter
from dsh_calibrate.corpora.redaction.stored_lines import load_lines
from dsh_calibrate.logs.discovery import discover

KEY = b"a key for tests"


def redacted(source: Path, out: Path, **options) -> RedactionReport:
    return redact_corpus(discover([source]).logs, out, key=KEY, **options)


def rewriter(*texts: str) -> Rewriter:
    """A rewriter whose corpus is these texts."""
    collector = Collector()
    for text in texts:
        collector.text(text)
        collector.prose(text)
    return Rewriter(Pseudonyms(KEY, frozenset(collector.words)))


def everything(out: Path) -> str:
    """All that the logs below a folder say, as one text."""
    logs = discover([out]).logs
    lines = [line for log in logs for line in load_lines(log.path).lines]
    return json.dumps(lines, ensure_ascii=False) + "".join(log.key for log in logs)
