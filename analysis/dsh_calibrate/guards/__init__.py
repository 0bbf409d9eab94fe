"""One package per plugin. Pure: events in, decisions out; no clock, no files, no printing."""
