"""Which plugin lies in a folder: package, version, entry file, guard, profile."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.kept_files import MIB, read_kept
from dsh_calibrate.replay.settings.catalogue import GUARDS


@dataclass(frozen=True, slots=True)
class PluginPackage:
    """An installed plugin.

    ``name`` and ``version`` are what its ``package.json`` says, ``entry`` the module that
    is loaded, ``guard`` the short name of the guard it is. ``profile`` is the version of rtb
    that it is compared with, ``known`` whether that profile was made for this very version
    (always true for the other guards, which have one engine).
    """

    folder: Path
    entry: Path
    name: str
    version: str
    guard: str
    profile: str
    known: bool


def read_package(folder: Path, *, guard: str | None = None) -> PluginPackage:
    """Read what a package folder says of itself; nothing of it is run.

    ``guard`` says which guard it is where its name does not. Raises :class:`UsageError`
    for a folder that holds no package, no entry file, or a package that is no known guard.
    """
    manifest = _manifest(folder)
    name = manifest.get("name")
    version = manifest.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        raise UsageError(f"{folder}/package.json: no name or no version; is this a package?")
    by_name = next((short for short, known in GUARDS.items() if known.package == name), None)
    if guard is not None and by_name is not None and guard != by_name:
        raise UsageError(
            f"{folder}: {name} is the package of {by_name}, not of {guard}: leave --guard out, or "
            f"name the folder of {guard}'s package"
        )
    found = guard or by_name
    if found is None or found not in GUARDS:
        raise UsageError(
            f"{folder}: {name} is none of the guards known here; say which one it is with "
            f"--guard {'|'.join(GUARDS)}"
        )
    entry = folder / _entry(manifest)
    if not entry.is_file():
        raise UsageError(f"{entry}: no such file, though package.json names it; install it anew")
    profile, known = profile_of(version) if found == "rtb" else (DEFAULT, True)
    return PluginPackage(folder, entry, name, version, found, profile, known)


def profile_of(version: str) -> tuple[str, bool]:
    """The profile for a version of rtb, and whether it was made for it.

    A profile is named by a version or by its first parts (``0.8`` means every ``0.8.x``).
    An unknown version is compared with the newest profile before it, or the oldest.
    """
    for name in PROFILES:
        if version == name or version.startswith((f"{name}.", f"{name}-")):
            return name, True
    before = [name for name in PROFILES if _numbers(name) <= _numbers(version)]
    return (max(before, key=_numbers) if before else min(PROFILES, key=_numbers)), False


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]{1,9}", version.partition("-")[0]))


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "package.json"
    if not path.is_file():
        raise UsageError(
            f"{folder}: no package there (package.json is missing); name the folder of the "
            "installed plugin, as node_modules/dsh-repeat-tool-breaker"
        )
    try:
        manifest = json.loads(read_kept(path, MIB))
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(f"{path}: cannot be read as JSON ({why})") from None
    if not isinstance(manifest, dict):
        raise UsageError(f"{path}: not an object; is this a package?")
    return manifest


def _entry(manifest: dict[str, Any]) -> str:
    """The file that an import of the package loads: ``exports``, ``main``, ``index.js``."""
    exports = manifest.get("exports")
    target = exports.get(".", exports) if isinstance(exports, dict) else exports
    for _ in range(4):
        if not isinstance(target, dict):
            break
        target = target.get("node", target.get("import", target.get("default")))
    if isinstance(target, str):
        return target
    main = manifest.get("main")
    return main if isinstance(main, str) else "index.js"
