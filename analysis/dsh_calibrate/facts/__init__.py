"""Facts: what was measured, once, without any gate; every threshold is swept over them.

::

    from dsh_calibrate.facts import collect, Facts

    with collect(logs, plan, jobs=2) as facts:       # logs: discovery.Log…, plan: replay.plan.Plan
        facts.frame("measures")                      # polars.DataFrame, columns: facts/tables.py
        facts.scan("judgements")                     # polars.LazyFrame
        facts.vectors()                              # one row a call, with its count vectors
        facts.peaks()                                # per log and measure kind: max next, streaks
    facts = Facts.open("folder")                     # what `facts export` wrote

``collect(logs, plan, *, jobs=None, cache=None, decisions=True, on_done=None, folder=None)``:
``cache`` is a :class:`~dsh_calibrate.facts.cache.Cache` (``Cache.default()``) or ``None``;
``decisions=False`` leaves the table of gated decisions empty and saves the replay. A guard
that the plan does not run leaves its columns null and its tables empty (without ``rlg`` no
reasoning is read at all).

How sweeps read them (no rule is re-stated; the functions are the guards' own):

- ``warnAt``, ``summarizeAt``: ``guards.repeat_tool_breaker.stages.reached(next…, streak…,
  caps…, ranks…)`` over the distinct rows of ``facts.vectors()``; ``failWarnAt``:
  ``stages.failure_advisory(streak_after…)``. Caps of a row come from
  ``facts.limits.HashedLimits(config.limits).cap(measure, fp)``, ranks from ``rank_of``.
- Advice is spoken at ``calls.result_line``, not at all where that is null or ``sub`` is true.
- Ungated counts equal the live ones until a log reaches a cap (``next >= cap``), ``failLimit``
  (``streak >= failLimit``) or, with ``--shell-http enforce``, a ``refused`` call: only such
  logs have to be replayed again. ``tfb_chain`` likewise up to ``maxFailures``; ``rtr_run``
  always.
- Whether the recording holds the same advice: table ``notices`` (``since_line``).
- rlg: ``guards.reasoning_loop.figures.held`` over ``judgements``; the first point that holds
  is the fire. Counts hang on the settings named by ``facts.settings.feeding``.
"""

from dsh_calibrate.facts.collecting import collect
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.facts.tables import TABLES

__all__ = ["TABLES", "Facts", "collect"]
