"""What the agent of a made-up session does: tool calls with their results, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from words import Words

_WEIGHTS = {
    "bash": 55, "read": 16, "edit": 8, "write": 4, "grep": 7, "glob": 3, "web_fetch": 3,
    "todo_write": 2, "job_output": 2,
}  # fmt: skip
_TOOLS = tuple(_WEIGHTS)
_SHARES = tuple(_WEIGHTS.values())

REPEATED = 0.22
"""Share of calls that do one of the last four calls of their turn once more."""

FAILED = 0.14
"""Share of shell runs that end with an exit status other than 0."""


@dataclass(frozen=True, slots=True)
class Run:
    """One call and its result; ``arguments`` is the raw JSON text of the model."""

    tool: str
    arguments: str
    text: str
    is_error: bool = False
    error: str = ""
    """JSON of the harness-typed error, or nothing."""
    meta: str = ""
    """JSON of the tool's meta, or nothing."""


class Agent:
    """The calls of one session; the same ``pick`` gives the same calls.

    ``spells`` is the share of calls that begin a spell: the same call 5 to 30 times in a row
    (or until the turn ends), as a poll does.
    """

    def __init__(self, words: Words, pick: Random, spells: float) -> None:
        self._spells = spells
        self._words = words
        self._pick = pick
        self._paths = pick.sample(words.paths, 60)
        self._recent: list[tuple[str, str]] = []
        self._spell = 0

    def new_turn(self) -> None:
        """A person wrote: what was done before is no longer done again."""
        self._recent.clear()
        self._spell = 0

    def next_run(self) -> Run:
        """Decide on a call and run it."""
        pick = self._pick
        if self._recent and pick.random() < self._spells:
            self._spell = pick.randint(5, 30)
        if self._spell:
            self._spell -= 1
            tool, arguments = self._recent[-1]
        elif self._recent and pick.random() < REPEATED:
            tool, arguments = pick.choice(self._recent[-4:])
        else:
            tool = pick.choices(_TOOLS, _SHARES)[0]
            arguments = json.dumps(self._arguments(tool), ensure_ascii=False)
        self._recent.append((tool, arguments))
        return self._result(tool, arguments)

    def _arguments(self, tool: str) -> dict[str, object]:
        pick, words = self._pick, self._words
        path = f"/work/app/{pick.choice(self._paths)}"
        match tool:
            case "bash":
                return {"command": self._command(), "description": self._some_words(4)}
            case "read":
                return {"file_path": path, "offset": pick.choice((1, 1, 200, 400)), "limit": 200}
            case "edit":
                old = words.code(pick, pick.randint(60, 700))
                new = words.code(pick, pick.randint(60, 900))
                return {"file_path": path, "old_string": old, "new_string": new}
            case "write":
                return {"file_path": path, "content": words.code(pick, pick.randint(400, 9000))}
            case "grep":
                return {"pattern": self._some_words(1), "path": "/work/app/src", "glob": "*.ts"}
            case "glob":
                return {"pattern": f"src/**/{self._some_words(1)}*.ts"}
            case "web_fetch":
                page = f"{self._some_words(1)}?page={pick.randint(1, 9)}"
                return {"url": f"https://docs.example.org/{page}"}
            case "todo_write":
                todos = [{"content": self._some_words(6), "status": "pending"} for _ in range(4)]
                return {"todos": todos}
            case _:
                return {"job_id": f"job-{pick.randint(1, 5)}"}

    def _command(self) -> str:
        pick = self._pick
        path, number = pick.choice(self._paths), pick.randint(1, 400)
        first, second = pick.choices(self._words.vocabulary, k=2)
        return pick.choice(
            (
                "npm test",
                "git status",
                "git diff --stat",
                "make -j4 2>&1 | tail -n 40",
                "cargo build",
                f"npm test -- --grep '{first} {second}'",
                f"python -m pytest tests/{first} -q -x",
                f'cd /work/app && rg -n "{first}" {path} | head -{number % 50 + 1}',
                f"sed -n '{number},{number + 60}p' {path}",
                f"cat {path} | grep -n {first}",
                f"ls -la src/{first} && wc -l {path}",
                f"git log --oneline -{number % 20 + 1} -- {path}",
                f"FOO={first} node scripts/{second}.mjs {number} > /tmp/{first}.log 2>&1; echo ok",
                f"curl -s https://api.example.org/{first}/{number} | jq '.{second}'",
                f"cat <<'EOF' > /tmp/{first}.py\nfor x in range({number}):\n    print(x)\nEOF\n"
                f"python /tmp/{first}.py",
            )
        )

    def _result(self, tool: str, arguments: str) -> Run:
        pick, words = self._pick, self._words
        size = self._size()
        match tool:
            case "bash":
                text = words.output(pick, min(size, 48_000))
                if pick.random() < FAILED:
                    status = pick.choice((1, 1, 2, 127))
                    text += f"\n[stderr]\n{words.output(pick, 200)}\n[exit code: {status}]"
                return Run(tool, arguments, text)
            case "read":
                if pick.random() < 0.05:
                    error = '{"name":"FsError","code":"FS_NOT_FOUND"}'
                    return Run(tool, arguments, "Error: no such file", is_error=True, error=error)
                text = words.code(pick, size, numbered=True)
                meta = '{"path":"/work/app/src/a.ts","offset":1,"lines":200,"totalLines":941}'
                return Run(tool, arguments, text, meta=meta)
            case "web_fetch":
                status = pick.choice((200, 200, 200, 200, 404, 500))
                url = json.loads(arguments)["url"]
                text = f"Fetched {url} (HTTP {status})\n\n{words.output(pick, size)}"
                meta = json.dumps({"url": url, "statusCode": status, "truncated": False})
                return Run(tool, arguments, text, meta=meta)
            case "edit" if pick.random() < 0.1:
                return Run(tool, arguments, "Error: old_string was not found", is_error=True)
            case "grep" | "glob":
                found = pick.choices(words.paths, k=pick.randint(0, 40))
                return Run(tool, arguments, "\n".join(found) or "no matches")
            case "job_output":
                status = pick.choice(("running", "completed", "completed, exit code: 2"))
                return Run(tool, arguments, f"{words.output(pick, size)}\n[status: {status}]")
            case _:
                return Run(tool, arguments, "done")

    def _size(self) -> int:
        """Characters of a result: mostly short, now and then a log of 10 to 100 KB."""
        pick = self._pick
        kind = pick.random()
        if kind < 0.70:
            return pick.randint(40, 1200)
        if kind < 0.91:
            return pick.randint(1500, 8000)
        return int(10_000 * 10 ** (pick.random() ** 1.6))

    def _some_words(self, count: int) -> str:
        return " ".join(self._pick.choices(self._words.vocabulary, k=count))
