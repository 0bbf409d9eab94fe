"""Reading a scenario's TOML tables strictly: every key checked, every mistake located."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from dsh_calibrate.corpora.templates import UnknownName, Value, fill, value_of
from dsh_calibrate.errors import CalibrateError


class ScenarioError(CalibrateError):
    """A scenario file is refused; the line names the file, the place, the key."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")


class Table:
    """One table; reading a key marks it as known, :meth:`close` refuses the others.

    ``place`` says where it is (``loop.toml, line 12, step 3 (call)``), ``scope`` holds the
    names that its texts may use.
    """

    def __init__(
        self, data: Mapping[str, Any], place: str, scope: Mapping[str, Value] | None = None
    ) -> None:
        self.data = data
        self.place = place
        self.scope = scope or {}
        self._known: set[str] = set()

    def error(self, key: str, message: str) -> ScenarioError:
        """Make the error for ``key``."""
        return ScenarioError(self.place, f"{key}: {message}" if key else message)

    def raw(self, key: str, kinds: type | tuple[type, ...], what: str) -> Any:
        """Return the value as TOML gave it, or ``None`` when the key is absent."""
        self._known.add(key)
        value = self.data.get(key)
        if value is None:
            return None
        flag = isinstance(value, bool)
        accepts_flag = kinds is bool or (isinstance(kinds, tuple) and bool in kinds)
        if not isinstance(value, kinds) or (flag and not accepts_flag):
            raise self.error(key, f"must be {what}")
        return value

    def text(self, key: str, default: str = "") -> str:
        """Return a text with its placeholders filled."""
        value = self.maybe_text(key)
        return default if value is None else str(value)

    def maybe_text(self, key: str) -> str | None:
        """Return a text with its placeholders filled, or ``None``."""
        value = self.raw(key, str, "a text")
        return None if value is None else self.filled(key, value)

    def needed_text(self, key: str) -> str:
        """Return a text that must be there."""
        if key not in self.data:
            raise self.error(key, "is missing (a text)")
        return self.text(key)

    def filled(self, key: str, text: str) -> str:
        """Fill the placeholders of a text that stands under ``key``."""
        try:
            return fill(text, self.scope)
        except UnknownName as unknown:
            raise self.error(key, str(unknown)) from None

    def json(self, key: str, value: Any) -> Any:
        """Return a JSON value with the placeholders of all its texts filled."""
        if isinstance(value, str):
            try:
                return value_of(value, self.scope)
            except UnknownName as unknown:
                raise self.error(key, str(unknown)) from None
        if isinstance(value, list):
            return [self.json(key, member) for member in value]
        if isinstance(value, dict):
            return {name: self.json(f"{key}.{name}", member) for name, member in value.items()}
        if isinstance(value, float) and not math.isfinite(value):
            raise self.error(key, "inf and nan are no JSON values")
        if value is None or isinstance(value, int | float):
            return value
        raise self.error(key, "dates and times are no JSON values, write a text")

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """Return one of a few words."""
        value = self.text(key, default)
        if value not in choices:
            raise self.error(key, f"{value!r} is not known, use one of {', '.join(choices)}")
        return value

    def integer(self, key: str, default: int, minimum: int = 0) -> int:
        """Return a whole number of at least ``minimum``."""
        value: int | None = self.raw(key, int, f"a whole number of at least {minimum}")
        if value is None:
            return default
        if value < minimum:
            raise self.error(key, f"must be a whole number of at least {minimum}")
        return value

    def maybe_integer(self, key: str, minimum: int = 0) -> int | None:
        """Return a whole number, or ``None`` when the key is absent."""
        value = self.integer(key, minimum, minimum)
        return value if key in self.data else None

    def flag(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        value = self.raw(key, bool, "true or false")
        return default if value is None else bool(value)

    def listed(self, key: str, kind: type, what: str) -> list[Any]:
        """Return a list whose members are all of ``kind`` (empty when absent)."""
        value = self.raw(key, list, f"a list of {what}")
        for member in value or []:
            if not isinstance(member, kind) or (isinstance(member, bool) and kind is not bool):
                raise self.error(key, f"must be a list of {what}")
        return value or []

    def tables(self, key: str, name: str | None = None) -> list[Table]:
        """Return the tables of an array of tables, numbered in their places."""
        members = self.listed(key, dict, "tables")
        return [
            Table(member, f"{self.place}, {name or key} {number}", self.scope)
            for number, member in enumerate(members, 1)
        ]

    def table(self, key: str) -> Table:
        """Return a sub-table (empty when absent)."""
        return Table(self.raw(key, dict, "a table") or {}, f"{self.place}, {key}", self.scope)

    def close(self) -> None:
        """Refuse keys that nobody has asked for, naming the nearest known one."""
        for key in self.data:
            if key in self._known:
                continue
            near = difflib.get_close_matches(key, sorted(self._known), 1)
            hint = f", did you mean {near[0]}?" if near else ""
            known = ", ".join(sorted(self._known))
            raise self.error(key, f"is not a key here{hint} (known: {known})")
