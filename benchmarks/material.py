"""What the benchmarks run over: made corpora, the installed package, the commands' words."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from timing import Command

HERE = Path(__file__).resolve().parent
PACKAGE = "dsh-repeat-tool-breaker"

_ENTRY = "from dsh_calibrate_cli.main import main; main()"


def _maker_digest() -> str:
    """Digest of the maker, so that a corpus of another maker is not taken for one of this."""
    sources = sorted((HERE / "corpus").glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A made corpus: its folder and what the maker counted."""

    folder: Path
    counts: dict[str, int]

    @property
    def megabytes(self) -> float:
        """Millions of bytes of decompressed text."""
        return self.counts["text_bytes"] / 1e6


@dataclass(slots=True)
class Material:
    """The scratch folder with everything in it, made when first asked for.

    ``size`` is the decompressed text of a corpus, ``slow_size`` that of the one the literal
    reasoning rules read, as the maker takes them. ``package`` is an installed
    dsh-repeat-tool-breaker; without one npm installs it into the scratch folder.
    """

    scratch: Path
    size: str
    slow_size: str
    package: Path | None = None

    def corpus(self, frames: str, *, slow: bool = False, version: int = 0) -> Corpus:
        """The corpus of these frames, made now or by an earlier run."""
        size = self.slow_size if slow else self.size
        folder = self.scratch / f"{frames}-{size}-v{version}-{_maker_digest()}"
        counts = folder.with_name(folder.name + ".json")
        if not counts.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            print(f"making {size} of logs, {frames} frames", file=sys.stderr)
            words = [sys.executable, str(HERE / "corpus" / "make.py"), "--out", str(folder)]
            words += ["--size", size, "--frames", frames, "--version", str(version)]
            made = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            counts.write_text(made)
        return Corpus(folder, json.loads(counts.read_text()))

    def ours(self, *words: str | Path, cache: Path | None = None) -> Command:
        """A command of dsh-calibrate, by this interpreter."""
        environment = {} if cache is None else {"DSH_CALIBRATE_CACHE": str(cache)}
        return Command((sys.executable, "-c", _ENTRY, *map(str, words)), environment)

    def incumbent(self, corpus: Corpus, *, reasoning: bool = False) -> Command:
        """The Node script over a corpus."""
        script = HERE / "incumbent" / "replay.mjs"
        more = ("--reasoning",) if reasoning else ()
        return Command(
            ("node", str(script), str(self.installed()), *more, str(corpus.folder)),
        )

    def installed(self) -> Path:
        """The folder of the published package; npm fetches it once."""
        if self.package is None:
            folder = self.scratch / "incumbent"
            self.package = folder / "node_modules" / PACKAGE
            if not (self.package / "package.json").is_file():
                folder.mkdir(parents=True, exist_ok=True)
                for name in ("package.json", "package-lock.json"):
                    shutil.copy(HERE / "incumbent" / name, folder / name)
                npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
                subprocess.run(npm, cwd=folder, check=True)
        return self.package
