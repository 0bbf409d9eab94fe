"""One part of the logs for each of several machines that do not talk to each other.

A log's shard hangs on its name alone, so machines that look at different moments never
miss a log and never count one twice, whatever else has come or gone meanwhile. What may
stand for each other (the generations in a session's folder) is always in one shard.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import CANONICAL, Discovery

_FORM = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` (from 1) of ``of`` parts."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``I/N``; raises :class:`UsageError` unless 1 ≤ I ≤ N."""
        found = _FORM.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise UsageError(f"--shard {text!r}: write I/N with I from 1 to N, as in 1/4")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, key: str) -> bool:
        """Whether a log, by its key, belongs to this part.

        By the BLAKE2b (8 bytes, big endian) of the session's folder where the name is a
        session log's, of the whole key otherwise, modulo ``of``.
        """
        folder, _, name = key.rpartition("/")
        unit = folder if CANONICAL.fullmatch(name) else key
        digest = hashlib.blake2b(unit.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.of == self.number - 1


def take(found: Discovery, shard: Shard) -> Discovery:
    """What belongs to one shard; ``other_shards`` counts the logs that do not."""

    def held(keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(key for key in keys if shard.holds(key))

    logs = tuple(log for log in found.logs if shard.holds(log.key))
    return replace(
        found,
        logs=logs,
        superseded=held(found.superseded),
        duplicates=held(found.duplicates),
        ignored=held(found.ignored),
        shard=str(shard),
        other_shards=len(found.logs) - len(logs),
    )
