"""The sections of a report, each made from what was measured once."""
