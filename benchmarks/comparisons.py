"""The benchmarks by name. Each gives rows: what was compared, the two sides, the target."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from material import HERE, Corpus, Material
from timing import Command, Side, alternate, run

Kind = Literal["at least", "at most", "seconds", "rate"]


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    ``ratio`` is other / ours of the medians (per byte where the corpora differ) where the
    target is ``at least``, ours / other where it is ``at most``; without another side it is
    ``None`` and the target is in seconds, or in MB of text a
    second (``rate``). ``megabytes`` is what ours read.
    """

    name: str
    what: str
    kind: Kind
    target: float | None
    ours: Side
    other: Side | None = None
    ratio: float | None = None
    megabytes: float | None = None
    other_megabytes: float | None = None

    @property
    def cpu_ratio(self) -> float | None:
        """``ratio`` in CPU seconds of all processes, which other work disturbs less."""
        if self.ratio is None or self.other is None or not self.ours.cpu_seconds:
            return None
        wall = self.ours.seconds / self.other.seconds
        cpu = self.ours.cpu_seconds / self.other.cpu_seconds
        return self.ratio * (wall / cpu if self.kind == "at least" else cpu / wall)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a benchmark works with."""

    material: Material
    rounds: int


RTB = ("--guard", "rtb", "--plugin-version", "rtb=0.5.2", "--shell-http", "off")
TOOLS = (*RTB, "--guard", "tfb", "--guard", "rtr")
ALL = (*TOOLS, "--guard", "rlg")


def replay(bench: Bench, corpus: Corpus, guards: tuple[str, ...], *more: str) -> Command:
    return bench.material.ours("replay", corpus.folder, "-q", "--format", "json", *guards, *more)


def same_work(ours: Any, incumbent: Any, *, reasoning: bool) -> None:
    """Both sides counted the same, or the benchmark ends."""
    rtb = ours["guards"]["rtb"]
    told = {
        "logs": (ours["coverage"]["read"], incumbent["logs"]),
        "lines": (ours["coverage"]["lines"], incumbent["lines"]),
        "calls": (ours["totals"]["calls"], incumbent["calls"]),
        "gates": (sum(rtb["gates"].values()), incumbent["gates"]),
        "asks": (rtb["asks"], incumbent["asks"]),
        "advisories": (sum(rtb["advisories"].values()), incumbent["advisories"]),
        "failures": (rtb["failures"]["calls"], incumbent["failures"]),
    }
    if reasoning:
        told["streams"] = (ours["totals"]["streams"], incumbent["streams"])
        told["fires"] = (ours["guards"]["rlg"]["fires"], incumbent["fires"])
    unlike = {key: pair for key, pair in told.items() if pair[0] != pair[1]}
    if unlike:
        sys.exit(f"the two sides did not do the same work (ours, incumbent): {unlike}")


def against_incumbent(
    name: str, what: str, frames: str, guards: tuple[str, ...], target: float | None
) -> Callable[[Bench], list[Row]]:
    def measure(bench: Bench) -> list[Row]:
        corpus = bench.material.corpus(frames)
        sides = alternate(
            (replay(bench, corpus, guards), bench.material.incumbent(corpus)), bench.rounds
        )
        ours, other = sides
        same_work(ours.runs[0].json(), other.runs[0].json(), reasoning=False)
        ratio = other.seconds / ours.seconds
        size = corpus.megabytes
        return [Row(name, what, "at least", target, ours, other, ratio, size, size)]

    return measure


def against_literal_rules(bench: Bench) -> list[Row]:
    """Rates are compared: the literal rules read a smaller corpus, or nobody would wait."""
    material = bench.material
    corpus, small = material.corpus("tiny"), material.corpus("tiny", slow=True)
    ours, other = alternate(
        (replay(bench, corpus, ALL), material.incumbent(small, reasoning=True)), bench.rounds
    )
    checked = run(replay(bench, small, ALL))
    same_work(checked.json(), other.runs[0].json(), reasoning=True)
    ratio = (other.seconds / small.megabytes) / (ours.seconds / corpus.megabytes)
    what = "four guards against the incumbent with the literal reasoning rules, tiny frames"
    sizes = (corpus.megabytes, small.megabytes)
    return [Row("all-tiny", what, "at least", 100, ours, other, ratio, *sizes)]


def sweep_thresholds(
    name: str, what: str, guards: tuple[str, ...], axes: tuple[str, ...]
) -> Callable[[Bench], list[Row]]:
    def measure(bench: Bench) -> list[Row]:
        corpus = bench.material.corpus("tiny")
        words = [word for axis in axes for word in ("--over", axis)]
        fresh = bench.material.ours(
            "sweep", corpus.folder, "-q", "--no-cache", "--format", "json", *guards, *words
        )
        ours, other = alternate((fresh, replay(bench, corpus, guards)), bench.rounds)
        sets = len(ours.runs[0].json()["sets"])
        if sets != 100:
            sys.exit(f"{name}: the sweep held {sets} settings, not 100")
        ratio = ours.seconds / other.seconds
        size = corpus.megabytes
        return [Row(name, what, "at most", 1.3, ours, other, ratio, size, size)]

    return measure


def facts_cache(bench: Bench) -> list[Row]:
    """The same export with an empty cache and with a full one."""
    corpus = bench.material.corpus("tiny")
    cache, tables = bench.material.scratch / "cache", bench.material.scratch / "facts"

    def empty() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    words = ("facts", "export", corpus.folder, "-q", "-o", tables)
    second = bench.material.ours(*words, cache=cache)
    first = Command(second.words, second.environment, empty)

    def filled() -> None:
        if not cache.is_dir():
            run(first)

    again, fresh = alternate(
        (Command(second.words, second.environment, filled), first), bench.rounds
    )
    ratio = again.seconds / fresh.seconds
    size = corpus.megabytes
    what = "facts export a second time (cached) against the first time"
    return [Row("facts-cache", what, "at most", 0.1, again, fresh, ratio, size, size)]


def help_page(bench: Bench) -> list[Row]:
    (ours,) = alternate((bench.material.ours("--help"),), max(bench.rounds, 5))
    return [Row("help", "dsh-calibrate --help", "seconds", 0.25, ours)]


def all_rate(bench: Bench) -> list[Row]:
    corpus = bench.material.corpus("tiny")
    (ours,) = alternate((replay(bench, corpus, ALL),), bench.rounds)
    what = "four guards, zstd, tiny frames"
    return [Row("all-rate", what, "rate", 150, ours, megabytes=corpus.megabytes)]


def two_jobs(bench: Bench) -> list[Row]:
    corpus = bench.material.corpus("tiny")
    two, one = alternate(
        (replay(bench, corpus, ALL, "--jobs", "2"), replay(bench, corpus, ALL, "--jobs", "1")),
        bench.rounds,
    )
    if two.runs[0].output != one.runs[0].output:
        sys.exit("jobs: one process and two do not print the same")
    size = corpus.megabytes
    ratio = one.seconds / two.seconds
    what = "four guards: two processes against one"
    return [Row("jobs", what, "at least", None, two, one, ratio, size, size)]


def detector(bench: Bench) -> list[Row]:
    """benchmarks/reasoning/run.py: the detector alone, in pieces of 8 UTF-16 units."""
    words = (sys.executable, str(HERE / "reasoning" / "run.py"), "--json")
    output = subprocess.run(
        [*words, "--rounds", str(bench.rounds)], check=True, capture_output=True
    ).stdout
    found = json.loads(output)
    ours, other = (Side.of_seconds(found[key]) for key in ("feed_many", "literal"))
    size = found["megabytes"]
    ratio = other.seconds / ours.seconds
    what = "reasoning detector against the literal rules in Node, healthy text, pieces of 8"
    return [Row("reasoning", what, "at least", 25, ours, other, ratio, size, size)]


_RTB_SETS = ("rtb.warnAt=2..11", "rtb.limits.{exact,cmd,net,sink}=9..18")
_ALL_SETS = ("rtb.warnAt=5..9", "rlg.minUnits=3..7", "tfb.maxFailures=2..3", "rlg.lineCount=3..4")

BENCHMARKS: dict[str, Callable[[Bench], list[Row]]] = {
    "rtb-tiny": against_incumbent(
        "rtb-tiny", "rtb against the incumbent, zstd, tiny frames", "tiny", RTB, 10
    ),
    "tools-tiny": against_incumbent(
        "tools-tiny", "rtb, tfb, rtr against the incumbent, zstd, tiny frames", "tiny", TOOLS, 10
    ),
    "rtb-large": against_incumbent(
        "rtb-large", "rtb against the incumbent, zstd, large frames", "large", RTB, None
    ),
    "rtb-plain": against_incumbent(
        "rtb-plain", "rtb against the incumbent, plain logs", "plain", RTB, None
    ),
    "all-tiny": against_literal_rules,
    "all-rate": all_rate,
    "reasoning": detector,
    "sweep-rtb": sweep_thresholds(
        "sweep-rtb", "sweep of 100 sets of rtb against one replay of rtb",
        ("--guard", "rtb"), _RTB_SETS,
    ),
    "sweep-all": sweep_thresholds(
        "sweep-all", "sweep of 100 sets over four guards against one replay of them",
        ("--guard", "rtb,tfb,rtr,rlg"), _ALL_SETS,
    ),
    "facts-cache": facts_cache,
    "jobs": two_jobs,
    "help": help_page,
}  # fmt: skip
