"""Settings in words and as JSON."""

from __future__ import annotations

from collections import Counter

from dsh_calibrate import __version__
from dsh_calibrate.replay.envelope import SCHEMA_VERSION
from dsh_calibrate.replay.settings.model import DEFAULT, GuardSettings, Settings
from dsh_calibrate.replay.settings.nodes import json_value


def describe_in_force(settings: Settings) -> str:
    """One line for stderr: per guard, how many keys come from where."""
    parts = [_describe(settings, settings.guards[short]) for short in settings.selected]
    home = f" ({settings.home})" if settings.home is not None else ""
    return f"settings in force{home}: {'; '.join(parts)}"


def _describe(settings: Settings, guard: GuardSettings) -> str:
    name = f"rtb {settings.profile}" if guard.guard == "rtb" else guard.guard
    counts = Counter(key.source for key in guard.keys.values() if key.source != DEFAULT)
    given = [f"{n} key{'s' * (n != 1)} from {source}" for source, n in counts.items()]
    words = f"{name} {', '.join(given) or 'defaults'}"
    if guard.guard == "rlg" and settings.rlg is not None and not settings.rlg.enabled:
        words += ", switched off"
    return words if guard.mounted else f"{words}, not mounted"


def config_document(settings: Settings) -> dict[str, object]:
    """The JSON of ``config show`` (contract.md 5)."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": f"dsh-calibrate {__version__}",
        "plugin_versions": settings.plugin_versions,
        "guards": {
            short: {
                "mounted": settings.guards[short].mounted,
                "keys": {
                    key: {"value": json_value(entry.value), "source": entry.source}
                    for key, entry in settings.guards[short].keys.items()
                },
            }
            for short in settings.selected
        },
    }
