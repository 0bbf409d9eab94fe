"""The runner: both sides did the same work, pairs alternate, medians and ratios are right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from comparisons import ALL, BENCHMARKS, Row, same_work
from make import make
from material import HERE, Corpus, Material
from run import as_json, cells, is_met
from timing import Command, Run, Side, alternate, run

from conformance.live_packages import BREAKER, installed


@pytest.mark.parametrize(("version", "frames"), [(0, "tiny"), (2, "plain"), (4, "large")])
def test_incumbent_and_tool_count_the_same(tmp_path: Path, version: int, frames: str) -> None:
    package = installed(BREAKER)
    made = make(
        tmp_path / "corpus", size=400_000, frames=frames, version=version, loops=0.3, spells=0.2
    )
    corpus = Corpus(tmp_path / "corpus", made)
    material = Material(tmp_path, "1MB", "1MB", package)
    ours = run(
        material.ours("replay", corpus.folder, "-q", "--jobs", "1", "--format", "json", *ALL)
    )
    theirs = run(material.incumbent(corpus, reasoning=True)).json()
    same_work(ours.json(), theirs, reasoning=True)
    assert theirs["calls"] == made["calls"]
    assert theirs["gates"] > 0
    assert theirs["advisories"] > 0
    assert theirs["fires"] > 0


def test_unlike_work_ends_the_benchmark() -> None:
    ours = {
        "coverage": {"read": 1, "lines": 9},
        "totals": {"calls": 4},
        "guards": {
            "rtb": {
                "gates": {"repeat": 1},
                "asks": 1,
                "advisories": {"warn": 2},
                "failures": {"calls": 0},
            }
        },
    }
    theirs = {"logs": 1, "lines": 9, "calls": 4, "gates": 1, "asks": 1, "advisories": 2}
    same_work(ours, {**theirs, "failures": 0}, reasoning=False)
    with pytest.raises(SystemExit, match=r"did not do the same work.*'failures': \(0, 1\)"):
        same_work(ours, {**theirs, "failures": 1}, reasoning=False)


def test_pairs_alternate(tmp_path: Path) -> None:
    book = tmp_path / "book"

    def command(letter: str) -> Command:
        script = f"open({str(book)!r}, 'a').write({letter!r}); print({letter!r})"
        return Command((sys.executable, "-c", script))

    first, second = alternate((command("a"), command("b")), 3)
    assert book.read_text() == "ab" + "abbaab"  # one round of both to warm up
    assert [found.output for found in first.runs] == [b"a\n"] * 3
    assert len(second.runs) == 3
    assert second.peak_mb > 1
    assert second.seconds > 0


def test_a_run_that_fails_ends_the_benchmark() -> None:
    script = "import sys; sys.stderr.write('no'); sys.exit(3)"
    command = Command((sys.executable, "-c", script))
    with pytest.raises(SystemExit, match="ended with 3: b'no'"):
        run(command)


FAST, SLOW = Side.of_seconds([1.0, 9.0, 2.0]), Side.of_seconds([30.0, 20.0, 10.0])


@pytest.mark.parametrize(
    ("kind", "target", "ratio", "met"),
    [
        ("at least", 10, 10.0, True),
        ("at least", 10, 9.9, False),
        ("at most", 1.3, 1.3, True),
        ("at most", 1.3, 1.4, False),
        ("seconds", 2.0, None, True),
        ("seconds", 1.9, None, False),
        ("rate", 10, None, True),
        ("rate", 10.1, None, False),
        ("at least", None, 2.0, None),
    ],
)
def test_targets(kind: str, target: float | None, ratio: float | None, met: bool | None) -> None:
    row = Row("a", "b", kind, target, FAST, SLOW, ratio, 20.0)  # type: ignore[arg-type]
    assert is_met(row) is met
    assert as_json(row)["met"] is met


def test_a_row_tells_medians_and_rates() -> None:
    row = Row("a", "b", "at least", 10, FAST, SLOW, 10.0, 40.0, 20.0)
    told = cells(row)
    assert told[:8] == ("a", "b", "2.00", "20.00", "20.0", "1.0", "10×", "≥ 10×")
    assert told[8] == "yes"
    assert json.loads(json.dumps(as_json(row)))["ours"]["seconds"] == [1.0, 9.0, 2.0]


def test_the_readme_names_every_benchmark() -> None:
    text = (HERE / "README.md").read_text()
    assert [name for name in BENCHMARKS if f"`{name}`" not in text] == []


def test_the_lock_pins_the_package_and_no_registry() -> None:
    folder = HERE / "incumbent"
    lock = json.loads((folder / "package-lock.json").read_text())
    entry = lock["packages"]["node_modules/dsh-repeat-tool-breaker"]
    assert entry["version"] == "0.5.2"
    assert entry["integrity"].startswith("sha512-")
    assert "://" not in (folder / "package-lock.json").read_text()


def test_an_unknown_name_is_refused() -> None:
    script = str(HERE / "run.py")
    done = subprocess.run([sys.executable, script, "nothing"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"no benchmark 'nothing'" in done.stderr


@pytest.mark.parametrize(
    ("kind", "ratio", "cpu"), [("at least", 4.0, 8.0), ("at most", 0.25, 0.125)]
)
def test_cpu_ratio(kind: str, ratio: float, cpu: float) -> None:
    ours, other = Side((Run(1, 2, 9, b""),)), Side((Run(4, 16, 9, b""),))
    row = Row("a", "b", kind, None, ours, other, ratio)  # type: ignore[arg-type]
    assert row.cpu_ratio == cpu
    assert Row("a", "b", "seconds", 1, ours).cpu_ratio is None
