"""Whatever a settings file holds, it is read or refused; nothing else is ever raised."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from settings_files import of_file, refusals, write

from dsh_calibrate.replay.settings import config_document
from dsh_calibrate.replay.settings.files import read_file
from dsh_calibrate.replay.settings.nodes import SettingsFileError, plain
from dsh_calibrate.replay.settings.yaml_text import parse_yaml

WORDS = (
    "id", "name", "config", "insert", "disabled", "rtb", "rlg", "limits", "warnAt", "enabled",
    "effort", "dsh-repeat-tool-breaker", "repeat-tool-breaker", "reasoning-loop-guard", "host",
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@settings(max_examples=150, deadline=None)
@given(value=VALUES.filter(lambda value: value is not None))
def test_json_is_read_as_json(folder, value):
    if value in (float("inf"), float("-inf")) or "Infinity" in json.dumps(value):
        return
    path = folder / "a.json"
    path.write_text(json.dumps(value, ensure_ascii=True, indent="\t"))
    assert plain(read_file(path)) == value


@settings(max_examples=200, deadline=None)
@given(value=VALUES)
def test_any_value_is_taken_or_refused_in_one_line(folder, value):
    path = folder / "a.json"
    path.write_text(json.dumps(value))
    found = of_file(path)
    json.dumps(config_document(found), allow_nan=False)
    json.dumps(found.as_json(), allow_nan=False)
    if not refusals(found):
        assert None not in (found.rtb, found.tfb, found.rtr, found.rlg)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab:-[]{},&*!|>'\"#%\n\t ?<.~@\\x0"), max_size=40))
def test_any_text_is_yaml_or_a_settings_file_error(text):
    with contextlib.suppress(SettingsFileError):
        parse_yaml(text, "file")


@pytest.mark.parametrize(
    "text",
    [
        "rtb: {x: [" + "1," * 300_000 + "]}",
        "[" * 500_000,
        "a: &a [x,x]\n" + "".join(f"b{i}: &b{i} [*a,*a]\n" for i in range(30)),
        "\n".join(f"k{i}: 1" for i in range(60_000)),
    ],
)
def test_bombs_are_refused_soon(tmp_path, text):
    path = write(tmp_path / "a.yml", text)
    started = time.monotonic()
    (message,) = refusals(of_file(path))
    assert "line" in message
    assert len(message) < 300 + len(str(path))
    assert time.monotonic() - started < 60
