"""repeat-tool-breaker: two tracks, one gate, and the shell-HTTP block (guards.md 1)."""
