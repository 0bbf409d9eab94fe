from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.globs import matches, quoted
from dsh_calibrate.corpora.label_csv import parse_label_csv, read_label_csv
from dsh_calibrate.corpora.label_reading import header_lines, parse_labels, read_labels
from dsh_calibrate.corpora.labels import Entry, LabelError, Point, apply_labels

LOGS = [
    ("stuck/a/session.jsonl", "a"),
    ("stuck/b/session.v4.jsonl.zstd", "b"),
    ("fine/c/session.jsonl", "c"),
    ("fine/d.jsonl", "d-1"),
]

FILE = """\
# kept by hand
[[label]]
log = "stuck/**"
outcome = "stuck"
split = "train"
note = "hangs"

  [[ label.at ]]
  guard = "rtb"
  lifecycle = 0
  call = 11
  expect = "expect"

  [[label.at]]
  guard = "rlg"
  lifecycle = 1
  stream = 0
  expect = "known-miss"

[[label]]
session = "[cd]*"   # the others
outcome = "healthy"
"""


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("a/*.jsonl", "a/x.jsonl", True),
        ("a/*.jsonl", "a/b/x.jsonl", False),
        ("a/**", "a/b/x.jsonl", True),
        ("**/x.jsonl", "x.jsonl", True),
        ("**/x.jsonl", "a/b/x.jsonl", True),
        ("**/x.jsonl", "a/b/yx.jsonl", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[!a-c]x", "dx", True),
        ("[!a]x", "/x", False),
        ("[]]x", "]x", True),
        ("[z-a]", "[z-a]", True),
        ("[z-a]", "z", False),
        ("a[1].jsonl", "a[1].jsonl", True),
        ("a[1].jsonl", "a1.jsonl", True),
        ("[^a]", "^", True),
        ("[^a]", "b", False),
        ("[a--]", "-", False),
        ("a.c", "abc", False),
        ("A", "a", False),
        ("[", "[", True),
    ],
)
def test_globs(glob: str, text: str, expected: bool) -> None:
    assert matches(glob, text) is expected


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_quoted_glob_matches_itself_alone(text: str, other: str) -> None:
    assert matches(quoted(text), text)
    assert matches(quoted(text), other) is (text == other)


@given(st.text(alphabet="ab/*?[]!-^\\&|~", max_size=12), st.text(max_size=12))
def test_any_glob_can_be_tried(glob: str, text: str) -> None:
    assert matches(glob, glob)
    matches(glob, text)


def test_a_name_that_is_no_utf8_is_matched_by_its_glob() -> None:
    assert quoted("a\udcff*") == "a?[*]"
    assert matches(quoted("a\udcff*"), "a\udcff*")


def test_reading() -> None:
    first, second = parse_labels(FILE, "labels.toml")
    assert first == Entry(
        outcome="stuck",
        log="stuck/**",
        split="train",
        note="hangs",
        points=(
            Point("rtb", 0, "call", 11, "expect"),
            Point("rlg", 1, "stream", 0, "known-miss"),
        ),
    )
    assert (second.session, second.outcome, second.split) == ("[cd]*", "healthy", None)
    assert first.place == "labels.toml: entry 1 (line 2)"
    assert second.place == "labels.toml: entry 2 (line 20)"


def test_applying() -> None:
    labels = apply_labels(parse_labels(FILE, "labels.toml"), LOGS)
    assert labels.logs("stuck") == ("stuck/a/session.jsonl", "stuck/b/session.v4.jsonl.zstd")
    assert labels.logs("stuck", "test") == ()
    assert labels.logs("stuck", "train") == labels.logs("stuck")
    assert labels.logs("healthy") == ("fine/c/session.jsonl", "fine/d.jsonl")
    label = labels.get("stuck/a/session.jsonl")
    assert label is not None
    assert label.notes == ("hangs",)
    assert [p.guard for p in label.points] == ["rlg", "rtb"]
    assert labels.get("elsewhere") is None


HEAD = '[[label]]\nlog = "stuck/**"\noutcome = "stuck"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label = 3", "L: label: must be tables, write [[label]]"),
        ("[[labels]]\n", "L: 'labels' is not a key here, did you mean label? (known: label)"),
        ("x = ", "L: is not TOML: "),
        ('\n[[label]]\noutcome = "stuck"\n', "L: entry 1 (line 2): log, session: neither"),
        (HEAD + 'session = "x"\n', "L: entry 1 (line 1): log, session: both are given"),
        ('[[label]]\nlog = ""\noutcome = "stuck"', "entry 1 (line 1): log: is empty"),
        ('[[label]]\nlog = 3\noutcome = "stuck"', "entry 1 (line 1): log: must be a text"),
        ('[[label]]\nlog = "x"', "entry 1 (line 1): outcome: is missing: use one of stuck, heal"),
        (HEAD + '\n[[label]]\nlog="x"\noutcome = "good"', "entry 2 (line 5): outcome: 'good' is"),
        (HEAD + 'split = "dev"', "split: 'dev' is not known: use one of train, test"),
        (HEAD + "note = 1", "note: must be a text"),
        (HEAD + 'outcom = "x"', "'outcom' is not a key here, did you mean outcome?"),
        (HEAD + "at = 1", "at: must be tables"),
        (HEAD + '[[label.at]]\nguard = "abc"', "at 1: guard: 'abc' is not known: use one of rtb"),
        (HEAD + '[[label.at]]\nguard = "rtb"\nexpect = "quiet"', "at 1: call: rtb decides about a"),
        (HEAD + '[[label.at]]\nguard = "rlg"\ncall = 1', "at 1: call: rlg decides about a stream"),
        (
            HEAD + '[[label.at]]\nguard = "rtb"\ncall = -1\nexpect = "quiet"',
            "call: must be a whole",
        ),
        (
            HEAD + '[[label.at]]\nguard = "rtb"\ncall = true\nexpect = "quiet"',
            "call: must be a who",
        ),
        (HEAD + '[[label.at]]\nguard = "rtb"\ncall = 1\nexpect = "loud"', "expect: 'loud' is not"),
        (HEAD + '[[label.at]]\nguard = "rtb"\ncall = 1\nexpct = "quiet"', "did you mean expect?"),
        (HEAD + '[[label.at]]\nguard = "rtb"\ncall=1\nlifecycle="0"\nexpect="quiet"', "lifecycle:"),
    ],
)
def test_mistakes_are_named(text: str, said: str) -> None:
    with pytest.raises(LabelError) as caught:
        parse_labels(text, "L")
    assert said in str(caught.value)
    assert str(caught.value).startswith("L: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + '[[label]]\nlog = "*/a/*"\noutcome = "healthy"',
            "L: entry 2 (line 4): outcome: healthy contradicts stuck of L: entry 1 (line 1) "
            "for log 'stuck/a/session.jsonl'",
        ),
        (
            HEAD + 'split="train"\n[[label]]\nlog = "*/a/*"\noutcome = "stuck"\nsplit = "test"',
            "L: entry 2 (line 5): split: test contradicts train",
        ),
        (
            HEAD + '[[label.at]]\nguard="rtb"\ncall=1\nexpect="quiet"\n'
            '[[label]]\nlog = "*/a/*"\noutcome = "stuck"\n'
            '[[label.at]]\nguard="rtb"\ncall=1\nexpect="expect"',
            "expect of rtb at call 1: expect contradicts quiet",
        ),
        (HEAD + '[[label]]\nsession = "z*"\noutcome = "stuck"', "session: 'z*' matches none of th"),
        ('[[label]]\nlog = "stuck/*"\noutcome = "stuck"', "log: 'stuck/*' matches none of the 4 l"),
    ],
)
def test_contradictions_and_vain_globs_are_named(text: str, said: str) -> None:
    with pytest.raises(LabelError) as caught:
        apply_labels(parse_labels(text, "L"), LOGS)
    assert said in str(caught.value)


def test_two_entries_that_agree_add_up() -> None:
    text = HEAD + 'note = "x"\n[[label]]\nsession = "a"\noutcome = "stuck"\nsplit = "test"'
    label = apply_labels(parse_labels(text, "L"), LOGS).get("stuck/a/session.jsonl")
    assert label is not None
    assert (label.outcome, label.split, label.notes) == ("stuck", "test", ("x",))


def test_a_selection_is_judged_by_the_whole_corpus() -> None:
    entries = parse_labels(FILE, "L")
    assert apply_labels(entries, LOGS[:1], known=LOGS).logs("healthy") == ()
    with pytest.raises(LabelError):
        apply_labels(entries, LOGS[:1])


def test_a_session_label_speaks_of_every_log_of_the_session() -> None:
    logs = [("x/1.jsonl", "s"), ("y/2.jsonl", "s"), ("z.jsonl", None)]
    found = apply_labels((Entry("stuck", session="s"),), logs)
    assert found.logs("stuck") == ("x/1.jsonl", "y/2.jsonl")


def test_headers_in_long_strings_do_not_count() -> None:
    text = '[[label]]\nlog = "a"\nnote = """\n[[label]]\n"""\noutcome = "stuck"\n[[label]] # x\n'
    assert header_lines(text) == [1, 7]


def test_lines_are_left_out_when_they_are_not_sure() -> None:
    with pytest.raises(LabelError) as caught:
        parse_labels('label = [{log = "x", outcome = "good"}]', "L")
    assert str(caught.value).startswith("L: entry 1: outcome: 'good'")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for read in (read_labels, read_label_csv):
        with pytest.raises(LabelError, match="cannot be read"):
            read(tmp_path / "none")
        (tmp_path / "bad").write_bytes(b"\xff\xfe")
        with pytest.raises(LabelError, match="is not UTF-8"):
            read(tmp_path / "bad")


def test_the_shipped_labels_are_good() -> None:
    found = list(Path(__file__).parents[2].glob("corpora/*/labels.toml"))
    assert any(read_labels(path) for path in found)


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    text = '\ufefflog,session,outcome,note\r\nstuck/**,,stuck,"a, b"\r\n\r\n, c ,healthy,\r\n'
    path.write_text(text, encoding="utf-8", newline="")
    first, second = read_label_csv(path)
    assert first == Entry("stuck", log="stuck/**", note="a, b")
    assert second == Entry("healthy", session="c")
    assert second.place == f"{path}: line 4"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "L: is empty"),
        ("log;outcome\n", "L: column 'log;outcome' is not known"),
        ("log,log,outcome\n", "L: column log stands there twice"),
        ("log,split\n", "L: log or session, and outcome, must be columns"),
        ("log,outcome\na,b,c\n", "L: line 2: has 3 values for 2 columns"),
        ("log,outcome\na,Stuck\n", "L: line 2: outcome: 'Stuck' is not known"),
        ("log,session,outcome\na,b,stuck\n", "L: line 2: log, session: both"),
        ("log,outcome\n,stuck\n", "L: line 2: log, session: neither"),
        ('log,outcome\n"a,stuck\n', "L: line 2: is not CSV"),
    ],
)
def test_csv_mistakes_are_named(text: str, said: str) -> None:
    with pytest.raises(LabelError) as caught:
        parse_label_csv(text, "L")
    assert said in str(caught.value)
