"""The written bytes: frames, names, and what differs between the format versions."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import zstandard

from dsh_calibrate.corpora.folders import log_name, project_folder, session_folder
from dsh_calibrate.corpora.lines import LineOptions
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import encode, write_session
from dsh_calibrate.errors import UsageError


def full_session() -> Session:
    session = Session("s", preset="code").human("go")
    session.reasoning([f"piece {k} " for k in range(30)], answer="hm").call("run_code", "{}")
    session.sub_call("bash", {"command": "ls"}).sub_result(
        "no", code="FS_NOT_FOUND", name="FsError"
    )
    session.result("done", meta={"k": 1}, status=404)
    session.reasoning(["x"], outcome="attempt", failure="TIMEOUT").retry("TIMEOUT")
    session.notice("watch out", producer="runtime-context", form="snapshot")
    return session.prune().compact("all of it").resume()


def lines_of(version: int, options: LineOptions | None = None) -> list[dict]:
    text = encode(full_session(), version, "plain", options).decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def frames_of(data: bytes) -> list[bytes]:
    frames = []
    while data:
        decoder = zstandard.ZstdDecompressor().decompressobj()
        frames.append(decoder.decompress(data))
        data = decoder.unused_data
    return frames


@pytest.mark.parametrize("version", range(5))
def test_zstd_holds_the_plain_text_in_frames_that_end_in_newlines(version):
    data = encode(full_session(), version, "zstd")
    frames = frames_of(data)
    assert b"".join(frames) == encode(full_session(), version, "plain")
    assert frames[0].count(b"\n") == 1
    assert json.loads(frames[0])["type"] == "session"
    assert len(frames) > 10
    assert all(frame.endswith(b"\n") for frame in frames)
    parameters = zstandard.get_frame_parameters(data)
    assert parameters.has_checksum
    assert parameters.content_size == zstandard.CONTENTSIZE_UNKNOWN
    assert encode(full_session(), version, "zstd") == data


@pytest.mark.parametrize("version", range(5))
def test_seqs_are_dense_and_packed_rows_take_their_share(version):
    expected = 0
    packed = 0
    for line in lines_of(version)[1:]:
        if "seq0" in line:
            packed += 1
            assert line["seq0"] == expected
            assert len(line["data"]["dt"]) == len(line["data"]["texts"]) - 1 >= 2
            expected += len(line["data"]["texts"])
        else:
            assert line["seq"] == expected
            expected += 1
    assert packed == (3 if version < 2 else 0)


@pytest.mark.parametrize(
    ("version", "present", "absent"),
    [
        (
            0,
            "tool/code-dispatch reasoning-chunks assistant/chunk",
            "assistant/attempt system/message",
        ),
        (
            1,
            "tool/code-dispatch reasoning-chunks assistant/chunk",
            "assistant/attempt system/message",
        ),
        (2, "tool/code-dispatch assistant/attempt", "assistant/chunk system/message"),
        (3, "tool/ptc-dispatch assistant/attempt system/message", "assistant/chunk"),
        (4, "tool/ptc-dispatch assistant/attempt system/message", "assistant/chunk"),
    ],
)
def test_event_types_per_version(version, present, absent):
    types = {line["type"] for line in lines_of(version)}
    assert set(present.split()) <= types
    assert not set(absent.split()) & types


@pytest.mark.parametrize("version", range(5))
def test_shapes_per_version(version):
    lines = lines_of(version)
    head = lines[0]
    assert head["version"] == version
    assert ("isSeeded" in head) == (version >= 2)
    assert head["agentPreset"] == ("ptc" if version >= 3 else "code")
    results = [line for line in lines if line["type"] == "tool/result"]
    message = results[0]["data"]["message"]
    assert message["role"] == ("tool" if version == 4 else "user")
    assert message["source"]["callId"] == "call_1"
    call = next(line for line in lines if line["type"] == "tool/call")
    assert results[0]["sourceEventSeqs"] == [call["seq"]]
    assert results[0]["data"]["meta"] == {"k": 1, "statusCode": 404}
    replaced = results[1]["surfaceOp"]
    ends = {"startSeq", "endSeq"} if version >= 3 else {"start", "end"}
    assert replaced == {"op": "replace", **dict.fromkeys(ends, results[0]["seq"])}
    notice = [line for line in lines if line["type"] == "user/message"][1]["data"]["source"]
    assert notice["kind"] == ("runtime-context" if version == 4 else "plugin")
    sub = next(line for line in lines if line["type"].endswith("-dispatch"))["data"]
    assert sub["subCallId"] == ("call_1:ptc:1" if version >= 3 else "call_1:code:1")
    assert ("error" in sub) == (version == 4)


@pytest.mark.parametrize("version", [0, 1])
def test_seed_length_counts_events_not_lines(version):
    child = full_session().fork("c").human("on")
    head, *lines = map(json.loads, encode(child, version).splitlines())
    marker = [line for line in lines if line["type"] == "session/end-seed"][-1]
    assert head["seedLength"] == marker["seq"]
    assert marker["data"] == {}


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_seeded_fork_is_marked_from_format_2_on(version):
    head, *lines = map(json.loads, encode(full_session().fork("c"), version).splitlines())
    assert head["isSeeded"] is True
    markers = [line["data"] for line in lines if line["type"] == "session/end-seed"]
    assert markers == [{}, {"inherited": True}]


def test_a_fork_repeats_times_and_message_ids():
    parent = full_session()
    copied = encode(parent, 4).splitlines()[1:]
    assert encode(parent.fork("c"), 4).splitlines()[1 : len(copied) + 1] == copied


def test_unpacked_logs_write_every_chunk():
    lines = lines_of(0, LineOptions(packed=False))
    assert not any("seq0" in line for line in lines)
    times = [line["time"] for line in lines[1:]]
    assert all(earlier <= later for earlier, later in pairwise(times))


def test_lone_surrogates_are_escaped_as_javascript_does():
    data = encode(Session("s").human("half \ud83d, whole 😀"), 4)
    assert b"half \\ud83d, whole \xf0\x9f\x98\x80" in data


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        (None, "_no-cwd"),
        ("/work/app", "--work-app--"),
        ("C:\\Users\\x", "--C-Users-x--"),
        ("/", "--root--"),
        ("/a b/~c", "--a~0020b-~007Ec--"),
        ("/😀", "--~D83D~DE00--"),
        ("/" + "x" * 300, f"--{'x' * 251}--"),
    ],
)
def test_project_folders(cwd, folder):
    assert project_folder(cwd) == folder


def test_session_folders_and_names(tmp_path):
    assert [session_folder(i) for i in (".", "..", "a:b")] == ["~002E", "~002E~002E", "a~003Ab"]
    assert log_name(0, "plain") == "session.jsonl"
    assert log_name(4, "zstd") == "session.v4.jsonl.zstd"
    path = write_session(tmp_path, Session("a").human("x"), 1, "zstd")
    assert path == tmp_path / "--work-app--" / "a" / "session.v1.jsonl.zstd"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Session().human().result(), "without an open call"),
        (lambda: Session().human().sub_call("x", {}), "outside run_code"),
        (lambda: Session().human().call("run_code", {}).sub_result(), "without an open sub-call"),
        (lambda: Session().human().approval(), "without an open call"),
        (lambda: Session().human().prune(), "only 0 results"),
        (lambda: Session().compact(), "nothing to compact"),
        (lambda: Session().reasoning("abc", size=0), "piece size 0"),
        (lambda: Session().reasoning(["a"], times=[1, 2]), "one time a piece"),
        (lambda: encode(Session().human(), 5), "format version 5"),
        (lambda: encode(Session().human(), 4, "gzip"), "'gzip'"),
    ],
)
def test_impossible_orders_say_what_to_do(wrong, words):
    with pytest.raises(UsageError, match=words):
        wrong()
