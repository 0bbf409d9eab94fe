"""Files named with ``--config``: patches and mappings in YAML, JSON and TOML."""

from __future__ import annotations

import pickle

import pytest
from settings_files import Inputs, of_file, refusals, remarks, resolve, survey, value, write

from dsh_calibrate.errors import CalibrateError

PACKAGE = "dsh-repeat-tool-breaker"


@pytest.mark.parametrize(
    "text",
    [
        f"- insert:\n  - id: x\n    name: {PACKAGE}\n    config: {{warnAt: 3}}\n",
        "- id: repeat-tool-breaker\n  config: {warnAt: 3}\n",
        f"- id: mine\n  name: {PACKAGE}\n  config: {{warnAt: 3}}\n",
        f"- name: {PACKAGE}\n  config: {{warnAt: 3}}\n",
        f"- name: /src/{PACKAGE}/index.js\n  config: {{warnAt: 3}}\n",
        f"- name: 'C:\\src\\{PACKAGE}\\index.js'\n  config: {{warnAt: 3}}\n",
        f"- id: g\n  config:\n  - id: x\n    name: {PACKAGE}\n    config: {{warnAt: 3}}\n",
        f"- id: g\n  config: [{{id: h, config: [{{name: {PACKAGE}, config: {{warnAt: 3}}}}]}}]\n",
        f"- id: unseen\n  insert: [{{name: {PACKAGE}, config: {{warnAt: 3}}}}]\n",
        f"- insert: [{{id: x, name: {PACKAGE}}}]\n- id: x\n  config: {{warnAt: 3}}\n",
        "rtb: {warnAt: 3}",
        "rtb:\n  warnAt: 3\ntfb:\nrlg: {}\n",
        "\ufeffrtb: {warnAt: 3}",
    ],
)
def test_every_way_to_write_a_row(tmp_path, text):
    path = write(tmp_path / "settings.yml", text)
    settings = of_file(path)
    assert not refusals(settings)
    assert not remarks(settings)
    assert value(settings, "rtb", "warnAt") == (3, str(path))
    assert settings.guards["rtb"].row == {"warnAt": 3}
    assert settings.guards["rtb"].mounted


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '{"rtb":{"warnAt":3,"limits":{"host":null}}}', (3, None)),
        ("a.json", '{\n\t"rtb": {"warnAt": 3,\n\t\t"limits": {"host": 9}}}', (3, 9)),
        ("a.json", '[{"id": "repeat-tool-breaker", "config": {"warnAt": 3}}]', (3, 16)),
        ("a.toml", '[rtb]\nwarnAt = "off"\n[rtb.limits]\nhost = "off"\n', (None, None)),
        ("a.toml", "rtb.warnAt = 4\nrtb.limits.host = 20.0\n", (4, 20)),
        ("a.yaml", "rtb: {warnAt: 0o17, limits: {host: 1e2}}", (15, 100)),
        ("a", "rtb: {warnAt: 0x9, limits: {host: ~}}", (9, None)),
    ],
)
def test_every_format(tmp_path, name, text, expected):
    settings = of_file(write(tmp_path / name, text))
    assert not refusals(settings)
    assert settings.rtb is not None
    assert (settings.rtb.warn_at, settings.rtb.limits["host"]) == expected


def test_off_in_toml_is_only_null_where_null_is_off(tmp_path):
    text = (
        '[rtb]\nonLimit = "deny"\n[rtb.hostAliases]\n"a.org" = "off"\n[tfb]\nmaxFailures = "off"\n'
    )
    settings = of_file(write(tmp_path / "a.toml", text))
    assert value(settings, "rtb", 'hostAliases."a.org"')[0] == "off"
    assert refusals(settings) == [
        f"{tmp_path / 'a.toml'}, line 6: tfb.maxFailures: must be an integer of at least 1"
    ]


def test_a_later_file_replaces_the_row_of_a_guard(tmp_path):
    first = write(tmp_path / "1.yml", "rtb: {warnAt: 3, window: 20}\ntfb: {maxFailures: 4}\n")
    second = write(tmp_path / "2.yml", f"- insert: [{{name: {PACKAGE}, config: {{warnAt: 4}}}}]")
    settings = survey(Inputs(config=[str(first), str(second)]))
    assert not refusals(settings)
    assert value(settings, "rtb", "warnAt") == (4, str(second))
    assert value(settings, "rtb", "window") == (16, "default")
    assert value(settings, "tfb", "maxFailures") == (4, str(first))


def test_maps_merge_one_level_and_each_part_has_its_source(tmp_path):
    path = write(tmp_path / "a.yml", "rtb: {limits: {net: 9, 'verb:curl': 5}, exclude: [x]}")
    settings = of_file(path, "rtb.limits.host=20", 'rtb.hostAliases."a.b"=c')
    assert value(settings, "rtb", "limits.net") == (9, str(path))
    assert value(settings, "rtb", "limits.verb:curl") == (5, str(path))
    assert value(settings, "rtb", "limits.host") == (20, "--set")
    assert value(settings, "rtb", "limits.exact") == (12, "default")
    assert value(settings, "rtb", 'hostAliases."a.b"') == ("c", "--set")
    assert value(settings, "rtb", "exclude") == (["x"], str(path))
    assert settings.as_json()["rtb"]["limits"] == {
        "exact": 12, "cmd": 12, "net": 9, "sink": 12, "host": 20, "site": None,
        "family:http-fetch": None, "verb:curl": 5, "verb:wget": None,
    }  # fmt: skip


def test_a_disabled_row_is_measured_but_not_mounted(tmp_path):
    text = "- id: repeat-tool-breaker\n  disabled: true\n  config: {warnAt: 3}\n"
    settings = of_file(write(tmp_path / "a.yml", text))
    assert not settings.guards["rtb"].mounted
    assert settings.guards["tfb"].mounted
    assert value(settings, "rtb", "warnAt")[0] == 3


def test_the_active_one_of_two_rows_counts(tmp_path):
    text = (
        f"- insert: [{{id: a, name: {PACKAGE}, config: {{warnAt: 3}}, disabled: true}},\n"
        f"  {{id: b, name: {PACKAGE}, config: {{warnAt: 4}}}}]\n"
    )
    settings = of_file(write(tmp_path / "a.yml", text))
    assert not refusals(settings)
    assert value(settings, "rtb", "warnAt")[0] == 4


REFUSED = [
    ("a.yml", "rtp: {}", "line 1: rtp: no guard (known: rtb, tfb, rtr, rlg); did you mean rt"),
    ("a.yml", "insert: []", "line 1: insert: no guard (known: rtb, tfb, rtr, rlg); a cordis"),
    ("a.yml", "rtb: 3", "line 1: rtb: must be a mapping, not a number"),
    ("a.yml", "hello", "line 1: expected a list (cordis patch) or a mapping of guards"),
    ("a.yml", "- 3", "line 1: an entry of a patch is a mapping, not a number"),
    ("a.yml", "\n- disabled: true", "line 2: an entry needs an id"),
    ("a.yml", "- {name: other-plugin}", "line 1: an entry needs an id"),
    ("a.yml", "- insert: {id: x}", "line 1: insert must be a list of rows, not a mapping"),
    ("a.yml", "- insert:\n  - {config: {}}", "line 2: a row needs a name"),
    ("a.yml", "- insert:\n  - x", "line 2: a row is a mapping, not a string"),
    ("a.yml", "- {id: repeat-tool-breaker, disabled: 1}", "disabled: must be true or false"),
    ("a.yml", "- {id: [x]}", "line 1: id: must be a string, not a list"),
    ("a.yml", "- {id: !!js x}", "line 1: id: must be a string, not an expression (!!js)"),
    ("a.yml", "- !!js x", "an entry of a patch is a mapping, not an expression"),
    (
        "a.yml",
        f"- insert:\n  - {{name: {PACKAGE}}}\n  - {{name: {PACKAGE}}}\n",
        f"line 3: {PACKAGE}: a second row of {PACKAGE}, the first is in",
    ),
    (
        "a.yml",
        "- {id: repeat-tool-breaker, config: {}}\n- {id: repeat-tool-breaker, config: {}}\n",
        "line 2: repeat-tool-breaker: a second row of",
    ),
    (
        "a.yml",
        "- insert: [{id: t, name: other, config: {a: 1}}]\n- {id: t, insert: []}\n",
        "line 2: t: rows can only be inserted into a group row",
    ),
    ("a.yml", "rtb: {a: 1, a: 2}", "line 1: rtb.a: this key is there twice"),
    ("a.json", '{"rtb": {\n"a": 1, "a": 2}}', "line 2: rtb.a: this key is there twice"),
    ("a.yml", "rtb: &x {}\ntfb: *x\n", "line 1: rtb: anchors and aliases are not accepted"),
    ("a.yml", "rtb:\n  limits: {<<: {net: 3}}", "line 2: rtb.limits.<<: merge keys"),
    ("a.yml", "rtb:\n  a: !!python/name:os.system x", "line 2: rtb.a: unknown tag !!python"),
    ("a.yml", "rtb:\n  a: !foo x", "line 2: rtb.a: unknown tag !foo"),
    ("a.yml", "rtb: !!int {a: 1}", "line 1: rtb: the tag !!int does not fit"),
    ("a.yml", "rtb: {a: !!int x}", "line 1: rtb.a: the tag !!int does not fit"),
    ("a.yml", "? {a: 1}\n: 2", "line 1: top level: a key must be plain text"),
    ("a.yml", "rtb: {}\n---\ntfb: {}", "line 2: more than one YAML document"),
    ("a.yml", "rtb: {\n", "line 2: "),
    ("a.yml", "rtb:\n\t- 1", "line 2: found character"),
    ("a.yml", "rtb: \x01", "line 1: a character that YAML does not allow"),
    ("a.yml", "rtb: " + "[" * 60 + "]" * 60, "nested too deeply"),
    ("a.json", "[" * 100_000, "nested too deeply"),
    ("a.json", '{"rtb": {"warnAt": NaN}}', "NaN is not JSON"),
    ("a.json", '{"rtb":\n {"warnAt" 3}}', "line 2: not JSON"),
    ("a.toml", "[rtb]\nwarnAt = \n", "line 2: "),
    ("a.toml", "[rtb]\nwarnAt = 1\nwarnAt = 2\n", "line 3: "),
    ("a.toml", "[rtb]\nwindow = 16\nwarnAt = 1979-05-27\n", "line 3: rtb.warnAt: must be"),
    ("a.yml", "rtb:\n  limits:\n    host: 1\n", "line 3: rtb.limits.host: must be null or"),
    ("a.yml", "rtb:\n  warnAt: off\n", "line 2: rtb.warnAt: must be a positive integer"),
    ("a.yml", "rtb:\n  limits: []\n", "line 2: rtb.limits: must be"),
    ("a.yml", "rtb:\n  denyAfter: 3\n", "line 2: rtb.denyAfter: was removed"),
    ("a.yml", "rtb:\n  localHosts: ask\n", "line 2: rtb.localHosts: ask was removed"),
    ("a.yml", "rtr: {\nthresholds: [1]}", "line 2: rtr.thresholds: must be"),
    ("a.yml", "rlg: {\nwindow: 64}", "line 2: rlg."),
    ("a.yml", "rlg: {\nkgram: 9000}", "line 2: rlg.kgram: 9000 is longer than window"),
    ("a.yml", "- id: repeat-tool-breaker\n  config: !!js x\n", "line 2: rtb: the whole config"),
]


@pytest.mark.parametrize(("name", "text", "expected"), REFUSED)
def test_refused_in_one_line_with_file_line_and_key(tmp_path, name, text, expected):
    path = write(tmp_path / name, text)
    with pytest.raises(CalibrateError) as raised:
        resolve(Inputs(config=[str(path)]))
    message = str(raised.value)
    assert message.startswith(str(path))
    assert expected in message
    assert "\n" not in message
    assert raised.value.exit_code == 2


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "bytes.yml").write_bytes(b"rtb: {}\n\xff\xfe")
    (tmp_path / "large.yml").write_bytes(b"# \n" * 400_000)
    for name, expected in (
        ("absent.yml", "no such file"),
        ("", "is a folder"),
        ("/dev/null", "is a pipe or device"),
        ("bytes.yml", "line 2: not UTF-8 text"),
        ("large.yml", "larger than 1 MiB"),
    ):
        (message,) = refusals(of_file(tmp_path / name))
        assert expected in message


@pytest.mark.parametrize("text", ["", "# nothing\n", "[]", "{}", "null"])
def test_an_empty_file_says_nothing(tmp_path, text):
    settings = of_file(write(tmp_path / "a.yml", text))
    assert not refusals(settings)
    assert not remarks(settings)
    assert settings.rtb is not None


def test_every_refusal_is_listed(tmp_path):
    text = "rtb:\n  window: 2\n  limits: {net: 1, host: x}\n  onLimit: no\nrlg: {failureCode: ''}\n"
    settings = of_file(write(tmp_path / "a.yml", text), "tfb.maxFailures=0", "nonsense")
    keys = ["nonsense", "onLimit", "window", "limits.net", "limits.host", "maxFailures"]
    found = refusals(settings)
    assert len(found) == 7
    for key in (*keys, "failureCode"):
        assert any(key in text for text in found), key
    with pytest.raises(CalibrateError, match="and 6 more"):
        resolve(Inputs(config=[str(tmp_path / "a.yml")], assignments=["tfb.maxFailures=0", "x"]))


def test_run_time_values_are_never_evaluated(tmp_path):
    text = (
        "rtb:\n  warnAt: !!js process.exit(1)\n  limits: {net: !!js x, host: 9}\n"
        "  exclude: [a, !!js b]\n  previewChars: !!js y\n  outputDir: !!js z\n"
    )
    path = write(tmp_path / "a.yml", text)
    settings = of_file(path)
    assert not refusals(settings)
    assert settings.guards["rtb"].run_time == (
        "warnAt", "previewChars", "exclude", "limits.net", "outputDir",
    )  # fmt: skip
    assert value(settings, "rtb", "warnAt") == (None, "run time")
    assert [str(error) for error in settings.undecided] == [
        f"{path}, line {line}: rtb.{key}: decided at run time (!!js); "
        f"give it with --set rtb.{key}=…"
        for line, key in ((2, "warnAt"), (3, "limits.net"), (4, "exclude"))
    ]
    with pytest.raises(CalibrateError, match="decided at run time"):
        resolve(Inputs(config=[str(path)]))
    sets = ["rtb.warnAt=8", "rtb.limits.net=9", "rtb.exclude=[a]"]
    resolved = resolve(Inputs(config=[str(path)], assignments=sets))
    assert resolved.rtb is not None
    assert (resolved.rtb.warn_at, resolved.rtb.limits["net"]) == (8, 9)
    assert resolve(Inputs(config=[str(path)], guards=("tfb",))).rtb is None


def test_settings_are_picklable(tmp_path):
    settings = of_file(write(tmp_path / "a.yml", "rtb: {warnAt: 3}"))
    assert pickle.loads(pickle.dumps(settings)).rtb.warn_at == 3
