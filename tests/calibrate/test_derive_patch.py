"""The row at the end of a derivation, and its way into a patch file."""

from __future__ import annotations

import pytest

from dsh_calibrate.calibrate.candidates import from_file, grid
from dsh_calibrate.calibrate.patch_row import merged_text, patch_rows, patch_text
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.replay.settings import Inputs, resolve

MINE = """\
# My patch.
- insert:
    - id: something-else
      name: other-plugin
      config:
        list: [a, b]
    # The breaker.
    - id: repeat-tool-breaker
      name: dsh-repeat-tool-breaker
      config:
        warnAt: 3 # early
        # caps of mine
        limits:
          host: 20
          "verb:curl": 4
        homegrown: "yes"
- id: last
  disabled: true
"""


def settings_of(path=None, *assignments):
    config = [] if path is None else [str(path)]
    return resolve(Inputs(config=config, assignments=assignments))


def chosen(settings, *axes):
    rows = {guard: part.row for guard, part in settings.guards.items()}
    return grid([parse_axis(axis) for axis in axes], rows, settings.profile)[0]


def rows_of(settings, one, selected=("rtb", "tfb", "rtr", "rlg"), **more):
    return patch_rows(one, settings.guards, settings.profile, selected=selected, **more)


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "cordis.patch.yml"
    path.write_text(MINE)
    return path


AXES = ("rtb.warnAt=9", "rtb.limits.{exact,cmd}=14", "tfb.maxFailures=3")


def test_the_row_is_the_users_with_changed_keys(mine):
    settings = settings_of(mine)
    rows = rows_of(settings, chosen(settings, *AXES))
    assert rows["rtb"] == {
        "warnAt": 9,
        "limits": {"host": 20, "verb:curl": 4, "exact": 14, "cmd": 14},
        "homegrown": "yes",
    }
    assert rows["tfb"] == {"maxFailures": 3}
    assert list(rows) == ["rtb", "tfb"]


def test_a_row_can_be_read_back_and_is_in_force(mine, tmp_path):
    settings = settings_of(mine)
    one = chosen(settings, *AXES)
    patch = tmp_path / "new.yml"
    patch.write_text(patch_text(rows_of(settings, one), ["why"]))
    assert patch.read_text().startswith("# why\n- id: repeat-tool-breaker\n")
    again = settings_of(patch)
    for guard in ("rtb", "tfb"):
        assert repr(getattr(again, guard)) == repr(getattr(one, guard))


def test_full_restates_every_key(mine):
    settings = settings_of(mine)
    rows = rows_of(settings, chosen(settings, "rtb.warnAt=9"), ("rtb", "rlg"), full=True)
    assert rows["rtb"]["window"] == 16
    assert rows["rtb"]["limits"]["site"] is None
    assert rows["rtb"]["limits"]["host"] == 20
    assert rows["rlg"]["lineCount"] == 3
    assert set(rows) == {"rtb", "rlg"}


def test_rows_of_a_candidates_file_replace_what_decides(mine, tmp_path):
    settings = settings_of(mine)
    candidates = tmp_path / "c.yaml"
    candidates.write_text("only: {rtb: {warnAt: 8}}\n")
    rows = {guard: part.row for guard, part in settings.guards.items()}
    one = from_file(candidates, rows, settings.profile)[0]
    assert rows_of(settings, one, whole_rows=True) == {"rtb": {"warnAt": 8, "homegrown": "yes"}}


def test_nothing_to_change_is_an_empty_patch():
    assert patch_text({}) == "[]\n"


def test_merging_changes_values_and_keeps_everything_else(mine):
    settings = settings_of(mine)
    rows = rows_of(settings, chosen(settings, *AXES))
    text = merged_text(mine, rows, settings.guards)
    expected = MINE.replace("warnAt: 3", "warnAt: 9").replace(
        '          "verb:curl": 4\n',
        '          "verb:curl": 4\n          exact: 14\n          cmd: 14\n',
    )
    expected += "- id: tool-failure-circuit-breaker\n  config:\n    maxFailures: 3\n"
    assert text == expected
    mine.write_text(text)
    again = settings_of(mine)
    assert again.rtb.warn_at == 9
    assert again.tfb.max_failures == 3


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- id: repeat-tool-breaker\n  config:\n    warnAt: 9\n"),
        ("# only words\n", "# only words\n- id: repeat-tool-breaker\n  config:\n    warnAt: 9\n"),
        ("rtb:\n  warnAt: 3 # early\n", "rtb:\n  warnAt: 9 # early\n"),
        ("tfb:\n  maxFailures: 4\n", "tfb:\n  maxFailures: 4\nrtb:\n  warnAt: 9\n"),
        (
            "- name: dsh-repeat-tool-breaker\n",
            "- name: dsh-repeat-tool-breaker\n  config:\n    warnAt: 9\n",
        ),
        (
            "- id: group\n  config:\n  - id: repeat-tool-breaker\n    config: {warnAt: 3}\n",
            "- id: group\n  config:\n  - id: repeat-tool-breaker\n    config: {warnAt: 9}\n",
        ),
        (
            "- id: repeat-tool-breaker\n  config:\n    warnAt: 3\n    outputDir: !!js home()\n",
            "- id: repeat-tool-breaker\n  config:\n    warnAt: 9\n    outputDir: !!js home()\n",
        ),
    ],
)
def test_merging_into(tmp_path, before, after):
    path = tmp_path / "p.yml"
    path.write_text(before)
    settings = settings_of(path)
    rows = rows_of(settings, chosen(settings, "rtb.warnAt=9"))
    assert merged_text(path, rows, settings.guards) == after


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("p.json", "[]", "only YAML"),
        ("p.yml", "- &a {id: repeat-tool-breaker}\n", "anchors"),
        ("p.yml", "just words\n", "expected a cordis patch"),
        ("p.yml", "- id: [\n", "line"),
        (
            "p.yml",
            "- id: repeat-tool-breaker\n  config: {window: 20}\n",
            "name the file with --config",
        ),
        ("missing.yml", None, "no such file"),
    ],
)
def test_what_cannot_be_merged_into_is_refused(tmp_path, name, text, words):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    settings = settings_of()
    rows = rows_of(settings, chosen(settings, "rtb.warnAt=9"))
    with pytest.raises((UsageError, CalibrateError), match=words):
        merged_text(path, rows, settings.guards)
