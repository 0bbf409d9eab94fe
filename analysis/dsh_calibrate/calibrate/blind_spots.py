"""Kinds of work that a corpus lacks: what no rate measured on it can speak about.

Each kind is one rule that can be read in :data:`RULES` (and in docs/derive.md): a log shows the
kind of work when a count made by :mod:`.blind_spots_seen` reaches the rule's figure. Too few
healthy sessions that show it are a blind spot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dsh_calibrate.calibrate.blind_spots_seen import Seen
from dsh_calibrate.wording import counted

MINIMUM = 5
"""Sessions that must show a kind of work: with fewer, one in two could be disturbed unseen."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A session shows ``kind`` when its count ``of`` is at least ``least``.

    ``guards`` are those to which it matters; ``words`` say what is counted.
    """

    kind: str
    of: str
    least: int
    words: str
    guards: frozenset[str]


_TOOLS = frozenset({"rtb", "tfb", "rtr"})
_FAILURES = frozenset({"rtb", "tfb"})
_REASONING = frozenset({"rlg"})

RULES: tuple[Rule, ...] = (
    Rule("local development", "build_calls", 5, "calls of build or test programs", _TOOLS),
    Rule("file editing", "edit_calls", 5, "calls of tools that write files", _TOOLS),
    Rule("requests to this machine", "local_urls", 3, "calls with a local URL", _TOOLS),
    Rule(
        "pagination", "pages", 3, "URLs that differ only in their digits, within one turn", _TOOLS
    ),
    Rule(
        "polling", "polls", 3, "equal calls within one turn whose results are not all equal", _TOOLS
    ),
    Rule(
        "one-host installs", "urls_of_a_host", 5, "different URLs of one host in one turn", _TOOLS
    ),
    Rule("package installs", "install_calls", 1, "call that installs packages", _TOOLS),
    Rule("parallel batches", "batch", 3, "calls side by side in one step", _TOOLS),
    Rule("failures", "failures", 3, "results marked as errors or with an exit code", _FAILURES),
    Rule("sub-calls", "sub_calls", 1, "call made by run_code", _TOOLS),
    Rule("long turns", "turn_calls", 30, "calls between two human messages", _TOOLS),
    Rule("long sessions", "calls", 100, "calls", _TOOLS),
    Rule("several human turns", "humans", 3, "human messages", _TOOLS),
    Rule("code reasoning", "code_lines", 10, "lines of reasoning that look like code", _REASONING),
    Rule(
        "CJK reasoning", "cjk", 200, "Chinese, Japanese or Korean characters reasoned", _REASONING
    ),
    Rule("long reasoning", "longest_stream", 20_000, "UTF-16 units in one stream", _REASONING),
    Rule(
        "lists in reasoning", "list_lines", 10, "lines of reasoning that are list items", _REASONING
    ),
)


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """A rule with what was found: ``found`` of ``of`` healthy sessions show it."""

    rule: Rule
    found: int
    of: int
    minimum: int = MINIMUM

    @property
    def words(self) -> str:
        """One line for people."""
        return (
            f"{self.rule.kind}: {self.found} of {counted(self.of, 'healthy session')} show it "
            "(at least "
            f"{self.rule.least:,} {self.rule.words}); {self.minimum} are the minimum"
        )

    def as_json(self) -> dict[str, object]:
        """For the evidence."""
        return {
            "kind": self.rule.kind,
            "rule": f"at least {self.rule.least} {self.rule.words}",
            "found": self.found,
            "minimum": self.minimum,
        }


def blind_spots(
    seen: Mapping[str, Seen], sessions: Iterable[Sequence[str]], guards: Sequence[str]
) -> list[BlindSpot]:
    """What is shown by too few of ``sessions`` (each the keys of its logs), in table order."""
    each = [[seen[log] for log in logs if log in seen] for logs in sessions]
    spots = []
    for rule in RULES:
        if not rule.guards & set(guards):
            continue
        found = sum(any(getattr(one, rule.of) >= rule.least for one in logs) for logs in each)
        if found < MINIMUM:
            spots.append(BlindSpot(rule, found, len(each)))
    return spots
