"""One text per value, whatever the order of its keys (parity.md, cases.md C50 to C55).

Keys are sorted by UTF-16 units; a JavaScript object then still puts integer-like keys first
in numeric order, and loses the key ``__proto__``, because assigning it sets the prototype.
"""

from __future__ import annotations

import json
import re

from dsh_calibrate.javascript import utf16
from dsh_calibrate.javascript.json_text import Json
from dsh_calibrate.javascript.numbers import printed

_quote = json.encoder.encode_basestring
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_LIKE = re.compile(r"(?:0|[1-9][0-9]{0,9})", re.ASCII)
_LAST_INDEX = 4294967294
_DEEP = 150


def canonical(value: Json) -> str:
    """The canonical JSON text of a parsed value, character for character as JavaScript's."""
    out: list[str] = []
    _write(value, out, 0)
    return "".join(out)


def quoted(text: str) -> str:
    """A JSON string as ``JSON.stringify`` writes it: lone surrogates as escapes."""
    written = _quote(text)
    if not text.isascii() and _SURROGATE.search(text):
        paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        written = _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", _quote(paired))
    return written


def _write(value: Json, out: list[str], depth: int) -> None:
    if isinstance(value, str):
        out.append(quoted(value))
    elif value is None:
        out.append("null")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, int | float):
        out.append(printed(value))
    elif depth > _DEEP:
        _write_deep(value, out)
    elif isinstance(value, list):
        out.append("[")
        for position, item in enumerate(value):
            if position:
                out.append(",")
            _write(item, out, depth + 1)
        out.append("]")
    else:
        out.append("{")
        for position, key in enumerate(property_order(value)):
            out.append(f",{quoted(key)}:" if position else f"{quoted(key)}:")
            _write(value[key], out, depth + 1)
        out.append("}")


def _write_deep(value: Json, out: list[str]) -> None:
    """Go on without recursion: nesting is the log's choice, the stack is ours."""
    todo: list[str | tuple[Json]] = [(value,)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        (below,) = item
        if isinstance(below, list):
            parts: list[str | tuple[Json]] = ["["]
            for position, member in enumerate(below):
                parts += [",", (member,)] if position else [(member,)]
            parts.append("]")
            todo.extend(reversed(parts))
        elif isinstance(below, dict):
            parts = ["{"]
            for position, key in enumerate(property_order(below)):
                parts += [f",{quoted(key)}:" if position else f"{quoted(key)}:", (below[key],)]
            parts.append("}")
            todo.extend(reversed(parts))
        else:
            _write(below, out, 0)


def property_order(value: dict[str, Json]) -> list[str]:
    """The keys of an object that was rebuilt from sorted keys, in JavaScript's order."""
    keys = [key for key in value if key != "__proto__"]
    if len(keys) > 1:
        keys = utf16.ordered(keys)
        indices = [key for key in keys if _is_index(key)]
        if indices:
            rest = [key for key in keys if not _is_index(key)]
            keys = sorted(indices, key=int) + rest
    return keys


def _is_index(key: str) -> bool:
    return (
        bool(key)
        and key[0] in "0123456789"
        and _INTEGER_LIKE.fullmatch(key) is not None
        and int(key) <= _LAST_INDEX
    )
