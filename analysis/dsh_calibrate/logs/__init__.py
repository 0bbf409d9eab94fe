"""Finding, reading and typing recorded session logs."""
