"""Many neighbouring lines decoded in one go: the fast way through a healthy log.

One call of the decoder reads a whole block of text, every line into the shape of its type.
Where a line needs a look of its own (an unknown type, an unusual shape, damage) decoding
stops before it and the reader takes that line by itself, so what comes out is the same.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import cast

import msgspec

from dsh_calibrate.logs import shapes
from dsh_calibrate.logs.decode import BARE, ROWS, SHAPES


class _PlainChunkData(shapes.ChunkData, kw_only=True, gc=False):
    """A chunk whose turn and step are plain numbers; others are odd lines here."""

    turn: int | None = None
    step: int | None = None


class _PlainChunkLine(shapes.ChunkLine, kw_only=True, gc=False):
    data: _PlainChunkData


class _PlainRowData(shapes.RowData, gc=False):
    """A packed row whose turn and step are plain numbers."""

    turn: int | None = None
    step: int | None = None


class _PlainRowLine(shapes.RowLine, kw_only=True, gc=False):
    data: _PlainRowData


_SHAPES: dict[str, type[shapes.Line]] = {
    **dict.fromkeys(BARE, shapes.Line),
    **SHAPES,
    **dict.fromkeys(ROWS, _PlainRowLine),
    "assistant/chunk": _PlainChunkLine,
}


def _tagged(kind: str, shape: type[shapes.Line]) -> type[shapes.Line]:
    """The shape of one type's lines, chosen by the decoder from the line's ``type``."""
    name = "".join(part.title() for part in re.split(r"\W", kind)) + "Line"
    made = msgspec.defstruct(name, [], bases=(shape,), tag_field="type", tag=kind, gc=False)
    return cast("type[shapes.Line]", made)


TAGGED = {kind: _tagged(kind, shape) for kind, shape in sorted(_SHAPES.items())}
"""Type of a line to the struct that it is decoded into here, for every type that is known."""

KINDS = {tagged: kind for kind, tagged in TAGGED.items()}
"""The other way round."""

_decode = msgspec.json.Decoder(reduce(or_, TAGGED.values())).decode_lines
_MOST = 1 << 20
"""Bytes of text decoded at once; only around very long lines there are more, which want a look."""
_PLACE = re.compile(r" - at `\$\[(\d+)\]")


def decode(text: bytes, lines: int) -> tuple[list[shapes.Line], bool]:
    """Decode the ``lines`` of ``text`` from its start, as far as that goes in one go.

    Returns the records of the first lines and whether the line behind them is merely an odd
    one (go on behind it); if not, the rest of ``text`` wants to be taken line by line. A
    line that begins with ``{`` and ends with ``}`` cannot be a part of a value that reaches
    over a newline; where all do, an equal count means that each line is one value.
    """
    if len(text) > _MOST or text[:1] != b"{" or text[-1:] != b"}":
        return [], False
    if text.count(b"}\n{") != lines - 1:
        return [], False
    try:
        found = _decode(text)
    except msgspec.ValidationError as error:
        return _up_to(text, str(error))
    except (msgspec.DecodeError, RecursionError):
        return [], False
    return (found, True) if len(found) == lines else ([], False)


def _up_to(text: bytes, error: str) -> tuple[list[shapes.Line], bool]:
    """The records before the line that a refusal names, if it names one."""
    place = _PLACE.search(error)
    if place is None:
        return [], False
    odd = int(place.group(1))
    if odd == 0:
        return [], True
    lines = text.split(b"\n", odd)
    try:
        found = _decode(b"\n".join(lines[:odd]))
    except (msgspec.DecodeError, RecursionError):
        return [], False
    return (found, True) if len(found) == odd else ([], False)
