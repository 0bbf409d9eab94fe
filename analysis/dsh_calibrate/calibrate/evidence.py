"""A derivation as JSON (contract.md 5, ``derive``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsh_calibrate.calibrate.blind_spots import BlindSpot
from dsh_calibrate.calibrate.deriving import Derivation
from dsh_calibrate.calibrate.deriving_choice import Judged
from dsh_calibrate.calibrate.intervals import upper_bound
from dsh_calibrate.calibrate.paired import mcnemar, mean_difference
from dsh_calibrate.calibrate.patch_row import PatchRows, as_entries
from dsh_calibrate.replay.rates import Rate, rate
from dsh_calibrate.replay.settings.nodes import json_value


def derivation_json(
    found: Derivation, rows: PatchRows | None, spots: Sequence[BlindSpot]
) -> dict[str, object]:
    """The keys of ``derive`` behind the common ones."""
    bound = found.bound
    return {
        "feasible": found.feasible,
        "reason": found.reason,
        "alpha": bound.alpha,
        "delta": bound.delta,
        "method": bound.method,
        "disturbed_by": bound.disturbed_by,
        "settings": json_value(found.chosen.candidate.settings) if found.chosen else None,
        "evidence": {
            "healthy": len(found.healthy),
            "stuck": len(found.stuck),
            "undecided": found.sessions.undecided,
            "unlabelled": found.sessions.unlabelled,
            "left_out": dict(found.sessions.left_out),
            "chosen": judged_json(found.chosen, found) if found.chosen else None,
            "in_force": judged_json(found.now, found),
            "against_in_force": compared_json(found) if found.chosen else None,
            "by_guard": {
                guard: {
                    "disturbed": found.guards_disturbed[guard],
                    "caught": found.guards_caught[guard],
                }
                for guard in found.guards_caught
            },
            "tested": [judged_json(one, found) for one in found.tested],
            "held_out": held_out_json(found),
            "next": judged_json(found.next, found) if found.next else None,
            "next_needs_healthy": found.next_healthy,
            "blind_spots": [spot.as_json() for spot in spots],
        },
        "needed": {"healthy": found.needed.healthy, "stuck": found.needed.stuck},
        "patch": None if rows is None else json_value(as_entries(rows)),
    }


def judged_json(one: Judged, found: Derivation) -> dict[str, object]:
    """One candidate: its test, its risk, what it caught."""
    healthy = len(found.healthy)
    return {
        "name": one.candidate.name,
        "settings": json_value(one.candidate.settings),
        "certified": one.certified,
        "tested": one.verdict.tested,
        "p_value": one.verdict.p_value,
        "level": one.verdict.level,
        "disturbed": rate_json(rate(len(one.disturbed), healthy)),
        "at_most": upper_bound(len(one.disturbed), healthy, 1 - found.bound.delta),
        "caught": rate_json(rate(len(one.caught), len(found.stuck))),
        "advisories": one.healthy.advised,
        "gates": one.healthy.gates,
        "asks": one.healthy.asks,
    }


def compared_json(found: Derivation) -> Mapping[str, object]:
    """The choice (b) against the settings in force (a), on the same sessions."""
    chosen, now = found.chosen, found.now
    assert chosen is not None
    healthy = mcnemar((s in now.disturbed, s in chosen.disturbed) for s in found.healthy)
    stuck = mcnemar((s in now.caught, s in chosen.caught) for s in found.stuck)
    more = mean_difference(found.advisories_against_now)
    return {
        "healthy": {"only_before": healthy.a, "only_now": healthy.b, "p_value": healthy.p_value},
        "stuck": {"only_before": stuck.a, "only_now": stuck.b, "p_value": stuck.p_value},
        "advisories_per_healthy_session": {
            "difference": more.value,
            "low": more.low,
            "high": more.high,
        },
    }


def held_out_json(found: Derivation) -> dict[str, object] | None:
    """The procedure on sessions it had not seen."""
    held = found.held_out
    if held is None:
        return None
    return {
        "how": held.how,
        "parts": held.parts,
        "answered": held.chosen,
        "disturbed": rate_json(rate(held.disturbed, held.healthy)),
        "caught": rate_json(rate(held.caught, held.stuck)),
    }


def rate_json(found: Rate) -> dict[str, object]:
    """A rate with its exact 95% interval."""
    return {"count": found.count, "of": found.of, "low": found.low, "high": found.high}
