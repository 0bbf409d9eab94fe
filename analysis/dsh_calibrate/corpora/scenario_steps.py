"""What each kind of scenario step does to a session (docs/scenarios.md).

A step is read anew for every repetition, so its texts may use ``{n}``, ``{i}`` and its vars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, cast

from dsh_calibrate.corpora.prose import pick, prose
from dsh_calibrate.corpora.scenario_tables import ScenarioError, Table
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.templates import Value
from dsh_calibrate.errors import UsageError

MOST_REPEATS = 100_000
MOST_STEPS = 1_000_000
"""Steps that one scenario may play, groups unrolled."""

LONGEST_TEXT = 50_000_000
"""Characters that one stream's text may have."""


@dataclass(slots=True)
class Play:
    """A scenario being played: the session in hand, its children, the seeded randomness."""

    session: Session
    random: Random
    children: list[Session] = field(default_factory=list)
    played: int = 0


def play(run: Play, step: Table) -> None:
    """Do one step, as often as it says."""
    kind = step.needed_text("kind")
    step.place += f" ({kind})"
    do = _KINDS.get(kind)
    if do is None:
        raise step.error("kind", f"{kind!r} is not known, use one of {', '.join(_KINDS)}")
    repeat = step.maybe_integer("repeat", 1)
    if (repeat or 1) > MOST_REPEATS:
        raise step.error("repeat", f"at most {MOST_REPEATS}")
    outer = step.scope
    variables = step.raw("vars", dict, "a table of lists") or {}
    for i in range(repeat or 1):
        if repeat is not None or not {"i", "n"} <= outer.keys():
            step.scope = {**outer, "i": i, "n": i + 1}
        _variables(run, step, variables, i)
        run.played += 1
        if run.played > MOST_STEPS:
            raise step.error("repeat", f"the scenario has more than {MOST_STEPS} steps")
        try:
            do(run, step)
        except UsageError as wrong:
            raise ScenarioError(step.place, str(wrong)) from None
        step.close()
        step.scope = outer


def _variables(run: Play, step: Table, variables: Mapping[str, Any], i: int) -> None:
    for name, given in variables.items():
        step.scope = {**step.scope, name: _variable(run, step, f"vars.{name}", given, i)}


def _variable(run: Play, step: Table, key: str, given: Any, i: int) -> Value:
    if isinstance(given, list) and given:
        value = given[i % len(given)]
    elif isinstance(given, dict) and set(given) == {"choice"} and _is_filled_list(given["choice"]):
        choices = given["choice"]
        value = choices[int(run.random.random() * len(choices))]
    elif (
        isinstance(given, dict)
        and set(given) == {"from", "step"}
        and all(isinstance(number, int) for number in given.values())
    ):
        value = given["from"] + i * given["step"]
    elif isinstance(given, str | int):
        value = given
    else:
        raise step.error(
            key, "use a list (taken in turn), {choice = […]}, {from = a, step = b} or a value"
        )
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise step.error(key, "values are texts or whole numbers")
    return step.filled(key, value) if isinstance(value, str) else value


def _is_filled_list(given: object) -> bool:
    return isinstance(given, list) and bool(given)


def _human(run: Play, step: Table) -> None:
    text, after = step.text("text", "Go on."), step.maybe_integer("after")
    if step.flag("steer"):
        run.session.steer(text, after=after)
    else:
        run.session.human(text, after=after)


def _notice(run: Play, step: Table) -> None:
    run.session.notice(
        step.needed_text("text"),
        producer=step.text("producer", "runtime-context"),
        form=step.text("form", "notice") or None,
        summary=step.maybe_text("summary"),
        after=step.maybe_integer("after"),
    )


def _arguments(step: Table) -> Any:
    given = step.raw("arguments", (dict, str), "a table, or a raw text")
    if given is None:
        return {}
    if isinstance(given, str):
        return step.filled("arguments", given)
    return {
        name: step.filled(f"arguments.{name}", value)
        if isinstance(value, str) and name == "command"
        else step.json(f"arguments.{name}", value)
        for name, value in given.items()
    }


def _call(run: Play, step: Table) -> None:
    if step.flag("new_step"):
        run.session.step()
    run.session.call(
        step.needed_text("tool"),
        _arguments(step),
        call_id=step.maybe_text("id"),
        after=step.maybe_integer("after"),
    )
    approval = step.maybe_text("approval")
    reason = step.maybe_text("approval_reason")
    if approval is not None:
        run.session.approval(approval, reason=reason)
    for sub in step.tables("sub"):
        run.session.sub_call(sub.needed_text("tool"), _arguments(sub))
        given = _settled(sub, "result", "ok")
        given.pop("status", None)
        run.session.sub_result(**given)
        sub.close()
    settled = _settled(step, "result", "ok")
    if "result" in step.data:
        run.session.result(**settled)


def _settled(step: Table, key: str, default: str) -> dict[str, Any]:
    """Read a result given in short: a text, or a table of the fields of kind result."""
    given = step.raw(key, (str, dict), "a text or a table")
    if isinstance(given, dict):
        table = Table(given, f"{step.place}, {key}", step.scope)
        fields = _result_fields(table)
        table.close()
        return fields
    return {"text": default if given is None else step.filled(key, given)}


def _result_fields(step: Table) -> dict[str, Any]:
    text = step.text("text", "ok")
    status = step.maybe_integer("exit")
    if status:
        text = f"{text}\n[exit code: {status}]" if text else f"[exit code: {status}]"
    return {
        "text": text,
        "error": step.flag("error"),
        "name": step.maybe_text("name"),
        "code": step.maybe_text("code"),
        "status": step.maybe_integer("status"),
    }


def _result(run: Play, step: Table) -> None:
    run.session.result(
        **_result_fields(step),
        meta=step.json("meta", step.raw("meta", dict, "a table")),
        call_id=step.maybe_text("id"),
        synthetic="interrupted" if step.flag("synthetic") else None,
        after=step.maybe_integer("after"),
    )


def _stream(run: Play, step: Table) -> None:
    run.session.using(
        provider=step.maybe_text("provider"),
        model=step.maybe_text("model"),
        effort=step.maybe_text("effort"),
    )
    pieces = [step.filled("pieces", piece) for piece in step.listed("pieces", str, "texts")]
    text = _repeated(step)
    text += "".join(_part(run, part) for part in step.tables("parts", "part"))
    if pieces and text:
        raise step.error("pieces", "give either pieces or text and parts")
    outcome = step.choice("outcome", ("message", "attempt", "lost"), "message")
    run.session.reasoning(
        pieces or text,
        size=step.integer("size", 8, 1),
        piece_ms=step.integer("piece_ms", 20),
        first_ms=step.integer("first_ms", 400),
        answer=step.text("answer"),
        outcome=cast(Literal["message", "attempt", "lost"], outcome),
        finish=step.maybe_text("finish"),
        failure=step.maybe_text("failure"),
        interrupted=step.flag("interrupted"),
        granular=step.flag("granular", True),
        after=step.maybe_integer("after"),
    )


def _repeated(table: Table) -> str:
    """Read ``text`` and repeat it ``times`` times."""
    text, times = table.text("text"), table.integer("times", 1)
    if len(text) * times > LONGEST_TEXT:
        raise table.error("times", f"makes more than {LONGEST_TEXT} characters")
    return text * times


def _length(table: Table, key: str) -> int:
    length = table.integer(key, 0)
    if length > LONGEST_TEXT:
        raise table.error(key, f"at most {LONGEST_TEXT}")
    return length


def _part(run: Play, part: Table) -> str:
    text = _repeated(part)
    length = _length(part, "prose")
    if length:
        text += prose(run.random, length)
    choices = [part.filled("choices", choice) for choice in part.listed("choices", str, "texts")]
    picks, join = _length(part, "picks"), part.text("join")
    if picks and not choices:
        raise part.error("choices", "is missing: the texts to pick from")
    part.close()
    return text + join.join(pick(run.random, choices) for _ in range(picks))


def _resume(run: Play, step: Table) -> None:
    if step.flag("crash"):
        run.session.crash()
    run.session.resume(after=step.integer("after", 60_000))


def _fork(run: Play, step: Table) -> None:
    child = run.session.fork(
        step.needed_text("id"),
        subagent=step.flag("subagent"),
        seeded=step.flag("seeded", True),
    )
    parent, run.session = run.session, child
    run.children.append(child)
    for inner in step.tables("step"):
        play(run, inner)
    run.session = parent


def _compact(run: Play, step: Table) -> None:
    summary, results = step.maybe_text("summary"), step.maybe_integer("results", 1)
    if summary is None and results is None:
        raise step.error("", "say what to compact: summary (a text), results (how many) or both")
    if results is not None:
        run.session.prune(results, text=step.text("text", "[old result cleared]"))
    if summary is not None:
        run.session.compact(summary, after=step.maybe_integer("after"))


def _retry(run: Play, step: Table) -> None:
    run.session.retry(
        step.text("code", "RATE_LIMIT"),
        delay_ms=step.integer("delay_ms", 1000),
        after=step.maybe_integer("after"),
    )


def _group(run: Play, step: Table) -> None:
    for inner in step.tables("step"):
        play(run, inner)


def _end(run: Play, step: Table) -> None:
    reason = step.text("reason", "completed")
    abort, code = step.maybe_text("abort"), step.maybe_text("code")
    if step.flag("crash"):
        run.session.crash()
    else:
        run.session.end_turn(reason, abort=abort, code=code)


def _raw(run: Play, step: Table) -> None:
    data = step.json("data", step.raw("data", dict, "a table") or {})
    run.session.raw(step.needed_text("type"), data, ignorable=step.flag("ignorable"))


_KINDS: dict[str, Callable[[Play, Table], None]] = {
    "human": _human,
    "notice": _notice,
    "call": _call,
    "result": _result,
    "stream": _stream,
    "resume": _resume,
    "fork": _fork,
    "compact": _compact,
    "retry": _retry,
    "group": _group,
    "end": _end,
    "raw": _raw,
}
