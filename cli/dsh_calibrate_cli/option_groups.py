"""Options that many commands share, declared once.

A group is a data class whose fields are ``Annotated`` Typer parameters. A command takes
groups as keyword arguments and :func:`takes` turns them into its flat signature::

    @takes(corpus=CorpusOptions, output=OutputOptions)
    def replay(*, corpus: CorpusOptions, output: OutputOptions) -> None: ...
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, get_type_hints

import typer


def _debug(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        context.find_root().meta["debug"] = True
    return wanted


def accepted(name: str, option: str, help: str, callback: Any = None) -> inspect.Parameter:
    """A switch that no command looks at, to be listed in ``ACCEPTED`` of a group."""
    told = typer.Option(option, help=help, callback=callback)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[bool, told],
    )


DEBUG = accepted("debug", "--debug", "Show a traceback with an error.", _debug)
"""Every command has it; what it does happens before the command runs (main.py)."""


def takes(**groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the parameters of several option groups, and hand the groups over.

    Parameters of the command itself that are no group stay as they are and come first
    among the options; ``paths`` style arguments of a group keep their place at the front.
    Switches in ``ACCEPTED`` of a group, and ``--debug``, are added where nothing else has
    them, and are not handed over.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command).parameters.items()
            if name not in groups
        ]
        shared = [p for group in groups.values() for p in _parameters(group)]
        taken = {p.name for p in (*own, *shared)}
        silent = [
            parameter
            for parameter in (*_accepted(groups.values()), DEBUG)
            if parameter.name not in taken
        ]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            for parameter in silent:
                values.pop(parameter.name, None)
            built = {
                name: group(**{f.name: values.pop(f.name) for f in dataclasses.fields(group)})
                for name, group in groups.items()
            }
            command(**values, **built)

        whole = [*own, *shared, *silent]
        run.__signature__ = inspect.Signature(whole)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in whole}
        del run.__wrapped__
        return run

    return decorate


def _accepted(groups: Iterable[type[Any]]) -> list[inspect.Parameter]:
    return [parameter for group in groups for parameter in getattr(group, "ACCEPTED", ())]


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    found = []
    for field in dataclasses.fields(group):
        default = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        found.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
                annotation=hints[field.name],
            )
        )
    return found
