"""``--over``: which keys take which values (contract.md 5, ``sweep``).

``K=a..b[:step]`` counts from ``a`` to ``b`` inclusive, ``K=[v,…]`` lists values (YAML), and one
pair of braces ties keys that take the same value: ``rtb.limits.{exact,cmd,net,sink}=9..14``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings.assignments import dotted, parse_assignment, split_key
from dsh_calibrate.replay.settings.catalogue import GUARDS, did_you_mean
from dsh_calibrate.replay.settings.nodes import plain

KINDS = ("exact", "cmd", "net", "sink", "host", "site", "family", "verb")
"""Measure kinds that ``rtb.limits`` can cap; ``family:…`` and ``verb:…`` name one of them."""

MOST_VALUES = 10_000
"""Values of one range; more is a mistake."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?::\s*({_NUMBER})\s*)?\Z")
_LOOKS_LIKE_RANGE = re.compile(r"[^\[\"'{]*\.\.")


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One setting: short name of the guard and the path below it."""

    guard: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return dotted((self.guard, *self.path))


@dataclass(frozen=True, slots=True)
class Axis:
    """One ``--over``: the tied keys and the values they take together, in order."""

    keys: tuple[Key, ...]
    values: tuple[object, ...]


def parse_axis(text: str) -> Axis:
    """Read one ``--over``.

    Raises :class:`UsageError` for a malformed one, an empty range, a step of 0, an unknown
    guard or key (the nearest known is named).
    """
    shown = f"--over {text}"
    name, value = _divided(text, shown)
    keys = tuple(_key(part, shown) for part in _expanded(name, shown))
    if len(set(keys)) != len(keys):
        raise UsageError(f"{shown}: a key stands there twice")
    return Axis(keys, _values(value, shown))


def check_key(guard: str, path: tuple[str, ...], shown: str) -> Key:
    """Refuse a key that the guard does not know or that decides nothing in a replay."""
    if guard not in GUARDS:
        known = ", ".join(GUARDS)
        raise UsageError(f"{shown}: no guard {guard} (known: {known}){did_you_mean(guard, GUARDS)}")
    known_keys = GUARDS[guard]
    key = Key(guard, path)
    if not path or path[0] not in known_keys.defaults:
        name = path[0] if path else ""
        hint = did_you_mean(name, known_keys.defaults)
        raise UsageError(f"{shown}: {guard} has no key {name}{hint}")
    if path[0] in known_keys.idle:
        raise UsageError(f"{shown}: {key} decides nothing in a replay")
    if len(path) > 2 or (len(path) == 2 and path[0] not in known_keys.maps):
        raise UsageError(f"{shown}: {guard}.{path[0]} has no parts like that")
    if guard == "rtb" and path[0] == "limits" and len(path) == 2:
        kind = path[1].partition(":")[0]
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS)
            raise UsageError(f"{shown}: rtb has no measure {kind}{hint}")
    return key


def _divided(text: str, shown: str) -> tuple[str, str]:
    """The key part and what stands behind the first ``=`` outside quotes."""
    quote = ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "=" and at and text[at + 1 :].strip():
            return text[:at].strip(), text[at + 1 :].strip()
    raise UsageError(f"{shown}: expected K=a..b, K=a..b:step or K=[v,…], as in rtb.warnAt=5..9")


def _expanded(name: str, shown: str) -> list[str]:
    start, end = name.find("{"), name.find("}")
    if start < 0 and end < 0:
        return [name]
    parts = name[start + 1 : end].split(",")
    if start < 0 or end < start or "{" in name[end:] or not all(p.strip() for p in parts):
        raise UsageError(f"{shown}: one pair of braces ties keys, as in rtb.limits.{{exact,cmd}}")
    return [f"{name[:start]}{part.strip()}{name[end + 1 :]}" for part in parts]


def _key(text: str, shown: str) -> Key:
    try:
        path = split_key(text)
    except UsageError:
        path = ()
    if len(path) < 2:
        raise UsageError(f"{shown}: {text} is no key; expected guard.key, as in rtb.warnAt")
    return check_key(path[0], path[1:], shown)


def _values(text: str, shown: str) -> tuple[object, ...]:
    if found := _RANGE.match(text):
        return _counted(found, shown)
    if _LOOKS_LIKE_RANGE.match(text):
        raise UsageError(f"{shown}: {text} is no range; expected a..b or a..b:step, in numbers")
    try:
        value = plain(parse_assignment(f"rtb.x={text}").node)
    except UsageError:
        raise UsageError(f"{shown}: {text} is neither a range nor a YAML list") from None
    if isinstance(value, dict):
        raise UsageError(f"{shown}: expected a range a..b or a list [v,…], not a mapping")
    values = tuple(value) if isinstance(value, list) else (value,)
    if not values:
        raise UsageError(f"{shown}: the list is empty; name at least one value")
    for place, one in enumerate(values):
        if one in values[:place]:
            raise UsageError(f"{shown}: {one} stands there twice")
    return values


def _counted(found: re.Match[str], shown: str) -> tuple[object, ...]:
    first, last = Decimal(found[1]), Decimal(found[2])
    step = Decimal(found[3]) if found[3] is not None else Decimal(1)
    if step <= 0:
        raise UsageError(f"{shown}: the step must be above 0, not {found[3]}")
    if first > last:
        raise UsageError(f"{shown}: the range is empty; write the lower end first")
    count = int((last - first) / step) + 1
    if count > MOST_VALUES:
        raise UsageError(f"{shown}: {count} values are too many (most: {MOST_VALUES})")
    values = (first + step * k for k in range(count))
    return tuple(int(v) if v == v.to_integral_value() else float(v) for v in values)
