"""Runs a plugin and the engine over the same traces and compares them decision by decision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from dsh_calibrate.conformance.comparison import differing_places
from dsh_calibrate.conformance.driver.process import PluginProcess
from dsh_calibrate.conformance.plugin_answers import comparable, plugin_answer
from dsh_calibrate.conformance.plugin_engine import Config, engine_side
from dsh_calibrate.conformance.plugin_outcome import PluginDifference, Tally
from dsh_calibrate.conformance.plugin_package import PluginPackage
from dsh_calibrate.conformance.plugin_texts import Answer
from dsh_calibrate.conformance.plugin_traces import Site, TraceEvent

FIRST = 10
"""How many differences are kept unless the caller says otherwise."""

_BATCH = 200
"""Events that go to the plugin at a time, at most."""
_BATCH_CHARACTERS = 4_000_000
"""Characters of text after which a batch is sent all the same."""

_QUOTED_WHOLE = {"previewChars": 1_000_000_000, "resultPreviewChars": 1}
"""Lengths of quotations decide nothing; so long, fingerprints are read whole."""

Told = Callable[[TraceEvent, Answer | None], None]
"""Is handed every event with the plugin's answer (to save vectors)."""


def plugin_row(guard: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings handed to the plugin: ``row`` is what the user's layers say."""
    if guard == "rtb":
        return {**row, **_QUOTED_WHOLE}
    if guard == "rtr":
        # Its defaults live in a schema that only a real host applies.
        from dsh_calibrate.guards.repeat_reminder.config import DEFAULTS

        known = {**DEFAULTS, **row}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in known.items()}
    return dict(row)


def open_plugin(package: PluginPackage, row: Mapping[str, Any]) -> PluginProcess:
    """The plugin in a host of its own, to be used in a ``with``; runs foreign code."""
    return PluginProcess(
        package.folder, package.entry, package.guard, plugin_row(package.guard, row)
    )


class PluginComparison:
    """Compares trace after trace; ``tally`` and ``differences`` grow with each."""

    def __init__(
        self, process: PluginProcess, guard: str, config: Config, *, first: int = FIRST
    ) -> None:
        self.tally = Tally()
        self.differences: list[PluginDifference] = []
        self._process = process
        self._guard = guard
        self._config = config
        self._first = first
        assert process.loaded is not None
        self._probed = process.loaded.probed

    def run(
        self, name: str, trace: Iterable[tuple[TraceEvent, Site]], told: Told | None = None
    ) -> None:
        """Hand one trace to both sides; ``name`` is its log's key."""
        self.tally.traces += 1
        engine = engine_side(self._config, probed=self._probed)
        lifecycle = _Lifecycle()
        opening: list[tuple[TraceEvent, Site]] = [({"kind": "begin"}, Site(0, 0))]
        for batch in _batches(itertools.chain(opening, trace)):
            events = [event for event, _ in batch]
            ours: list[Answer | None] = []
            answers = self._process.answers(
                events,
                meanwhile=lambda es=events, to=ours: to.extend(map(engine.on, es)),  # type: ignore[misc]
            )
            for (event, site), raw, mine in zip(batch, answers, ours, strict=True):
                plugin = plugin_answer(self._guard, event, raw, self._config)
                if told is not None:
                    told(event, plugin)
                self._compare(name, event, site, plugin, mine, lifecycle)

    def _compare(
        self,
        name: str,
        event: TraceEvent,
        site: Site,
        plugin: Answer | None,
        ours: Answer | None,
        lifecycle: _Lifecycle,
    ) -> None:
        self._count(event, lifecycle)
        if plugin is None and ours is None:
            return
        theirs, mine, unread = comparable(plugin, ours)
        self.tally.answers += 1
        self.tally.unread += unread
        self.tally.spoken += _speaks(plugin)
        places = differing_places(theirs, mine)
        if not places:
            self.tally.agreed += 1
        elif not lifecycle.differs:
            lifecycle.differs = True
            self.tally.differing_lifecycles += 1
            if len(self.differences) < self._first:
                self.differences.append(
                    PluginDifference(name, site, event["kind"], places, theirs, mine)
                )

    def _count(self, event: TraceEvent, lifecycle: _Lifecycle) -> None:
        kind = event["kind"]
        if kind == "begin":
            lifecycle.differs = lifecycle.used = False
            return
        if not lifecycle.used:
            lifecycle.used = True
            self.tally.lifecycles += 1
        self.tally.calls += kind == "call"
        self.tally.results += kind == "result"
        self.tally.streams += kind == "close"
        self.tally.quiet += bool(event.get("quiet"))


class _Lifecycle:
    """What is known of the lifecycle under way."""

    def __init__(self) -> None:
        self.used = False
        self.differs = False


def _speaks(plugin: Answer | None) -> bool:
    if plugin is None:
        return False
    return (
        plugin.get("verdict", "allow") != "allow"
        or bool(plugin.get("advisories"))
        or bool(plugin.get("fired"))
    )


def _batches(
    trace: Iterable[tuple[TraceEvent, Site]],
) -> Iterator[list[tuple[TraceEvent, Site]]]:
    batch: list[tuple[TraceEvent, Site]] = []
    characters = 0
    for event, site in trace:
        batch.append((event, site))
        characters += len(event.get("text", "")) + len(event.get("arguments", ""))
        characters += sum(map(len, event.get("texts", ())))
        if len(batch) >= _BATCH or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
