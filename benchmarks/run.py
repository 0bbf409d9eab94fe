"""Measure dsh-calibrate side by side with the Node incumbent, with itself, and alone.

    python benchmarks/run.py                       # the names
    python benchmarks/run.py rtb-tiny help         # these
    python benchmarks/run.py --all --markdown      # the table of benchmarks/README.md

Pairs of runs alternate; what is printed are medians and their ratio. Corpora and the
published package are made once, in the scratch folder. See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from comparisons import BENCHMARKS, Bench, Row
from material import Material
from timing import Side

_HEADS = ("benchmark", "what", "ours s", "other s", "ours MB/s", "other MB/s", "ratio", "target")
_HEADS = (*_HEADS, "met", "CPU ratio", "peak MB")

_SIGNS = {
    "at least": "≥ {:g}×",
    "at most": "≤ {:g}×",
    "seconds": "≤ {:g} s",
    "rate": "≥ {:g} MB/s",
}


def is_met(row: Row) -> bool | None:
    """Whether the target is reached; ``None`` where there is none."""
    if row.target is None:
        return None
    if row.kind == "seconds":
        return row.ours.seconds <= row.target
    if row.kind == "rate":
        assert row.megabytes is not None
        return row.megabytes / row.ours.seconds >= row.target
    assert row.ratio is not None
    return row.ratio >= row.target if row.kind == "at least" else row.ratio <= row.target


def cells(row: Row) -> tuple[str, ...]:
    met = is_met(row)
    sign = _SIGNS[row.kind]
    return (
        row.name,
        row.what,
        f"{row.ours.seconds:.2f}",
        f"{row.other.seconds:.2f}" if row.other else "",
        f"{row.megabytes / row.ours.seconds:.1f}" if row.megabytes else "",
        f"{row.other_megabytes / row.other.seconds:.1f}"
        if row.other and row.other_megabytes
        else "",
        f"{row.ratio:.3g}×" if row.ratio is not None else "",
        sign.format(row.target) if row.target is not None else "",
        "" if met is None else "yes" if met else "no",
        f"{row.cpu_ratio:.3g}×" if row.cpu_ratio is not None else "",
        f"{row.ours.peak_mb:.0f}" if row.ours.peak_mb else "",
    )


def as_json(row: Row) -> dict[str, Any]:
    def side(found: Side | None) -> dict[str, Any] | None:
        if found is None:
            return None
        return {
            "seconds": [round(run.seconds, 4) for run in found.runs],
            "median_seconds": round(found.seconds, 4),
            "median_cpu_seconds": round(found.cpu_seconds, 4),
            "peak_mb": round(found.peak_mb, 1),
        }

    return {
        "name": row.name,
        "what": row.what,
        "kind": row.kind,
        "target": row.target,
        "met": is_met(row),
        "ratio": row.ratio,
        "cpu_ratio": row.cpu_ratio,
        "megabytes": row.megabytes,
        "other_megabytes": row.other_megabytes,
        "ours": side(row.ours),
        "other": side(row.other),
    }


def show(rows: list[Row], *, markdown: bool) -> None:
    table = [_HEADS, *map(cells, rows)]
    if markdown:
        table.insert(1, ("---",) * len(_HEADS))
        for line in table:
            print("| " + " | ".join(line) + " |")
        return
    widths = [max(len(line[place]) for line in table) for place in range(len(_HEADS))]
    for line in table:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def machine() -> str:
    """Cores, Python, Node and the load: what the figures hang on."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, "
        f"Node {node.strip().lstrip('v') or 'none'}, load {load}"
    )


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of runs (default 3)")
    parser.add_argument("--size", default="200MB", help="text of a corpus (default 200MB)")
    parser.add_argument(
        "--slow-size", default="20MB", help="text for the literal reasoning rules (default 20MB)"
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        default=Path(tempfile.gettempdir()) / "dsh-calibrate-benchmarks",
        help="where corpora and the package are kept",
    )
    parser.add_argument("--package", type=Path, help="an installed dsh-repeat-tool-breaker 0.5.2")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every run to FILE")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: use {', '.join(BENCHMARKS)}")
    if not chosen.names and not chosen.all:
        parser.error(f"name a benchmark or --all: {', '.join(BENCHMARKS)}")
    return chosen


def main() -> None:
    """Run what is named, print a table."""
    chosen = options()
    material = Material(chosen.scratch, chosen.size, chosen.slow_size, chosen.package)
    bench = Bench(material, chosen.rounds)
    chosen.scratch.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    before = machine()
    for name in BENCHMARKS if chosen.all else chosen.names:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += BENCHMARKS[name](bench)
    print(f"{before}; {chosen.size} of text a corpus, medians of {chosen.rounds} pairs\n")
    show(rows, markdown=chosen.markdown)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps([as_json(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
