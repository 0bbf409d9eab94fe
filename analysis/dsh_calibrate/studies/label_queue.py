"""Which logs to label next, and what the recording itself says about how they came out.

A label is worth most where the guards' counts come near their thresholds: those logs decide
whether a threshold stands. So the queue is sorted by the figure that comes nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsh_calibrate.corpora.labels import Labels
from dsh_calibrate.studies.log_profile import LogProfile
from dsh_calibrate.studies.peaks import Nearest

_USABLE = ("read", "damaged")


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One log without a label. ``nearest`` is ``None`` when no figure has a threshold."""

    log: str
    session: str | None
    path: str
    calls: int
    turns: int
    streams: int
    nearest: Nearest | None
    hints: tuple[str, ...]


def label_queue(profiles: Iterable[LogProfile], labels: Labels) -> list[QueueItem]:
    """The unlabelled logs with something a guard looks at, most informative first.

    Equal ratios: more turns that a user gave up on, then more recorded interventions, then
    the key.
    """
    waiting = [
        profile
        for profile in profiles
        if labels.get(profile.log) is None and profile.coverage.status in _USABLE
    ]
    waiting.sort(key=_order)
    return [
        QueueItem(
            log=profile.log,
            session=profile.header.session if profile.header is not None else None,
            path=profile.path,
            calls=profile.calls,
            turns=profile.turns,
            streams=profile.streams,
            nearest=profile.peaks.nearest,
            hints=hints(profile),
        )
        for profile in waiting
    ]


def _order(profile: LogProfile) -> tuple[float, int, int, str]:
    nearest = profile.peaks.nearest
    return (
        -nearest.ratio if nearest is not None else 0.0,
        -profile.abandoned_reasoning,
        -profile.recorded.total(),
        profile.log,
    )


def nearest_text(nearest: Nearest | None) -> str:
    """The nearest figure in words: ``host 14 of 16 (88%)``."""
    if nearest is None:
        return "no count that has a threshold"
    figure = f"{nearest.figure:.3g}" if nearest.figure < 1 else f"{nearest.figure:g}"
    return f"{nearest.measure} {figure} of {nearest.threshold:g} ({nearest.ratio:.0%})"


def hints(profile: LogProfile) -> tuple[str, ...]:
    """What speaks for stuck or healthy, in one short text each; nothing from the content."""
    said: list[str] = []
    if profile.abandoned_reasoning:
        said.append(
            f"the user aborted {_many(profile.abandoned_reasoning, 'turn')} after reasoning alone"
        )
    other = profile.endings["aborted:user"] - profile.abandoned_reasoning
    if other > 0:
        said.append(f"the user aborted {_many(other, 'turn')} otherwise")
    for what, count in sorted(profile.recorded.items()):
        said.append(f"recorded {what}: {count}")
    if profile.results and (profile.failures or profile.errors):
        failed = max(profile.failures, profile.errors)
        said.append(f"{failed} of {_many(profile.results, 'result')} failed")
    said += _endings(profile.turns, profile.endings["completed"], profile.endings.items())
    return tuple(said)


def _endings(turns: int, completed: int, endings: Iterable[tuple[str, int]]) -> Sequence[str]:
    said = []
    if completed:
        said.append(f"{completed} of {_many(max(turns, completed), 'turn')} completed")
    for reason, count in sorted(endings):
        if reason not in ("completed", "aborted:user"):
            said.append(f"{_many(count, 'turn')} ended {reason}")
    return said


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
