"""Published plugins for differential tests, fetched by npm into a cache folder.

Nothing of them is in the repository. Without Node, npm or a registry the tests that need
them are skipped with the reason, and the stored vectors stand in.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import platformdirs
import pytest

BREAKER = "dsh-repeat-tool-breaker@0.5.2"
REMINDER = "@deepseek-ai/dsh-repeat-tool-reminder@0.1.0-rc.8"


def cache_folder() -> Path:
    default = platformdirs.user_cache_dir("dsh-calibrate-tests", appauthor=False)
    return Path(os.environ.get("DSH_CALIBRATE_TEST_PACKAGES") or default)


@functools.cache
def node_is_there() -> bool:
    node = shutil.which("node")
    if node is None:
        return False
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v([0-9]+)", told)
    return found is not None and int(found[1]) >= 20


needs_node = pytest.mark.skipif(not node_is_there(), reason="no Node 20 or later on the PATH")


@functools.cache
def _fetched(spec: str) -> Path | str:
    """The package's folder, or why it is not there."""
    target = cache_folder() / re.sub(r"[^A-Za-z0-9.]+", "-", spec).strip("-")
    if (target / "package.json").is_file():
        return target
    npm = shutil.which("npm")
    if npm is None:
        return "no npm on the PATH"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            command = [npm, "pack", "--silent", "--ignore-scripts", spec]
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
            )
            packed = sorted(Path(folder).glob("*.tgz"))
            if done.returncode or not packed:
                return f"npm pack {spec} failed (no registry?)"
            with tarfile.open(packed[0]) as archive:
                archive.extractall(folder, filter="data")
            if not target.exists():
                (Path(folder) / "package").rename(target)
    except (OSError, subprocess.TimeoutExpired, tarfile.TarError) as error:
        return f"npm pack {spec} failed ({type(error).__name__})"
    return target


def installed(spec: str) -> Path:
    """The folder of a published package; skips the test where it cannot be had."""
    if not node_is_there():
        pytest.skip("no Node 20 or later on the PATH")
    found = _fetched(spec)
    if isinstance(found, str):
        pytest.skip(found)
    return found
