"""tool-failure-circuit-breaker: stops an identical call that keeps failing (guards.md 2)."""
