"""PATH… as typed: paths of this machine, and addresses of object stores."""

from __future__ import annotations

from pathlib import Path
from typing import cast


def place_argument(text: str) -> Path:
    """The path, or what stands for it; raises ``UsageError`` for an address that is refused.

    A :class:`~dsh_calibrate.logs.stores.stored_object.StoredObject` stands where a path does
    (:class:`~dsh_calibrate.logs.discovery.Log`); only discovery looks at which of them it is.
    """
    if "://" not in text:
        return Path(text)
    from dsh_calibrate.logs.stores.places import place

    return cast(Path, place(text))
