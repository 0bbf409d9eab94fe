"""Scenario files: the formatter, the strict reading, what the steps make."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.scenario_tables import ScenarioError
from dsh_calibrate.corpora.scenarios import load_scenario
from dsh_calibrate.corpora.templates import UnknownName, fill, value_of
from dsh_calibrate.corpora.writer import encode
from dsh_calibrate.errors import CalibrateError

HEAD = "schema = 1\n"
LABEL = '[[label]]\noutcome = "stuck"\n'
CALL = '[[step]]\nkind = "call"\ntool = "x"\n'
HUMAN = '[[step]]\nkind = "human"\n'


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("page {n} of {host}", "page 3 of a.example.org"),
        ("{i*200}-{i+5}-{n:03}", "400-7-003"),
        ("{{n}} {a,b} {} { print $1 } ${{HOME}} {", "{n} {a,b} {} { print $1 } ${HOME} {"),
        ("%{{http_code}}", "%{http_code}"),
    ],
)
def test_placeholders(text, filled):
    assert fill(text, {"n": 3, "i": 2, "host": "a.example.org"}) == filled


def test_a_lone_number_stays_a_number():
    assert value_of("{i*200}", {"i": 2}) == 400
    assert value_of("{i}x", {"i": 2}) == "2x"


@pytest.mark.parametrize("text", ["{page}", "{host*2}", "{__class__}"])
def test_strange_placeholders(text):
    with pytest.raises(UnknownName):
        fill(text, {"host": "x", "n": 1})


@given(st.text())
def test_text_without_braces_is_left_alone(text):
    plain = text.replace("{", "")
    assert fill(plain, {}) == plain


def load(tmp_path, body: str, name: str = "case.toml"):
    path = tmp_path / name
    path.write_text(body, encoding="utf-8")
    return load_scenario(path)


def calls(session, version=4) -> list[tuple[str, str]]:
    lines = map(json.loads, encode(session, version).splitlines()[1:])
    return [(x["data"]["name"], x["data"]["arguments"]) for x in lines if x["type"] == "tool/call"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("schema = [", "case.toml: is not valid TOML"),
        (HUMAN, "case.toml: schema: must be 1"),
        (HEAD, "case.toml: step: is missing"),
        (HEAD + 'sede = 1\n' + HUMAN, "sede: is not a key here, did you mean seed"),
        (HEAD + "seed = true\n" + HUMAN, "seed: must be a whole number"),
        (HEAD + "seed = -1\n" + HUMAN, "seed: must be a whole number"),
        (HEAD + "versions = [5]\n" + HUMAN, "versions: 5 is not known"),
        (HEAD + 'encoding = ["gz"]\n' + HUMAN, "encoding: 'gz' is not known"),
        (HEAD + 'formats = ["v4"]\n' + HUMAN, "formats: 'v4' is not known"),
        (HEAD + 'versions = [4]\nformats = ["v4-zstd"]\n' + HUMAN, "instead of versions"),
        (HEAD + "[config]\nmodle = 'x'\n" + HUMAN, "config: modle: .* mean model"),
        (HEAD + '[[step]]\nkind = "dance"\n', "line 2, step 1 .dance.: kind: 'dance' is not known"),
        (HEAD + HUMAN + "\n[[step]]\ntool = 'x'\n", "line 5, step 2: kind: is missing"),
        (HEAD + HUMAN + '[[step]]\nkind = "call"\n', "line 4, step 2 .call.: tool: is missing"),
        (HEAD + HUMAN + CALL + 'resutl = "a"\n', "resutl.*mean result"),
        (HEAD + HUMAN + '[[step]]\nkind = "result"\n', "step 2 .result.: a result without an open"),
        (HEAD + HUMAN + '[[step]]\nkind = "compact"\n', "say what to compact"),
        (HEAD + HUMAN + '[[step]]\nkind = "compact"\nresults = 1\n', "only 0 results to prune"),
        (HEAD + HUMAN + CALL + 'arguments = {a = "{q}"}\n', "arguments.a: .q. is not known"),
        (HEAD + HUMAN + CALL + 'arguments = {a = 2020-01-01}\n', "no JSON values"),
        (HEAD + HUMAN + '[[step]]\nkind = "human"\nrepeat = 0\n', "repeat: must be .* at least 1"),
        (HEAD + HUMAN + '[[step]]\nkind = "human"\nrepeat = 999999\n', "repeat: at most"),
        (HEAD + HUMAN + '[[step]]\nkind = "human"\nvars.x = []\n', "vars.x: use a list"),
        (HEAD + '[[step]]\nkind = "group"\n[[step.step]]\nkind = "nap"\n', "step 1 .nap"),
        (HEAD + HUMAN + '[[step]]\nkind = "stream"\ntext = "a"\npieces = [""]\n', "pieces or text"),
        (HEAD + HUMAN + "vars.x = {from = 'a', step = 1}\n", "vars.x: use a list"),
        (HEAD + HUMAN + "vars.x = {choice = 'ab'}\n", "vars.x: use a list"),
        (HEAD + HUMAN + "vars.x = [true]\n", "vars.x: values are texts or whole"),
        (HEAD + HUMAN + CALL + "arguments = {a = nan}\n", "arguments.a: inf and nan"),
        (HEAD + '[[step]]\nkind = "stream"\ntext = "ab"\ntimes = 99999999\n', "times: makes more"),
        (HEAD + '[[step]]\nkind = "fork"\nid = "case"\n', "step: a fork needs an id of its own"),
        (HEAD + 'name = ""\n' + HUMAN, "name: must not be empty"),
        (HEAD + '[[damage]]\nkind = "fire"\n' + HUMAN, "damage 1: kind: 'fire' is not known"),
        (HEAD + '[[label]]\noutcome = "good"\n' + HUMAN, "label 1: outcome: 'good' is not known"),
        (HEAD + LABEL + '[[label.at]]\nguard = "rtb"\n' + HUMAN, "either call or stream"),
        (HEAD + '[[generation]]\nversion = 9\n' + HUMAN, "generation 1: version: must be one of"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_place_and_key(tmp_path, body, words):
    with pytest.raises(ScenarioError, match=words) as caught:
        load(tmp_path, body)
    assert str(caught.value).startswith("case.toml")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, CalibrateError)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(ScenarioError, match=r"none.toml: cannot be read"):
        load_scenario(tmp_path / "none.toml")


def test_loops_take_their_vars_in_turn(tmp_path):
    body = HUMAN + (
        '[[step]]\nkind = "call"\nrepeat = 5\nvars.c = ["a", "a", "b"]\n'
        "vars.k = {from = 7, step = 3}\n"
        'tool = "bash"\narguments = {command = "{c}", n = "{k}"}\nresult = "ok"\n'
    )
    (session,) = load(tmp_path, HEAD + body).sessions
    assert [json.loads(arguments) for _, arguments in calls(session)] == [
        {"command": c, "n": 7 + 3 * i} for i, c in enumerate("aabaa")
    ]


def test_groups_hand_their_names_down(tmp_path):
    body = HUMAN + (
        '[[step]]\nkind = "group"\nrepeat = 2\nvars.host = ["x", "y"]\n'
        '[[step.step]]\nkind = "call"\nrepeat = 2\ntool = "t"\narguments = {u = "{host}{n}"}\n'
        '[[step.step]]\nkind = "result"\nrepeat = 2\ntext = "{host} {n}"\n'
    )
    (session,) = load(tmp_path, HEAD + body).sessions
    assert [json.loads(a)["u"] for _, a in calls(session)] == ["x1", "x2", "y1", "y2"]


def test_raw_arguments_and_command_text(tmp_path):
    body = HUMAN + (
        '[[step]]\nkind = "call"\ntool = "bash"\narguments = \'{"command":\'\n'
        '[[step]]\nkind = "call"\nrepeat = 1\ntool = "bash"\narguments = {command = "{n}"}\n'
    )
    (session,) = load(tmp_path, HEAD + body).sessions
    assert calls(session) == [("bash", '{"command":'), ("bash", '{"command":"1"}')]


def test_the_seed_decides(tmp_path):
    body = HUMAN + (
        '[[step]]\nkind = "call"\nrepeat = 20\nvars.c = {choice = ["a", "b"]}\n'
        'tool = "t"\narguments = {c = "{c}"}\n[[step]]\nkind = "stream"\nparts = [{prose = 300}]\n'
    )
    made = [encode(load(tmp_path, f"{HEAD}seed = {s}\n{body}").sessions[0]) for s in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
