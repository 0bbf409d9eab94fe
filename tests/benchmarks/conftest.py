"""Makes the scripts of benchmarks/ importable; they are no part of the package."""

from __future__ import annotations

import sys
from pathlib import Path

_BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

for _folder in (_BENCHMARKS, _BENCHMARKS / "corpus"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))
