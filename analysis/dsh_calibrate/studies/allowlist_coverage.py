"""What the block misses and what it costs, by a wider notion of fetching than its own.

The judge here is independent of the list under test: :data:`FETCHERS` names programs and
calls that fetch from a shell, in the languages people script in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dsh_calibrate.guards.repeat_tool_breaker.commands import HTTP_VERBS
from dsh_calibrate.replay.rates import Rate, rate
from dsh_calibrate.studies.allowlist_judging import Judge
from dsh_calibrate.studies.shell_calls import LogShellCalls, ShellCall

_PROGRAMS = (
    "curl wget httpie aria2c axel yt-dlp youtube-dl rclone nc ncat netcat socat lftp ftp tftp "
    "telnet scp sftp rsync lynx w3m links elinks gsutil s3cmd git-lfs"
)
FETCH_PROGRAMS = frozenset(_PROGRAMS.split())
"""Programs that fetch or send; none of them is ever worth an exemption."""

_CALLS = {
    "python urllib": r"\burllib[0-9.]*\b|\burlopen\(",
    "python requests": r"\brequests\.(?:get|post|put|patch|delete|head|request|Session)\b",
    "python httpx": r"\bhttpx\.",
    "python aiohttp": r"\baiohttp\.",
    "python http.client": r"\bhttp\.client\b",
    "python socket": r"\bsocket\.(?:create_connection|socket)\b",
    "javascript fetch": r"\bfetch\(",
    "javascript axios": r"\baxios\b",
    "javascript got": r"\bgot(?:\.[a-z]+)?\(",
    "javascript http(s)": r"\bhttps?\.(?:get|request)\(",
    "ruby": r"\bNet::HTTP\b|\bopen-uri\b|\bURI\.open\b|\bHTTParty\b",
    "perl": r"\bLWP::|\bHTTP::Tiny\b",
    "php": r"\bfile_get_contents\(\s*['\"]https?:|\bcurl_init\(",
    "go": r"\bhttp\.(?:Get|Post|NewRequest)\(",
    "java": r"\bHttpClient\b|\bHttpURLConnection\b",
    "rust": r"\breqwest\b|\bureq::",
    "powershell": r"\bInvoke-(?:WebRequest|RestMethod)\b|\biwr\b|\birm\b|\bStart-BitsTransfer\b"
    r"|\bNet\.WebClient\b",
    "bash /dev/tcp": r"/dev/(?:tcp|udp)/",
}
FETCHERS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        **{
            name: re.compile(
                rf"(?:(?<![\w./-])|(?<=bin/)){re.escape(name)}(?:\.exe)?(?![\w.-])", re.ASCII
            )
            for name in _PROGRAMS.split()
        },
        **{name: re.compile(pattern, re.ASCII) for name, pattern in _CALLS.items()},
    }
)
"""Independent fetchers by name; a command names one when the pattern is found in it."""


@dataclass(frozen=True, slots=True)
class FetcherRow:
    """One fetcher: calls that name it and are not local, refused ones, let through."""

    fetcher: str
    calls: int
    refused: int
    missed: int


@dataclass(frozen=True, slots=True)
class BlockCoverage:
    """What the block lets through although it fetches, and refuses although it does not.

    ``fetching`` counts the calls that name a fetcher and are not local; ``missed`` are those
    allowed, ``cost`` the refused calls that name none.
    """

    shell_calls: int
    fetching: int
    refused: int
    fetchers: tuple[FetcherRow, ...]
    missed: tuple[ShellCall, ...]
    cost: tuple[ShellCall, ...]

    @property
    def misses(self) -> Rate:
        """Calls let through among those that fetch."""
        return rate(len(self.missed), self.fetching)

    @property
    def costs(self) -> Rate:
        """Calls that name no fetcher among the refused ones."""
        return rate(len(self.cost), self.refused)


def block_coverage(logs: Sequence[LogShellCalls], judge: Judge) -> BlockCoverage:
    """Hold the block's answers against the wider set."""
    calls = [call for log in logs for call in log.calls]
    rows: dict[str, list[bool]] = {name: [] for name in FETCHERS}
    missed, cost, fetching, refusals = [], [], 0, 0
    named: dict[str, tuple[str, ...]] = {}
    for call in calls:
        if call.command not in named:
            named[call.command] = fetchers_of(call.command)
        names = named[call.command]
        is_refused = judge.refused(call.command)
        refusals += is_refused
        if names and not judge.parts(call.command).is_local:
            fetching += 1
            for name in names:
                rows[name].append(is_refused)
            if not is_refused:
                missed.append(call)
        elif is_refused and not names:
            cost.append(call)
    return BlockCoverage(
        shell_calls=len(calls),
        fetching=fetching,
        refused=refusals,
        fetchers=tuple(
            FetcherRow(name, len(found), sum(found), len(found) - sum(found))
            for name, found in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0]))
            if found
        ),
        missed=tuple(missed),
        cost=tuple(cost),
    )


def fetchers_of(command: str) -> tuple[str, ...]:
    """The names of the fetchers that a command names."""
    return tuple(name for name, pattern in FETCHERS.items() if pattern.search(command))


def is_downloader(verb: str) -> bool:
    """Whether a verb is itself a program that fetches: an exemption of it is a bypass."""
    return verb in HTTP_VERBS or verb in FETCH_PROGRAMS
