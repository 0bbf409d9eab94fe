"""Shortening of words, hosts, paths and URLs: the building stones of masking.

The functions expect text that went through :func:`clean`.
"""

from __future__ import annotations

import ipaddress
import re

import regex

from dsh_calibrate.reports import public_words
from dsh_calibrate.reports.secrets import replace_secrets

CUT = "…"
SECRET = "\ue000"
"""Stands for a secret until :func:`finished`; private use, so no cleaned text holds it."""

LONGEST_INPUT = 20_000
"""Code points looked at; what is behind them is shown to nobody."""

_WORD = regex.compile(r"[^\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Z}\p{C}\s]+")
_SPACE = regex.compile(r"[\s\p{Z}]+")
_LINES = regex.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\p{Zl}\p{Zp}]")
_OTHER = regex.compile(r"[\p{C}--[\n]]", regex.V1)  # all of \p{C} but the newline
_COLLAPSE = re.compile(r"…(?:[-_.:+=,@]{0,2}…)+")
_PUNCTUATION = "\"'`()[]{}<>,;!?"
_HOST = re.compile(r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+(?::[0-9]{1,5})?")
_SLASHES = re.compile(r"[\\/]")
_SCHEME_START = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")


def clean(text: str, *, lines: bool = False) -> str:
    """The first part of a text with secrets taken out and nothing in it that a terminal obeys.

    White space becomes single spaces (with ``lines``, line ends become one newline), control,
    format and unassigned characters and lone surrogates become ``·``.
    """
    text = replace_secrets(text[:LONGEST_INPUT].replace("\x00", "\x01"), "\x00")
    rows = (str(_SPACE.sub(" ", row)).strip() for row in (_LINES.split(text) if lines else [text]))
    text = "\n".join(row for row in rows if row)
    return SECRET.join(str(_OTHER.sub("·", piece)) for piece in text.split("\x00"))


def finished(text: str, limit: int) -> str:
    """Masked text as it is shown: one line of at most ``limit`` characters, secrets named."""
    text = text.replace("\n", " ⏎ ").replace(SECRET, "<secret>")
    return text if len(text) <= limit else text[: limit - 1].rstrip() + CUT


def shorten(word: str, public: frozenset[str] = public_words.TEXT) -> str:
    """One word: public ones, single characters and up to three digits stay, else ``w…``."""
    if len(word) <= 1 or word.lower() in public or (len(word) <= 3 and word.isdecimal()):
        return word
    return word[0] + CUT


def shorten_inner(word: str, public: frozenset[str] = public_words.TEXT) -> str:
    """A part of a compound word: no short part may stay, or the whole could be put together."""
    if word.lower() in public:
        return word
    return word[0] + CUT if len(word) >= 4 else CUT


def mask_compound(text: str, public: frozenset[str] = public_words.TEXT) -> str:
    """Text without white space: a word, or words held together by punctuation."""
    count = len(_WORD.findall(text))
    if not count:
        return text
    if count == 1:
        return str(_WORD.sub(lambda found: shorten(found[0], public), text))
    return _COLLAPSE.sub(CUT, _WORD.sub(lambda found: shorten_inner(found[0], public), text))


def mask_chunk(chunk: str, public: frozenset[str] = public_words.TEXT) -> str:
    """A stretch without white space, by what it looks like: URL, path, host, else words."""
    core = chunk.strip(_PUNCTUATION).rstrip(".:")
    if not core:
        return chunk
    start = len(chunk) - len(chunk.lstrip(_PUNCTUATION))
    lead, tail = chunk[:start], chunk[start + len(core) :]
    return lead + _mask_core(core, public) + tail


def _mask_core(core: str, public: frozenset[str]) -> str:
    colon = core.find("://")
    if colon > 0 and (scheme := _SCHEME_START.search(core[max(0, colon - 32) : colon])):
        start = colon - len(scheme[0])
        return (mask_compound(core[:start], public) if start else "") + mask_url(core[start:])
    slash = _SLASHES.search(core)
    if slash:
        name, equals, value = core.partition("=")
        if equals and len(name) < slash.start():
            return f"{mask_compound(name, public)}={mask_path(value)}"
        return mask_path(core)
    if core.rpartition(".")[2].lower() in public_words.EXTENSIONS and "." in core:
        return mask_path(core)
    if _HOST.fullmatch(core):
        return mask_authority(core)
    return mask_compound(core, public)


def mask_host(host: str) -> str:
    """A host: local ones by their kind, addresses as such, names as ``a…e.org``."""
    bare = host.strip("[]").lower().rstrip(".")
    if bare in ("localhost", "0.0.0.0", "::1", "127.0.0.1"):
        return host
    if bare.endswith(".localhost"):
        return f"{CUT}.localhost"
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        pass
    else:
        return "<private-ip>" if address.is_private else "<ip>"
    name, dot, top = bare.rpartition(".")
    if not dot:
        return _edges(bare)
    known = (len(top) <= 3 and top.isascii() and top.isalpha()) or top in public_words.TOP_DOMAINS
    return f"{_edges(name)}.{top if known else CUT}"


def _edges(name: str) -> str:
    if len(name) >= 6 and name.isascii() and name[0].isalnum() and name[-1].isalnum():
        return name[0] + CUT + name[-1]
    return CUT


def mask_authority(text: str) -> str:
    """``user:password@host:port`` of a URL."""
    user, at, rest = text.rpartition("@")
    who = (SECRET if SECRET in user else CUT) + "@" if at else ""
    host, colon, port = rest.rpartition(":")
    if not colon or rest.endswith("]") or (":" in host and not host.endswith("]")):
        return who + mask_host(rest)
    return f"{who}{mask_host(host)}:{port if port in public_words.PORTS else CUT}"


def mask_url(url: str) -> str:
    """A cleaned URL: known scheme, masked host, shape of the path, public query keys."""
    scheme, _, rest = url.partition("://")
    shown = scheme if scheme.lower() in public_words.SCHEMES else shorten_inner(scheme)
    found = re.search(r"[/?#\\]", rest)
    end = found.start() if found else len(rest)
    return f"{shown}://{mask_authority(rest[:end])}{mask_target(rest[end:])}"


def mask_target(target: str) -> str:
    """What follows the host of a URL: ``/…/….html?page=…&…#…``."""
    target, hash_sign, _ = target.partition("#")
    path, question, query = target.partition("?")
    shown = mask_path(path, folders=False) if path else ""
    if question:
        keys = [pair.partition("=")[0] for pair in query[:2000].split("&")]
        named = [k if k.lower() in public_words.QUERY_KEYS else CUT for k in keys[:4]]
        shown += "?" + "&".join(f"{k}={CUT}" for k in named) + ("&" + CUT if len(keys) > 4 else "")
    return shown + (f"#{CUT}" if hash_sign else "")


def mask_path(path: str, *, folders: bool = True) -> str:
    """A cleaned path: depth (up to four parts) and known extension stay, names do not.

    ``folders``: whether well-known first folders (``/tmp``) stay too.
    """
    if path in public_words.WHOLE_PATHS:
        return path
    separator = "\\" if "\\" in path and "/" not in path else "/"
    parts = _SLASHES.split(path)
    shown = [_mask_name(part) for part in parts]
    first = parts[0]
    if first in ("~", ".", "..") or re.fullmatch(r"[A-Za-z]:", first):
        shown[0] = first
    if folders and first == "" and len(parts) > 1 and parts[1].lower() in public_words.FOLDERS:
        shown[1] = parts[1]
    if len(shown) > 5:
        shown = [*shown[:3], CUT, shown[-1] or shown[-2]]
    return separator.join(shown)


def _mask_name(name: str) -> str:
    if SECRET in name:
        return SECRET
    if not _WORD.search(name):
        return name[:8]
    stem, dot, extension = name.rpartition(".")
    if dot and extension.lower() in public_words.EXTENSIONS:
        return (_stem(stem) if _WORD.search(stem) else stem[:8]) + "." + extension
    return _stem(name)


def _stem(name: str) -> str:
    first = name.lstrip(".-_")[:1]
    return first + CUT if len(name) >= 4 and first.isalnum() else CUT
