"""A Dask cluster as a value: what options name and every study hands on to ``map_logs``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsh_calibrate.errors import CalibrateError, UsageError

_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[0-9A-Fa-f:.%]+\]|[^\s/@:\[\]]+):[0-9]{1,5}")


class ClusterError(CalibrateError):
    """The cluster cannot do the work: out of reach, of another version, or lost on the way."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The Dask cluster whose scheduler listens at ``scheduler`` (``tcp://HOST:PORT``).

    Raises :class:`UsageError` for anything else than ``tcp://`` or ``tls://``, a host and a
    port.
    """

    scheduler: str

    def __post_init__(self) -> None:
        if not _ADDRESS.fullmatch(self.scheduler):
            raise UsageError(
                "--scheduler: write the address that the Dask scheduler prints, "
                "tcp://HOST:PORT or tls://HOST:PORT"
            )


Jobs = int | Cluster | None
"""Who reads the logs: so many processes here (``None``: one per core), or a cluster."""
