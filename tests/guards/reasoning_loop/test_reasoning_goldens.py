"""The measured vectors and the 177 recorded texts (issue 4, "Must show")."""

import json

import pytest
from test_detector_is_literal import fed_at_once, fed_one_by_one

from dsh_calibrate.guards.reasoning_loop.config import Config, configure
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.studies.reasoning_texts import cut, read_texts
from shared_material import ROOT, needs_shared

OUR_NAMES = {"atChars": "at_utf16", "blockLen": "block_len", "lineLen": "line_len"}


@needs_shared
def test_all_vectors():
    lines = (ROOT / "goldens" / "reasoning.jsonl").read_bytes().split(b"\n")
    vectors = [json.loads(line) for line in lines if line]
    assert len(vectors) >= 165
    for vector in vectors:
        pieces = vector["in"]["chunks"]
        config = configure(vector["in"].get("config") or {})
        expected = vector["expect"]
        if expected:
            expected = {OUR_NAMES.get(key, key): value for key, value in expected.items()}
        for found in (fed_one_by_one(pieces, config), fed_at_once(pieces, config, len(pieces))):
            assert (found and found[1]) == expected, vector["in"].get("note")


@needs_shared
@pytest.mark.parametrize("size", [1, 8, 40, 200, 1000, 4000])
@pytest.mark.parametrize(
    ("name", "fires", "streams"), [("degenerate", 11, 11), ("healthy", 0, 166)]
)
def test_recorded_texts(name, fires, streams, size):
    texts = read_texts(ROOT / "corpora" / "reasoning-177" / f"{name}.json")
    assert len(texts) == streams
    fired = [Detector(Config()).feed_many(cut(text, size)) for text in texts]
    assert sum(found is not None for found in fired) == fires
