"""Addresses: found in a command, brought to one spelling, told local from remote.

guards.md 1.3 and 1.4. Parsing is WHATWG's, by Ada, as in Node (parity.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

import can_ada
import msgspec

from dsh_calibrate.javascript import utf16, white_space

_URL = re.compile(rf"""https?://[^{white_space.CLASS}'"\\<>`]+""")
_TRAILING = ".,;:!?)]}'\""
_ESCAPE = re.compile(r"\\([.:/?&=#%~\-])")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*://", re.ASCII)
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|msclkid|mc_eid|_ga|ref_src|igshid", re.ASCII | re.IGNORECASE
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}", re.ASCII)
_LOCAL = re.compile(
    r"localhost\Z|.*\.localhost\Z|::1\Z|0:0:0:0:0:0:0:1\Z|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\."
    r"|169\.254\.|0\.0\.0\.0\Z|f[cd][0-9a-f]{2}:|fe80:",
    re.ASCII | re.DOTALL,
)


class Address(msgspec.Struct, frozen=True):
    """A URL in its normal spelling: ``host`` and ``identity`` (host, path and query)."""

    host: str
    identity: str


def extract(command: str, *, unescape: bool) -> list[str]:
    """The addresses that stand in a command, each spelling once, in order.

    ``unescape`` first takes the backslash away before the punctuation of an address, as it
    stands in a pattern (cases.md C27).
    """
    if "http" not in command:
        return []
    text = _ESCAPE.sub(r"\1", command) if unescape and "\\" in command else command
    return list(dict.fromkeys(url.rstrip(_TRAILING) for url in _URL.findall(text)))


def normal(url: str, aliases: Mapping[str, str], *, drop_brackets: bool) -> Address | None:
    """The normal spelling of an address, or ``None`` when it does not parse.

    An empty host is no address, nor is one that only its dot kept (``http://./``).
    ``aliases`` are looked up once by the host, keys as written; an empty one changes
    nothing. ``drop_brackets`` takes the brackets off an IPv6 host.
    """
    text = white_space.trim(url)
    if not _SCHEME.match(text):
        text = f"https://{text}"
    if not text.isascii():
        # JavaScript hands a lone surrogate to the parser as U+FFFD.
        text = _SURROGATE.sub("\ufffd", text)
    try:
        parsed = can_ada.parse(text)
    except ValueError:
        return None
    host: str = parsed.hostname
    host = host.lower().removesuffix(".").removeprefix("www.")
    if not host:
        return None
    if drop_brackets and host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    alias = aliases.get(host)
    if alias:
        host = alias.lower()
    path = parsed.pathname.rstrip("/") or "/"
    search: str = parsed.search
    query = _query(search[1:]) if search else ""
    return Address(host, f"{host}{path}?{query}" if query else host + path)


def _query(search: str) -> str:
    pairs = []
    for pair in search.split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        key = _decoded(name)
        if not _TRACKING.fullmatch(key):
            pairs.append(f"{key}={_decoded(value)}")
    return "&".join(utf16.ordered(pairs))


def _decoded(text: str) -> str:
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    return unquote_to_bytes(text).decode("utf-8", "replace")


def site(host: str) -> str:
    """The last two labels of a host, empty ones apart; an address literal stands alone."""
    if ":" in host or _IPV4.fullmatch(host):
        return host
    labels = [label for label in host.split(".") if label]
    return ".".join(labels[-2:]) if len(labels) > 2 else host


def is_local(host: str) -> bool:
    """Whether a host is this machine or a private network (guards.md 1.3).

    An IPv6 host that kept its brackets (profile 0.5.2) never is: the published package does
    not look behind them.
    """
    return _LOCAL.match(host) is not None
