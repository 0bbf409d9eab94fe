"""A connection to a Dask scheduler whose workers all run this very engine."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dsh_calibrate.engine import engine_id
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.executors.cluster import Cluster, ClusterError

if TYPE_CHECKING:
    from distributed import Client

CONNECT = 7.0
"""Seconds that a scheduler has to answer."""
_LOGGERS = "distributed."


@contextmanager
def connected(cluster: Cluster) -> Iterator[Client]:
    """Connect, see that every worker runs this engine, and disconnect in the end.

    TLS certificates come from Dask's own configuration. Raises :class:`UsageError` when
    the extra is missing, :class:`ClusterError` when nobody answers or versions differ.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            '--executor dask needs the package distributed: pip install "dsh-calibrate[dask]"'
        ) from None
    if cluster.scheduler.startswith("tls:"):
        _require_certificates(cluster)
    with _silent():
        try:
            with warnings.catch_warnings():  # engines are compared, not versions of Dask
                warnings.simplefilter("ignore")
                client = Client(cluster.scheduler, timeout=CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise ClusterError(
                f"{cluster.scheduler}: no Dask scheduler answers there ({_cause(error)}); start "
                "one with 'dask scheduler', or name another with --scheduler"
            ) from error
        try:
            _require_this_engine(client, cluster)
            yield client
        finally:
            with contextlib.suppress(Exception):
                client.close(timeout=2)


def _require_certificates(cluster: Cluster) -> None:
    """Raise :class:`UsageError` when Dask's configuration has none, or none that works."""
    from distributed.security import Security

    try:
        context = Security().get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{cluster.scheduler}: the certificates that Dask is configured with cannot be used "
            f"({_cause(error)})"
        ) from error
    if context is None:
        raise UsageError(
            f"{cluster.scheduler}: tls needs certificates; name them in Dask's configuration "
            "(distributed.comm.tls.ca-file, .client.cert and .client.key)"
        )


def _require_this_engine(client: Client, cluster: Cluster) -> None:
    """Ask every worker there is which engine it has; later ones are asked with each log."""
    try:
        answers = client.run(_asking(), on_error="return")
    except (OSError, RuntimeError) as lost:
        raise ClusterError(
            f"{cluster.scheduler}: the scheduler went away while its workers were asked "
            f"({_cause(lost)})"
        ) from lost
    for worker, answer in sorted(answers.items()):
        if answer == engine_id():
            continue
        where = f"{cluster.scheduler}: worker {worker}"
        if isinstance(answer, BaseException):
            raise ClusterError(
                f"{where} cannot be used ({type(answer).__name__}); install the same Python and "
                "the same packages everywhere"
            ) from answer
        if not answer:
            raise ClusterError(f"{where} has no dsh-calibrate; install {engine_id()} there")
        raise other_engine(where, answer)


def other_engine(where: str, theirs: object) -> ClusterError:
    """What to say when a worker would measure by other code."""
    return ClusterError(
        f"{where} runs dsh-calibrate {theirs}, this is {engine_id()}; install the same version "
        "everywhere"
    )


def _asking() -> Callable[[], str]:
    """A function that travels as code, so that it runs where nothing is installed."""

    def ask() -> str:
        try:
            from dsh_calibrate.engine import engine_id
        except ImportError:
            return ""
        return engine_id()

    return ask


def _cause(error: BaseException) -> str:
    """The innermost reason, in few words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return getattr(error, "strerror", None) or type(error).__name__


@contextmanager
def _silent() -> Iterator[None]:
    """Keep Dask's own talk about lost connections off stderr: what matters is raised."""
    names = ["distributed", *(n for n in logging.root.manager.loggerDict if n[:12] == _LOGGERS)]
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
