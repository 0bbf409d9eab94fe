"""What goes to a terminal: escaped log content, tables, progress, files written whole.

Nothing that a log contains reaches a terminal as a control sequence: control characters,
line separators and bidirectional overrides are shown as escapes (:func:`printable`), and
Rich never reads log content as markup (tables hold :class:`rich.text.Text`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_calibrate import whole_files
from dsh_calibrate.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_ESCAPED = (
    set(range(0x20))
    | set(range(0x7F, 0xA0))
    | {0x200B, 0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0xFEFF}
    | set(range(0x202A, 0x202F))
    | set(range(0x2066, 0x206A))
    | set(range(0xD800, 0xE000))
)
_TABLE = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in sorted(_ESCAPED)}
_TABLE |= {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}
_NARROWEST = 40
_LONGEST_LINE = 4000
"""Characters of a line on stderr: a key of a file may be as long as the file."""
_LINES = {code: shown for code, shown in _TABLE.items() if code not in (0x09, 0x0A)}
JSON_ESCAPED = (
    "".join(map(chr, sorted(code for code in _ESCAPED if 0x7F <= code < 0xD800))) + "\ufeff"
)
"""What JSON may hold as it is and a terminal would still act on (lone surrogates apart)."""


def printable(text: str) -> str:
    """``text`` on one line with nothing in it that a terminal would act on."""
    return text.translate(_TABLE)


def printable_lines(text: str) -> str:
    """Lines of text with nothing in them that a terminal would act on."""
    return text.translate(_LINES)


def shortened(text: str, width: int) -> str:
    """``text`` printable and at most ``width`` characters, cut in the middle."""
    shown = printable(text)
    if len(shown) <= width:
        return shown
    head = (width - 1) * 2 // 3
    return f"{shown[:head]}…{shown[len(shown) - (width - 1 - head) :]}"


def cell(value: object, style: str = "") -> Text:
    """A table cell that Rich shows as it is."""
    from rich.text import Text

    return Text(printable(str(value)), style=style)


def rendered(show: Callable[[Console], None]) -> bytes:
    """What ``show`` prints, as UTF-8: coloured and as wide as the terminal when there is one.

    Without a terminal it is as wide as ``COLUMNS`` says, else 100, and plain. ``NO_COLOR`` is
    heard by Rich.
    """
    import io

    from rich.console import Console

    terminal = sys.stdout.isatty()
    text = io.StringIO()
    show(
        Console(
            file=text,
            width=None if terminal else _piped_width(),
            force_terminal=terminal,
            highlight=False,
            emoji=False,
            markup=False,
        )
    )
    return text.getvalue().encode("utf-8", "backslashreplace")


def _piped_width() -> int:
    """Columns of text that goes to no terminal."""
    asked = os.environ.get("COLUMNS", "")
    wanted = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 0
    return max(wanted, _NARROWEST) if wanted else 100


def tell(line: str) -> None:
    """Print a line on stderr; that nobody can read it there costs no artefact."""
    try:
        print(shortened(line, _LONGEST_LINE), file=sys.stderr)
    except OSError:  # a full disk behind ``2>``: say no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def note(text: str, *, quiet: bool = False) -> None:
    """A line for the person, on stderr."""
    if not quiet:
        tell(text)


@contextmanager
def busy(text: str, *, quiet: bool) -> Iterator[None]:
    """Say on stderr what takes its time, while it does; only on a terminal, never with ``-q``."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(cell(text)):
        yield


def warn(text: str) -> None:
    """A warning, on stderr, whatever ``-q`` says."""
    tell(f"warning: {text}")


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path`` and rename, so that no half file is ever seen.

    Raises :class:`UsageError` with the reason when the file cannot be written.
    """
    try:
        whole_files.write_whole(path, data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def write_stdout(text: str) -> None:
    """Write an artefact to stdout as UTF-8, lone surrogates as escapes.

    Raises :class:`UsageError` when it cannot be written (a full disk behind ``>``).
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(f"cannot write to stdout: {error.strerror or error}") from error
