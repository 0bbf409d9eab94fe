"""Rows of the shared configuration vectors come out of a settings file as from the plugin."""

from __future__ import annotations

import json

from settings_files import of_file, refusals, write

from shared_material import ROOT, needs_shared


@needs_shared
def test_configuration_vectors(tmp_path):
    lines = (ROOT / "goldens" / "configs.jsonl").read_text(encoding="utf-8").splitlines()
    seen = 0
    for line in lines:
        vector = json.loads(line)
        row, expected = vector["in"]["config"], vector["expect"]
        if not isinstance(row, dict):
            continue
        seen += 1
        found = of_file(write(tmp_path / "a.json", json.dumps({"rtb": row})))
        if expected["ok"]:
            assert not refusals(found), row
            inside = found.as_json()["rtb"]
            for key, value in expected["config"].items():
                if key not in ("warnAt", "summarizeAt", "failWarnAt", "hostAliases", "ignoreArgs"):
                    assert inside[key] == value, (row, key)
        else:
            assert any(f"rtb.{expected['key']}: " in text for text in refusals(found)), row
    assert seen
