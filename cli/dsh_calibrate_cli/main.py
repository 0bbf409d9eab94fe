"""Entry point: the Typer app, its commands, and the one place where errors become exit codes."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from dsh_calibrate import __version__
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate_cli import usage_mistakes

COMMANDS = (
    "replay",
    "explain",
    "compare",
    "journal",
    "allowlist",
    "failures",
    "reasoning",
    "config",
    "conformance",
    "corpus",
    "check",
    "demo",
    "facts",
    "cache",
    "sweep",
    "derive",
    "report",
)
"""Modules of ``commands/`` in the order of ``--help``; each has ``register(app)``."""


@contextmanager
def _one_line() -> Iterator[None]:
    """Tell what Typer refuses in one line, and leave with exit code 2."""
    try:
        yield
    except usage_mistakes.Mistake as error:
        line = usage_mistakes.told(error)
        if line is None:
            raise
        from dsh_calibrate_cli.console import tell

        tell(f"dsh-calibrate: {line}")
        raise typer.Exit(2) from None


class CalibrateGroup(TyperGroup):
    """Turns errors meant for the user into one line on stderr and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse empty arguments: an unset variable must not become the current folder."""
        if "" in args:
            raise typer.BadParameter("an argument is empty; is a shell variable unset?", ctx=ctx)
        with _one_line():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; without ``--debug`` no traceback is ever shown."""
        try:
            with _one_line():
                return super().invoke(ctx)
        except CalibrateError as error:
            if ctx.meta.get("debug"):
                raise
            from dsh_calibrate_cli.console import tell

            tell(f"dsh-calibrate: {error}")
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            print("dsh-calibrate: interrupted", file=sys.stderr)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # The reader (``| head``) has seen enough; nothing more can be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            if ctx.meta.get("debug"):
                raise
            from dsh_calibrate_cli.console import tell

            place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
            tell(f"dsh-calibrate: {place}{error.strerror or error}")
            raise typer.Exit(2) from None
        except RuntimeError as error:  # pathlib's own word for ELOOP, until Python 3.13
            if ctx.meta.get("debug") or not str(error).startswith("Symlink loop"):
                raise
            from dsh_calibrate_cli.console import tell

            tell(f"dsh-calibrate: {error}")
            raise typer.Exit(2) from None


app = typer.Typer(
    name="dsh-calibrate",
    cls=CalibrateGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help=(
        "Replay recorded DeepSeek Harness sessions through guard plugins: what would have "
        "fired, on what, and which settings to ship."
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dsh-calibrate {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


for _name in COMMANDS:
    importlib.import_module(f"dsh_calibrate_cli.commands.{_name}").register(app)


def main() -> None:
    """Run the command line; what nobody foresaw is one line too, save with ``--debug``."""
    _open_standard_streams()
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app()
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        from dsh_calibrate_cli.console import tell

        tell(f"dsh-calibrate: {type(error).__name__}: {error} (--debug shows where)")
        sys.exit(2)


def _terminated(*_: object) -> NoReturn:
    """End as at an interrupt, so that half files and worker processes do not outlive us."""
    raise SystemExit(128 + signal.SIGTERM)


def _open_standard_streams() -> None:
    """Give closed standard streams somewhere to go, before a file takes their number."""
    handle = os.open(os.devnull, os.O_RDWR)
    while handle < 3:
        handle = os.dup(handle)
    os.close(handle)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115
