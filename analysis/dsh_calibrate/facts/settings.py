"""Which settings facts hang on: what feeds back, and what only gated decisions need."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dsh_calibrate.guards.repeat_tool_breaker.config import as_json
from dsh_calibrate.replay.plan import Plan

RTB_FEEDING = (
    "window",
    "localHosts",
    "includeLocal",
    "exclude",
    "include",
    "ignoreArgs",
    "hostAliases",
    "blockShellHttp",
    "blockLocalHttp",
    "shellHttpAllow",
)
"""Keys of repeat-tool-breaker that shape fingerprints, counts and the block's answer."""

RLG_FEEDING = (
    "min_chars",
    "every",
    "window",
    "kgram",
    "period_tail",
    "min_period",
    "max_period",
    "block_min",
    "line_min",
    "failure_code",
)
"""Settings of reasoning-loop-guard that shape judge points and figures."""


def feeding(plan: Plan) -> dict[str, Any]:
    """The settings that ungated facts hang on; two plans with equal ones share their facts."""
    rtb = None
    if plan.rtb is not None:
        known = as_json(plan.rtb)
        rtb = {key: known[key] for key in RTB_FEEDING if key in known}
        rtb["profile"] = plan.rtb.profile.name
    patterns = {
        guard: None if config is None else {"include": config.include, "exclude": config.exclude}
        for guard, config in (("tfb", plan.tfb), ("rtr", plan.rtr))
    }
    rlg = None
    if plan.rlg is not None:
        rlg = {key: getattr(plan.rlg, key) for key in RLG_FEEDING}
    return _plain({"salvage": plan.salvage, "rtb": rtb, **patterns, "rlg": rlg})


def deciding(plan: Plan) -> dict[str, Any]:
    """Everything that gated decisions hang on."""
    rtb = None
    if plan.rtb is not None:
        rtb = {**as_json(plan.rtb), "profile": plan.rtb.profile.name}
    others = {
        guard: None if config is None else dataclasses.asdict(config)
        for guard, config in (("tfb", plan.tfb), ("rtr", plan.rtr), ("rlg", plan.rlg))
    }
    how = {
        "salvage": plan.salvage,
        "operator": plan.operator,
        "shell_http": plan.shell_http,
    }
    return _plain({**how, "rtb": rtb, **others})


def digest_of(settings: Mapping[str, Any]) -> str:
    """32 hex digits that change with the settings."""
    text = json.dumps(settings, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """JSON values only, sorted, so that what is read back is equal."""
    text = json.dumps(settings, sort_keys=True, default=str)
    plain: dict[str, Any] = json.loads(text)
    return plain
