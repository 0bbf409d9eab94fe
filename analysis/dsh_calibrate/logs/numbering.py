"""The numbers of a log's events: its own ``seq`` where it has one, else the position."""

from __future__ import annotations


class SeqGap(Exception):
    """The log's own numbers jump: events are missing or out of order."""


class Numbering:
    """Follows ``seq``, which is dense from 0; a packed row counts as its members.

    A log without numbers (stripped fixtures) is numbered by position. ``next`` is the
    number the next event gets or, while ``strict``, must have.
    """

    def __init__(self) -> None:
        self.next = 0
        self.strict = True

    def lose(self) -> None:
        """Events of unknown number were skipped: the next number seen is believed."""
        self.strict = False

    def take(self, seq: int | None, members: int = 1) -> int:
        """Return the number of an event; raises :class:`SeqGap`."""
        if seq is None:
            seq = self.next
            self.strict = False
        elif seq != self.next and self.strict:
            expected, self.strict = self.next, False
            raise SeqGap(f"seq {seq} where {expected} was due")
        else:
            self.strict = True
        self.next = seq + members
        return seq
