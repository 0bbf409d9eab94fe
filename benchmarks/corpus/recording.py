"""One made-up session as the lines of a log, by templates, in the order the harness writes them.

Shapes: session-format.md 3 to 5 and 8. Lines are yielded in write batches (what the harness
would flush together), as text with its newlines.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from line_templates import LineTemplates, quoted
from tool_runs import Agent, Run
from words import Words


class Recording(LineTemplates):
    """Writes one session of at least ``size`` bytes; afterwards holds what was counted."""

    def __init__(
        self,
        words: Words,
        pick: Random,
        *,
        name: str,
        version: int,
        size: int,
        reasoning: float,
        loops: float,
        spells: float,
    ) -> None:
        super().__init__(name)
        self._words, self._pick = words, pick
        self._version, self._size = version, size
        self._share, self._loops = reasoning, loops
        self._agent = Agent(words, pick, spells)
        self._calls = self._written = 0
        self._is_first = True
        self.lines = self.calls = self.reasoning_characters = 0

    def batches(self) -> Iterator[str]:
        """All write batches; the first is the header line alone."""
        for batch in self._batches():
            self.lines += batch.count("\n")
            self._written += len(batch)
            yield batch

    def _batches(self) -> Iterator[str]:
        seeded = "" if self._version < 2 else '"isSeeded":false,'
        yield (
            f'{{"type":"session","version":{self._version},"id":"{self._name}","createdAt":{self._time},'
            f'"cwd":"/work/app",{seeded}"delegationDepth":0,"agentPreset":"standard"}}\n'
        )
        while self._written < self._size:
            yield from self._turn_batches()

    # -- turns and steps --------------------------------------------------------------------

    def _turn_batches(self) -> Iterator[str]:
        pick = self._pick
        self._turn += 1
        self._step = 0
        self._agent.new_turn()
        opening = self._event("turn/start", f'{{"turn":{self._turn}}}')
        steps = pick.randint(1, 28)
        for number in range(steps):
            opening += self._step_start()
            if number == 0:
                opening += self._human()
            yield opening
            is_last = number == steps - 1 or self._written >= self._size
            runs = [] if is_last else [self._agent.next_run() for _ in range(self._breadth())]
            if pick.random() < 0.01:
                yield from self._failed_attempt()
            yield from self._reply(runs)
            if runs:
                yield from self._results(runs)
            opening = self._event("step/end", self._place("}"))
            if is_last:
                break
        self._time += 40_000
        yield opening + self._event(
            "turn/end", f'{{"turn":{self._turn},"reason":{{"kind":"completed"}}}}'
        )

    def _breadth(self) -> int:
        return self._pick.choice((1, 1, 1, 1, 1, 1, 1, 1, 2, 3))

    def _step_start(self) -> str:
        self._step += 1
        text = self._event("step/start", self._place("}"))
        if self._version >= 3 and self._is_first:
            kind = (
                '{"kind":"system-prompt"}'
                if self._version >= 4
                else '{"kind":"plugin","plugin":"@deepseek-ai/dsh-system-prompt"}'
            )
            prompt = quoted("".join(self._words.pieces(self._pick, 3000)))
            message = (
                f'"message":{{"id":"{self._message()}","role":"system",'
                f'"content":[{{"type":"text","text":{prompt}}}],"source":{kind}}}}}'
            )
            text += self._event("system/message", self._place(f",{message}"), surface=True)
        return text

    def _human(self) -> str:
        words = quoted("".join(self._words.pieces(self._pick, self._pick.randint(5, 120))))
        text = self._event(
            "agent/inbox/spliced",
            '{"target":"next-turn","start":0,"removedCount":1,"inserted":[]}',
        )
        text += self._event(
            "user/message",
            f'{{"id":"{self._message()}","role":"user","content":[{{"type":"text","text":{words}}}],'
            '"source":{"kind":"user"}}',
            surface=True,
        )
        if self._is_first:
            self._is_first = False
            text += self._request()
        return text

    def _request(self) -> str:
        tools = [
            {"name": name, "description": "".join(self._words.pieces(self._pick, 350))}
            for name in ("bash", "read", "edit", "write", "grep", "glob", "web_fetch", "job_output")
        ]
        config = '{"provider":"deepseek-official","model":"deepseek-v4-flash"}'
        prompt = ""
        if self._version < 3:
            prompt = f',"system":{quoted("".join(self._words.pieces(self._pick, 3000)))}'
        header = f'{{"config":{config}{prompt},"tools":{quoted(tools)}}}'
        text = self._event("request/header", f'{{"header":{header},"reason":"initial"}}')
        return text + self._event("request/context", config)

    # -- what the model says ----------------------------------------------------------------

    def _reply(self, runs: list[Run]) -> Iterator[str]:
        pick, words = self._pick, self._words
        total = min(6000, int(pick.lognormvariate(6.5, 0.85)))
        blocks: list[tuple[str, str, list[str], str]] = []
        if thinking := int(total * self._share * 1.25 * pick.random() * 1.25):
            is_looping = pick.random() < self._loops
            pieces = (
                words.looping(pick, thinking + 600) if is_looping else words.pieces(pick, thinking)
            )
            text = "".join(pieces)
            self.reasoning_characters += len(text)
            blocks.append(
                ("reasoning", "", pieces, f'{{"type":"reasoning","text":{quoted(text)}}}')
            )
        if not runs or pick.random() < 0.4:
            pieces = words.pieces(pick, max(3, int(total * (1 - self._share) * 0.5)))
            content = f'{{"type":"text","text":{quoted("".join(pieces))}}}'
            blocks.append(("text", "", pieces, content))
        for run in runs:
            self._calls += 1
            raw = run.arguments
            pieces = [raw[start : start + 4] for start in range(0, len(raw), 4)]
            head = f'"id":"call_{self._calls}","name":"{run.tool}"'
            content = f'{{"type":"tool-call",{head},"arguments":{quoted(raw)}}}'
            blocks.append(("tool-call", head, pieces, content))
        usage = (
            f'{{"inputTokens":{pick.randint(200, 4000)},"outputTokens":{total},'
            f'"cacheReadTokens":{pick.randint(0, 90_000)},"reasoningTokens":{total // 2}}}'
        )
        finish = "tool-calls" if runs else "stop"
        ends = (
            f'{{"type":"usage","usage":{usage}}}',
            f'{{"type":"finish","reason":{{"kind":"{finish}"}}}}',
        )
        source = '{"kind":"model","provider":"deepseek-official","model":"deepseek-v4-flash"}'
        message = (
            f'"message":{{"id":"{self._message()}","role":"assistant",'
            f'"content":[{",".join(block[3] for block in blocks)}],"source":{source}}},'
            f'"usage":{usage}'
        )
        if self._version >= 2:
            stream = ",".join((*self._entries(blocks), *map(self._entry, ends)))
            data = self._place(f',{message},"stream":[{stream}]}}')
            closing = self._event("assistant/message", data, surface=True)
        else:
            first = self._seq
            closing = yield from self._chunk_lines(blocks)
            closing += "".join(map(self._chunk, ends))
            cited: list[object] = list(range(first, self._seq))
            if self._version:
                cited = [[first, self._seq - 1]]
            data = self._place(f",{message}}}")
            closing += self._event("assistant/message", data, sources=quoted(cited), surface=True)
        for number, run in enumerate(runs, self._calls - len(runs) + 1):
            self.calls += 1
            arguments = quoted(run.arguments)
            data = f',"callId":"call_{number}","name":"{run.tool}","arguments":{arguments}}}'
            closing += self._event("tool/call", self._place(data))
        yield closing

    def _chunk_lines(self, blocks: list[tuple[str, str, list[str], str]]) -> Iterator[str]:
        """Format 0 and 1: lines of chunks, rows of deltas; returns what is not yet flushed."""
        pending = ""
        for index, (kind, head, pieces, content) in enumerate(blocks):
            pending += self._chunk(f'{{"type":"block-start","index":{index},"blockType":"{kind}"}}')
            for row in self._rows(pieces):
                gaps = self._gaps(len(row))
                if len(row) < 3:
                    for piece in row:
                        pending += self._chunk(self._delta(kind, index, head, piece))
                else:
                    fields = self._row(index, head, row, gaps)
                    pending += (
                        f'{{"type":"{kind}-chunks","seq0":{self._seq},"time0":{self._time},"data":'
                        f"{self._place(f',{fields}}}')}}}\n"
                    )
                    self._seq += len(row)
                self._time += sum(gaps) + 5
                yield pending
                pending = ""
            pending += self._chunk(f'{{"type":"block-end","index":{index},"block":{content}}}')
        return pending

    def _entries(self, blocks: list[tuple[str, str, list[str], str]]) -> Iterator[str]:
        """Format 2 on: the same stream as an array inside the message."""
        for index, (kind, head, pieces, content) in enumerate(blocks):
            yield self._entry(f'{{"type":"block-start","index":{index},"blockType":"{kind}"}}')
            gaps = self._gaps(len(pieces))
            fields = self._row(index, head, pieces, gaps)
            yield f'{{"type":"{kind}-chunks","time0":{self._time},{fields}}}'
            self._time += sum(gaps)
            yield self._entry(f'{{"type":"block-end","index":{index},"block":{content}}}')

    def _failed_attempt(self) -> Iterator[str]:
        failure = '{"message":"model call failed","code":"RATE_LIMIT","status":429}'
        finish = f'{{"type":"finish","reason":{{"kind":"error","failure":{failure}}}}}'
        if self._version >= 2:
            text = self._event(
                "assistant/attempt", self._place(f',"stream":[{self._entry(finish)}]}}')
            )
        else:
            text = self._chunk(finish)
        retry = (
            f'{{"retryId":"retry-{self._turn}-{self._step}","turn":{self._turn},"step":{self._step}'
        )
        text += self._event(
            "llm/retry",
            f'{retry},"provider":"deepseek-official","mode":"normal","policyKey":"normal","retry":1,'
            f'"maxRetries":5,"delayMs":1000,"failure":{failure}}}',
        )
        self._time += 1000
        yield text
        yield self._event("llm/retry-started", f'{retry},"retry":1}}')

    # -- tools ------------------------------------------------------------------------------

    def _results(self, runs: list[Run]) -> Iterator[str]:
        first_seq = self._seq - len(runs)
        for order, run in enumerate(runs):
            self._time += self._pick.randint(20, 9000)
            call = f"call_{self._calls - len(runs) + 1 + order}"
            flag = "true" if run.is_error else "false"
            blocks = f'[{{"type":"text","text":{quoted(run.text)}}}]'
            role = "tool" if self._version >= 4 else "user"
            body = f'"toolCallId":"{call}","content":{blocks},"isError":{flag}'
            if self._version < 4:
                body = f'"content":[{{"type":"tool-result",{body}}}]'
            error = f',"error":{run.error}' if run.error else ""
            meta = f',"meta":{run.meta}' if run.meta else ""
            data = self._place(
                f',"message":{{"id":"{self._message()}","role":"{role}",'
                f'"source":{{"kind":"tool","callId":"{call}"}},{body}}}{error}{meta}}}'
            )
            yield self._event("tool/result", data, sources=f"[{first_seq + order}]", surface=True)

    def _rows(self, pieces: list[str]) -> Iterator[list[str]]:
        """Cut a run of pieces where the 200 ms of a write batch are over."""
        start = 0
        while start < len(pieces):
            size = self._pick.randint(1, 54)
            yield pieces[start : start + size]
            start += size

    def _gaps(self, count: int) -> list[int]:
        return self._pick.choices((4, 5, 6, 6, 7, 8, 8, 9, 12, 0), k=count - 1)
