"""The plugin's side of a comparison: the host's answers in the words of the engine's."""

from __future__ import annotations

from typing import Any

from dsh_calibrate.conformance.plugin_engine import Config
from dsh_calibrate.conformance.plugin_texts import Answer, advice_in, circuit_count, hits_in
from dsh_calibrate.conformance.plugin_traces import TraceEvent
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig


def plugin_answer(
    guard: str, event: TraceEvent, told: dict[str, Any] | None, config: Config
) -> Answer | None:
    """What the host's answer ``told`` says, in the form of :mod:`.plugin_engine`.

    A part that the plugin's words do not tell is ``None`` (:func:`comparable` leaves it
    out); ``threw`` says that the plugin raised an error at the event.
    """
    if told is None:
        return None
    if "threw" in told:
        return {"threw": told["threw"]}
    if event["kind"] == "call":
        if guard == "rtb":
            return _breaker_call(told, config)
        return _circuit_call(told) if guard == "tfb" else None
    if event["kind"] == "result":
        return _result(guard, told)
    if event["kind"] == "close":
        fired = told.get("fired")
        return {"fired": fired and {"rule": fired["rule"], "at_utf16": fired["at_utf16"]}}
    return None


def comparable(plugin: Answer | None, engine: Answer | None) -> tuple[object, object, int]:
    """Both answers without what the plugin does not tell, and how many parts that left out."""
    if plugin is None or engine is None or "threw" in plugin:
        return plugin, engine, 0
    unread = 0
    plugin, engine = dict(plugin), dict(engine)
    for name in ("hits", "count"):
        if name in plugin and plugin[name] is None:
            unread += engine.pop(name, None) not in (None, [])
            del plugin[name]
    for name in ("fingerprints", "local", "failure"):
        if name not in plugin:
            engine.pop(name, None)
    if plugin.get("fired") and engine.get("fired") and plugin["fired"]["rule"] is None:
        unread += 1
        engine["fired"] = {**engine["fired"], "rule": None}
    spoken = zip(plugin.get("advisories") or (), engine.get("advisories") or (), strict=False)
    for position, (theirs, ours) in enumerate(spoken):
        if "stage" in theirs and theirs["stage"] is None:
            unread += 1
            engine["advisories"] = list(engine["advisories"])
            engine["advisories"][position] = {**ours, "stage": None}
    return plugin, engine, unread


def _breaker_call(told: dict[str, Any], config: Config) -> Answer:
    assert isinstance(config, BreakerConfig)
    answer: Answer = {"verdict": "allow", "kind": None, "hits": []}
    asked, denied = told.get("asked"), told.get("denied")
    if asked is not None:
        approved = told.get("approved")
        # A denial behind an approval would be a third thing; it is shown as what it is.
        answer["verdict"] = "ask-approved" if approved else "ask-declined"
        answer["hits"] = hits_in(asked, config.fail_limit)
    if denied is not None:
        answer["verdict"] = "deny"
        if "SHELL_HTTP_BLOCKED" in denied[:40]:
            answer["kind"] = "shell-http"
        else:
            answer["hits"] = hits_in(denied, config.fail_limit)
    for name in ("fingerprints", "local"):
        if name in told:
            answer[name] = told[name]
    return answer


def _circuit_call(told: dict[str, Any]) -> Answer:
    denied = told.get("denied")
    if denied is None:
        return {"verdict": "allow", "count": None}
    return {"verdict": "deny", "count": circuit_count(denied)}


def _result(guard: str, told: dict[str, Any]) -> Answer | None:
    if guard not in ("rtb", "rtr"):
        return None
    spoken = [advice_in(context) for context in told.get("contexts") or ()]
    if guard == "rtr":
        spoken = [{key: value for key, value in one.items() if key != "stage"} for one in spoken]
    answer: Answer = {"advisories": spoken}
    if "failure" in told:
        answer["failure"] = told["failure"]
    return answer
