"""The options that an ``explain`` line needs to show what the command before it saw."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

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


def _quoted(verb: str) -> str:
    """A verb as a YAML text."""
    return '"' + verb.replace("\\", "\\\\").replace('"', '\\"') + '"'
