"""reasoning-loop-guard as guards.md section 4 words it: short, slow, nothing clever.

Text is a list of UTF-16 units held as a ``str`` of single units, so slices are JavaScript's.
"""

import re
from decimal import ROUND_HALF_UP, Decimal

import regex

DECORATION = regex.compile(
    "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\\p{P}\\p{S}]"
)
CODE = re.compile(r"[{}]|<\/?[A-Za-z!/]|^[ \t]*[-+]{1,3}[ \t]")


def to_units(text):
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(data[i] | data[i + 1] << 8) for i in range(0, len(data), 2))


def to_text(units):
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def strip(units):
    return to_units(DECORATION.sub("", to_text(units)))


def periodic_run(stripped, config):
    best = None
    period = config.min_period
    while period <= config.max_period and 2 * period <= len(stripped):
        unit = stripped[len(stripped) - period :]
        units = 1
        end = len(stripped) - period
        while end >= period and stripped[end - period : end] == unit:
            units += 1
            end -= period
        if best is None or units > best[0]:
            best = (units, period, unit)
        period += 1
    return best


def block_repeat(stripped, config):
    counts = {}
    best = (0, "")
    for start in range(len(stripped) - config.block_min + 1):
        block = stripped[start : start + config.block_min]
        counts[block] = counts.get(block, 0) + 1
        if counts[block] > best[0]:
            best = (counts[block], block)
    return best


def line_repeat(raw, config):
    counts = {}
    denominator = 0
    for line in re.split("\n+", raw):
        text = strip(line)
        if len(text) < config.line_min:
            continue
        denominator += len(text)
        if CODE.search(line):
            continue
        counts[text] = counts.get(text, 0) + 1
    best = (0, "")
    for text, count in counts.items():
        if count > best[0] or (count == best[0] and len(text) > len(best[1])):
            best = (count, text)
    return (*best, best[0] * len(best[1]) / denominator if denominator else 0.0)


def kgram_repeat(stripped, config):
    if len(stripped) < config.kgram:
        return 0, ""
    tail = stripped[-config.kgram :]
    count = sum(stripped.startswith(tail, start) for start in range(len(stripped)))
    return count, tail


def filler_run(raw):
    run = []
    for character in reversed(to_text(raw)):
        if not DECORATION.match(character):
            break
        run.insert(0, character)
    return len(run), run[0] * min(len(run), 40) if run else ""


def figures(buffer, period_buffer, config):
    """Every rule's figure, none left out."""
    return {
        "stripped": strip(buffer),
        "periodic": periodic_run(strip(period_buffer), config),
        "block": block_repeat(strip(buffer), config),
        "line": line_repeat(buffer, config),
        "kgram": kgram_repeat(strip(buffer), config),
        "filler": filler_run(buffer),
    }


def judge(buffer, period_buffer, at, config):
    run = periodic_run(strip(period_buffer), config)
    if run and run[0] >= config.min_units:
        return {
            "rule": "periodic-run",
            "at_utf16": at,
            "units": run[0],
            "period": run[1],
            "preview": to_text(run[2]),
        }
    stripped = strip(buffer)
    if len(stripped) >= config.block_min * config.block_count:
        count, block = block_repeat(stripped, config)
        if count >= config.block_count:
            return {
                "rule": "block-repeat",
                "at_utf16": at,
                "count": count,
                "block_len": config.block_min,
                "preview": to_text(block),
            }
    count, line, share = line_repeat(buffer, config)
    if count >= config.line_count and share >= config.line_share:
        return {
            "rule": "line-repeat",
            "at_utf16": at,
            "count": count,
            "line_len": len(line),
            "share": float(Decimal(share).quantize(Decimal("0.0001"), ROUND_HALF_UP)),
            "preview": to_text(line),
        }
    count, tail = kgram_repeat(stripped, config)
    if count >= config.kgram_threshold:
        return {"rule": "kgram-repeat", "at_utf16": at, "count": count, "preview": to_text(tail)}
    count, preview = filler_run(buffer)
    if count >= config.filler_run:
        return {"rule": "filler-run", "at_utf16": at, "count": count, "preview": preview}
    return None


def judge_points(pieces, config):
    """Yield (index of the piece, buffer, period buffer, total) for every judge point."""
    total = 0
    due = config.min_chars
    text = ""
    for index, piece in enumerate(pieces):
        units = to_units(piece)
        total += len(units)
        text = (text + units)[-max(config.window, config.period_tail) :]
        if total >= due:
            due = total + config.every
            yield index, text[-config.window :], text[-config.period_tail :], total


def detect(pieces, config):
    """Return None, or the index of the piece after which it fires and the verdict."""
    for index, buffer, period_buffer, total in judge_points(pieces, config):
        verdict = judge(buffer, period_buffer, total, config)
        if verdict:
            return index, verdict
    return None
