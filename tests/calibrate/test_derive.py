"""Derivations: choice, honest refusals, held-out evaluation (issue 5, items 4 and 8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from derive_corpus import make_corpus

from dsh_calibrate.calibrate.candidates import grid, in_force
from dsh_calibrate.calibrate.deriving import Bound, Ladders, Listed, derive
from dsh_calibrate.calibrate.intervals import upper_bound
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.sweeping import How, measure_for
from dsh_calibrate.corpora.label_reading import parse_labels
from dsh_calibrate.corpora.labels import apply_labels
from dsh_calibrate.errors import UsageError
from dsh_calibrate.facts.cache import Cache
from dsh_calibrate.logs.discovery import discover

SHIPPED = Path(__file__).resolve().parents[2] / "corpora" / "first-loops"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = make_corpus(tmp_path_factory.mktemp("corpus"))
    (folder / "cache").mkdir(mode=0o700)
    return folder


def derived(folder, bound=None, *, text=None, tried=None, guards=("rtb",), rows=None, **more):
    logs = discover([folder / "sessions"]).logs
    text = (folder / "labels.toml").read_text() if text is None else text
    labels = apply_labels(
        parse_labels(text, "labels.toml"), [(x.key, x.header.session) for x in logs]
    )
    bound = bound or Bound()
    tried = tried or Ladders(rows or {}, "0.8", guards, bound.disturbed_by)
    cache = Cache(folder / "cache") if (folder / "cache").is_dir() else None
    with measure_for(logs, tried.sets(), guards, How(), jobs=1, cache=cache) as facts:
        return derive(facts, logs, labels, tried, bound, How(), jobs=1, **more)


def listed(*axes, guards=("rtb",), **more):
    return Listed(
        grid([parse_axis(text) for text in axes], {}, "0.8"), in_force({}, "0.8"), guards, **more
    )


def test_a_big_corpus_has_an_answer(corpus):
    found = derived(corpus)
    assert found.feasible
    assert (len(found.healthy), len(found.stuck)) == (150, 30)
    # Healthy work peaks at 6 (two sessions at 8), loops begin at 9.
    assert found.chosen.candidate.settings["rtb"]["warnAt"] == 9
    assert len(found.chosen.caught) == 30
    assert found.chosen.disturbed == frozenset()
    assert upper_bound(0, 150, 0.9) < 0.05
    assert len(found.now.disturbed) == 2
    held = found.held_out
    assert (held.how, held.parts, held.chosen) == ("folds", 5, 5)
    assert (held.healthy, held.stuck) == (150, 30)
    assert held.disturbed == 0
    assert held.caught >= 25
    assert found.needed.healthy == 0


def test_the_order_is_decided_without_healthy_sessions(corpus, tmp_path):
    noisier = make_corpus(tmp_path, loud=60)
    assert derived(corpus).steps == derived(noisier).steps


def test_noise_stops_the_sequence_and_nothing_behind_it_is_used(tmp_path):
    found = derived(make_corpus(tmp_path, loud=30), tried=listed("rtb.warnAt=[12,9,8,7,6]"))
    certified = [one.candidate.name for one in found.tested if one.certified]
    assert certified == ["rtb.warnAt=12", "rtb.warnAt=9"]
    assert found.chosen.candidate.name == "rtb.warnAt=9"
    assert found.next is None  # nothing louder catches more


def test_a_candidate_that_catches_more_has_its_price(tmp_path):
    folder = make_corpus(tmp_path, healthy=60, loud=1)
    found = derived(folder, tried=listed("rtb.warnAt=[12,8]", "rtb.limits.{exact,cmd,net,sink}=16"))
    assert found.chosen.candidate.settings["rtb"]["warnAt"] == 12
    assert len(found.next.caught) > len(found.chosen.caught)
    # 1 of n at alpha 5%, delta 10%: 77 sessions.
    assert found.next_healthy == 17


def test_bonferroni_asks_for_more(corpus):
    found = derived(corpus, Bound(method="bonferroni"))
    levels = {one.verdict.level for one in found.tested}
    assert levels == {0.1 / len(found.tested)}
    assert found.feasible
    small = derived(corpus, Bound(alpha=0.016, method="bonferroni"))
    assert not small.feasible
    assert small.needed.healthy > 0


def test_only_gates_may_count(corpus):
    told = derived(corpus, Bound(disturbed_by="gate"))
    assert not told.feasible
    assert "behind advice nothing is exact" in told.reason
    silent = {"rtb": {"warnAt": None, "summarizeAt": None}}
    found = derived(corpus, Bound(disturbed_by="gate"), rows=silent)
    assert len(found.chosen.caught) == 30
    assert found.chosen.candidate.settings["rtb"]["limits"]["exact"] == 9
    assert found.chosen.candidate.rtb.warn_at is None
    assert found.chosen.healthy.gates == 0


def test_all_guards_are_judged_together(corpus):
    found = derived(corpus, guards=("rtb", "tfb", "rtr", "rlg"))
    assert found.feasible
    assert set(found.guards_caught) == {"rtb", "tfb", "rtr", "rlg"}
    assert len(found.chosen.caught) == 30
    # What catches nothing goes back to what is in force.
    assert "tfb" not in found.chosen.candidate.settings
    assert "rlg" not in found.chosen.candidate.settings


def test_settings_in_force_stay_when_nothing_is_better(tmp_path):
    found = derived(make_corpus(tmp_path, loud=0))
    assert found.chosen.candidate.settings == {}
    assert found.chosen.number == 0


def test_the_labelled_split_judges(corpus):
    text = "\n".join(
        f'[[label]]\nsession = "{kind}-*{digit}"\noutcome = "{kind}"\n'
        f'split = "{"test" if digit in "03" else "train"}"\n'
        for kind in ("healthy", "stuck")
        for digit in "0123456789"
    )
    found = derived(corpus, text=text)
    assert (len(found.healthy), len(found.stuck)) == (120, 24)
    assert (found.held_out.how, found.held_out.healthy, found.held_out.stuck) == ("split", 30, 6)


@pytest.mark.parametrize(
    ("text", "healthy", "stuck", "words"),
    [
        ('[[label]]\nsession = "healthy-*"\noutcome = "healthy"\n', 0, 4, "labelled stuck"),
        ('[[label]]\nsession = "stuck-*"\noutcome = "stuck"\n', 45, 0, "labelled healthy"),
    ],
)
def test_one_kind_of_label_alone_is_an_honest_no(corpus, text, healthy, stuck, words):
    found = derived(corpus, text=text)
    assert not found.feasible
    assert words in found.reason
    assert (found.needed.healthy, found.needed.stuck) == (healthy, stuck)
    assert found.chosen is None


def test_without_labels_there_is_nothing_to_derive(corpus):
    text = '[[label]]\nsession = "healthy-*"\noutcome = "undecided"\n'
    with pytest.raises(UsageError, match="no log is labelled healthy or stuck"):
        derived(corpus, text=text)


def test_the_small_shipped_corpus_says_how_many_are_missing():
    found = derived(SHIPPED)
    assert not found.feasible
    assert len(found.healthy) + found.needed.healthy == 45
    assert "too few" in found.reason
    assert found.held_out is None


def test_what_breaks_the_bound_for_sure_is_infeasible(tmp_path):
    folder = make_corpus(tmp_path, healthy=40, stuck_=6, loud=40)
    found = derived(folder, tried=listed("rtb.warnAt=[8,7]"))
    assert not found.feasible
    assert found.needed.healthy is None


def test_nothing_caught_is_infeasible_whatever_the_bound(corpus):
    found = derived(
        corpus,
        tried=listed("rtb.warnAt=40", "rtb.summarizeAt=41", "rtb.limits.{exact,cmd,net,sink}=50"),
    )
    assert not found.feasible
    assert found.reason == "no candidate catches a stuck session"


def test_folds_are_made_as_asked_or_refused(corpus):
    assert derived(corpus, folds_wanted=3).held_out.parts == 3
    with pytest.raises(UsageError, match="folds"):
        derived(corpus, folds_wanted=1)


def test_logs_of_one_session_are_one_observation(tmp_path):
    folder = make_corpus(tmp_path, healthy=4, stuck_=1)
    text = (
        '[[label]]\nlog = "*/healthy-000/*"\noutcome = "healthy"\n'
        '[[label]]\nlog = "*/stuck-000/*"\noutcome = "stuck"\n'
    )
    twin = next((folder / "sessions").rglob("healthy-000/*"))
    (folder / "sessions" / "again").mkdir()
    copied = folder / "sessions" / "again" / "copy.jsonl"
    copied.write_bytes(twin.read_bytes() + b'{"type":"note","ignorable":true}\n')
    both = text + '[[label]]\nlog = "again/*"\noutcome = "healthy"\n'
    assert len(derived(folder, text=both).healthy) == 1
    with pytest.raises(UsageError, match="one session is one observation"):
        derived(
            folder, text=both.replace('again/*"\noutcome = "healthy', 'again/*"\noutcome = "stuck')
        )
