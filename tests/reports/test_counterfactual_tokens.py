"""Token counts of the report are absent where no log has any."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Inputs, resolve
from dsh_calibrate.replay.summary import summarise
from dsh_calibrate.reports.model_text import shown
from dsh_calibrate.reports.sections.fires import _counterfactual


@pytest.mark.parametrize("counted", [0, 3])
def test_tokens(tmp_path, counted):
    session = Session("s-1").human("Go")
    for _ in range(9):
        session.call("bash", {"command": "ls a"}).result("ok")
    write_session(tmp_path, session, 4, "plain")
    settings = resolve(Inputs())
    plan = Plan(rtb=settings.rtb)
    summary = summarise(replay_corpus(discover([tmp_path]).logs, plan, jobs=1), plan.guards)
    guards = {
        guard: SimpleNamespace(
            counterfactual=SimpleNamespace(
                intervened=found.counterfactual.intervened,
                lifecycles=found.counterfactual.lifecycles,
                after=found.counterfactual.after,
                behind=found.counterfactual.behind,
                whole=SimpleNamespace(calls=found.counterfactual.whole.calls, counted=counted),
            )
        )
        for guard, found in summary.guards.items()
    }
    table = _counterfactual(SimpleNamespace(summary=SimpleNamespace(guards=guards)))
    place = [column.key for column in table.columns].index("tokens")
    values = [row[place] for row in table.rows]
    assert values
    assert all((value is None) == (counted == 0) for value in values)
    assert (shown(values[0], "count") == "–") == (counted == 0)
