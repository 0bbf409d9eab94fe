"""What ``$DSH_HOME`` says: bundles, the profile's patch, the home's patch."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.replay.settings.catalogue import GUARDS, guard_of
from dsh_calibrate.replay.settings.files import read_file
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.nodes import Node
from dsh_calibrate.replay.settings.patches import Patch, apply_patch
from dsh_calibrate.replay.settings.rows import Row, Tree

PATCH = "cordis.patch.yml"


def find_profile(home: Path, name: str | None) -> Path | None:
    """The profile's folder; ``None`` when the home has no profile and none was asked for.

    Raises :class:`UsageError` when the home or the profile is missing, or when several are
    there and none was named.
    """
    if not home.is_dir():
        raise UsageError(f"{home}: no such folder; name the DSH home with --dsh-home")
    profiles = home / "profiles"
    try:
        names = sorted(p.name for p in profiles.iterdir() if p.is_dir() and p.name[0] != ".")
    except OSError:
        names = []
    listed = ", ".join(names) or "none"
    if name is not None:
        if name not in names:
            raise UsageError(f"{profiles / name}: no such profile (there: {listed}); --dsh-profile")
        return profiles / name
    if len(names) > 1:
        raise UsageError(f"{profiles}: several profiles; choose one with --dsh-profile: {listed}")
    return profiles / names[0] if names else None


def add_home(tree: Tree, home: Path, profile: Path | None, layer: int, findings: Findings) -> None:
    """Add the layers of a home to ``tree``, weakest first (settings-files.md)."""
    patches = [home / PATCH]
    if profile is not None:
        _add_bundles(tree, profile, layer, findings)
        patches.insert(0, profile / PATCH)
    for path in patches:
        if path.exists():
            _add_patch(tree, path, layer, findings)


def _add_patch(tree: Tree, path: Path, layer: int, findings: Findings) -> None:
    try:
        root = read_file(path)
    except CalibrateError as error:
        findings.refusals.append(error)
        return
    if root is None or (root.value is None and not root.run_time):
        return
    if root.items is None or root.run_time:
        findings.refuse(str(path), root.line, f"a patch is a list of entries, not {root.kind}")
        return
    apply_patch(tree, Patch(root.items, str(path), layer, lone=False), findings)


def _add_bundles(tree: Tree, profile: Path, layer: int, findings: Findings) -> None:
    """Mount what the bundles in ``package.json`` mount; a guard's package is its row."""
    manifest = profile / "package.json"
    source = str(manifest)
    if not manifest.exists():
        findings.remark(source, None, "no such file; the profile mounts no bundle")
        return
    try:
        root = read_file(manifest)
    except CalibrateError as error:
        findings.refusals.append(error)
        return
    bundles: Node | None = root
    for key in ("dsh", "profile", "bundles"):
        if bundles is None or bundles.value is None:
            return
        if bundles.entries is None:
            findings.refuse(source, bundles.line, f"expected a mapping around dsh.…{key}")
            return
        bundles = bundles.entries.get(key)
    if bundles is None or bundles.value is None:
        return
    if bundles.items is None or any(item.text is None for item in bundles.items):
        findings.refuse(
            source, bundles.line, "dsh.profile.bundles: must be a list of package names"
        )
        return
    for item in bundles.items:
        package = item.text or ""
        before = len(tree.rows)
        _add_bundle_patch(tree, profile, package, layer)
        guard = guard_of(package, None)
        if guard is not None and not any(r.guard == guard for r in tree.rows[before:]):
            known = GUARDS[guard]
            tree.rows.append(Row(source, item.line, layer, known.row_id, known.package))


def _add_bundle_patch(tree: Tree, profile: Path, package: str, layer: int) -> None:
    """Apply the patch file that an installed bundle declares (``dsh.bundle.patch``).

    Bundles are not the user's files: one that is not there or cannot be read adds nothing.
    """
    if not package or ".." in Path(package).parts or Path(package).is_absolute():
        return
    folder = profile / "node_modules" / package
    try:
        node = read_file(folder / "package.json")
        for key in ("dsh", "bundle", "patch"):
            node = node.entries.get(key) if node is not None and node.entries else None
        if node is None or node.text is None or ".." in Path(node.text).parts:
            return
        path = folder / node.text
        root = read_file(path)
        if root is not None and root.items is not None:
            apply_patch(tree, Patch(root.items, str(path), layer, lone=False), Findings())
    except CalibrateError:
        return
