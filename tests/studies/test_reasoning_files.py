"""The study of reasoning files: reading, piece rows, peaks."""

import json

import msgspec
import pytest

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.studies.reasoning_files import study
from dsh_calibrate.studies.reasoning_texts import cut, read_texts

LOOP = "Let me write. Go. OK. Emit. Now. " * 60
WORDS = " ".join(f"{number:x}{number * 7919 % 65521:x}" for number in range(400))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"text": "a\u2028b", "seq": 1}, "\ud83d"]),
        '{"text": "a\u2028b"}\n\n"\\ud83d"\n',
        '\ufeff["a\u2028b", "\\ud83d"]',
    ],
)
def test_reading(tmp_path, content):
    file = tmp_path / "texts.json"
    file.write_text(content, encoding="utf-8")
    assert read_texts(file) == ["a\u2028b", "\ud83d"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[{"text": 5}]', 'row 1 has no "text"'),
        (b'"a"\n{"txt": "b"}', 'row 2 has no "text"'),
        (b'["a", secret', "is not a JSON array"),
        (b'"a"\nsecret', "line 2 is not JSON"),
        (b'["\xff"]', "is not a JSON array"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_unreadable(tmp_path, content, message):
    file = tmp_path / "texts.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=message) as refused:
        read_texts(file)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value).removeprefix(str(file))


def test_missing(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_texts(tmp_path / "none.json")


def test_cutting_counts_units():
    assert cut("a😀b", 2) == ["a\ud83d", "\ude00b"]
    assert cut("", 5) == []


def test_rows_and_peaks(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text("\n".join(map(json.dumps, (LOOP, WORDS, "short"))))
    found = msgspec.to_builtins(study([file], [40, 1, 900], Config()))
    name = file.as_posix()
    assert [(row["file"], row["piece"], row["streams"]) for row in found["pieces"]] == [
        (name, 40, 3), (name, 1, 3), (name, 900, 3),
    ]  # fmt: skip
    assert [row["fires"] for row in found["pieces"]] == [1, 1, 1]
    assert found["pieces"][0]["by_rule"] == {
        "periodic-run": 1, "block-repeat": 0, "line-repeat": 0, "kgram-repeat": 0, "filler-run": 0,
    }  # fmt: skip
    assert [row["first_utf16"] for row in found["pieces"]] == [
        {"min": 800, "max": 800}, {"min": 800, "max": 800}, {"min": 900, "max": 900},
    ]  # fmt: skip
    peaks = found["peaks"][name]
    # The stripped unit has 20 letters; 1200 raw units of tail hold 37 of them whole or more.
    assert peaks["periodic-run"]["figure"]["min"] == 0
    assert peaks["periodic-run"]["figure"]["max"] >= 34
    assert peaks["periodic-run"]["percent"]["max"] == 25 * peaks["periodic-run"]["figure"]["max"]
    assert peaks["block-repeat"]["figure"]["max"] > 40
    assert peaks["filler-run"] == {
        "figure": {"min": 0, "max": 2}, "percent": {"min": 0, "max": 0},
    }  # fmt: skip
    assert peaks["line-repeat"]["share_e4"] == {"min": 0, "max": 0}


def test_repeated_lines_show_their_share(tmp_path):
    file = tmp_path / "texts.json"
    file.write_text(
        json.dumps(
            ["".join(f"A line that returns\n{WORDS[n * 90 : n * 90 + 80]}\n" for n in range(9))]
        )
    )
    found = study([file], [1000], Config(min_chars=100, line_count=40))
    peak = found.peaks[file.as_posix()]["line-repeat"]
    assert found.pieces[0].fires == 0
    assert found.pieces[0].first_utf16 is None
    assert peak.figure.max == 9
    assert peak.percent.max == 22  # 9 of 40, though the share is above its floor
    assert peak.share_e4 is not None
    assert 1500 < peak.share_e4.max < 2500


def test_nothing_to_peak_at(tmp_path):
    file = tmp_path / "texts.json"
    file.write_text("[]")
    found = study([file], [8], Config())
    assert (found.pieces[0].streams, found.peaks) == (0, {file.as_posix(): {}})


@pytest.mark.parametrize("pieces", [[], [0], [8, -1]])
def test_piece_sizes_are_checked(tmp_path, pieces):
    with pytest.raises(UsageError, match="--pieces"):
        study([], pieces, Config())
