"""A shell command taken apart once: words, verb, addresses, sink (guards.md 1.3)."""

from __future__ import annotations

import re

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker import tokens, urls
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.sinks import sink
from dsh_calibrate.guards.repeat_tool_breaker.urls import Address
from dsh_calibrate.javascript import white_space

HTTP_VERBS = frozenset(("curl", "wget", "http", "httpie"))
"""Verbs whose only business is HTTP."""

SHELL_TOOLS = frozenset(("bash", "pwsh", "shell"))
"""Tools whose argument ``command`` is a shell command."""

_CONTINUED = re.compile(r"\\\r?\n")
_SEGMENT_END = re.compile(r"\n|;|&&|\|\||\||&")
_PLAIN_VERB = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*", re.ASCII)


class CommandParts(msgspec.Struct, frozen=True):
    """What the guard reads off a command.

    ``urls`` are the spellings found, ``addresses`` their normal spelling in the same order
    (``None`` where one does not parse). ``is_local``: at least one parses and all that
    parse are local.
    """

    verb: str
    stripped: str
    urls: tuple[str, ...]
    addresses: tuple[Address | None, ...]
    sink: str | None
    is_local: bool

    @property
    def normal_urls(self) -> tuple[str | None, ...]:
        """The identity of each URL: host, path and query."""
        return tuple(a.identity if a is not None else None for a in self.addresses)

    @property
    def parsed(self) -> list[Address]:
        """The addresses that parse."""
        return [a for a in self.addresses if a is not None]


def analyse(command: str, config: Config) -> CommandParts:
    """Take a command apart."""
    words = tokens.tokens(command)
    found = urls.extract(command, unescape=config.profile.unescapes_urls)
    addresses = tuple(address(url, config) for url in found)
    return CommandParts(
        verb=tokens.verb(words),
        stripped=tokens.stripped(words),
        urls=tuple(found),
        addresses=addresses,
        sink=sink(words),
        is_local=all_local(addresses),
    )


def address(url: str, config: Config) -> Address | None:
    """The normal spelling of one URL under the configuration's aliases."""
    return urls.normal(url, config.host_aliases, drop_brackets=config.profile.drops_ipv6_brackets)


def all_local(addresses: tuple[Address | None, ...]) -> bool:
    """Whether at least one address parses and all that parse are local."""
    parsed = [a for a in addresses if a is not None]
    return bool(parsed) and all(urls.is_local(a.host) for a in parsed)


def segments(command: str) -> list[str]:
    """A command cut at its operators, quotes ignored, continued lines joined (1.7)."""
    joined = _CONTINUED.sub(" ", command)
    return [white_space.trim(part) for part in _SEGMENT_END.split(joined)]


def has_remote(addresses: tuple[Address | None, ...]) -> bool:
    """Whether some address parses and is not local."""
    return any(a is not None and not urls.is_local(a.host) for a in addresses)


def fetch_segments(command: str, config: Config) -> list[str]:
    """The verb of every segment that carries a non-local URL and has a plain verb, in order."""
    if "http" not in command:
        return []
    found = []
    for segment in segments(command):
        carried = urls.extract(segment, unescape=config.profile.unescapes_urls)
        if carried and has_remote(tuple(address(url, config) for url in carried)):
            name = tokens.verb(tokens.tokens(segment))
            if _PLAIN_VERB.fullmatch(name):
                found.append(name)
    return found


def fetch_verbs(command: str, config: Config) -> list[str]:
    """The same verbs, each once (guards.md 1.7)."""
    return list(dict.fromkeys(fetch_segments(command, config)))
