"""Pseudonyms of numeric addresses: as long, as local, and still addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsh_calibrate.corpora.redaction.pseudonyms import Pseudonyms

_OCTET = 255
_GROUP = re.compile(r"[0-9A-Fa-f]+")
_SPANS = {1: (0, 9), 2: (10, 99), 3: (100, 255)}


def ipv4_pseudonym(text: str, pseudonyms: Pseudonyms) -> str:
    """Another address of the same class: loopback, private network, link-local, or public.

    The digits of every part stay as many. Public ones whose first part has three digits come
    from the block that nobody routes (240 to 254). What is no address (a part above 255 or
    with a leading zero), the unspecified and the broadcast address stay.
    """
    parts = text.split(".")
    is_address = all(int(p) <= _OCTET and (p == "0" or p[0] != "0") for p in parts)
    if not is_address or text in ("0.0.0.0", "255.255.255.255", "127.0.0.1"):
        return text
    kept = _kept_parts([int(p) for p in parts])

    def candidate(_: str, draw: Iterator[int]) -> str:
        new = parts[:kept]
        for place in range(kept, 4):
            low, high = _SPANS[len(parts[place])]
            if place == 0:
                low, high = {1: (1, 9), 2: (11, 99), 3: (240, 254)}[len(parts[0])]
            if place == 1 and kept == 1 and parts[0] == "172":
                low, high = 16, 31
            new.append(str(low + next(draw) % (high - low + 1)))
        return ".".join(new)

    return pseudonyms.other("ipv4", text, candidate)


def _kept_parts(parts: list[int]) -> int:
    """How many parts in front say what kind of address it is."""
    first, second = parts[:2]
    if (first, second) in ((192, 168), (169, 254)):
        return 2
    if first in (0, 10, 127) or (first == 172 and 16 <= second <= 31):
        return 1
    return 0


def ipv6_pseudonym(text: str, pseudonyms: Pseudonyms) -> str:
    """A bracketed IPv6 address with every group replaced, its local prefix kept."""
    inner = text[1:-1].lower()
    if inner == "::1":
        return text
    is_first = not inner.startswith(":")

    def group(found: re.Match[str]) -> str:
        nonlocal is_first
        raw, first = found[0], is_first
        is_first = False
        digits = raw.lower().lstrip("0")
        if not digits or (first and digits.startswith("fe8")):
            return raw
        zeros = "0" * (len(raw) - len(digits))
        if first and len(digits) == 4 and digits[:2] in ("fc", "fd"):
            new = digits[:2] + pseudonyms.hexadecimal(f"1{digits[2:]}")[1:]
        else:
            new = pseudonyms.hexadecimal(digits)
            if first and new[:2] in ("fc", "fd", "fe"):
                new = "2" + new[1:]
        return zeros + (new.upper() if raw != raw.lower() else new)

    return "[" + _GROUP.sub(group, text[1:-1]) + "]"
