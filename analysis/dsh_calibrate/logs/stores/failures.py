"""What stores raise, as the ``OSError`` that a file would have raised.

The words are ours: a store's own messages may hold anything, credentials too.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

_STATUSES = {
    401: (errno.EACCES, "the store refuses access"),
    403: (errno.EACCES, "the store refuses access"),
    404: (errno.ENOENT, "no such object in the store"),
    410: (errno.ENOENT, "no such object in the store"),
}
_NAMES = {
    "NoCredentialsError": (errno.EACCES, "no credentials for the store were found"),
    "PartialCredentialsError": (errno.EACCES, "the credentials for the store are incomplete"),
    "RefreshError": (errno.EACCES, "the store refuses access"),
    "EndpointConnectionError": (errno.EHOSTUNREACH, "the store cannot be reached"),
    "ConnectTimeoutError": (errno.ETIMEDOUT, "the store does not answer"),
    "ReadTimeoutError": (errno.ETIMEDOUT, "the store does not answer"),
    "ClientPayloadError": (errno.EIO, "the store broke off in the middle"),
    "NoSuchBucket": (errno.ENOENT, "no such bucket"),
}


@contextmanager
def as_os_error() -> Iterator[None]:
    """Raise whatever goes wrong with a store as an ``OSError`` whose text is safe to show."""
    try:
        yield
    except Exception as error:
        number, text = _explained(error)
        raise OSError(number, text) from error


def _explained(error: BaseException) -> tuple[int, str]:
    """An error number, and a few words; the innermost cause that is known says most."""
    chain: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in chain:
        chain.append(at)
        at = at.__cause__ or at.__context__
    for one in reversed(chain):
        status = getattr(one, "status", None)
        if isinstance(status, int) and status in _STATUSES:
            return _STATUSES[status]
        if isinstance(status, int) and status >= 400:
            return errno.EIO, f"the store answers with an error ({status})"
        if type(one).__name__ in _NAMES:
            return _NAMES[type(one).__name__]
    for one in chain:
        if isinstance(one, FileNotFoundError) and one.__cause__ is None:
            return errno.ENOENT, "no such object in the store"
        if isinstance(one, PermissionError):
            return errno.EACCES, "the store refuses access"
        if isinstance(one, TimeoutError):
            return errno.ETIMEDOUT, "the store does not answer"
        if isinstance(one, ConnectionError) or type(one).__name__.startswith("ClientConnector"):
            return errno.EHOSTUNREACH, "the store cannot be reached"
    for one in chain:
        if isinstance(one, OSError) and one.errno == errno.ENOSPC:
            return errno.ENOSPC, "no room for a copy in the temporary folder"
        if isinstance(one, FileNotFoundError):
            return errno.ENOENT, "no such object in the store"
    return errno.EIO, f"the store cannot be read ({type(error).__name__})"
