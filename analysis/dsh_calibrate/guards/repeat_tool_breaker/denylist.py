"""The plugin's later rule, for comparison: no listed command, however it is wrapped.

guards.md 1.8: the line is opened (:func:`commands_run`) into every command it can run, and
refused when one of them is on the list or names an HTTP library, unless all its own
addresses are local.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dsh_calibrate.guards.repeat_tool_breaker import commands, tokens, urls
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.urls import Address
from dsh_calibrate.javascript import white_space

DENIED = ("curl", "wget", "http", "httpie")
"""The default list."""

_MECHANISM = re.compile(
    r"urllib|\brequests\.|\bhttpx\b|\baiohttp\b|http\.client|\bfetch\(|\baxios\b|\bgot\("
    r"|Invoke-WebRequest|\biwr\b",
    re.ASCII,
)
_TRIVIA = re.compile(
    r"(?:do|then|else|elif|if|while|until|for)\b|[{}()!`]|\$\(|[A-Za-z_][A-Za-z0-9_]*=\$?\(",
    re.ASCII,
)
_TRIVIA_AT_MOST = 8
_DEEPEST = 6
_HOST_NAMES = (
    "sh bash zsh dash ksh ssh xargs env sudo doas command exec timeout nice nohup stdbuf watch "
    "eval parallel busybox"
)
_HOSTS = frozenset(_HOST_NAMES.split())
_HOST_LAST_OPTIONS = frozenset(("-c", "-e", "-r"))
_HOST_OPTIONS_WITH_VALUE = (
    "-F -o -i -p -l -P -E -I -n -u -g -C -S -R -T --exec --max-args --replace --delimiter "
    "--timeout --user --signal"
)
_HOST_VALUE_OPTIONS = frozenset(_HOST_OPTIONS_WITH_VALUE.split())
_DURATION = re.compile(r"[0-9]+(?:\.[0-9]+)?[smhd]?", re.ASCII)
_WHITE = re.compile(f"[{white_space.CLASS}]")
_EXEC = re.compile(rf"(?:\A|(?<=[{white_space.CLASS}]))-exec[{white_space.CLASS}]")
_BACKTICKS = re.compile(r"`([^`]*+)`")
_BRACKETS = re.compile(r"[()]")
_AUTHORITY = re.compile(r"(https?://)([^/?#]*+)", re.DOTALL)


def refused(tool: str, command: str, config: Config, denied: Iterable[str] = DENIED) -> bool:
    """Whether the denylist refuses a shell command; other tools never are."""
    if tool not in commands.SHELL_TOOLS:
        return False
    names = frozenset(denied)
    if commands.all_local(_addresses(command, config)):
        return False
    return any(_counts(text, names, config) for text in _opened(command, 0, set()))


def commands_run(command: str) -> list[str]:
    """Every command that a line can run, outermost first, each text once."""
    return list(_opened(command, 0, set()))


def _counts(text: str, denied: frozenset[str], config: Config) -> bool:
    if tokens.verb(tokens.tokens(text)) not in denied and not _MECHANISM.search(text):
        return False
    return not commands.all_local(_addresses(text, config))


def _addresses(text: str, config: Config) -> tuple[Address | None, ...]:
    found = urls.extract(text, unescape=config.profile.unescapes_urls)
    return tuple(commands.address(_without_variable_port(url), config) for url in found)


def _without_variable_port(url: str) -> str:
    """Drop what stands for a port when it is neither empty nor digits."""
    match = _AUTHORITY.match(url)
    if match is None:
        return url
    authority = match[2]
    host_at = authority.rfind("@") + 1
    closing = authority.find("]", host_at)
    colon = authority.find(":", closing) if closing >= 0 else authority.rfind(":")
    if colon < host_at:
        return url
    port = authority[colon + 1 :]
    if not port or (port.isascii() and port.isdigit()):
        return url
    return match[1] + authority[:colon] + url[match.end() :]


def _opened(text: str, depth: int, seen: set[str]) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    for segment in commands.segments(text):
        piece = _without_trivia(segment)
        if not piece or piece in seen:
            continue
        seen.add(piece)
        yield piece
        for inner in _inside(piece):
            yield from _opened(inner, depth + 1, seen)


def _without_trivia(segment: str) -> str:
    piece = segment
    for _ in range(_TRIVIA_AT_MOST):
        match = _TRIVIA.match(piece)
        if match is None:
            break
        piece = white_space.trim(piece[match.end() :])
    return piece


def _inside(piece: str) -> Iterator[str]:
    """The texts that a command runs in its turn, in the order in which they are listed."""
    yield from _substitutions(piece)
    for match in _BACKTICKS.finditer(piece):
        yield match[1]
    words = tokens.tokens(piece)
    hosted = _hosted(words)
    if hosted:
        yield hosted
    executed = _EXEC.search(piece)
    if executed is not None:
        yield white_space.trim(_without_end(white_space.trim(piece[executed.end() :])))
    for word in words:
        if _WHITE.search(word):
            yield word


def _without_end(text: str) -> str:
    return text[:-1] if text.endswith((";", "+")) else text


def _substitutions(piece: str) -> Iterator[str]:
    at = piece.find("$(")
    while at >= 0:
        start = at + 2
        end = _closing(piece, start)
        yield piece[start:end]
        at = piece.find("$(", end)


def _closing(piece: str, start: int) -> int:
    """Where the bracket opened before ``start`` closes; without one, the last character."""
    open_brackets = 1
    for match in _BRACKETS.finditer(piece, start):
        open_brackets += 1 if match[0] == "(" else -1
        if not open_brackets:
            return match.start()
    return max(start, len(piece) - 1)


def _hosted(words: list[str]) -> str:
    """What a shell host (``bash -c``, ``xargs``, ``ssh host``…) is given to run."""
    if len(words) < 2 or words[0].replace("\\", "/").rpartition("/")[2] not in _HOSTS:
        return ""
    at = 1
    while at < len(words):
        word = words[at]
        if word in _HOST_LAST_OPTIONS:
            at += 1
            break
        if word in _HOST_VALUE_OPTIONS:
            at += 2
        elif word.startswith("-") or _DURATION.fullmatch(word):
            at += 1
        else:
            break
    return " ".join(words[at:])
