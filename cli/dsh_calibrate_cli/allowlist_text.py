"""The ``allowlist`` studies for people; every example ends in the line that explains it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console

from dsh_calibrate.replay.rates import Rate
from dsh_calibrate.reports.masking import mask_command, mask_verb
from dsh_calibrate.studies.allowlist_candidates import VerbCandidate
from dsh_calibrate.studies.allowlist_coverage import BlockCoverage
from dsh_calibrate.studies.allowlist_scan import AllowlistScan
from dsh_calibrate.studies.shell_calls import ShellCall
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell, shortened
from dsh_calibrate_cli.tables import plain_table

_WIDTH = 90
_KIND_WORDS = {
    "target": "TARGET: names a downloader or an interpreter fetch",
    "incidental": "INCIDENTAL: carries an address, fetches nothing",
    "url_less": "URL-LESS: an HTTP command without an address that parses",
}


def print_scan(
    console: Console, found: AllowlistScan, examples: int, *, masked: bool, options: str = ""
) -> None:
    """Verbs, refusals, cost, the list re-derived."""
    console.print(
        cell(
            f"{counted(found.shell_calls, 'shell call')}, {found.remote_calls} with a remote URL; "
            f"allowlist: {', '.join(found.allow) or '(empty)'}"
        )
    )
    table = plain_table("Verbs with a remote URL", "verb", "segments", "calls", "exempt")
    for row in found.verbs:
        table.add_row(
            cell(_verb(row.verb, masked)),
            cell(row.segments),
            cell(row.calls),
            cell("yes" if row.exempt else "NO"),
        )
    console.print(table)
    total = sum(map(len, found.refused.values()))
    console.print(cell(f"Refused calls: {total}", "bold"))
    for kind, calls in found.refused.items():
        console.print(cell(f"  {len(calls):>5}  {_KIND_WORDS[kind]}"))
        _examples(console, calls, examples, masked, options)
    console.print(
        cell(
            f"Cost of the block: {_rate(found.cost)} of the refused calls fetch nothing; "
            f"{_rate(found.cost_sessions)} of the logs with shell calls hold one"
        )
    )
    table = plain_table("A list re-derived from these calls", "verb", "calls it frees", "why")
    for proposal in found.proposed:
        table.add_row(
            cell(_verb(proposal.verb, masked)), cell(proposal.flips), cell(proposal.reason)
        )
    console.print(table if found.proposed else cell("No verb here is worth an exemption."))


def print_candidates(
    console: Console,
    found: Sequence[VerbCandidate],
    on_the_list: Sequence[VerbCandidate],
    examples: int,
    *,
    masked: bool,
    options: str = "",
) -> None:
    """Every verb that could be exempted with what that would free, and what is exempt now."""
    used = [c for c in on_the_list if c.carried]
    unused = [c.verb for c in on_the_list if not c.carried]
    if used:
        _print_verbs(console, "On the list: what each entry frees", "frees", used, masked)
    if unused:
        console.print(cell(f"On the list, and nothing here depends on it: {', '.join(unused)}"))
    if not found:
        console.print(cell("No refused call carries a verb that could be exempted."))
        return
    _print_verbs(console, "Should the verb be exempt?", "would flip", found, masked)
    console.print(
        cell(
            "would flip: refused now, allowed with the verb on the list. of those fetch: they "
            "also name a downloader, so the exemption would be a bypass. Pattern-position tools "
            "search text for an address and fetch nothing: the plugin exempts them by kind, "
            "whatever is measured.",
            "dim",
        )
    )
    for c in found:
        if c.flips and examples:
            console.print(cell(f"{_verb(c.verb, masked)}: calls that would flip", "bold"))
            _examples(console, c.bypass or c.flips, examples, masked, options)


def _print_verbs(
    console: Console, title: str, flips: str, found: Sequence[VerbCandidate], masked: bool
) -> None:
    heads = ("refused calls", flips, "of those fetch", "sole cause", "verdict")
    table = plain_table(title, "verb", *heads)
    for c in found:
        table.add_row(
            cell(_verb(c.verb, masked)),
            cell(len(c.carried)),
            cell(len(c.flips)),
            cell(len(c.bypass)),
            cell("yes" if c.is_sole_cause else "no"),
            cell(c.verdict),
        )
    console.print(table)


def print_coverage(
    console: Console, found: BlockCoverage, examples: int, *, masked: bool, options: str = ""
) -> None:
    """What is missed and what it costs."""
    table = plain_table(
        "Fetchers named in calls that are not local", "fetcher", "calls", "refused", "let through"
    )
    for row in found.fetchers:
        table.add_row(cell(row.fetcher), cell(row.calls), cell(row.refused), cell(row.missed))
    console.print(table if found.fetchers else cell("No call names a fetcher."))
    console.print(
        cell(
            f"{counted(found.fetching, 'call names', 'calls name')} a fetcher; let through "
            "(misses): "
            f"{_rate(found.misses)}",
            "bold",
        )
    )
    _examples(console, found.missed, examples, masked, options)
    console.print(
        cell(
            f"{counted(found.refused, 'call')} refused; name no fetcher (cost): "
            f"{_rate(found.costs)}",
            "bold",
        )
    )
    _examples(console, found.cost, examples, masked, options)


def _examples(
    console: Console, calls: Sequence[ShellCall], most: int, masked: bool, options: str
) -> None:
    one_a_log = list({call.log: call for call in reversed(calls)}.values())[::-1]
    for call in one_a_log[:most]:
        command = mask_command(call.command) if masked else call.command
        console.print(cell(f"         {shortened(command, _WIDTH)}"), soft_wrap=True)
        explained = f"dsh-calibrate explain {shlex.quote(call.path)} --seq {call.seq}{options}"
        console.print(cell(f"         {explained}", "dim"), soft_wrap=True)


def _verb(verb: str, masked: bool) -> str:
    return mask_verb(verb) if masked else verb


def _rate(found: Rate) -> str:
    if found.value is None:
        return "0 of 0"
    return f"{found.count} of {found.of} ({found.value:.1%}, {found.low:.1%} to {found.high:.1%})"
