"""Taking vector files apart, and telling what is wrong with one."""

from __future__ import annotations

import pytest

from dsh_calibrate.conformance.vector_files import read_vectors, vector_paths
from dsh_calibrate.errors import UsageError


def file_of(tmp_path, data, name="failures.jsonl"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_lines_end_at_line_feeds_alone(tmp_path):
    text = (
        '{"in":{"s":"a\u2028b\u0085c\\ud800"},"expect":"\\udc00"}\r\n\n{"in":{"s":""},"expect":1}'
    )
    vectors = list(read_vectors(file_of(tmp_path, text.encode()), ["s"]))
    assert [(v.line, v.given["s"], v.expect) for v in vectors] == [
        (1, "a\u2028b\u0085c\ud800", "\udc00"),
        (3, "", 1),
    ]


def test_the_note_is_the_inputs(tmp_path):
    data = b'{"in":{"note":"why"},"expect":1}\n{"in":{"note":7},"expect":1}\n{"in":{},"expect":1}\n'
    assert [v.note for v in read_vectors(file_of(tmp_path, data), [])] == ["why", None, None]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "not a JSON line"),
        (b'{"in":{},"expect":NaN}', "NaN"),
        (b'\xff{"in":{},"expect":1}', "not a JSON line"),
        (b"[" * 100_000, "not a JSON line"),
        (b"[]", '"in"'),
        (b'{"in":[],"expect":1}', '"in"'),
        (b'{"expect":1}', '"in"'),
        (b'{"in":{"tool":"x","text":""}}', '"expect" is missing'),
        (b'{"in":{"tool":"x"},"expect":1}', '"text"'),
    ],
)
def test_a_bad_line_is_named_by_file_and_number(tmp_path, line, told):
    good = b'{"in":{"tool":"x","text":""},"expect":null}\n'
    path = file_of(tmp_path, good + line + b"\n" + good)
    with pytest.raises(UsageError) as refused:
        list(read_vectors(path, ["tool", "text"]))
    message = str(refused.value)
    assert message.startswith(f"{path}:2: ")
    assert told in message
    assert "\n" not in message


def test_folders_give_their_jsonl_files_and_no_file_comes_twice(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("b.jsonl", "a.jsonl", "README.md", "inner/c.jsonl"):
        (tmp_path / name).write_bytes(b"")
    found = list(vector_paths([tmp_path / "b.jsonl", tmp_path, tmp_path / "README.md"]))
    assert [path.name for path in found] == ["b.jsonl", "a.jsonl", "README.md"]


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        list(vector_paths([tmp_path / "nowhere"]))
