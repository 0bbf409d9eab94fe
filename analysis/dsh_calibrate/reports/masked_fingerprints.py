"""Masking of fingerprints, tool arguments and tool names (guards.md 1.4)."""

from __future__ import annotations

import json
import re
from typing import Any

from dsh_calibrate.reports import masked_words as words
from dsh_calibrate.reports import public_words
from dsh_calibrate.reports.masked_commands import mask_command, mask_verb
from dsh_calibrate.reports.masked_words import CUT, clean, finished

FINGERPRINT_LIMIT = 240
LONGEST_JSON = 200_000
"""UTF-8-ish size (code points) past which arguments are not opened at all."""

_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,47}")
_FAMILY = frozenset({"http-fetch"})
_COMMANDS = frozenset({"command", "cmd"})
_URLS = frozenset({"url", "href", "uri"})
_PATHS = frozenset({"path", "file_path", "filename", "cwd", "workdir", "output_path", "file"})
_NUMBERS = frozenset(
    {
        "limit",
        "offset",
        "timeout",
        "timeoutms",
        "timeout_ms",
        "line",
        "lines",
        "start",
        "end",
        "page",
    }
)
_DEPTH, _MEMBERS = 3, 8


def mask_tool(tool: str) -> str:
    """A tool's name stays when it is spelled like one (letters, digits, ``_ . -``)."""
    return tool if _TOOL.fullmatch(tool) else finished(words.mask_compound(clean(tool)), 48)


def mask_arguments(arguments: str, limit: int = FINGERPRINT_LIMIT) -> str:
    """The JSON text of a tool's arguments: public keys and plain values stay.

    Commands, URLs and paths are recognised by their key; other texts are masked as prose.
    What is no JSON is masked as prose too.
    """
    if len(arguments) > LONGEST_JSON:
        return "{" + CUT + "}"
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return _prose(arguments, limit)
    return finished(_json(value, "", _DEPTH), limit)


def mask_fingerprint(fingerprint: str, limit: int = FINGERPRINT_LIMIT) -> str:
    """A fingerprint with its kind and shape left: ``cmd:curl:curl -o … https://e…e.org/…``.

    Equal fingerprints give equal text; different ones may too.
    """
    kind, colon, rest = fingerprint.partition(":")
    if not colon:
        return _prose(fingerprint, limit)
    if kind == "cmd":
        verb, _, command = rest.partition(":")
        return finished(f"cmd:{mask_verb(verb)}:{mask_command(command)}", limit)
    if kind == "verb":
        return f"verb:{mask_verb(rest)}"
    if kind == "family":
        return f"family:{rest if rest in _FAMILY else _prose(rest, 40)}"
    if kind in ("host", "site"):
        return finished(f"{kind}:{words.mask_host(clean(rest))}", limit)
    if kind == "net":
        host, slash, target = clean(rest).partition("/")
        return finished(f"net:{words.mask_host(host)}{words.mask_target(slash + target)}", limit)
    if kind == "sink":
        return finished(f"sink:{words.mask_path(clean(rest))}", limit)
    if kind == "exact":
        tool, _, arguments = rest.partition(":")
        return finished(f"exact:{mask_tool(tool)}:{mask_arguments(arguments, limit)}", limit)
    if rest.startswith(("{", "[")):
        return finished(f"{mask_tool(kind)}:{mask_arguments(rest, limit)}", limit)
    return _prose(fingerprint, limit)


def _json(value: Any, key: str, depth: int) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        text = json.dumps(value)
        return text if len(text) <= (6 if key.lower() in _NUMBERS else 3) else CUT
    if isinstance(value, str):
        return f'"{_text(value, key)}"'
    if isinstance(value, list):
        if not depth:
            return "[" + CUT + "]" if value else "[]"
        members = [_json(member, key, depth - 1) for member in value[:_MEMBERS]]
        return "[" + ",".join(members + [CUT] * (len(value) > _MEMBERS)) + "]"
    if not depth:
        return "{" + CUT + "}" if value else "{}"
    pairs = [f'"{_key(k)}":{_json(v, k, depth - 1)}' for k, v in list(value.items())[:_MEMBERS]]
    return "{" + ",".join(pairs + [CUT] * (len(value) > _MEMBERS)) + "}"


def _key(key: str) -> str:
    if key.lower() in public_words.ARGUMENT_KEYS:
        return key
    return words.mask_compound(clean(key[:64]))


def _text(value: str, key: str) -> str:
    name = key.lower()
    if name in _COMMANDS:
        return mask_command(value)
    if name in _URLS and "://" in value:
        return words.mask_url(clean(value))
    if name in _PATHS:
        return words.mask_path(clean(value))
    return _prose(value, 80)


def _prose(text: str, limit: int) -> str:
    from dsh_calibrate.reports.masking import mask_text

    return mask_text(text, limit)
