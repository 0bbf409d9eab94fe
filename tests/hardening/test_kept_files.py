"""Broken files of our own and of the user: one line that names the file, quickly, no hang.

Kinds (``kept_kinds.KINDS``): cordis patch, guard mapping (YAML, JSON, TOML), the DSH home's
patch, settings document, profile package and rlg switches, candidates, a side of ``compare``,
labels, label CSV, corpus.toml, baseline, scenario, vectors, a plugin's package.json, facts.json
and the Parquet tables of facts, fire journal, reasoning texts. Cache pieces, which only this
tool writes, have a test of their own below.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import time
import tomllib
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kept_kinds import BY_NAME, KINDS, Kind, root, run, sound, words_of

pytestmark = pytest.mark.slow

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")
TEXT = [kind for kind in KINDS if not kind.path.endswith(".parquet")]
YAML = [kind for kind in KINDS if kind.path.endswith((".yml", ".yaml"))]
TOML = [kind for kind in KINDS if kind.path.endswith(".toml")]
JSON = [kind for kind in KINDS if kind.path.endswith((".json", ".jsonl"))]
TOLERANT = {"journal", "home-rlg"}
"""Written by live programs: broken ones are counted or as if absent, by the specification."""
SECONDS = 8
"""Two are promised; other work on this machine may take its share."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return root(tmp_path_factory.mktemp("kept"))


@contextmanager
def limits():
    """No more than so many seconds, whatever it waits for."""

    def late(*_):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(5 * SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def judged(kind: Kind, folder, codes=(0, 1, 2, 3)) -> tuple[int, str]:
    """Run the kind's command: never a traceback, one line of reason when it is refused."""
    for made in ("made", "merged"):
        shutil.rmtree(folder / made, ignore_errors=True)
    began = time.process_time()  # others may use the processor, too
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with limits():
        code, out, err = run(words_of(kind, folder))
    assert time.process_time() - began < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600_000  # KiB
    assert code in codes, (code, out, err)
    shown = out + err
    assert not CONTROLS.search(shown), shown
    assert "Traceback" not in shown
    if code == 2:
        told = [line for line in shown.splitlines() if not line.startswith("warning: ")]
        reasons = [line for line in told if re.search(r"dsh-calibrate: |problem: |refused", line)]
        assert reasons or kind.name in shown or folder.name in shown, shown
        assert all(len(line) < 5000 for line in told)
    return code, shown


@contextmanager
def written(kind: Kind, folder, data):
    """The kind's file with other bytes (or made by a function), and as it was afterwards."""
    path = folder / kind.path
    before = sound(kind, folder)
    path.unlink()
    try:
        path.write_bytes(data) if isinstance(data, bytes) else data(path)
        yield path
    finally:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        path.write_bytes(before)
        if kind.name == "label-csv":
            (folder / "corpus" / "labels.toml").write_bytes(BY_NAME["labels"].data)


def ids(kinds):
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.name)


@ids(KINDS)
def test_a_sound_file_is_taken(folder, kind):
    with written(kind, folder, sound(kind, folder)):
        judged(kind, folder, kind.codes)


def huge(path):
    with path.open("wb") as file:
        file.truncate(300 << 20)  # sparse: nothing is stored


def huge_text(path):
    """A hundred megabytes, written once and linked from then on."""
    place = next(parent for parent in path.parents if parent.name.startswith("kept"))
    whole = place / "huge.text"
    if not whole.exists():
        with whole.open("wb") as file:
            for _ in range(100):
                file.write(b'# "x" = {' + b"[ab:c]," * 149_000)
    path.hardlink_to(whole)


def nothing(path):
    """The file is not there."""


STRANGE = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "sparse": huge,
    "dangling": lambda path: path.symlink_to("nowhere"),
    "circle": lambda path: path.symlink_to(path.name),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "missing": nothing,
}
ABSENT = {"dangling", "circle", "missing"}
OPTIONAL = {"home-patch", "home-settings", "home-rlg", "home-profile"}
"""May be missing."""


@ids(KINDS)
@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_file_is_refused_by_name(folder, kind, what):
    if (kind.name, what) == ("texts", "sparse"):
        pytest.skip("read as a log would be, which has no largest size")
    with written(kind, folder, STRANGE[what]) as path:
        code, shown = judged(kind, folder)
    if kind.name in OPTIONAL | TOLERANT and (what in ABSENT or code == 0):
        return
    assert code == 2, shown
    assert path.name in shown or path.parent.name in shown, shown


@ids([kind for kind in TEXT if kind.name != "texts"])
def test_a_hundred_megabytes_are_not_taken_for_settings(folder, kind):
    with written(kind, folder, huge_text):
        code, _ = judged(kind, folder)
    assert code == (0 if kind.name in TOLERANT else 2)


def nested(kind: Kind, depth: int) -> bytes:
    if kind.path.endswith(".toml"):
        return b"a = " + b"[" * depth + b"]" * depth
    if kind.path.endswith(".csv"):
        return b'"' * depth
    return b"[" * depth + b"]" * depth


BYTES = {
    "empty": b"",
    "blank": b" \n\n \n",
    "not-utf8": b"\xff\xfe\x00a = 1\n",
    "latin": b'note = "caf\xe9"\n',
    "nul": b"\0" * 4096,
    "escape": b'\x1b[31m"\x9b\xe2\x80\xae" = \x07\n',
    "null": b"null\n",
    "number": b"7\n",
    "digits": b"1" * 5000,
    "1e400": b"1e400",
    "nan": b"NaN",
    "text": b'"text"\n',
    "list": b"[]\n",
    "list-of-lists": b"[[[]]]\n",
    "mapping": b"{}\n",
    "unknown": b'{"colour": 1}\n',
    "unknown-escape": b'{"col\\u001b[31mour\\nsecond line": {"x\\u2028": 1}}\n',
    "truncated": b'{"a": {"b": [1, ',
    "words": b"insert id config log label schema\n" * 50,
}


SLOW = {"candidates-yaml", "candidates-toml", "labels", "compared", "facts", "baseline"}
"""Their commands replay or measure when the file is taken."""
CASES = [
    pytest.param(kind, what, id=f"{kind.name}-{what}")
    for kind in TEXT
    for number, what in enumerate(BYTES)
    if kind.name not in SLOW or number % 3 == 0
]


@pytest.mark.parametrize(("kind", "what"), CASES)
def test_broken_bytes_give_one_line(folder, kind, what):
    with written(kind, folder, BYTES[what]):
        judged(kind, folder)


@ids(TEXT)
@pytest.mark.parametrize("depth", [200, 10_000])
def test_deep_nesting_gives_one_line(folder, kind, depth):
    with written(kind, folder, nested(kind, depth)):
        judged(kind, folder)


@ids(TEXT)
@pytest.mark.parametrize("change", ["bom", "crlf", "no-end"])
def test_marks_and_line_ends_of_other_systems(folder, kind, change):
    whole = sound(kind, folder)
    data = {
        "bom": b"\xef\xbb\xbf" + whole,
        "crlf": whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
        "no-end": whole.rstrip(b"\n"),
    }[change]
    with written(kind, folder, data):
        code, shown = judged(kind, folder)
    if kind.name not in ("baseline", "vectors", "package"):
        assert code in kind.codes, shown


LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
BOMBS = {
    "laughs": (LAUGHS, "anchors and aliases"),
    "alias-of-itself": ("rtb: &a {rtb: *a}\n", "anchors and aliases"),
    "merge": ("rtb: {<<: {warnAt: 3}}\n", "merge keys"),
    "python": ("rtb: !!python/object/apply:os.system ['true']\n", "unknown tag"),
    "local-tag": ("rtb: !ruby/object:X {a: 1}\n", "unknown tag"),
    "twice": ("rtb: {warnAt: 3}\nrtb: {warnAt: 4}\n", "twice"),
    "two-documents": ("rtb: {}\n---\nrtb: {}\n", "more than one"),
    "complex-key": ("? [a, b]\n: 1\n", "plain text"),
}


@ids(YAML)
@pytest.mark.parametrize("what", BOMBS)
def test_yaml_that_runs_or_grows_is_refused(folder, kind, what):
    text, reason = BOMBS[what]
    with written(kind, folder, text.encode()) as path:
        _, shown = judged(kind, folder, (2,))
    assert reason in shown
    assert path.name in shown
    assert re.search(r"line \d+", shown)


SLOW_YAML = {
    "brackets": "[" * 1_000_000,
    "braces": "{" * 1_000_000,
    "entries": "- " * 500_000,
    "questions": "? " * 500_000,
    "blanks": " " * 1_000_000,
    "lines": "\n" * 1_000_000,
    "comments": "#\n" * 500_000,
    "quotes": '"' * 1_000_001,
    "pairs": "a: 1\n" * 200_000,
    "items": "- 1\n" * 250_000,
    "word": "a" * 1_000_000,
    "colons": "a:" * 500_000,
    "folded": '"' + "a\n" * 500_000,
    "block": "|\n" + " a\n" * 300_000,
    "anchors": "&a " * 300_000,
    "tags": "!!a " * 200_000,
    "percent": "%" * 1_000_000,
    "hex": "0x" + "f" * 1_000_000,
    "flow": "[" + "a," * 500_000,
}


@pytest.mark.parametrize("what", SLOW_YAML)
def test_no_yaml_takes_long(folder, what):
    kind = BY_NAME["mapping-yaml"]
    with written(kind, folder, SLOW_YAML[what].encode()):
        judged(kind, folder)


SLOW_TOML = {
    "dotted": "a." * 400_000 + "a = 1",
    "dotted-table": "[" + "a." * 400_000 + "a]",
    "quoted": "'a'." * 100_000 + "a = 1",
    "spaced": "a . " * 200_000 + "a = 1",
    "inline": "x = {" + "a." * 200_000 + "a = 1}",
    "arrays": "a = " + "[" * 400_000,
    "inlines": "a = " + "{a = " * 100_000,
    "hex": "schema = 0x" + "f" * 100_000,
    "digits": "schema = " + "1" * 100_000,
    "quotes": "a = " + '"""' + '"' * 400_000,
    "headers": "[[label]]\n" * 40_000,
    "commas": ',"' * 300_000,
}


@ids(TOML)
@pytest.mark.parametrize("what", SLOW_TOML)
def test_no_toml_runs_away(folder, kind, what):
    with written(kind, folder, SLOW_TOML[what].encode()):
        judged(kind, folder, (2,))


VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2.0,
    10**30,
    -(10**400),
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    "x\x1b[31m\n\u2028",
    "9",
    [],
    [None],
    [[1]],
    {},
    {"a": {"b": None}},
    {"\x1b[2J": 1},
]


def places(value, path=()):
    """Every place in a JSON-like value."""
    yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places(member, (*path, key))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from places(member, (*path, number))


def changed(value, path, new):
    """A copy with another value at one place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def parsed(kind: Kind, data: bytes):
    if kind.path.endswith(".toml"):
        return tomllib.loads(data.decode())
    if kind.path.endswith(".jsonl"):
        return [json.loads(line) for line in data.splitlines()]
    if kind.path.endswith(".json"):
        return json.loads(data)
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(data.decode())


def rendered(kind: Kind, value) -> bytes:
    if kind.path.endswith(".toml") and isinstance(value, dict):
        return "".join(f"{json.dumps(k)} = {toml(v)}\n" for k, v in value.items()).encode()
    if kind.path.endswith(".jsonl") and isinstance(value, list):
        return "".join(compact(line) + "\n" for line in value).encode()
    return compact(value).encode()  # flow YAML is JSON


def compact(value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def toml(value) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return "'null'" if value is None else json.dumps(value)


LAID_OUT = [kind for kind in TEXT if not kind.path.endswith(".csv")]


@ids(LAID_OUT)
def test_wrong_types_in_every_key_give_one_line(folder, kind):
    """Every key of a sound file with values of every JSON type: taken, or refused in a line."""
    before = parsed(kind, sound(kind, folder))
    values = VALUES
    meant = list(places(before))
    meant = meant[:: len(meant) // 60 + 1]
    deadline = time.monotonic() + 1
    tried = 0
    for offset in range(len(values)):
        # One value a place in each round, so that a slow kind meets every place first.
        for number, place in enumerate(meant):
            value = values[(number + offset) % len(values)]
            with written(kind, folder, rendered(kind, changed(before, place, value))):
                judged(kind, folder)
            tried += 1
        if time.monotonic() > deadline:
            break
    assert tried >= len(meant)


@ids([kind for kind in LAID_OUT if kind.name not in TOLERANT | OPTIONAL | {"texts", "package"}])
def test_an_unknown_key_is_named(folder, kind):
    """Our own files refuse a key that they do not have; guard rows take it (contract.md 2)."""
    if kind.name in ("patch", "vectors"):
        pytest.skip("rows and vectors may hold more than we know")
    value = parsed(kind, sound(kind, folder))
    if isinstance(value, list):
        value[0]["colour"] = 1
    else:
        value["colour"] = {"a": 1} if kind.name.startswith("candidates") else 1
    with written(kind, folder, rendered(kind, value)) as path:
        _, shown = judged(kind, folder, (2,))
    assert "colour" in shown or kind.name == "facts", shown
    assert path.name in shown


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "flip", "double", "swap", "insert"]),
        st.floats(0, 0.999),
        st.integers(1, 40),
        st.binary(max_size=6),
    ),
    min_size=1,
    max_size=4,
)


def mutated(data: bytes, operations) -> bytes:
    for name, share, length, extra in operations:
        at = int(share * max(len(data), 1))
        piece = data[at : at + length]
        made = {
            "delete": b"",
            "flip": bytes(byte ^ (1 << length % 8) for byte in piece[:1]) + piece[1:],
            "double": piece * 2,
            "swap": piece[::-1],
            "insert": extra + piece,
        }[name]
        data = data[:at] + made + data[at + length :]
    return data


@ids(KINDS)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(operations=OPERATIONS)
def test_no_mutation_of_a_file_gives_a_traceback(folder, kind, operations):
    with written(kind, folder, mutated(sound(kind, folder), operations)):
        judged(kind, folder)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(operations=OPERATIONS)
def test_a_damaged_cache_entry_is_measured_again(folder, tmp_path_factory, monkeypatch, operations):
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(place / "c"))
    words = ["facts", "export", str(folder / "corpus"), "-q", "-o"]
    assert run([*words, str(place / "one")])[0] == 0
    entries = list((place / "c").glob("*.piece"))
    assert entries
    for entry in entries:
        entry.write_bytes(mutated(entry.read_bytes(), operations))
    assert run([*words, str(place / "two")])[0] == 0
    for table in (place / "one").iterdir():
        assert (place / "two" / table.name).read_bytes() == table.read_bytes()
