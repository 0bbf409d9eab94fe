"""reasoning-loop-guard from stored judgements: the first judge point that holds is the fire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from dsh_calibrate.calibrate.feedback_free import Found
from dsh_calibrate.calibrate.sweeping_outcomes import Spoken, outcome_of
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.figures import held
from dsh_calibrate.guards.reasoning_loop.verdict import Figures

_FIGURES = Figures.__struct_fields__


class ReasoningFacts:
    """Judge points that hold under the lowest thresholds of ``configs`` taken together.

    The configurations are alike in all that judgements hang on. A rule that holds under a
    higher threshold holds under a lower one, so no other point can fire.
    """

    def __init__(self, facts: Facts, configs: Sequence[Config]) -> None:
        loosest = replace(
            configs[0],
            min_units=min(c.min_units for c in configs),
            block_count=min(c.block_count for c in configs),
            line_count=min(c.line_count for c in configs),
            line_share=min(c.line_share for c in configs),
            kgram_threshold=min(c.kgram_threshold for c in configs),
            filler_run=min(c.filler_run for c in configs),
        )
        points = (
            facts.scan("judgements")
            .filter(
                (pl.col("units") >= loosest.min_units)
                | (pl.col("block_count") >= loosest.block_count)
                | (pl.col("line_count") >= loosest.line_count)
                | (pl.col("kgram_count") >= loosest.kgram_threshold)
                | (pl.col("filler_run") >= loosest.filler_run)
            )
            .select("log", "lifecycle", "stream", "line", *_FIGURES)
            .collect()
        )
        self._streams: dict[tuple[str, int, int], list[tuple[int, Figures]]] = {}
        for log, lifecycle, stream, line, *values in points.iter_rows():
            figures = Figures(**dict(zip(_FIGURES, values, strict=True)))
            if held(figures, loosest) is not None:
                self._streams.setdefault((log, lifecycle, stream), []).append((line, figures))
        known = facts.scan("streams").select(
            "log", "lifecycle", "stream", "granular", "failure_code"
        )
        self._known = {
            (log, lifecycle, stream): (granular, code == configs[0].failure_code)
            for log, lifecycle, stream, granular, code in known.collect().iter_rows()
            if (log, lifecycle, stream) in self._streams
        }

    def outcomes(self, config: Config) -> Found:
        """What ``config`` makes of every log in which it fires."""
        if not config.enabled:
            return {}
        fires: dict[str, list[Spoken]] = {}
        diverged: set[tuple[str, int]] = set()
        for key, points in self._streams.items():
            log, lifecycle, stream = key
            for line, figures in points:
                rule = held(figures, config)
                if rule is None:
                    continue
                granular, is_recorded = self._known[key]
                exact = granular and (log, lifecycle) not in diverged
                fires.setdefault(log, []).append(
                    Spoken(line, lifecycle, stream, "fire", rule, rule, False, exact)
                )
                if not is_recorded:
                    diverged.add((log, lifecycle))
                break
        return {log: outcome_of(spoken) for log, spoken in fires.items()}
