"""Every pattern, and every scanning loop, does work that grows with the text and no faster.

Patterns are found in the source (``compile`` and the functions of ``re`` with a literal), so
that none is added unseen; the attacks are made from each pattern's own characters.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import regex
from pattern_attacks import STEEPEST, attacks, worst

from dsh_calibrate.conformance import recorded_evidence
from dsh_calibrate.corpora.secrets import find_secrets, replace_secrets
from dsh_calibrate.guards.repeat_tool_breaker import commands, denylist, tokens, urls
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.failure import classify
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.javascript import canonical_json, json_text, utf16, white_space
from dsh_calibrate.logs import longline
from dsh_calibrate.replay.settings.files import _toml_lines
from dsh_calibrate.reports import masked_commands, masked_fingerprints, masked_words, masking
from dsh_calibrate.reports.markdown import escaped
from dsh_calibrate.studies.allowlist_coverage import fetchers_of
from dsh_calibrate_cli.console import printable, printable_lines, shortened

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = (
    (REPOSITORY / "analysis", "dsh_calibrate"),
    (REPOSITORY / "cli", "dsh_calibrate_cli"),
)
FUNCTIONS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
ANCHORED = {"match", "fullmatch"}

BOUNDED = {"reports/masked_words:_SCHEME_START:0": "searched in 32 characters"}
"""Patterns whose text is cut before."""

NEVER_LOG_TEXT = {
    "calibrate/ranges": "a --over of the command line",
    "conformance/driver/process": "what `node --version` prints",
    "conformance/plugin_package": "the version of a package.json of at most 1 MiB",
    "corpora/globs": "a glob of a labels file, matched against keys of logs (short)",
    "corpora/label_writing": "lines of a labels file, anchored",
    "corpora/shrinking/target": "a --keep of the command line",
    "guards/tool_patterns": "made of include and exclude patterns of settings, met by tool names",
    "logs/selection": "--since and --until of the command line; a working directory",
    "logs/sharding": "a --shard of the command line",
    "logs/stores/addresses": "a PATH of the command line",
    "replay/executors/cluster": "a --scheduler of the command line",
    "replay/settings/assignments": "a --set of the command line",
    "replay/settings/catalogue": "names of plugins in settings files of at most 1 MiB",
    "replay/settings/files": "settings files of at most 1 MiB, line by line",
    "toml_text": "TOML of at most 16 MiB",
    "reports/charts/drawing": "SVG that this tool draws",
    "usage_mistakes": "messages of Typer",
    "explain_options": "keys of settings",
}
"""Modules whose patterns meet no text of a log, with what they meet."""


def sources():
    for root, package in ROOMS:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root / package).with_suffix("").as_posix()
            yield name, f"{package}.{name.replace('/', '.')}", ast.parse(path.read_text("utf-8"))


def is_call(node: ast.AST, names: set[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("re", "regex")
        and node.func.attr in names
    )


def patterns_in(value: Any) -> list[Any]:
    """Compiled patterns in a value and in containers below it."""
    if isinstance(value, re.Pattern | regex.Pattern):
        return [value]
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list | frozenset):
        return [found for member in value for found in patterns_in(member)]
    return []


def found() -> dict[str, tuple[Any, bool]]:
    """Every pattern by its place, and whether it is only ever matched at the start."""
    everything: dict[str, tuple[Any, bool]] = {}
    for name, module, tree in sources():
        compiles = sum(is_call(node, {"compile"}) for node in ast.walk(tree))
        literal = [
            node
            for node in ast.walk(tree)
            if is_call(node, FUNCTIONS) and isinstance(node.args[0], ast.Constant)
        ]
        unseen = [
            node
            for node in ast.walk(tree)
            if is_call(node, FUNCTIONS) and not isinstance(node.args[0], ast.Constant)
        ]
        if name in NEVER_LOG_TEXT:
            continue
        assert not unseen, f"{name}:{unseen[0].lineno}: compile the pattern at module level"
        used: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(node.value.id, set()).add(node.attr)
        if compiles:
            count = 0
            for variable, value in vars(importlib.import_module(module)).items():
                if variable not in module_names(tree):
                    continue
                for number, pattern in enumerate(patterns_in(value)):
                    count += 1
                    methods = used.get(variable, set()) & FUNCTIONS
                    at_start = bool(methods) and methods <= ANCHORED and variable.startswith("_")
                    everything[f"{name}:{variable}:{number}"] = (pattern, at_start)
            assert count >= compiles, f"{name}: a pattern is made in a function; give it a name"
        for node in literal:
            assert isinstance(node, ast.Call)
            argument = node.args[0]
            assert isinstance(argument, ast.Constant)
            assert isinstance(node.func, ast.Attribute)
            at_start = node.func.attr in ANCHORED
            everything[f"{name}:{node.lineno}"] = (re.compile(argument.value), at_start)
    return everything


def module_names(tree: ast.Module) -> set[str]:
    """Names assigned at module level."""
    names = set()
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


PATTERNS = found()


def searched(pattern: Any) -> Any:
    return lambda text: sum(1 for _ in pattern.finditer(text))


def matched(pattern: Any) -> Any:
    return lambda text: (pattern.match(text), pattern.fullmatch(text))


def test_the_patterns_are_found():
    assert len(PATTERNS) > 100
    assert {name.split(":")[0] for name in PATTERNS}.isdisjoint(NEVER_LOG_TEXT)
    names = {name for name, _, _ in sources()}
    assert set(NEVER_LOG_TEXT) <= names


@pytest.mark.parametrize("place", sorted(set(PATTERNS) - set(BOUNDED)))
def test_a_pattern_is_linear(place):
    pattern, at_start = PATTERNS[place]
    growth, text = worst((matched if at_start else searched)(pattern), attacks(pattern))
    assert growth < STEEPEST, f"{place}: {growth:.0f} times the work for 6 times of {text}"


@pytest.mark.parametrize(
    ("pattern", "run"),
    [
        (re.compile(r"[ \t]+$"), searched),
        (re.compile(r"\w+@"), searched),
        (re.compile(rb'"(?:[^"\\]++|\\.)*+"'), searched),
        (re.compile(r"(a+)b?\1c"), matched),
        (re.compile(r"\s*\s*z"), matched),
        (re.compile(rb"<!--.*?-->", re.DOTALL), searched),
        (regex.compile(r"[\s\p{P}]+$"), searched),
    ],
)
def test_a_quadratic_pattern_is_caught(pattern, run):
    growth, _ = worst(run(pattern), attacks(pattern))
    assert growth >= STEEPEST


CONFIG = configure({}, PROFILES[DEFAULT])


def of_json(text: str) -> object:
    return fingerprint("bash", json.dumps({"command": text}), CONFIG)


def parsed(text: str) -> object:
    """Nested past the depth of Python's own parser, whose refusal would be no work at all."""
    return json_text.parse_arguments('["' * 3000 + text)


LOOPS = {
    "tokens": lambda text: tokens.stripped(tokens.tokens(text)),
    "urls": lambda text: urls.extract(text, unescape=True),
    "url": lambda text: urls.normal(f"https://{text}", {}, drop_brackets=True),
    "commands": lambda text: commands.analyse(text, CONFIG),
    "fetch verbs": lambda text: commands.fetch_verbs(text, CONFIG),
    "segments": commands.segments,
    "denylist": lambda text: denylist.refused("bash", text, CONFIG),
    "fingerprint": of_json,
    "fingerprint of raw arguments": lambda text: fingerprint("bash", text, CONFIG),
    "failure": lambda text: classify(
        "bash", text, False, None, None, None, "curl https://example.org", PROFILES[DEFAULT]
    ),
    "failure command": lambda text: classify(
        "bash", "000", False, None, None, None, text, PROFILES[DEFAULT]
    ),
    "json": parsed,
    "canonical": lambda text: canonical_json.canonical({text: text}),
    "utf16": utf16.length,
    "trim": white_space.trim,
    "secrets": find_secrets,
    "secrets replaced": replace_secrets,
    "mask text": masking.mask_text,
    "mask url": masking.mask_url,
    "mask host": masking.mask_host,
    "mask path": masking.mask_path,
    "mask key": masking.mask_log_key,
    "mask keys": lambda text: masking.mask_log_keys([text]),
    "mask command": masked_commands.mask_command,
    "mask verb": masked_commands.mask_verb,
    "mask arguments": masked_fingerprints.mask_arguments,
    "mask fingerprint": masked_fingerprints.mask_fingerprint,
    "clean": lambda text: masked_words.clean(text, lines=True),
    "markdown": escaped,
    "printable": lambda text: printable(printable_lines(text)),
    "denial": recorded_evidence.named_in,
    "shortened": lambda text: shortened(text, 40),
    "fetchers": fetchers_of,
}

UNITS = (
    *"a7 \t\n\"'\\/.-_=:;|&`$(){}[]<>@#%*?!~,…é\x00",
    "a.",
    "a/",
    "../",
    "a-",
    "a b ",
    "$(",
    "`a",
    "\"'",
    '\\"',
    "\\\n",
    "<<E\n",
    "&&",
    "-H 'a' ",
    "A=1 ",
    "https://",
    "https://a.example.org/?a=1&",
    "https://a@",
    "http://[",
    "://a:",
    "%25",
    '{"a":',
    '["',
    "[1,",
    '\\"{',
    "eyJaaaaaa.",
    "AKIA",
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "REPEAT_TOOL_BLOCKED: a ",
    "Bearer a",
    "curl: (6) ",
    "[exit code: 1]",
    "Error: ",
    "HTTP Error 404 ",
    "\n4",
    "a\n",
    "1.2.3.4 ",
    "::1",
    "xargs curl ",
    "timeout 5 ",
    "sudo ",
    "\ud800",
)


def texts():
    for unit in UNITS:
        for head, tail in (("a", "\x01"), ("curl '", "")):

            def text(n: int, unit: str = unit, head: str = head, tail: str = tail) -> str:
                return head + unit * (n // len(unit)) + tail

            yield text


@pytest.mark.parametrize("name", LOOPS)
def test_a_scanning_loop_is_linear(name):
    run = LOOPS[name]
    growth, text = worst(run, texts(), 400, 2_400)
    assert growth < STEEPEST, f"{name}: {growth:.0f} times the work for 6 times of {text}"


def test_a_line_of_strings_that_never_end_is_looked_through_once():
    """Every quote in them would else be the beginning of another: minutes for 6 MB."""
    began = time.process_time()
    assert longline.too_much(b'{"a":"' + b'\\",' * 2_000_000) is None
    assert time.process_time() - began < 5
    assert longline.too_much(b'{"a":[' + b'"x,",' * 2_000_000) is not None


def test_lines_of_a_toml_file_are_found_at_once():
    text = 'a = """\n' + "a" * 400_000 + '!\n"""\n"x".y . z = 1\n'
    began = time.process_time()
    assert _toml_lines(text)["x", "y", "z"] == 4
    assert time.process_time() - began < 1


@pytest.mark.parametrize("count", ["9" * 5000, "1/..", "1/1.2.3", "0/" + "9" * 5000])
def test_numbers_of_a_denial_that_are_none_are_passed_over(count):
    recorded_evidence.named_in(f"REPEAT_TOOL_BLOCKED: exact:a {count}")
