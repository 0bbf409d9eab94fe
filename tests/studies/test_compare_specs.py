"""What ``--a`` and ``--b`` accept."""

from __future__ import annotations

import pytest

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings import Inputs
from dsh_calibrate.studies.comparing_specs import read_spec

BASE = Inputs(config=("base.yml",), assignments=("rtb.window=20",))


@pytest.mark.parametrize(
    ("texts", "assignments", "versions", "policy"),
    [
        ([], [], [], "allowlist"),
        (["rtb=0.5.2"], [], ["rtb=0.5.2"], "allowlist"),
        (["rtb.warnAt=9,policy=denylist"], ["rtb.warnAt=9"], [], "denylist"),
        (
            ["rtr.thresholds=[2, 4], rlg.minUnits=5"],
            ["rtr.thresholds=[2, 4]", "rlg.minUnits=5"],
            [],
            "allowlist",
        ),
        (
            ['rtb.hostAliases."a,b"=c', "rtb=0.8"],
            ['rtb.hostAliases."a,b"=c'],
            ["rtb=0.8"],
            "allowlist",
        ),
        (["rtb.limits={host: 3, net: null}"], ["rtb.limits={host: 3, net: null}"], [], "allowlist"),
    ],
)
def test_parts(texts, assignments, versions, policy):
    spec = read_spec("--a", texts, BASE)
    assert list(spec.inputs.config) == ["base.yml"]
    assert list(spec.inputs.assignments) == ["rtb.window=20", *assignments]
    assert list(spec.inputs.plugin_versions) == versions
    assert spec.policy == policy


def test_files_whatever_their_name(tmp_path):
    odd = tmp_path / "a=b,c.yml"
    odd.write_text("rtb: {}\n")
    spec = read_spec("--a", [str(odd), "auto,rtb.warnAt=3"], BASE)
    assert list(spec.inputs.config) == ["base.yml", str(odd), "auto"]
    assert list(spec.inputs.assignments)[-1] == "rtb.warnAt=3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("missing.yml", "--b missing.yml: no such file"),
        ("warnAt=9", "--b warnAt=9: no such file, and none of"),
        ("policy=other", "policies are allowlist, denylist"),
    ],
)
def test_mistakes(text, message):
    with pytest.raises(UsageError) as error:
        read_spec("--b", [text], BASE)
    assert message in str(error.value)
