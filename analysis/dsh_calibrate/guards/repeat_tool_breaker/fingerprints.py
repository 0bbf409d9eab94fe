"""What makes two calls the same action, resource or destination (guards.md 1.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker import commands, urls
from dsh_calibrate.guards.repeat_tool_breaker.commands import CommandParts
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.sinks import GENERIC
from dsh_calibrate.guards.repeat_tool_breaker.urls import Address
from dsh_calibrate.javascript.canonical_json import canonical
from dsh_calibrate.javascript.json_text import Json, parse_arguments

_URL_TOOL = re.compile(r"fetch|search|browse|web_", re.ASCII | re.IGNORECASE)
_URL_ARGUMENTS = ("url", "href", "uri")


class Fingerprints(msgspec.Struct, frozen=True):
    """The fingerprints of one call, each once, in order of emission.

    ``local`` tells that all its addresses are local and that local calls are treated as a
    class (``localHosts: deny``). ``command`` is a shell tool's command, else ``None``;
    ``parts`` is that command taken apart.
    """

    all: tuple[str, ...]
    local: bool
    command: str | None = None
    parts: CommandParts | None = None


def fingerprint(tool: str, arguments: str, config: Config) -> Fingerprints:
    """Fingerprint a call; ``arguments`` is the raw JSON text of the log."""
    value = parse_arguments(arguments)
    exact = f"exact:{tool}:{canonical(_identity(tool, value, config))}"
    if tool in commands.SHELL_TOOLS:
        return _shell(exact, value, config)
    if _URL_TOOL.search(tool):
        return _url_tool(exact, value, config)
    return Fingerprints((exact,), local=False)


def _identity(tool: str, value: Json, config: Config) -> Json:
    """The arguments without ignored top-level keys; what is no plain object is wrapped."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        return {"value": value}
    ignored = config.ignore_args.get("*", ()), config.ignore_args.get(tool, ())
    return {k: v for k, v in value.items() if k not in ignored[0] and k not in ignored[1]}


def _shell(exact: str, value: Json, config: Config) -> Fingerprints:
    given = value.get("command") if isinstance(value, dict) else None
    command = given if isinstance(given, str) else ""
    parts = commands.analyse(command, config)
    is_relaxed = parts.is_local and config.local_hosts == "allow"
    prints = [exact]
    if parts.verb and not is_relaxed:
        prints.append(f"verb:{parts.verb}")
        if parts.verb in commands.HTTP_VERBS:
            prints.append("family:http-fetch")
    if parts.verb and parts.stripped:
        prints.append(f"cmd:{parts.verb}:{parts.stripped}")
    if not is_relaxed:
        prints += _targets(parts.parsed, config)
        if parts.sink is not None and parts.sink not in GENERIC:
            prints.append(f"sink:{parts.sink}")
    return Fingerprints(
        tuple(dict.fromkeys(prints)),
        local=parts.is_local and not is_relaxed,
        command=command,
        parts=parts,
    )


def _url_tool(exact: str, value: Json, config: Config) -> Fingerprints:
    given = None
    if isinstance(value, dict):
        # JavaScript's ??: the next name only where this one is null or absent (C31).
        given = next((value[n] for n in _URL_ARGUMENTS if value.get(n) is not None), None)
    target = commands.address(given, config) if isinstance(given, str) else None
    if target is None:
        return Fingerprints((exact,), local=False)
    is_local = urls.is_local(target.host)
    if is_local and config.local_hosts == "allow":
        return Fingerprints((exact,), local=False)
    prints = [exact, *_targets([target], config), "family:http-fetch"]
    return Fingerprints(tuple(prints), local=is_local)


def _targets(addresses: Sequence[Address], config: Config) -> list[str]:
    prints = []
    for target in addresses:
        prints.append(f"net:{target.identity}")
        prints.append(f"site:{urls.site(target.host)}")
        if config.include_local or not urls.is_local(target.host):
            prints.append(f"host:{target.host}")
    return prints
