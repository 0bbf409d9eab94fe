"""From settings and options to what is replayed."""

from __future__ import annotations

from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate_cli.replay_options import ReplayOptions


def plan_for(settings: Settings, how: ReplayOptions, *, salvage: bool) -> Plan:
    """The plan of a replay under ``settings``.

    The block is off when the configuration says so, whatever the option (contract.md 2); a
    reasoning guard with ``enabled: false`` is not run.
    """
    rtb, rlg = settings.rtb, settings.rlg
    has_block = rtb is not None and rtb.block_shell_http
    return Plan(
        rtb=rtb,
        tfb=settings.tfb,
        rtr=settings.rtr,
        rlg=rlg if rlg is not None and rlg.enabled else None,
        operator=how.operator.value,
        shell_http=how.shell_http.value if has_block else "off",
        salvage=salvage,
    )
