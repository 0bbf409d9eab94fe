"""Recognising secrets in text; the rules live with the corpora, which are searched with them."""

from __future__ import annotations

from dsh_calibrate.corpora.secrets import (
    BASE64_ENTROPY,
    BASE64_LENGTH,
    HEX_ENTROPY,
    HEX_LENGTH,
    Secret,
    entropy,
    find_secrets,
    replace_secrets,
)

__all__ = [
    "BASE64_ENTROPY",
    "BASE64_LENGTH",
    "HEX_ENTROPY",
    "HEX_LENGTH",
    "Secret",
    "entropy",
    "find_secrets",
    "replace_secrets",
]
