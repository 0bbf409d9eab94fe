"""Masking of log content in everything that is made for people (contract.md 2, issue 7).

A reader sees the shape (verb, flags, kind of URL, depth of a path, extension, length and
repetition of a text) and no host, path, secret or prompt. The rule is "shorten unless known":

==================  =======================================================================
a word              ``w…``; public words, single characters and up to three digits stay
a host              ``a…e.org``: first and last letter, a short last label; ``localhost``
                    stays, other addresses are ``<ip>`` or ``<private-ip>``
a URL               ``https://a…e.org/p…/….html?page=…&…=…#…``
a path              ``/tmp/r…/….py``: well-known first folders and extensions stay
a command           ``git commit -m '…'``: verbs, sub-commands, flags, operators stay
a secret            ``<secret>`` (:mod:`dsh_calibrate.reports.secrets`)
==================  =======================================================================

The same input always gives the same output; no state and no hash is involved, so two inputs
may look alike (:func:`mask_log_keys` numbers them). No word of four or more characters
survives unless it stands in :mod:`~dsh_calibrate.reports.public_words`, is the spelling of a
long flag (``--some-flag``) or of a tool's name. Output is one line without control or
formatting characters; escaping for a format (HTML, Markdown, spreadsheets) is the
renderer's. All of it runs in time linear in its input.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dsh_calibrate.reports import masked_words as words
from dsh_calibrate.reports.masked_commands import COMMAND_LIMIT, mask_command, mask_verb
from dsh_calibrate.reports.masked_fingerprints import (
    FINGERPRINT_LIMIT,
    mask_arguments,
    mask_fingerprint,
    mask_tool,
)
from dsh_calibrate.reports.masked_words import clean, finished, mask_chunk

__all__ = [
    "COMMAND_LIMIT",
    "FINGERPRINT_LIMIT",
    "TEXT_LIMIT",
    "mask_arguments",
    "mask_command",
    "mask_fingerprint",
    "mask_host",
    "mask_log_key",
    "mask_log_keys",
    "mask_path",
    "mask_text",
    "mask_tool",
    "mask_url",
    "mask_verb",
]

TEXT_LIMIT = 160
"""Characters of a masked text that are shown."""

_CANONICAL = re.compile(r"(session(?:\.[0-9]{1,3})?)?((?:\.v[0-9]{1,2})?\.jsonl(?:\.zstd?)?)\Z")


def mask_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Free text (previews, results, notices): line ends as ``⏎``, words shortened."""
    masked = re.sub(r"[^ \n]+", lambda found: mask_chunk(found[0]), clean(text, lines=True))
    return finished(masked, limit)


def mask_url(url: str, limit: int = TEXT_LIMIT) -> str:
    """A URL, with or without scheme."""
    cleaned = clean(url)
    if "://" in cleaned and " " not in cleaned:
        return finished(words.mask_url(cleaned), limit)
    return mask_text(url, limit)


def mask_host(host: str) -> str:
    """A host name or address, with or without port."""
    return finished(words.mask_authority(clean(host)), TEXT_LIMIT)


def mask_path(path: str, limit: int = TEXT_LIMIT) -> str:
    """A path of a file or folder, POSIX or Windows."""
    return finished(words.mask_path(clean(path)), limit)


def mask_log_key(key: str, limit: int = TEXT_LIMIT) -> str:
    """A log's key: project shortened, of long session ids and file names both ends stay.

    ``--work-app--/3f2…9ab/session.v4.jsonl.zstd`` becomes
    ``--w…--/3f2…9ab/session.v4.jsonl.zstd``; with ``*`` for ``…`` it is a glob that finds
    the log again.
    """
    *folders, name = clean(key).split("/")
    shown = [_folder(part) for part in folders]
    canonical = _CANONICAL.search(name)
    if canonical is None:
        return finished("/".join([*shown, _ends(name)]), limit)
    stem = name[: canonical.start()]
    return finished("/".join([*shown, (_ends(stem) if stem else "") + canonical[0]]), limit)


def mask_log_keys(keys: Iterable[str]) -> dict[str, str]:
    """Masked keys of a whole corpus, alike ones numbered in the order of the keys (``#2``)."""
    seen: dict[str, int] = {}
    shown: dict[str, str] = {}
    for key in sorted(set(keys)):
        masked = mask_log_key(key)
        seen[masked] = number = seen.get(masked, 0) + 1
        shown[key] = masked if number == 1 else f"{masked}#{number}"
    return shown


def _folder(part: str) -> str:
    if part.startswith("--") and part.endswith("--") and len(part) > 4:
        first = part.strip("-")[:1]
        return f"--{first}…--"
    return part if part in ("", ".", "..", "sessions", "_no-cwd") else _ends(part)


def _ends(part: str) -> str:
    if words.SECRET in part:
        return words.SECRET
    if len(part) >= 12:
        return f"{part[:3]}…{part[-3:]}"
    return f"{part[0]}…" if len(part) >= 4 else part
