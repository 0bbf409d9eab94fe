"""Every kind of file that the tool reads beside logs: a sound one, and a command that reads it.

Kinds are the readers that exist in ``analysis/`` and ``cli/`` (``read_kept``, ``read_file``,
``open``): what a new reader reads is added here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

PATCH = """\
- id: repeat-tool-breaker
  config:
    warnAt: 4
    limits: {exact: 8, cmd: 9}
    shellHttpAllow: [git, npm]
    blockShellHttp: true
- insert:
    - id: reasoning-loop-guard
      name: dsh-reasoning-loop-guard
      config: {minChars: 2000}
"""
MAPPING = {"rtb": {"warnAt": 4, "limits": {"exact": 8}}, "rlg": {"minChars": 2000}}
MAPPING_TOML = "[rtb]\nwarnAt = 4\n[rtb.limits]\nexact = 8\n[rlg]\nminChars = 2000\n"
LABELS = """\
[[label]]
session = "s-loop"
outcome = "stuck"
split = "train"
note = "never ends"
[[label.at]]
guard = "rtb"
lifecycle = 0
call = 4
expect = "quiet"
"""
CSV = 'session,outcome,split,note\ns-loop,stuck,train,"a, b"\n'
SCENARIO = """\
schema = 1
seed = 3
versions = [4]
encoding = ["plain"]
[config]
cwd = "/work/app"
tick = 10
[[step]]
kind = "human"
text = "Go"
[[step]]
kind = "call"
repeat = 3
vars = { name = ["a", "b"] }
tool = "bash"
arguments = { command = "ls {name}" }
result = { text = "ok", exit = 0 }
[[step]]
kind = "stream"
text = "Hm. "
times = 4
answer = "Done."
[[label]]
outcome = "healthy"
"""
VECTOR = {
    "in": {"tool": "bash", "arguments": '{"command":"ls"}'},
    "expect": {"fingerprints": ["exact:x"], "local": True},
}
FIRE = {
    "at": 1_760_000_000_000,
    "rule": "periodic",
    "atChars": 4000,
    "sessionId": "s-loop",
    "provider": "p",
    "model": "m",
    "turn": 1,
    "step": 2,
    "pluginVersion": "0.1.7",
    "thresholds": {"minChars": 2000},
    "units": 30,
    "period": 10,
    "aborted": True,
    "preview": "again",
}


@dataclass(frozen=True)
class Kind:
    """``data`` is a sound file; ``words`` the command, with ``{file}`` and ``{root}`` in them.

    ``path`` is where the file lies below a root that :func:`root` has made. ``codes`` are the
    exit codes of the sound file.
    """

    name: str
    path: str
    data: bytes
    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    home: bool = False


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


_CONFIG = ("config", "validate", "{file}")
_SWEEP = ("sweep", "{root}/corpus/sessions", "--no-cache", "-q")

KINDS = (
    Kind("patch", "patch.yml", PATCH.encode(), _CONFIG),
    Kind("mapping-yaml", "map.yaml", b"rtb: {warnAt: 4, limits: {exact: 8}}\n", _CONFIG),
    Kind("mapping-json", "map.json", _json(MAPPING), _CONFIG),
    Kind("mapping-toml", "map.toml", MAPPING_TOML.encode(), _CONFIG),
    Kind("home-patch", "home/cordis.patch.yml", PATCH.encode(), ("config", "validate"), home=True),
    Kind(
        "home-settings",
        "home/settings.yaml",
        b"repeat-tool-breaker:\n  warnAt: 4\n  shellHttpAllow: [git]\n",
        ("config", "validate"),
        home=True,
    ),
    Kind(
        "home-rlg",
        "home/dsh-reasoning-loop-guard/config.json",
        _json({"enabled": True, "recovery": {"enabled": True, "maxRetries": 2}}),
        ("config", "validate"),
        home=True,
    ),
    Kind(
        "home-profile",
        "home/profiles/main/package.json",
        _json({"name": "x", "dsh": {"profile": {"bundles": ["dsh-repeat-tool-breaker"]}}}),
        ("config", "validate", "--dsh-profile", "main"),
        home=True,
    ),
    Kind(
        "candidates-yaml",
        "sets.yaml",
        b"a: {rtb: {warnAt: 4}}\nb: {rtb: {limits: {exact: 9}}, rlg: {minChars: 3000}}\n",
        (*_SWEEP, "--candidates", "{file}"),
    ),
    Kind(
        "candidates-toml",
        "sets.toml",
        b"[a.rtb]\nwarnAt = 4\n[b.rtb.limits]\nexact = 9\n",
        (*_SWEEP, "--candidates", "{file}"),
    ),
    Kind(
        "compared",
        "side.json",
        _json(MAPPING),
        ("compare", "{root}/corpus/sessions", "-q", "--a", "{file}", "--b", "rtb.warnAt=3"),
    ),
    Kind(
        "labels",
        "corpus/labels.toml",
        LABELS.encode(),
        (*_SWEEP, "--over", "rtb.warnAt=3..3", "--labels", "{file}"),
    ),
    Kind(
        "label-csv",
        "labels.csv",
        CSV.encode(),
        ("corpus", "label", "{root}/corpus", "--import", "{file}", "-q"),
    ),
    Kind("manifest", "corpus/corpus.toml", b"", ("corpus", "verify", "{root}/corpus")),
    Kind("baseline", "corpus/baseline.jsonl", b"", ("check", "{root}/corpus", "-q")),
    Kind(
        "scenario",
        "story.toml",
        SCENARIO.encode(),
        ("corpus", "synth", "{file}", "-o", "{root}/made", "-q"),
    ),
    Kind(
        "vectors",
        "tool-calls.jsonl",
        json.dumps(VECTOR).encode() + b"\n" + json.dumps(VECTOR).encode() + b"\n",
        ("conformance", "vectors", "{file}"),
        codes=(1,),
    ),
    Kind(
        "package",
        "plugin/package.json",
        _json({"name": "dsh-repeat-tool-breaker", "version": "0.8.1", "main": "absent.js"}),
        ("conformance", "plugin", "--package", "{root}/plugin", "--generated", "1"),
        codes=(2,),
    ),
    Kind(
        "facts",
        "facts/facts.json",
        b"",
        ("facts", "merge", "{root}/facts", "-o", "{root}/merged", "-q"),
    ),
    Kind(
        "facts-logs",
        "facts/logs.parquet",
        b"",
        ("facts", "merge", "{root}/facts", "-o", "{root}/merged", "-q"),
    ),
    Kind(
        "facts-calls",
        "facts/calls.parquet",
        b"",
        ("facts", "merge", "{root}/facts", "-o", "{root}/merged", "-q"),
    ),
    Kind(
        "journal",
        "fires.jsonl",
        json.dumps(FIRE).encode() + b"\n",
        ("journal", "stats", "{file}", "-q"),
    ),
    Kind(
        "texts",
        "texts.json",
        _json(["Again. " * 30, {"text": "One. Two."}]),
        ("reasoning", "{file}", "-q"),
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def run(words: list[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; what nobody foresaw is raised."""
    done = CliRunner().invoke(app, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def root(folder: Path) -> Path:
    """A folder with a corpus, facts of it and every sound file in its place."""
    session = Session("s-loop").human("Go")
    for _ in range(7):
        session.call("bash", {"command": "ls a"}).result("ok")
    session.reasoning("Thinking. ").say("Done.")
    log = write_session(folder / "corpus" / "sessions", session, 4, "plain")
    corpus = str(folder / "corpus")
    for words in (
        ["corpus", "init", corpus, "-q"],
        ["corpus", "add", str(log), "--corpus", corpus, "--as-is", "-q"],
        ["check", corpus, "--update", "-q"],
        ["facts", "export", corpus, "-o", str(folder / "facts"), "--no-cache", "-q"],
    ):
        code, _, told = run(words)
        assert code == 0, (words, told)
    for kind in KINDS:
        if kind.data:
            path = folder / kind.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(kind.data)
    return folder


def sound(kind: Kind, folder: Path) -> bytes:
    """The bytes of the sound file."""
    return kind.data or (folder / kind.path).read_bytes()


def words_of(kind: Kind, folder: Path) -> list[str]:
    """The command that reads the file."""
    path = folder / kind.path
    words = [w.replace("{file}", str(path)).replace("{root}", str(folder)) for w in kind.words]
    return [*words, *(["--dsh-home", str(folder / "home")] if kind.home else [])]


Change = Callable[[bytes], bytes]
