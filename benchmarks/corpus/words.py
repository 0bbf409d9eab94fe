"""Invented language: pieces of prose as a model streams them, and lines of build output."""

from __future__ import annotations

from random import Random

_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "v",
)
_NUCLEI = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "n", "r", "s", "t", "l", "nd", "ck")
_CJK = "先看一下这个文件的内容然后再运行测试检查结果是否正确如果失败就修改代码"


class Words:
    """A vocabulary of one corpus; everything it gives is drawn with the caller's ``Random``."""

    def __init__(self, seed: int) -> None:
        pick = Random(f"words {seed}")
        self.vocabulary = [self._word(pick) for _ in range(4000)]
        self._tokens = self._population(pick)
        self._log_lines = [self._log_line(pick) for _ in range(6000)]
        self._code_lines = [self._code_line(pick) for _ in range(3000)]
        self.paths = [
            f"src/{pick.choice(self.vocabulary)}/{pick.choice(self.vocabulary)}.{ending}"
            for ending in ("ts", "py", "rs", "md")
            for _ in range(150)
        ]

    def pieces(self, pick: Random, count: int) -> list[str]:
        """``count`` pieces of healthy prose, about 4.4 characters each."""
        return pick.choices(self._tokens, k=count)

    def looping(self, pick: Random, count: int) -> list[str]:
        """Prose whose last two thirds say one sentence again and again."""
        sentence = [*self.pieces(pick, pick.randint(6, 18)), "."]
        healthy = self.pieces(pick, count // 3)
        return (healthy + sentence * (count // len(sentence) + 1))[:count]

    def output(self, pick: Random, size: int) -> str:
        """Build or test output of about ``size`` characters."""
        return "\n".join(pick.choices(self._log_lines, k=max(1, size // 68)))

    def code(self, pick: Random, size: int, *, numbered: bool = False) -> str:
        """Source text of about ``size`` characters, as ``read`` shows it where ``numbered``."""
        lines = pick.choices(self._code_lines, k=max(1, size // (45 if numbered else 38)))
        if numbered:
            lines = [f"{number:6}\t{line}" for number, line in enumerate(lines, 1)]
        return "\n".join(lines)

    @staticmethod
    def _word(pick: Random) -> str:
        return "".join(
            pick.choice(_ONSETS) + pick.choice(_NUCLEI) + pick.choice(_CODAS)
            for _ in range(pick.choice((1, 1, 1, 2, 2, 3)))
        )

    def _population(self, pick: Random) -> list[str]:
        """Tokens as often as they are to be drawn: the k-th word ~ 1/k times the first."""
        tokens: list[str] = []
        for rank, word in enumerate(self.vocabulary):
            tokens += [f" {word}"] * max(1, 300 // (rank + 1))
        count = len(tokens)
        tokens += [pick.choice(self.vocabulary)[:3] for _ in range(count // 6)]
        tokens += [","] * (count // 22) + ["."] * (count // 24)
        tokens += [".\n\n"] * (count // 120) + ["\n- "] * (count // 150)
        tokens += [f" `{pick.choice(self.vocabulary)}.py`" for _ in range(count // 90)]
        tokens += [f" {pick.randint(0, 400)}" for _ in range(count // 60)]
        tokens += [pick.choice(_CJK) for _ in range(count // 60)]
        return tokens + [' "', '"', "'s", "**", "()", " {", "}", " →"] * (count // 900)

    def _log_line(self, pick: Random) -> str:
        first, second = pick.choice(self.vocabulary), pick.choice(self.vocabulary)
        number = pick.randint(1, 4000)
        return pick.choice(
            (
                f"[{number % 101:3}%] Building CXX object src/{first}/{second}.dir/{second}.cpp.o",
                f"tests/{first}/test_{second}.py::test_{first}_{number} PASSED",
                f"\x1b[32m  ✓\x1b[0m {first} keeps the {second} of run {number} ({number % 90} ms)",
                f"npm warn deprecated {first}@{number % 9}.{number % 7}.0: use {second} instead",
                f"   Compiling {first}-{second} v0.{number % 30}.1 (/work/app/crates/{first})",
                f"src/{first}.ts({number},{number % 80}): warning TS6133: '{second}' is not read.",
                f"{number:>6} | const {first} = await {second}({number});",
                f"-rw-r--r-- 1 dev {number * 37:>8} Sep 14 09:{number % 60:02} {first}.txt",
            )
        )

    def _code_line(self, pick: Random) -> str:
        first, second = pick.choice(self.vocabulary), pick.choice(self.vocabulary)
        return pick.choice(
            (
                f"    {first} = self.{second}({pick.randint(0, 99)})",
                f'  return "{first} {second}\\n" + {first};',
                f"export function {first}({second}: string) {{",
                f"\tif ({first} !== {second}) throw new Error('{first}')",
                "}",
                "",
                f"    # {first} before {second}, see {pick.choice(self.vocabulary)}",
            )
        )
