"""reasoning-loop-guard ("rlg"): tells when a reasoning stream repeats itself (guards.md 4)."""
