"""The failure track, the allowlist, and how close reasoning comes to each rule."""

from __future__ import annotations

from dsh_calibrate.calibrate.sweeping_figures import figures
from dsh_calibrate.reports.charts.shares import share_spec
from dsh_calibrate.reports.model import Block, Chart, Column, Paragraph, Section, Table
from dsh_calibrate.reports.sections.fires import RATE
from dsh_calibrate.reports.sections.material import Material
from dsh_calibrate.wording import counted

_RUNS = {
    "global": "any calls",
    "per_fingerprint": "one fingerprint",
    "per_target": "one target",
}
_STREAMS = 8
_POINTS = 60
_MOST_VERBS = 30


def failures(m: Material) -> Section:
    """Failures by reason and tool, and how long they run."""
    study = m.failures
    if study is None:
        text = "rtb is not selected (--guard): its failure track was not followed."
        return Section("failures", "Failure track", (Paragraph(text),))
    share = f" ({study.failures / study.calls:.1%})" if study.calls else ""
    rows: list[tuple[str | int | None, ...]] = []
    for threshold, by in study.reaching.items():
        for name, count in by.items():
            good = None if study.healthy is None else study.healthy[threshold][name]
            rows.append((threshold, _RUNS.get(name, name), count, len(study.logs), good))
    return Section(
        "failures",
        "Failure track",
        (
            Paragraph(
                f"{study.failures:,} of {study.calls:,} settled calls failed{share}. Runs are "
                "counted per lifecycle under three definitions and are not cut at human messages."
            ),
            Table(
                "failure-runs",
                "Logs whose longest run of failures is that long",
                (
                    Column("threshold", "run of at least", "count"),
                    Column("of_what", "failures of"),
                    Column("logs", "logs", "count"),
                    Column("of", "of", "count"),
                    Column("healthy", "healthy ones", "count"),
                ),
                tuple(rows),
            ),
            Table(
                "failure-reasons",
                "Failures by reason",
                (Column("reason", "reason"), Column("failures", "failures", "count")),
                tuple((r, n) for r, n in sorted(study.by_reason.items()) if n),
                empty="No call failed.",
            ),
            Table(
                "failure-tools",
                "By tool",
                (
                    Column("tool", "tool", "code"),
                    Column("calls", "calls", "count"),
                    Column("failed", "failed", "count"),
                    Column("share", "share", "share"),
                ),
                tuple(
                    (m.shown.tool(tool), one.rate.of, one.rate.count, one.rate.value)
                    for tool, one in study.by_tool.items()
                ),
                empty="No call.",
            ),
        ),
    )


def allowlist(m: Material) -> Section:
    """What the shell-HTTP block would refuse, what that costs, which verbs could be exempt."""
    scan = m.allowlist
    title = "Allowlist: cost and candidates"
    if scan is None:
        text = "rtb is not selected (--guard): shell commands were not judged."
        return Section("allowlist", title, (Paragraph(text),))
    refused = sum(map(len, scan.refused.values()))
    mode = "switched on" if m.settings.rtb and m.settings.rtb.block_shell_http else "switched off"
    return Section(
        "allowlist",
        title,
        (
            Paragraph(
                f"{counted(scan.shell_calls, 'shell call')}, {scan.remote_calls:,} of them "
                "with a remote "
                f"URL; the block would refuse {refused:,}. In the settings in force it is {mode}. "
                "Its cost are refused calls that only carry an address and fetch nothing."
            ),
            Table(
                "allowlist-cost",
                "Cost of the block",
                (Column("per", "per"), *RATE),
                (
                    (
                        "refused call",
                        scan.cost.count,
                        scan.cost.of,
                        scan.cost.value,
                        scan.cost.low,
                        scan.cost.high,
                    ),
                    (
                        "log with shell calls",
                        scan.cost_sessions.count,
                        scan.cost_sessions.of,
                        scan.cost_sessions.value,
                        scan.cost_sessions.low,
                        scan.cost_sessions.high,
                    ),
                ),
            ),
            Table(
                "allowlist-refused",
                "Refused calls by kind",
                (Column("kind", "kind"), Column("calls", "calls", "count")),
                tuple((kind, len(calls)) for kind, calls in scan.refused.items()),
            ),
            Table(
                "allowlist-verbs",
                "Verbs with a remote URL",
                (
                    Column("verb", "verb", "code"),
                    Column("segments", "segments", "count"),
                    Column("calls", "calls", "count"),
                    Column("exempt", "exempt"),
                ),
                tuple(
                    (m.shown.verb(v.verb), v.segments, v.calls, "yes" if v.exempt else "no")
                    for v in scan.verbs[:_MOST_VERBS]
                ),
                empty="No segment of a shell command carries a remote URL.",
            ),
            Table(
                "allowlist-candidates",
                "Candidates for the allowlist",
                (
                    Column("verb", "verb", "code"),
                    Column("flips", "calls it would free", "count"),
                    Column("bypass", "of them fetching", "count"),
                    Column("verdict", "verdict"),
                ),
                tuple(
                    (m.shown.verb(c.verb), len(c.flips), len(c.bypass), c.verdict)
                    for c in m.verbs[:_MOST_VERBS]
                ),
                empty="None: no refused call carries a verb that is not on the list.",
            ),
        ),
    )


def reasoning(m: Material) -> Section:
    """Margins of every reasoning rule, its curve, and what the size of pieces changes."""
    title = "Reasoning margins and piece sizes"
    if m.settings.rlg is None:
        text = "rlg is not selected (--guard): reasoning was not read."
        return Section("reasoning", title, (Paragraph(text),))
    if not m.closeness or m.summary.guards.get("rlg") is None:
        text = "The reasoning guard is switched off (enabled: false): nothing was judged."
        return Section("reasoning", title, (Paragraph(text),))
    margins = Table(
        "reasoning-margins",
        "Peaks against thresholds",
        (
            Column("key", "threshold", "code"),
            Column("rule", "rule"),
            Column("value", "value", "number"),
            Column("peak", "peak", "number"),
            Column("ratio", "peak / threshold", "number"),
            Column("positive", "lowest that ought to fire", "number"),
            Column("negative", "highest that ought not", "number"),
        ),
        tuple(
            (
                f"rlg.{c.key}",
                c.rule,
                c.threshold,
                c.peak,
                c.peak / c.threshold if c.threshold else None,
                c.lowest_positive,
                c.highest_negative,
            )
            for c in m.closeness
        ),
        note="The last two columns are ratios too; 1 and more holds. They need labels; a dash "
        "means that no label speaks about the rule.",
    )
    curves = Table(
        "reasoning-curves",
        "Streams in which a rule would hold at other thresholds",
        (
            Column("key", "threshold", "code"),
            Column("value", "value", "number"),
            Column("streams", "streams", "count"),
            Column("sessions", "sessions", "count"),
        ),
        tuple(
            (f"rlg.{c.key}", p.value, p.streams, p.sessions) for c in m.closeness for p in c.curve
        ),
    )
    blocks: list[Block] = [
        Paragraph(
            "Each rule is looked at alone, over the judge points of every stream, past a first "
            "fire too."
        ),
        margins,
    ]
    chart = _shares(m)
    if chart is not None:
        blocks.append(chart)
    else:
        blocks.append(Paragraph("No stream repeats a line often enough to draw its share."))
    return Section("reasoning", title, (*blocks, curves, _pieces(m)))


def _shares(m: Material) -> Chart | None:
    assert m.settings.rlg is not None
    streams: dict[tuple[str, int, int], list[tuple[int, float]]] = {}
    for log, lifecycle, stream, at, share in m.shares.iter_rows():
        streams.setdefault((log, lifecycle, stream), []).append((at, share))
    top = {key: max(v for _, v in points) for key, points in streams.items()}
    chosen = [k for k in sorted(streams, key=lambda k: (-top[k], k)) if top[k] > 0][:_STREAMS]
    if not chosen:
        return None
    drawn, rows = [], []
    for number, key in enumerate(chosen, start=1):
        points = streams[key]
        step = max(1, -(-len(points) // _POINTS))
        kept = points[::step] + ([points[-1]] if (len(points) - 1) % step else [])
        drawn += [(f"stream {number}", m.outcome(key[0]), at, float(f"{v:.6g}")) for at, v in kept]
        rows.append(
            (m.shown.log(key[0]), key[1], key[2], m.outcome(key[0]), points[-1][0], top[key])
        )
    threshold = float(m.settings.rlg.line_share)
    return Chart(
        "shares",
        "Share of the most repeated line along the reasoning",
        f"Curves of the {counted(len(chosen), 'stream')} with the highest share; the dashed "
        "line is "
        f"lineShare {threshold:g}. Highest: {rows[0][5]:.1%}.",
        share_spec(drawn, threshold),
        Table(
            "shares",
            "The streams that are drawn",
            (
                Column("log", "log", "code"),
                Column("lifecycle", "lifecycle", "count"),
                Column("stream", "stream", "count"),
                Column("outcome", "outcome"),
                Column("utf16", "UTF-16 units", "count"),
                Column("share", "highest share", "share"),
            ),
            tuple(rows),
        ),
    )


def _pieces(m: Material) -> Table:
    rows = []
    if m.pieces is not None:
        sessions = m.pieces.counted()
        for number in range(len(m.pieces.sets)):
            whole = figures(m.pieces, number, sessions, m.labels, exact=False)
            size = "as recorded" if number == 0 else str(m.sizes[number - 1])
            rows.append(
                (
                    size,
                    whole.tally.gates,
                    whole.gated.count,
                    whole.gated.of,
                    whole.stuck.count,
                    whole.healthy.count,
                )
            )
    return Table(
        "piece-sizes",
        "Fires when reasoning arrives in pieces of another size",
        (
            Column("pieces", "piece (UTF-16 units)"),
            Column("fires", "fires", "count"),
            Column("sessions", "sessions", "count"),
            Column("of", "of", "count"),
            Column("stuck", "stuck ones", "count"),
            Column("healthy", "healthy ones", "count"),
        ),
        tuple(rows),
        note="Providers cut reasoning differently; settings that only work at one size are "
        "fragile. Upper bounds.",
        empty="No reasoning was recorded, so there is nothing to cut anew.",
    )
