"""Settings of the whole suite: on CI Hypothesis repeats itself, elsewhere it explores."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# xdist tells its workers a width; text that is tested is as wide as for anybody.
os.environ.pop("COLUMNS", None)

settings.register_profile("explore", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(  # docs/quality.md; tests/fuzz/budget.py multiplies the examples
    "fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "explore")
)
