"""Files that override single keys of a row: the settings document and rlg's own file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.replay.settings.catalogue import GUARDS, SETTINGS_PAGE, did_you_mean
from dsh_calibrate.replay.settings.files import read_file
from dsh_calibrate.replay.settings.findings import Findings, Remark
from dsh_calibrate.replay.settings.nodes import Node
from dsh_calibrate.replay.settings.rows import Row

DOCUMENTS = ("settings.yaml", "settings.yml", "settings.json")
"""The settings document of a home; the first that exists counts."""


@dataclass(frozen=True, slots=True)
class Override:
    """One key that a file or ``--set`` lays over a row: path of the key, value, source."""

    path: tuple[str, ...]
    node: Node
    source: str


def settings_page(home: Path, row: Row | None, findings: Findings) -> list[Override]:
    """What the home's settings document says about rtb, key by key."""
    present = [home / name for name in DOCUMENTS if (home / name).exists()]
    if not present:
        return []
    path = present[0]
    source = str(path)
    for other in present[1:]:
        findings.remark(str(other), None, f"not read: {path.name} is there too", "rtb")
    try:
        root = read_file(path)
    except CalibrateError as error:
        findings.refusals.append(error)
        return []
    if root is None or root.value is None:
        return []
    if root.entries is None:
        findings.refuse(source, root.line, f"a settings document is a mapping, not {root.kind}")
        return []
    section = (row.id if row is not None else None) or GUARDS["rtb"].row_id
    fields = root.entries.get(section)
    if fields is None or (fields.value is None and not fields.run_time):
        return []
    if fields.entries is None or fields.run_time:
        findings.refuse(source, fields.line, f"{section}: must be a mapping, not {fields.kind}")
        return []
    overrides = []
    for key, node in fields.entries.items():
        if key in SETTINGS_PAGE:
            overrides.append(Override((key,), node, source))
        else:
            findings.remark(source, node.line, f"{section}.{key}: {_no_field(key)}", "rtb")
    return overrides


def _no_field(key: str) -> str:
    """Why the live plugin passes over a field of its section, and what was meant perhaps."""
    if key in GUARDS["rtb"].defaults:
        return "the settings page has no such field; set it in the cordis patch row"
    return f"no field of the settings page{did_you_mean(key, SETTINGS_PAGE)}"


def switch_file(home: Path, row: Row | None, findings: Findings) -> list[Override]:
    """What rlg's own file says: its switches, key by key.

    A missing or malformed file is as if absent, and only an explicit ``false`` turns the
    guard off; what is passed over is remarked, never refused.
    """
    path = _switch_path(home, row, findings)
    if path is None or not path.exists():
        return []
    source = str(path)
    try:
        root = read_file(path)
    except CalibrateError as error:
        findings.remarks.append(_ignored(str(error)))
        return []
    if root is None or root.entries is None:
        findings.remarks.append(_ignored(f"{source}: not a mapping"))
        return []
    overrides = []
    for key, node in root.entries.items():
        default = GUARDS["rlg"].defaults.get(key)
        if key == "enabled":
            if node.value is False:
                overrides.append(Override((key,), node, source))
        elif isinstance(default, dict) and node.entries is not None:
            for part, entry in node.entries.items():
                if part in default and isinstance(entry.value, type(default[part])):
                    overrides.append(Override((key, part), entry, source))
    return overrides


def _switch_path(home: Path, row: Row | None, findings: Findings) -> Path | None:
    config = row.config.entries if row is not None and row.config is not None else None
    node = config.get("settingsPath") if config else None
    if node is not None and node.run_time:
        assert row is not None
        findings.remark(
            row.config_source,
            node.line,
            "rlg.settingsPath: decided at run time (!!js); the file is not read, "
            "use --set rlg.enabled=… if it matters",
            "rlg",
        )
        return None
    text = node.text if node is not None else None
    if not text:
        return home / "dsh-reasoning-loop-guard" / "config.json"
    return home / Path(text).expanduser()


def _ignored(text: str) -> Remark:
    return Remark("rlg", f"{text}; the guard goes on as if the file were absent")
