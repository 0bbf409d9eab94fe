"""Thresholds re-derived: statistics, sweeps, choices under a stated risk."""
