"""What ``--a`` and ``--b`` name: a settings file, a version, single keys, a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings import AUTO, Inputs
from dsh_calibrate.replay.settings.catalogue import GUARDS
from dsh_calibrate.replay.settings.resolving import parse_versions
from dsh_calibrate.studies.comparing_policy import POLICIES, Policy

_OPEN, _CLOSE = "[{(", "]})"


@dataclass(frozen=True, slots=True)
class Spec:
    """One side as it was asked for: inputs of its settings, its policy, its name."""

    label: str
    inputs: Inputs
    policy: Policy


def read_spec(option: str, texts: Sequence[str], base: Inputs) -> Spec:
    """Read the texts of one option over ``base``, which both sides share.

    Each text is a file, ``auto``, ``rtb=0.5.2``, ``rtb.warnAt=9`` or ``policy=denylist``, or
    several of them joined by commas. No text at all is the base itself. Raises
    :class:`UsageError` for anything else; what a file or a value says is checked later.
    """
    config, keys = list(base.config), list(base.assignments)
    versions = list(base.plugin_versions)
    policy: Policy = "allowlist"
    for part in (part for text in texts for part in _parts(text)):
        name, sign, value = part.partition("=")
        if not sign or Path(part).exists():
            if part != AUTO and not Path(part).exists():
                raise UsageError(f"{option} {part}: {_expected()}")
            config.append(part)
        elif name == "policy":
            chosen = [p for p in POLICIES if p == value]
            if not chosen:
                raise UsageError(f"{option} {part}: policies are {', '.join(POLICIES)}")
            policy = chosen[0]
        elif name in GUARDS:
            parse_versions([part], option)
            versions.append(part)
        elif name.partition(".")[0] in GUARDS:
            keys.append(part)
        else:
            raise UsageError(f"{option} {part}: {_expected()}")
    inputs = replace(base, config=config, assignments=keys, plugin_versions=versions)
    return Spec(", ".join(texts) or "as given", inputs, policy)


def _expected() -> str:
    return (
        "no such file, and none of rtb=VERSION, GUARD.KEY=VALUE (rtb.warnAt=9) or policy=denylist"
    )


def _parts(text: str) -> list[str]:
    """Cut at the commas outside brackets and quotes; a file's name is one part."""
    if Path(text).exists():
        return [text]
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and depth <= 0:
            parts.append("")
            continue
        parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
