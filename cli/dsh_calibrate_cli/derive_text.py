"""``derive`` for people: bound, sessions, answer, evidence, what would change it, the row."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_calibrate.calibrate.blind_spots import BlindSpot
from dsh_calibrate.calibrate.deriving import Derivation
from dsh_calibrate.calibrate.deriving_choice import Judged
from dsh_calibrate.calibrate.intervals import upper_bound
from dsh_calibrate.calibrate.patch_row import PatchRows
from dsh_calibrate.replay.rates import rate
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate_cli.console import cell
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 20
"""Rows of the table of candidates."""

_SESSIONS = 5
"""Sessions of each kind that are named."""

_LEGEND = (
    "Exact parts only: what the live guards would have done precisely. disturbed: healthy "
    "sessions with at least one {what}; at most: the highest share that leaves possible, with "
    "confidence {sure}. caught: stuck sessions, the same. {method}"
)
_METHODS = {
    "fixed-sequence": "Tested in this order, which did not look at healthy sessions, until one "
    "fails.",
    "bonferroni": "Each tested at delta divided by the number of candidates.",
}


def print_derivation(
    console: Console,
    found: Derivation,
    guards: Sequence[str],
    spots: Sequence[BlindSpot],
    patch: str,
    paths: Mapping[str, Path],
    options: str = "",
) -> None:
    """Print one derivation, the answer first; ``paths`` are the files of log keys.

    ``options`` follow ``explain`` in printed commands: the settings of the choice.
    """
    console.print(cell(answer(found), "bold"))
    console.print()
    for name, text in _head(found, guards):
        console.print(cell(f"{name:<10}{text}"))
    console.print()
    _print_comparison(console, found)
    _print_tested(console, found)
    _print_held_out(console, found)
    _print_sessions(console, found, guards, paths, options)
    console.print(cell("What would change the answer", "bold"))
    for line in changing(found):
        console.print(cell(f"  {line}"))
    console.print()
    if spots:
        _print_spots(console, spots)
    if found.chosen is not None:
        console.print(cell("Row for cordis.patch.yml", "bold"))
        for line in patch.splitlines():
            console.print(cell(line), soft_wrap=True)


def answer(found: Derivation) -> str:
    """The answer in one line."""
    chosen = found.chosen
    if chosen is not None:
        risk = upper_bound(len(chosen.disturbed), len(found.healthy), 1 - found.bound.delta)
        return (
            f"{chosen.candidate.name}: disturbs {len(chosen.disturbed)} of {len(found.healthy)} "
            f"healthy sessions (at most {risk:.1%}, confidence {1 - found.bound.delta:.0%}), "
            f"catches {len(chosen.caught)} of {len(found.stuck)} stuck ones"
        )
    return f"no answer: {found.reason}{_call(found)}"


def _more(count: int, outcome: str) -> str:
    return f"{count} more {outcome} session{'s' * (count != 1)}"


def _call(found: Derivation) -> str:
    parts = []
    if found.needed.healthy:
        parts.append(_more(found.needed.healthy, "healthy"))
    if found.needed.stuck and not any(one.caught for one in found.tested):
        parts.append(_more(found.needed.stuck, "stuck"))
    if parts:
        return f"; label at least {' and '.join(parts)}"
    return "; infeasible with these candidates" if found.needed.healthy is None else ""


def _head(found: Derivation, guards: Sequence[str]) -> list[tuple[str, str]]:
    sessions = found.sessions
    bound = found.bound
    what = "a gate" if bound.disturbed_by == "gate" else "an advisory or a gate"
    beside = [
        f"{count} {words}"
        for count, words in (
            (sessions.undecided, "logs undecided"),
            (sessions.unlabelled, "without a label"),
            (len(sessions.left_out), "labelled but in no rate"),
        )
        if count
    ]
    shown = f"{len(found.healthy)} healthy, {len(found.stuck)} stuck"
    return [
        (
            "bound",
            f"at most {bound.alpha:.2%} of healthy sessions disturbed ({what}), confidence "
            f"{1 - bound.delta:.1%}",
        ),
        ("guards", f"{', '.join(guards)}{', taken together' if len(guards) > 1 else ''}"),
        ("sessions", shown + (f" (beside them: {', '.join(beside)})" if beside else "")),
        *(("left out", f"{log}: {reason}") for log, reason in [*sessions.left_out.items()][:5]),
    ]


def _print_comparison(console: Console, found: Derivation) -> None:
    title = "The choice and what is in force" if found.chosen else "What is in force"
    table = plain_table(title, "", *(["choice"] if found.chosen else []), "in force")
    columns = [one for one in (found.chosen, found.now) if one is not None]
    sure = 1 - found.bound.delta
    rows: tuple[tuple[str, Callable[[Judged], str]], ...] = (
        ("healthy disturbed", lambda one: _share(len(one.disturbed), len(found.healthy))),
        (
            f"   at most ({sure:.0%})",
            lambda one: f"{upper_bound(len(one.disturbed), len(found.healthy), sure):.1%}",
        ),
        ("   advisories there", lambda one: f"{one.healthy.advised}"),
        ("   gates, asks there", lambda one: f"{one.healthy.gates}, {one.healthy.asks}"),
        ("stuck caught", lambda one: _share(len(one.caught), len(found.stuck))),
    )
    for name, value in rows:
        table.add_row(cell(name), *(cell(value(one)) for one in columns))
    console.print(table)
    if len(found.guards_caught) > 1:
        shares = ", ".join(
            f"{guard} disturbs {found.guards_disturbed[guard]} and catches {caught}"
            for guard, caught in found.guards_caught.items()
        )
        console.print(cell(f"By guard: {shares}."))
        console.print()


def _print_sessions(
    console: Console,
    found: Derivation,
    guards: Sequence[str],
    paths: Mapping[str, Path],
    options: str,
) -> None:
    """The sessions that speak against the choice, each with the command that shows it."""
    chosen = found.chosen
    if chosen is None:
        return
    for words, sessions in (
        ("Healthy sessions that the choice disturbs", chosen.disturbed),
        ("Stuck sessions that the choice misses", found.stuck - chosen.caught),
    ):
        if not sessions:
            continue
        console.print(cell(f"{words} ({len(sessions)})", "bold"))
        for session in sorted(sessions)[:_SESSIONS]:
            path = paths[found.sessions.sessions[session].logs[0]]
            command = f"dsh-calibrate explain {shlex.quote(str(path))} --guard {','.join(guards)}"
            console.print(cell(f"  {command}{options}"), soft_wrap=True)
        console.print()


def _print_spots(console: Console, spots: Sequence[BlindSpot]) -> None:
    of = spots[0].of
    table = plain_table(
        f"Blind spots: work shown by fewer than {spots[0].minimum} healthy sessions (of {of})",
        "kind of work",
        "sessions",
        "a session shows it with at least",
    )
    table.columns[2].justify = "left"
    for spot in spots:
        rule = spot.rule
        table.add_row(cell(rule.kind), cell(spot.found), cell(f"{rule.least:,} {rule.words}"))
    console.print(table)


def _share(count: int, of: int) -> str:
    found = rate(count, of)
    if found.value is None:
        return "no session to count"
    return f"{count} of {of}: {found.value:.1%} ({found.low:.1%} to {found.high:.1%})"


def _print_tested(console: Console, found: Derivation) -> None:
    sure = 1 - found.bound.delta
    table = plain_table(
        "Candidates", "candidate (what changes)", "disturbed", "at most", "caught", "bound"
    )
    shown = list(zip(found.tested, found.steps, strict=True))
    if len(shown) > _SHOWN:
        first = next((k for k, (t, _) in enumerate(shown) if not t.certified), len(shown))
        start = max(0, min(first - _SHOWN // 2, len(shown) - _SHOWN))
        shown = shown[start : start + _SHOWN]
    for one, name in shown:
        mark = " ← choice" if found.chosen and one.number == found.chosen.number else ""
        table.add_row(
            cell(f"{name}{mark}", "bold" if mark else ""),
            cell(len(one.disturbed)),
            cell(f"{upper_bound(len(one.disturbed), len(found.healthy), sure):.1%}"),
            cell(len(one.caught)),
            cell(_verdict(one)),
        )
    console.print(table)
    if len(shown) < len(found.tested):
        console.print(cell(f"{len(shown)} of {len(found.tested)} candidates; json has them all."))
    what = "gate" if found.bound.disturbed_by == "gate" else "advisory or gate"
    legend = _LEGEND.format(what=what, sure=f"{sure:.0%}", method=_METHODS[found.bound.method])
    console.print(cell(legend, "dim"))
    console.print()


def _verdict(one: Judged) -> str:
    if one.certified:
        return "holds"
    return f"not shown (p = {one.verdict.p_value:.3f})" if one.verdict.tested else "not reached"


def _print_held_out(console: Console, found: Derivation) -> None:
    held = found.held_out
    if held is None:
        console.print(
            cell("Not judged on sessions outside the choice: too few, or no split in the labels.")
        )
        console.print()
        return
    where = (
        "On the test sessions of the labels"
        if held.how == "split"
        else f"Chosen {held.parts} times without a part of the sessions, judged on that part"
    )
    if not held.chosen:
        console.print(cell(f"{where}: never an answer."))
        console.print()
        return
    answered = "" if held.chosen == held.parts else f" ({held.chosen} times with an answer)"
    console.print(cell(f"{where}{answered}:", "bold"))
    console.print(cell(f"  healthy disturbed  {_share(held.disturbed, held.healthy)}"))
    console.print(cell(f"  stuck caught       {_share(held.caught, held.stuck)}"))
    console.print()


def changing(found: Derivation) -> list[str]:
    """What would change the answer, one line each."""
    lines = []
    if found.next is not None:
        place = found.tested.index(found.next)
        name, caught = found.steps[place], len(found.next.caught)
        if found.next_healthy is None:
            lines.append(
                f"{name} would catch {caught}, but the sessions show that it, or one tested "
                "before it, breaks the bound"
            )
        else:
            lines.append(
                f"{name} would catch {caught}: {_more(found.next_healthy, 'healthy')}, none "
                "of them disturbed, would show that it may be used"
            )
    elif found.chosen is not None:
        lines.append("no candidate catches more")
    if not found.feasible and found.next is None and found.needed.healthy:
        lines.append(f"at least {_more(found.needed.healthy, 'healthy')}, none disturbed")
    if found.needed.stuck:
        lines.append(
            f"at least {_more(found.needed.stuck, 'stuck')}, all of them caught, before it is "
            "sure that half of all stuck sessions are"
        )
    elif found.needed.stuck is None:
        lines.append("no number of stuck sessions alike shows that half of them are caught")
    return lines


def row_comments(found: Derivation, settings: Settings, rows: PatchRows | None) -> tuple[str, ...]:
    """What stands above the row: how it came about, and what it cannot say."""
    if found.chosen is None:
        return (f"dsh-calibrate derive: {answer(found)}",)
    comments = [f"dsh-calibrate derive: {answer(found)}"]
    if not rows:
        comments.append("the settings in force stay as they are")
    for guard in rows or {}:
        part = settings.guards[guard]
        comments += [
            f"{guard}.{key}: decided at run time (!!js), copy it by hand" for key in part.run_time
        ]
        for key, value in part.keys.items():
            changed = key.partition(".")[0] in found.chosen.candidate.settings.get(guard, {})
            if changed and value.source.endswith(
                ("settings.yaml", "settings.yml", "settings.json")
            ):
                comments.append(
                    f"{guard}.{key}: {value.source} overrides this row, change it there"
                )
    return tuple(comments)
