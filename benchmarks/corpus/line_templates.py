"""The smallest parts of a log's lines, as text by templates (session-format.md 4)."""

from __future__ import annotations

import msgspec

_encode = msgspec.json.encode


def quoted(value: object) -> str:
    """The JSON text of a value; characters beyond ASCII stay as they are."""
    return _encode(value).decode()


class LineTemplates:
    """Numbers the events of one log and knows its turn, step and time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._seq = self._messages = 0
        self._turn = self._step = 0
        self._time = 1_790_000_000_000

    def _event(self, kind: str, data: str, *, sources: str = "", surface: bool = False) -> str:
        cited = f',"sourceEventSeqs":{sources}' if sources else ""
        shown = ',"surfaceOp":"append"' if surface else ""
        seq = self._seq
        self._seq += 1
        return f'{{"type":"{kind}","seq":{seq},"time":{self._time},"data":{data}{cited}{shown}}}\n'

    def _place(self, rest: str) -> str:
        return f'{{"turn":{self._turn},"step":{self._step}{rest}'

    def _chunk(self, chunk: str) -> str:
        return self._event("assistant/chunk", self._place(f',"chunk":{chunk}}}'))

    def _entry(self, chunk: str) -> str:
        return f'{{"type":"chunk","time":{self._time},"chunk":{chunk}}}'

    @staticmethod
    def _delta(kind: str, index: int, head: str, piece: str) -> str:
        if head:
            fields = f'{head},"argumentsDelta":{quoted(piece)}'
            return f'{{"type":"tool-call-delta","index":{index},{fields}}}'
        return f'{{"type":"{kind}-delta","index":{index},"text":{quoted(piece)}}}'

    @staticmethod
    def _row(index: int, head: str, pieces: list[str], gaps: list[int]) -> str:
        rest = f'{head},"args"' if head else '"texts"'
        return f'"index":{index},"dt":{quoted(gaps)},{rest}:{quoted(pieces)}'

    def _message(self) -> str:
        self._messages += 1
        return f"{self._name}:m{self._messages}"
