"""Files named with ``--config``: cordis patches and our own mapping of guards."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate.replay.settings.catalogue import GUARDS, can_be_off, did_you_mean
from dsh_calibrate.replay.settings.files import read_file
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.nodes import Node
from dsh_calibrate.replay.settings.patches import Patch, apply_patch
from dsh_calibrate.replay.settings.rows import Row, Tree


def add_config_file(
    tree: Tree, path: Path, layer: int, findings: Findings, *, over_home: bool
) -> None:
    """Add the rows of one file; ``over_home`` when ``--config auto`` came before it.

    A list is a cordis patch, a mapping ``{rtb, tfb, rtr, rlg}`` holds one row each. Raises
    :class:`.nodes.SettingsFileError` when the file cannot be read at all.
    """
    root = read_file(path)
    source = str(path)
    if root is None or (root.value is None and not root.run_time):
        return
    if root.items is not None and not root.run_time:
        apply_patch(tree, Patch(root.items, source, layer, lone=True), findings)
    elif root.entries is not None and not root.run_time:
        is_toml = path.suffix.lower() == ".toml"
        _add_mapping(tree, root, source, layer, findings, is_toml, over_home)
    else:
        findings.refuse(
            source,
            root.line,
            f"expected a list (cordis patch) or a mapping of guards, found {root.kind}",
        )


def _add_mapping(
    tree: Tree,
    root: Node,
    source: str,
    layer: int,
    findings: Findings,
    is_toml: bool,
    over_home: bool,
) -> None:
    for short, node in (root.entries or {}).items():
        if short not in GUARDS:
            hint = did_you_mean(short, GUARDS)
            if short in ("insert", "id", "config"):
                hint = "; a cordis patch is a list: begin the entry with '- '"
            findings.refuse(
                source, node.line, f"{short}: no guard (known: {', '.join(GUARDS)}){hint}"
            )
            continue
        if (node.value is not None and node.entries is None) or node.run_time:
            findings.refuse(source, node.line, f"{short}: must be a mapping, not {node.kind}")
            continue
        if is_toml:
            node = _with_off(short, node)
        guard = GUARDS[short]
        row = Row(source, node.line, layer, guard.row_id, guard.package, mounts=not over_home)
        row.config, row.config_source = node if node.entries is not None else None, source
        tree.rows.append(row)


def _with_off(guard: str, node: Node, path: tuple[str, ...] = ()) -> Node:
    """TOML has no null: ``"off"`` stands for it where ``null`` switches a setting off."""
    if node.entries is not None:
        entries = {k: _with_off(guard, v, (*path, k)) for k, v in node.entries.items()}
        return Node(entries, node.line)
    if node.value == "off" and path and can_be_off(guard, path):
        return Node(None, node.line)
    return node
