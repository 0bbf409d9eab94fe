"""A folder of logs broken in every way: the same bytes for any number of processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from breaking import ODD_VALUES, skippable, value_at

from dsh_calibrate.corpora.damage import KINDS, Damage, damaged_log
from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.lines import batches
from dsh_calibrate.corpora.sessions import Session

COMMAND = Path(sys.executable).with_name("dsh-calibrate")


def session(name: str) -> Session:
    made = Session(name).human("Go").reasoning("Again and again. " * 30)
    for _ in range(4):
        made.call("bash", {"command": "make"}).result("[exit code: 2]")
    return made


def write_all(root: Path) -> int:
    """One log for each way to break one; returns how many."""
    count = 0

    def write(data: bytes, ending: str) -> None:
        nonlocal count
        folder = root / f"log-{count:03}"
        folder.mkdir(parents=True)
        (folder / f"session{ending}").write_bytes(data)
        count += 1

    for version, encoding in ((0, "plain"), (0, "zstd"), (4, "plain"), (4, "zstd")):
        ending = (f".v{version}" if version else "") + ".jsonl"
        ending += ".zstd" if encoding == "zstd" else ""
        for kind in KINDS:
            groups = batches(session(f"{kind}-{version}-{encoding}"), version, LineOptions())
            if encoding == "plain" and kind in ("checksum", "skippable-frame"):
                continue
            write(damaged_log(groups, encoding, [Damage(kind)]), ending)
        groups = batches(session(f"odd-{version}-{encoding}"), version, LineOptions())
        lines = [line for group in groups for line in group]
        for number, value in enumerate(ODD_VALUES if encoding == "plain" else ()):
            place = 1 + number % (len(lines) - 1)
            colons = [at for at, byte in enumerate(lines[place]) if byte == 0x3A]
            start, end = value_at(lines[place], colons[number % len(colons)])
            odd = lines[place][:start] + value + lines[place][end:]
            write(b"".join([*lines[:place], odd, *lines[place + 1 :]]), ending)
    write(skippable(b"x") * 3, ".jsonl.zstd")
    return count


def replay(root: Path, jobs: int, *more: str) -> tuple[bytes, bytes]:
    done = subprocess.run(
        [COMMAND, "replay", root, "--format", "json", "--jobs", str(jobs), *more],
        capture_output=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_any_number_of_processes_tells_the_same(tmp_path: Path) -> None:
    count = write_all(tmp_path)
    one, said = replay(tmp_path, 1, "--salvage")
    two, said_by_two = replay(tmp_path, 2, "--salvage")
    assert one == two
    assert said == said_by_two
    document = json.loads(one.decode("utf-8"))
    coverage = document["coverage"]
    states = ["read", "damaged", "empty", "no_calls", "not_understood", "unreadable"]
    assert coverage["found"] == sum(coverage[state] for state in states)
    passed = sum(coverage[name] for name in ("superseded", "duplicates", "ignored"))
    assert coverage["found"] + passed == count
    assert len({log["log"] for log in document["logs"]}) == coverage["found"]
