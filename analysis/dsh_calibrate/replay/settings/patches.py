"""Cordis patch files: what each entry does to the rows so far (settings-files.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsh_calibrate.replay.settings.catalogue import GUARDS, did_you_mean, guard_of, nearest
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.nodes import Node, has_run_time
from dsh_calibrate.replay.settings.rows import Row, Tree


@dataclass(frozen=True, slots=True)
class Patch:
    """One patch file about to be applied.

    ``lone`` means that the file was named with ``--config``: rows that it reconfigures may
    have been mounted by layers that are not at hand, so a guard's row is taken as there.
    """

    entries: tuple[Node, ...]
    source: str
    layer: int
    lone: bool


def apply_patch(tree: Tree, patch: Patch, findings: Findings) -> None:
    """Change ``tree`` as the harness would; what cannot be is refused entry by entry."""
    for entry in patch.entries:
        _Applied(tree, patch, findings).entry(entry)


@dataclass(frozen=True, slots=True)
class _Applied:
    tree: Tree
    patch: Patch
    findings: Findings

    def entry(self, entry: Node) -> None:
        fields = entry.entries
        if fields is None or entry.run_time:
            self._refuse(entry, f"an entry of a patch is a mapping, not {entry.kind}")
            return
        bad = len(self.findings.refusals)
        row_id, name = self._text(fields.get("id"), "id"), self._text(fields.get("name"), "name")
        if len(self.findings.refusals) > bad:
            return
        if "insert" in fields:
            self._insert(fields["insert"], row_id, entry)
            return
        known = guard_of(name, row_id) is not None
        if row_id is None and not (self.patch.lone and known):
            self._refuse(
                entry, "an entry needs an id (the row to change) or an insert (rows to add)"
            )
            return
        target = self.tree.find(row_id) if row_id is not None else None
        if target is not None:
            self._override(target, fields, entry)
        elif self.patch.lone and (known or _is_group(fields.get("config"))):
            row = self._row(entry, mounts=False)
            if row is not None:
                row.overridden_in = self.patch.source if "config" in fields else ""
                self.tree.rows.append(row)
        else:
            self._unmatched(entry, str(row_id))

    def _insert(self, rows: Node, group_id: str | None, entry: Node) -> None:
        if rows.items is None:
            self._refuse(rows, f"insert must be a list of rows, not {rows.kind}")
            return
        made = [row for row in map(self._row, rows.items) if row is not None]
        if group_id is None:
            self.tree.rows.extend(made)
            return
        group = self.tree.find(group_id)
        if group is None and self.patch.lone:
            self.tree.rows.extend(made)
        elif group is None:
            guards = {row.guard for row in made} - {None}
            self._unmatched(entry, group_id, min(map(str, guards)) if guards else None)
        elif group.children is None and group.config is not None:
            self._refuse(entry, f"{group_id}: rows can only be inserted into a group row")
        else:
            group.children = [*(group.children or ()), *made]

    def _row(self, node: Node, mounts: bool = True) -> Row | None:
        fields = node.entries
        if fields is None or node.run_time:
            self._refuse(node, f"a row is a mapping, not {node.kind}")
            return None
        row = Row(self.patch.source, node.line, self.patch.layer, mounts=mounts)
        row.id = self._text(fields.get("id"), "id")
        row.name = self._text(fields.get("name"), "name")
        if row.id is None and row.name is None:
            self._refuse(node, "a row needs a name (the plugin) or an id")
            return None
        self._fill(row, fields)
        return row

    def _override(self, row: Row, fields: Mapping[str, Node], entry: Node) -> None:
        if "name" in fields:
            row.name = self._text(fields["name"], "name")
        if "config" in fields and row.overridden_in == self.patch.source and row.guard:
            self._refuse(
                entry, f"{row.id}: a second row of {GUARDS[row.guard].package} in this file"
            )
            return
        if "config" in fields:
            row.overridden_in = self.patch.source
            row.layer = self.patch.layer
        self._fill(row, fields)

    def _fill(self, row: Row, fields: Mapping[str, Node]) -> None:
        """Take over ``config`` and ``disabled`` where they are given."""
        label = row.id or row.name
        disabled = fields.get("disabled")
        if disabled is not None and has_run_time(disabled):
            self.findings.remark(
                self.patch.source,
                disabled.line,
                f"{label}.disabled: decided at run time (!!js); the row is taken as switched on",
                row.guard,
            )
        elif disabled is not None and not isinstance(disabled.value, bool | None):
            self._refuse(disabled, f"{label}.disabled: must be true or false, not {disabled.kind}")
        elif disabled is not None:
            row.disabled = disabled.value is True
        config = fields.get("config")
        if config is None:
            return
        row.children, row.config = None, None
        guard = row.guard
        if config.items is not None and not config.run_time and guard is None:
            row.children = [r for r in map(self._row, config.items) if r is not None]
        elif guard is not None and not config.run_time and config.value is not None:
            if config.entries is None:
                self._refuse(config, f"{label}.config: must be a mapping, not {config.kind}")
            else:
                row.config, row.config_source = config, self.patch.source
        elif config.value is not None or config.run_time:
            row.config, row.config_source = config, self.patch.source

    def _unmatched(self, entry: Node, row_id: str, guard: str | None = None) -> None:
        ids = [g.row_id for g in GUARDS.values()]
        guard = guard or guard_of(None, row_id) or guard_of(None, nearest(row_id, ids))
        hint = "" if row_id in ids else did_you_mean(row_id, ids)
        self.findings.remark(
            self.patch.source,
            entry.line,
            f"id {row_id} matches no row mounted so far; the entry is skipped{hint}",
            guard,
        )

    def _text(self, node: Node | None, key: str) -> str | None:
        if node is None or (node.value is None and not node.run_time):
            return None
        if node.text is None:
            self._refuse(node, f"{key}: must be a string, not {node.kind}")
            return None
        return node.text

    def _refuse(self, node: Node, message: str) -> None:
        self.findings.refuse(self.patch.source, node.line, message)


def _is_group(config: Node | None) -> bool:
    return config is not None and config.items is not None
