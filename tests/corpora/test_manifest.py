"""corpus.toml: what is read, what is refused and how, what writing keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.manifest import (
    ListedLog,
    Manifest,
    ManifestError,
    parse_manifest,
    read_manifest,
)
from dsh_calibrate.corpora.manifest_logs import corpus_logs, joined
from dsh_calibrate.corpora.manifest_writing import render_manifest, with_logs

DIGEST = "0123456789abcdef0123456789abcdef"
LOG = f'[[log]]\npath = "a.jsonl"\ndigest = "{DIGEST}"\n'

REFUSED = {
    "no schema": ("", "corpus.toml: schema: None is not known here"),
    "another schema": ("schema = 2", "schema: 2 is not known here: this version reads schema 1"),
    "a schema that is true": ("schema = true", "schema: True is not known"),
    "no TOML": ("schema = ", "corpus.toml: is not TOML"),
    "a misspelt key": ("schema = 1\nlicense = 'MIT'", "'license' is not a key here, did you mean"),
    "no table of logs": ("schema = 1\nlog = 1", "log: must be tables, write [[log]]"),
    "a key of a log": (f"schema = 1\n{LOG}size = 1", "log 1: 'size' is not a key here"),
    "no path": (f"schema = 1\n[[log]]\ndigest = '{DIGEST}'", "log 1: path: is missing"),
    "no digest": ("schema = 1\n[[log]]\npath = 'a'", "log 1: digest: must be 32 hex digits"),
    "a short digest": (f"schema = 1\n{LOG}".replace("0123", "012"), "digest: must be 32 hex"),
    "twice the same": (f"schema = 1\n{LOG}{LOG}", "log 2: path: 'a.jsonl' is log 1 too"),
    "a path above": (
        f"schema = 1\n{LOG}".replace("a.jsonl", "../a"),
        "log 1: path: '../a' must be",
    ),
    "an absolute path": (f"schema = 1\n{LOG}".replace("a.jsonl", "/a"), "path: '/a' must be"),
    "another spelling": (f"schema = 1\n{LOG}".replace("a.jsonl", "./a"), "path: './a' must be"),
    "a config above": ("schema = 1\nconfig = '../x.yml'", "config: '../x.yml' must be"),
    "versions": ("schema = 1\nplugin_versions = 'rtb'", "plugin_versions: must be a table"),
    "a version": ("schema = 1\nplugin_versions = { rtb = 0.8 }", "must be a table of texts"),
    "a coverage": ("schema = 1\nmin_coverage = 101", "min_coverage: must be a share"),
    "a flag": ("schema = 1\nmin_coverage = true", "min_coverage: must be a share"),
    "a number": ("schema = 1\nlicence = 1", "licence: must be a text in quotes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_mistakes_are_named(name):
    text, words = REFUSED[name]
    with pytest.raises(ManifestError) as wrong:
        parse_manifest(text, "corpus.toml")
    assert words in str(wrong.value)
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize(
    ("written", "percent"), [("0.9", 90), ("1", 100), ("50", 50.0), ("0", 0), ("1.5", 1.5)]
)
def test_coverage_is_a_share_or_percent(written, percent):
    manifest = parse_manifest(f"schema = 1\nmin_coverage = {written}", "x")
    assert manifest.min_coverage == percent


def test_a_missing_or_binary_manifest_is_named(tmp_path):
    with pytest.raises(ManifestError, match="no such file; name a corpus folder, or make one"):
        read_manifest(tmp_path)
    (tmp_path / "corpus.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ManifestError, match="not UTF-8"):
        read_manifest(tmp_path)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
parts = st.text(st.characters(exclude_characters="/\\", exclude_categories=["Cs"]), min_size=1)
paths = st.lists(parts.filter(lambda p: p not in (".", "..")), min_size=1, max_size=3).map("/".join)
logs = st.builds(ListedLog, paths, st.just(DIGEST), texts, texts)
manifests = st.builds(
    Manifest,
    config=st.none() | paths,
    plugin_versions=st.none() | st.dictionaries(texts, texts, min_size=1, max_size=2),
    min_coverage=st.none() | st.integers(0, 100).map(float),
    provenance=texts,
    licence=texts,
    logs=st.lists(logs, max_size=3, unique_by=lambda log: log.path).map(tuple),
)


@given(manifests)
def test_what_is_written_is_read_back(manifest):
    assert parse_manifest(render_manifest(manifest), "x") == manifest


@given(manifests)
def test_appending_keeps_everything(manifest):
    start = render_manifest(Manifest(licence="MIT")) + "# by hand"
    changed = with_logs(start, manifest.logs, "x")
    assert changed.startswith(start)
    assert parse_manifest(changed, "x").logs == manifest.logs


def test_logs_in_one_line_are_not_appended_to():
    start = f'schema = 1\nlog = [{{ path = "a", digest = "{DIGEST}" }}]\n'
    with pytest.raises(ManifestError, match=r"\[\[log\]\]"):
        with_logs(start, [ListedLog("b", DIGEST)], "x")


def test_listed_logs_that_are_not_there_are_named_each(tmp_path):
    manifest = Manifest(logs=(ListedLog("a.jsonl", DIGEST), ListedLog("b.jsonl", DIGEST)))
    (tmp_path / "b.jsonl").write_text("{}\n")
    found = corpus_logs(tmp_path, manifest)
    assert [text.partition("listed log ")[2][:24] for text in found.problems] == [
        "'a.jsonl' is missing: re",
        "'b.jsonl' is no DSH sess",
    ]
    assert joined(found.problems).endswith("(and 1 more; `corpus verify` lists them all)")
