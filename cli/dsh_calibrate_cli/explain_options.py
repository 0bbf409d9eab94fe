"""The options that an ``explain`` line needs to show what the command before it saw."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from dsh_calibrate.replay.settings import Settings
from dsh_calibrate.replay.settings.catalogue import defaults
from dsh_calibrate_cli.replay_options import Operator, ReplayOptions, ShellHttp
from dsh_calibrate_cli.settings_options import SettingsOptions, inputs_of


def explain_options(
    options: SettingsOptions,
    *,
    has_paths: bool,
    how: ReplayOptions | None = None,
    salvage: bool = False,
    allow: Sequence[str] | None = None,
) -> str:
    """The settings of a run as options to append, each behind a blank; empty for the defaults.

    Printed lines name a path, and with a path nothing is taken from the DSH home unless
    ``--config auto`` says so. ``allow`` is an allowlist tried instead of the one in force.
    """
    words: list[str] = []
    for file in inputs_of(options, has_paths=has_paths).config:
        words += ["--config", str(file)]
    if options.dsh_home is not None:
        words += ["--dsh-home", str(options.dsh_home)]
    if options.dsh_profile is not None:
        words += ["--dsh-profile", options.dsh_profile]
    for version in options.plugin_version:
        words += ["--plugin-version", version]
    for assignment in options.assignments:
        words += ["--set", assignment]
    if allow is not None:
        words += ["--set", f"rtb.shellHttpAllow=[{', '.join(map(_quoted, allow))}]"]
    if how is not None and how.operator is not Operator.decline:
        words += ["--operator", how.operator.value]
    if how is not None and how.shell_http is not ShellHttp.measure:
        words += ["--shell-http", how.shell_http.value]
    if salvage:
        words.append("--salvage")
    return "".join(f" {shlex.quote(word)}" for word in words)


def changed_options(
    changed: Mapping[str, Mapping[str, object]],
    settings: Settings | None = None,
) -> str:
    """``--set`` for every key of a candidate's rows, to stand behind :func:`explain_options`.

    With ``settings`` the rows replace those in force as a whole: keys that only the row in
    force has go back to what the plugin ships.
    """
    words: list[str] = []
    for guard, row in changed.items():
        whole: dict[str, object] = dict(row)
        if settings is not None:
            ships = defaults(guard, settings.profile)
            whole = _over(_shipped(settings.guards[guard].row, ships), row)
        for path, value in _leaves(whole):
            name = ".".join((guard, *map(_part, path)))
            words += ["--set", f"{name}={json.dumps(value, ensure_ascii=False)}"]
    return "".join(f" {shlex.quote(word)}" for word in words)


def _shipped(row: Mapping[str, object], ships: Mapping[str, object]) -> dict[str, object]:
    """What the plugin ships for the keys that ``row`` has."""
    found: dict[str, object] = {}
    for key, value in row.items():
        if key not in ships:
            continue
        below = ships[key]
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            found[key] = {name: below[name] for name in value if name in below}
        else:
            found[key] = below
    return found


def _over(base: Mapping[str, object], row: Mapping[str, object]) -> dict[str, object]:
    found = dict(base)
    for key, value in row.items():
        below = found.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            found[key] = {**below, **value}
        else:
            found[key] = value
    return found


def _leaves(row: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from (((key, *path), leaf) for path, leaf in _leaves(value))
        else:
            yield (key,), value


def _part(key: str) -> str:
    return key if re.fullmatch(r"[\w:-]+", key) else _quoted(key)


def _quoted(verb: str) -> str:
    """A verb as a YAML text."""
    return '"' + verb.replace("\\", "\\\\").replace('"', '\\"') + '"'
