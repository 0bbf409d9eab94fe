"""Settings of repeat-tool-breaker: defaults, merging, checks (guards.md 1.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeVar

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.repeat_tool_breaker import checks
from dsh_calibrate.guards.repeat_tool_breaker.profiles import Profile

_Value = TypeVar("_Value")

_DECOYS = ("description", "timeoutMs", "run_in_background", "justification")


@dataclass(frozen=True, slots=True, eq=False)
class Config:
    """The settings in force. Compared by identity; picklable; never changed.

    ``window`` and every threshold count calls. ``warn_at``, ``summarize_at``,
    ``fail_warn_at`` are ``None`` when the stage is off; ``fail_limit`` is ``None`` without a
    failure gate; a cap of ``None`` in ``limits`` takes the measure out of both tracks. Caps
    and ``fail_limit`` need not be whole. ``extra`` holds the keys that the plugin does not
    know and ignores, as written.
    """

    profile: Profile
    window: int
    local_hosts: Literal["deny", "allow"]
    on_limit: Literal["ask", "deny"]
    warn_at: int | None
    summarize_at: int | None
    fail_warn_at: int | None
    fail_limit: int | float | None
    preview_chars: int
    result_preview_chars: int
    include_local: bool
    exclude: tuple[str, ...]
    include: tuple[str, ...]
    ignore_args: Mapping[str, tuple[str, ...]]
    host_aliases: Mapping[str, str]
    limits: Mapping[str, int | float | None]
    block_shell_http: bool
    block_local_http: bool
    shell_http_allow: tuple[str, ...]
    extra: Mapping[str, object] = field(default_factory=dict)


DEFAULTS: Mapping[str, object] = MappingProxyType(
    {
        "window": 16,
        "localHosts": "deny",
        "onLimit": "ask",
        "warnAt": 7,
        "summarizeAt": 11,
        "failWarnAt": 3,
        "failLimit": 5,
        "previewChars": 400,
        "resultPreviewChars": 800,
        "includeLocal": False,
        "exclude": ("todo_write",),
        "include": (),
        "ignoreArgs": {
            "*": (*_DECOYS, "reason", "title", "comment"),
            "bash": _DECOYS,
            "pwsh": _DECOYS,
            "shell": _DECOYS,
        },
        "hostAliases": {
            "open-data.canada.ca": "open.canada.ca",
            "www.open.canada.ca": "open.canada.ca",
            "www.open-data.canada.ca": "open.canada.ca",
        },
        "limits": {
            "exact": 12,
            "cmd": 12,
            "net": 12,
            "sink": 12,
            "host": 16,
            "site": None,
            "family:http-fetch": None,
            "verb:curl": None,
            "verb:wget": None,
        },
        "blockShellHttp": True,
        "blockLocalHttp": False,
        "shellHttpAllow": ("git", "docker", "grep", "rg"),
    }
)
"""Every key the plugin reads with what it ships (README, "Configuration")."""

SHELL_HTTP_KEYS = ("blockShellHttp", "blockLocalHttp", "shellHttpAllow")
"""Keys that only profiles with the shell-HTTP block know."""

REMOVED: Mapping[str, str] = MappingProxyType(
    {
        "denyAfter": "use limits.<measure>",
        "warnAfter": "use warnAt and summarizeAt",
        "registerAdvisory": "use warnAt: 0 and summarizeAt: 0 to silence the advisories",
        "maxSamePath": "file calls are told apart by exact: (limits.exact)",
        "readTools": "file calls are told apart by exact: (limits.exact)",
        "matchReadBySubstring": "file calls are told apart by exact: (limits.exact)",
    }
)
"""Keys of earlier versions, each with what takes its place; present at all = refused."""


def cap_of(limits: Mapping[str, int | float | None], fingerprint: str) -> int | float | None:
    """Return the cap of one fingerprint in calls, or ``None`` when it has none.

    An entry for the complete string wins, even ``None``; else the entry for its kind.
    """
    if fingerprint in limits:
        return limits[fingerprint]
    return limits.get(fingerprint.partition(":")[0])


def configure(row: Mapping[str, object], profile: Profile) -> Config:
    """Merge one plugin row over the defaults and check it as the plugin does at load.

    ``row`` holds README keys. The three maps merge one level deep, everything else
    replaces. Unknown keys are kept in ``extra``.

    Raises:
        SettingsError: a value the plugin refuses, or a removed key; names the key.

    """
    for key, instead in REMOVED.items():
        if key in row:
            raise SettingsError(checks.GUARD, key, f"was removed from the plugin: {instead}")
    known = dict(DEFAULTS)
    if not profile.has_shell_http_block:
        for key in SHELL_HTTP_KEYS:
            del known[key]
    value = {key: row.get(key, default) for key, default in known.items()}
    ignore_args = _merged("ignoreArgs", row, _ignored)
    host_aliases = _merged("hostAliases", row, _alias)
    limits = checks.mapping("limits", row.get("limits", {}))
    return Config(
        profile=profile,
        ignore_args=ignore_args,
        host_aliases={host: name for host, name in host_aliases.items() if name is not None},
        exclude=checks.strings("exclude", value["exclude"]),
        include=checks.strings("include", value["include"]),
        window=checks.integer_from("window", value["window"], 4),
        local_hosts=_local_hosts(value["localHosts"]),
        on_limit=_on_limit(value["onLimit"]),
        include_local=checks.boolean("includeLocal", value["includeLocal"]),
        warn_at=checks.stage("warnAt", value["warnAt"]),
        summarize_at=checks.stage("summarizeAt", value["summarizeAt"]),
        fail_warn_at=checks.stage("failWarnAt", value["failWarnAt"]),
        fail_limit=checks.limit("failLimit", value["failLimit"]),
        preview_chars=checks.integer_from("previewChars", value["previewChars"], 1),
        result_preview_chars=checks.integer_from(
            "resultPreviewChars", value["resultPreviewChars"], 1
        ),
        limits=_merged("limits", {"limits": limits}, checks.limit),
        block_shell_http=checks.boolean("blockShellHttp", value.get("blockShellHttp", False)),
        block_local_http=checks.boolean("blockLocalHttp", value.get("blockLocalHttp", False)),
        shell_http_allow=checks.strings("shellHttpAllow", value.get("shellHttpAllow", ())),
        extra={key: entry for key, entry in row.items() if key not in known},
    )


def as_json(config: Config) -> dict[str, object]:
    """Return the settings in force under README names, ready for JSON.

    The shell-HTTP keys are left out for a profile that has no such block; unknown keys
    come last, as written.
    """
    resolved: dict[str, object] = {
        "window": config.window,
        "localHosts": config.local_hosts,
        "onLimit": config.on_limit,
        "warnAt": config.warn_at,
        "summarizeAt": config.summarize_at,
        "failWarnAt": config.fail_warn_at,
        "failLimit": config.fail_limit,
        "previewChars": config.preview_chars,
        "resultPreviewChars": config.result_preview_chars,
        "includeLocal": config.include_local,
        "exclude": list(config.exclude),
        "include": list(config.include),
        "ignoreArgs": {tool: list(names) for tool, names in config.ignore_args.items()},
        "hostAliases": dict(config.host_aliases),
        "limits": dict(config.limits),
    }
    if config.profile.has_shell_http_block:
        resolved["blockShellHttp"] = config.block_shell_http
        resolved["blockLocalHttp"] = config.block_local_http
        resolved["shellHttpAllow"] = list(config.shell_http_allow)
    return {**resolved, **config.extra}


def _merged(
    key: str, row: Mapping[str, object], check: Callable[[str, object], _Value]
) -> dict[str, _Value]:
    """Merge one of the three maps over its defaults and check each entry (``key.name``)."""
    given = checks.mapping(key, row.get(key, {}))
    merged = {**checks.mapping(key, DEFAULTS[key]), **given}
    return {name: check(f"{key}.{name}", entry) for name, entry in merged.items()}


def _local_hosts(value: object) -> Literal["deny", "allow"]:
    if value == "ask":
        raise SettingsError(
            checks.GUARD, "localHosts", "ask was removed: use onLimit: ask (localHosts: deny/allow)"
        )
    if value == "deny":
        return "deny"
    if value == "allow":
        return "allow"
    raise checks.refuse("localHosts", "deny or allow")


def _on_limit(value: object) -> Literal["ask", "deny"]:
    if value == "ask":
        return "ask"
    if value == "deny":
        return "deny"
    raise checks.refuse("onLimit", "ask or deny")


def _ignored(key: str, value: object) -> tuple[str, ...]:
    """Names of top-level arguments; ``null`` names none."""
    return () if value is None else checks.strings(key, value)


def _alias(key: str, value: object) -> str | None:
    """Accept one alias; ``null`` takes a default alias away."""
    if value is not None and not isinstance(value, str):
        raise checks.refuse(key, "a host name or null")
    return value
