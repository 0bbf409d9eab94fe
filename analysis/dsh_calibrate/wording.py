"""Counted things in the words of a sentence."""

from __future__ import annotations


def counted(count: int, word: str, words: str = "") -> str:
    """``3 sessions``, ``1 session``; ``words`` is the plural where it is not ``word`` + s."""
    return f"{count:,} {word if count == 1 else words or f'{word}s'}"
