"""repeat-tool-reminder: advises when one call is made again and again (guards.md 3)."""
