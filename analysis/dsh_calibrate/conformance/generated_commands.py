"""Made-up shell commands, with every oddity that a fingerprint reads or passes over.

All from a ``random.Random``, so that a seed tells the whole story (and Hypothesis can
shrink it). Invented hosts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Item = TypeVar("_Item")

_HOSTS = (
    "example.org",
    "API.Example.ORG",
    "www.example.org",
    "example.org.",
    "www.example.org.",
    "a..example.org",
    "www.",
    ".",
    "open-data.canada.ca",
    "www.open.canada.ca",
    "localhost",
    "dev.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "10.0.0.7",
    "192.168.1.20",
    "172.16.0.1",
    "172.32.0.1",
    "169.254.1.1",
    "0.0.0.0",
    "192.0.2.10",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[fe80::1]",
    "[fd00::2]",
    "[2001:db8::5]",
    "[::ffff:192.0.2.1]",
    "[::1",
    "bücher.example",
    "xn--bcher-kva.example",
    "exa%6dple.org",
    "exa mple.org",
    "user:pass@example.org",
    "192.0.2.300",
    "co.uk",
    "single",
    "a_b.example",
    "..",
    "ex\u00adample.org",
    "$HOST",
    "example\\.org",
    "api\\.example.org\\/v1",
    "{a,b}.example.org",
)
_PORTS = ("", "", "", "", ":80", ":443", ":8080", ":$PORT", ":99999", ":")
_PATHS = (
    "",
    "/",
    "//",
    "/a/",
    "/a/../b",
    "/a/./b//",
    "/A%2fb",
    "/%e4%bd%a0",
    "/你好",
    "/a b",
    "/x;y=1",
    "/a\\b",
    "/*",
    "/|x",
    "/p,",
    "/v1.2.",
    "/end)",
    "/q]}",
)
_QUERIES = (
    "",
    "",
    "?",
    "?page=2",
    "?b=2&a=1",
    "?a=1&b=2",
    "?utm_source=x&page=2",
    "?UTM_Medium=x",
    "?utm_=1",
    "?fbclid=1&gclid=2",
    "?a=1&a=0&a",
    "?a+b=c+d",
    "?a=%2B&%61=%zz",
    "?a=%ff",
    "?=x&y",
    "?a=é",
    "?x=1#frag",
    "#frag",
    "?\U0001f600=1&\uffff=2",
    "?a='b'",
)
_SCHEMES = ("https://", "http://", "http://", "HTTP://", "ftp://", "https:/", "https:\\/\\/", "")
_VERBS = (
    "curl",
    "wget",
    "http",
    "httpie",
    "ls",
    "make",
    "cat",
    "python3",
    "git",
    "rg",
    "/usr/bin/curl",
    "CURL",
    "C:\\bin\\curl.exe",
    "./run.sh",
    "a/",
    "echo",
    "npm",
    "tee",
    "é",
)
_WRAPPERS = (
    "sudo",
    "sudo -u root",
    "doas",
    "env",
    "env A=1",
    "time",
    "time -p",
    "nice -n 5",
    "nohup",
    "exec",
    "command -v",
    "timeout 30",
    "timeout 1.5s",
    "timeout --kill-after=5 30s",
    "timeout --foreground",
    "timeout x",
    "A=1 B=2",
    "A=",
    "1A=2",
    "/usr/bin/env",
    "sudo -E --preserve-env",
    "xargs",
)
_OPTIONS = (
    "-s",
    "-sSfL",
    "-sx",
    "-k",
    "-",
    "--",
    "-m 5",
    "-m5",
    "-A agent",
    "-A1x",
    "--max-time 60",
    "--max-time=60",
    "--retry",
    "--retry=3",
    "--user-agent x",
    "--silent",
    "--location",
    "--compressed",
    "--compressed=1",
    "-H 'Accept: a/b'",
    "-X POST",
    "-d '{\"a\": 1}'",
    "-w '%{http_code}'",
    '--write-out="%{response_code}\\n"',
    "--fail",
    "-é",
)
_SINKS = (
    "-o out.json",
    "-o ./out.json",
    "-o -",
    "-o -x",
    "-o /dev/null",
    "-o",
    "-O",
    "-O file",
    "-O HTTPS://example.org/x",
    "--output a",
    "--output=b",
    "--output=",
    "--output-document c",
    "--output-document=c",
    "> f",
    ">f",
    ">>f",
    ">> ./././f",
    "2> err",
    "&> all",
    "> /dev/null",
    ">",
    "> |",
    ">&2",
    "2>&1",
    "< in",
    "| tee t.log",
    "| tee -a t.log",
    "| tee a b",
    "| tee",
    "| tee -a | cat",
    "> 'q'",
    "> \"'q'\"",
    ">>>x",
    "> './'",
)
_JOINERS = (" ", " ", " ", "  ", "\t", "\n", " \\\n", "\u00a0", "\u2028", "\ufeff", "\x1c", "\x85")
_GLUE = (" && ", " || ", "; ", " | ", " & ", "\n", "&&")
_ODDITIES = (
    "'unclosed",
    '"unclosed',
    "''",
    '""',
    "\\",
    "\\ ",
    '"a\\"b"',
    "'a\\'b'",
    "a\\\nb",
    "`date`",
    "$(date)",
    "\ud83d",
    "\U0001f600",
    "\x00",
    "İ",
    "ſ",
    "K",
    "#",
    "a'b\"c\"d'e",
    "=x",
)


def pick(random: Random, items: Sequence[_Item]) -> _Item:
    """One of ``items``."""
    return items[random.randrange(len(items))]


def address(random: Random) -> str:
    """An address, mostly one that parses."""
    parts = (_SCHEMES, _HOSTS, _PORTS, _PATHS, _QUERIES)
    text = "".join(pick(random, part) for part in parts)
    return text + pick(random, ("", "", "", ".", ",", ")", "'", '"', ";", "]", "\\.", ":"))


def _one(random: Random) -> str:
    words = []
    while random.random() < 0.3:
        words.append(pick(random, _WRAPPERS))
    words.append(pick(random, _VERBS))
    for _ in range(random.randrange(6)):
        kind = random.random()
        if kind < 0.3:
            words.append(pick(random, _OPTIONS))
        elif kind < 0.65:
            quote = pick(random, ("", "", "'", '"'))
            words.append(f"{quote}{address(random)}{quote}")
        elif kind < 0.8:
            words.append(pick(random, _SINKS))
        elif kind < 0.9:
            words.append(pick(random, ("src", "a.txt", "-n", "--all", "1", "30s")))
        else:
            words.append(pick(random, _ODDITIES))
    joined = words[0]
    for word in words[1:]:
        joined += pick(random, _JOINERS) + word
    return joined


def command(random: Random) -> str:
    """A shell command: one or several, wrapped, redirected, quoted well or badly."""
    text = _one(random)
    while random.random() < 0.25:
        text += pick(random, _GLUE) + _one(random)
    return pick(random, ("", "", "", " ", "\n")) + text
