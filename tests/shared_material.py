"""Where the shared test material lies, and a skip with a reason where it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("DSH_CALIBRATE_SHARED", Path(__file__).resolve().parents[2] / "shared"))

needs_shared = pytest.mark.skipif(
    not (ROOT / "goldens").is_dir(),
    reason="the shared material is not beside this clone (set DSH_CALIBRATE_SHARED)",
)
