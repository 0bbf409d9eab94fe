"""Mistakes on the command line that Typer finds, told in one line like all others.

Typer would print the usage, a hint and the reason, partly in the words of its validator.
"""

from __future__ import annotations

import re
from typing import Any, cast

import typer

Mistake = cast(type[Exception], typer.BadParameter.__mro__[1])
"""Typer's error for a usage that cannot be (it has no public name)."""

_NOISE = (
    ("Value error, ", ""),
    ("Input should be ", "it should be "),
    (", unable to parse string as an integer", ""),
    (", unable to parse string as a number", ""),
)
_POSSIBLE = re.compile(r" \(Possible options: ([^)]*)\)")


def told(error: Exception) -> str | None:
    """The line to print, or ``None`` where the message is a page of help."""
    message = str(cast(Any, error).format_message())
    if type(error).__name__ == "NoArgsIsHelpError":
        return None
    for noise, words in _NOISE:
        message = message.replace(noise, words)
    message = _POSSIBLE.sub(r"; did you mean \1?", message.rstrip(".").replace("\n", " "))
    line = f"{message[:1].lower()}{message[1:]}"
    context = getattr(error, "ctx", None)
    return line if context is None else f"{line} (see {context.command_path} --help)"
