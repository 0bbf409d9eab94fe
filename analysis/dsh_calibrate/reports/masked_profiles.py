"""Profiles of logs without anything private in them, for artefacts that people read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import msgspec

from dsh_calibrate.logs.events import Header
from dsh_calibrate.reports.masking import mask_host, mask_log_keys, mask_text, mask_tool, mask_verb
from dsh_calibrate.studies.log_profile import LogProfile

_PUBLIC_MODELS = frozenset(
    {
        "deepseek",
        "claude",
        "gemini",
        "gemma",
        "llama",
        "qwen",
        "mistral",
        "kimi",
        "grok",
        "official",
        "anthropic",
        "openai",
        "google",
        "flash",
        "chat",
        "coder",
        "reasoner",
        "sonnet",
        "haiku",
        "opus",
        "mini",
        "nano",
        "turbo",
        "preview",
        "lite",
    }
)
_PARTS = re.compile(r"[A-Za-z0-9]+")


def mask_model(name: str) -> str:
    """``provider/model`` with only well-known words, short words and version numbers left."""
    if re.search(r"[^A-Za-z0-9./:_?-]", name):
        return mask_text(name)
    return _PARTS.sub(lambda part: _model_word(part[0]), name)


def _model_word(word: str) -> str:
    letters = re.sub(r"[0-9]{1,2}\Z", "", word).lower()
    known = letters in _PUBLIC_MODELS or re.fullmatch(r"[0-9]{1,4}[bBkKmM]?", word)
    return word if known or len(word) <= 3 else f"{word[0]}…"


def masked_profiles(profiles: Sequence[LogProfile]) -> list[LogProfile]:
    """The same profiles with log keys, session ids, tools, verbs, hosts and models masked.

    Two names that look alike once masked are still counted apart (``#2``, in the order of
    the names).
    """
    keys = mask_log_keys(profile.log for profile in profiles)
    tools = _named((p.tools for p in profiles), mask_tool)
    verbs = _named((p.verbs for p in profiles), mask_verb)
    hosts = _named((p.hosts for p in profiles), mask_host)
    models = _named((p.models for p in profiles), mask_model)
    return [
        replace(
            profile,
            log=keys[profile.log],
            path="",
            header=_masked_header(profile),
            tools=_renamed(profile.tools, tools),
            verbs=_renamed(profile.verbs, verbs),
            hosts=_renamed(profile.hosts, hosts),
            models=_renamed(profile.models, models),
            busiest_turns=tuple(
                replace(turn, log=keys[profile.log]) for turn in profile.busiest_turns
            ),
        )
        for profile in profiles
    ]


def _masked_header(profile: LogProfile) -> Header | None:
    header = profile.header
    if header is None:
        return None
    return msgspec.structs.replace(header, session=mask_text(header.session), cwd=None)


def _named(counters: Iterable[Counter[str]], mask: Callable[[str], str]) -> dict[str, str]:
    seen: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for name in sorted({name for counter in counters for name in counter}):
        masked = mask(name)
        seen[masked] += 1
        shown[name] = masked if seen[masked] == 1 else f"{masked}#{seen[masked]}"
    return shown


def _renamed(counter: Counter[str], names: dict[str, str]) -> Counter[str]:
    return Counter({names[name]: count for name, count in counter.items()})
