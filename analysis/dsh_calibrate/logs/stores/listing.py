"""The objects below an address."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from dsh_calibrate.logs.stores.failures import as_os_error
from dsh_calibrate.logs.stores.filesystems import file_system
from dsh_calibrate.logs.stores.stored_object import StoredObject, described

_DEPTH = 32
"""Folders below each other that a web server's listing pages are followed into."""


def objects_below(root: StoredObject) -> list[StoredObject]:
    """Every object below a prefix, in the order of their addresses; raises ``OSError``.

    A web server is asked page by page for what its listings link to below ``root``;
    those objects have no size and no version yet.
    """
    system = file_system(root.kind)
    if root.is_web:
        return sorted(_linked(system, root), key=str)
    with as_os_error():
        entries = system.find(root.url, detail=True)
    if not entries:
        raise OSError(errno.ENOENT, "nothing in the store begins with this")
    found = []
    for name, info in entries.items():
        url = name if "://" in name else f"{root.kind}://{name.lstrip('/')}"
        if info.get("type") == "file" and url.startswith(f"{root.url}/") and _plain(root, url):
            found.append(described(url, info))
    return sorted(found, key=str)


def _plain(root: StoredObject, url: str) -> bool:
    """Whether no name in it is empty or walks elsewhere."""
    names = url[len(root.url) + 1 :].split("/")
    if root.is_web:
        names = [unquote(name) for name in names]
    return all(name not in ("", ".", "..") and "/" not in name for name in names)


def _linked(system: Any, root: StoredObject) -> Iterator[StoredObject]:
    seen = {root.url}
    waiting = [(root.url, 0)]
    while waiting:
        folder, depth = waiting.pop()
        with as_os_error():
            links = [str(link) for link in system.ls(f"{folder}/", detail=False)]
        for link in links:
            url = link.rstrip("/")
            if "?" in link or "#" in link or url in seen:
                continue
            if not url.startswith(f"{root.url}/") or not _plain(root, url):
                continue
            seen.add(url)
            if not link.endswith("/"):
                yield StoredObject(url)
            elif depth < _DEPTH:
                waiting.append((url, depth + 1))
