"""Make a corpus of recorded sessions to measure with, of any size, shaped like real ones.

    python benchmarks/corpus/make.py --out /tmp/bench/tiny --size 400MB --frames tiny

The same options give the same bytes (compressed: for one version of the zstd library). All
frame modes of one seed and version hold the same text. What is in it: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import zstandard
from recording import Recording
from words import Words

from dsh_calibrate.corpora.folders import log_name, project_folder, session_folder

FRAMES = ("tiny", "large", "plain")
LARGE_FRAME = 8_000_000
"""Characters of a frame in the files of a migration (session-format.md 1)."""

SESSION = 8_000_000
"""Usual size of a session, in characters, where --sessions does not say."""

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


def bytes_of(text: str) -> int:
    """Read ``400MB`` (decimal units) as a number of bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(KB|MB|GB|)", text.strip(), re.IGNORECASE)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: write a size as 200KB, 400MB or 1GB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def share_of(text: str) -> float:
    """Read a share between 0 and 1."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: write a share from 0 to 1")
    return share


def make(
    out: Path,
    *,
    size: int,
    sessions: int | None = None,
    frames: str = "tiny",
    reasoning: float = 0.5,
    loops: float = 0.005,
    spells: float = 0.01,
    version: int = 0,
    seed: int = 1,
) -> dict[str, int]:
    """Write the corpus and return counts: logs, text_bytes, file_bytes, lines, frames, calls…"""
    words = Words(seed)
    count = sessions or max(2, round(size / SESSION))
    weigh = Random(f"sizes {seed}")
    weights = [weigh.lognormvariate(0, 0.6) for _ in range(count)]
    found = dict.fromkeys(
        ("logs", "text_bytes", "file_bytes", "lines", "frames", "calls", "reasoning_characters"), 0
    )
    for number, weight in enumerate(weights, 1):
        name = f"session-{seed:04x}-{number:06x}"
        recording = Recording(
            words,
            Random(f"session {seed} {number}"),
            name=name,
            version=version,
            size=int(size * weight / sum(weights)),
            reasoning=reasoning,
            loops=loops,
            spells=spells,
        )
        folder = out / project_folder("/work/app") / session_folder(name)
        folder.mkdir(parents=True)
        path = folder / log_name(version, "plain" if frames == "plain" else "zstd")
        with path.open("wb") as file:
            for text in grouped(recording.batches(), frames):
                data = text.encode()
                found["frames"] += 1
                found["text_bytes"] += len(data)
                found["file_bytes"] += file.write(compressed(data) if frames != "plain" else data)
        found["logs"] += 1
        for key in ("lines", "calls", "reasoning_characters"):
            found[key] += getattr(recording, key)
    return found


_COMPRESSOR = zstandard.ZstdCompressor(
    level=3, write_checksum=True, write_content_size=False, write_dict_id=False
)


def compressed(data: bytes) -> bytes:
    """One frame as the harness writes it: a checksum, no content size, no dictionary."""
    return _COMPRESSOR.compress(data)


def grouped(batches: Iterable[str], frames: str) -> Iterator[str]:
    """The text of each frame: a write batch, or many behind the header's own frame."""
    source = iter(batches)
    yield next(source)
    if frames == "tiny":
        yield from source
        return
    group: list[str] = []
    size = 0
    for batch in source:
        group.append(batch)
        size += len(batch)
        if size >= LARGE_FRAME:
            yield "".join(group)
            group, size = [], 0
    if group:
        yield "".join(group)


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    parser.add_argument("--size", type=bytes_of, default="40MB", help="text, decompressed")
    parser.add_argument("--sessions", type=int, help="how many (default: one for each 8 MB)")
    parser.add_argument("--frames", choices=FRAMES, default="tiny")
    parser.add_argument(
        "--reasoning", type=share_of, default=0.5, help="share of streamed text that is reasoning"
    )
    parser.add_argument(
        "--loops", type=share_of, default=0.005, help="share of reasoning streams that loop"
    )
    parser.add_argument(
        "--spells", type=share_of, default=0.01, help="share of calls that begin a run of repeats"
    )
    parser.add_argument("--version", type=int, choices=range(5), default=0)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main() -> None:
    """Make a corpus and print what is in it as one JSON object."""
    chosen = options()
    out: Path = chosen.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        sys.exit(f"{out}: exists and is not an empty folder; name a new one")
    out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(make(**vars(chosen))))


if __name__ == "__main__":
    main()
