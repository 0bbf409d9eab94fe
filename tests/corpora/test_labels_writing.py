from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.label_reading import parse_labels
from dsh_calibrate.corpora.label_writing import (
    render_entry,
    save_labels,
    with_label,
)
from dsh_calibrate.corpora.labels import EXPECTATIONS, POINT_KINDS, Entry, LabelError, Point

globs = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
numbers = st.integers(0, 10**6)
points = st.builds(
    lambda guard, lifecycle, ordinal, expect: Point(
        guard, lifecycle, POINT_KINDS[guard], ordinal, expect
    ),
    st.sampled_from(sorted(POINT_KINDS)),
    numbers,
    numbers,
    st.sampled_from(EXPECTATIONS),
)
entries = st.builds(
    lambda glob, by_log, **rest: Entry(**{"log" if by_log else "session": glob}, **rest),
    globs,
    st.booleans(),
    outcome=st.sampled_from(["stuck", "healthy", "undecided"]),
    split=st.sampled_from([None, "train", "test"]),
    note=st.text(st.characters(codec="utf-8"), max_size=12),
    points=st.lists(points, max_size=3).map(tuple),
)


def render_labels(many: list[Entry], heading: str = "") -> str:
    """The text of a file with these entries, below comment lines."""
    comment = "".join(f"# {line}\n" for line in heading.splitlines())
    return "\n".join(filter(None, [comment, *map(render_entry, many)]))


@given(st.lists(entries, max_size=4), st.sampled_from(["", "made by hand\nfor tests"]))
def test_what_is_written_is_read(many: list[Entry], heading: str) -> None:
    assert list(parse_labels(render_labels(many, heading), "L")) == many


@given(st.lists(entries, max_size=3), entries, st.sampled_from(["", "\n", "# end"]))
def test_a_label_is_set_and_nothing_else_is_lost(many: list[Entry], new: Entry, tail: str) -> None:
    text = render_labels(many) + tail
    read = parse_labels(with_label(text, new, "L"), "L")
    same = [e for e in many if (e.log, e.session) == (new.log, new.session)]
    if not same:
        assert list(read) == [*many, new]
    matching = [e for e in read if (e.log, e.session) == (new.log, new.session)]
    assert matching[0].outcome == new.outcome
    assert set(new.points) <= {p for e in matching for p in e.points}
    assert [e for e in read if e not in matching] == [e for e in many if e not in same]


def test_the_text_is_stable() -> None:
    entry = Entry("stuck", log='a"b\\', split="test", note="x\ny\u202e", points=(
        Point("rlg", 0, "stream", 2, "quiet"),
    ))  # fmt: skip
    assert render_entry(entry) == (
        '[[label]]\nlog = "a\\"b\\\\"\noutcome = "stuck"\nsplit = "test"\n'
        'note = "x\\ny\\u202e"\n\n'
        '[[label.at]]\nguard = "rlg"\nlifecycle = 0\nstream = 2\nexpect = "quiet"\n'
    )


HAND = """\
# my labels

[[label]]  # first
log = "a"
outcome = 'undecided'   # not sure yet
# a thought

[[label.at]]
guard = "rtb"
call = 1
expect = "quiet"

[[label]]
log = "b"
outcome = "stuck"
# the end
"""


def test_a_change_keeps_comments_and_order() -> None:
    changed = with_label(HAND, Entry("healthy", log="a", split="train", note="ok"), "L")
    assert changed == HAND.replace(
        "outcome = 'undecided'   # not sure yet",
        'outcome = "healthy"   # not sure yet\nnote = "ok"\nsplit = "train"',
    )
    assert with_label(changed, Entry("healthy", log="a"), "L") == changed


def test_appending_keeps_the_text() -> None:
    changed = with_label(HAND, Entry("stuck", session="c"), "L")
    assert changed == HAND + '\n[[label]]\nsession = "c"\noutcome = "stuck"\n'


def test_windows_line_ends_survive() -> None:
    text = HAND.replace("\n", "\r\n")
    changed = with_label(text, Entry("healthy", log="a", split="train"), "L")
    assert "\n" not in changed.replace("\r\n", "")


def test_what_cannot_be_changed_safely_is_refused() -> None:
    text = 'label = [{log = "x", outcome = "stuck"}]\n'
    with pytest.raises(LabelError, match="edit it by hand"):
        with_label(text, Entry("healthy", log="x"), "L")
    with pytest.raises(LabelError, match="edit it by hand"):
        with_label(text, Entry("healthy", log="y"), "L")
    long = '[[label]]\nlog = "x"\noutcome = """stuck"""\n'
    with pytest.raises(LabelError, match=r"entry 1 \(line 1\): cannot be changed"):
        with_label(long, Entry("healthy", log="x"), "L")


def test_a_name_that_is_no_utf8_is_refused() -> None:
    with pytest.raises(LabelError, match="is no UTF-8"):
        render_entry(Entry("stuck", log="a\udcff"))


def test_saving_replaces_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "labels.toml"
    save_labels(path, "# ä\r\n")
    path.chmod(0o600)
    save_labels(path, HAND)
    assert path.read_bytes() == HAND.encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["labels.toml"]
