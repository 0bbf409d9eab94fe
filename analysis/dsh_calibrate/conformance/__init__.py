"""Checks that the engine is the plugin: vectors, the live plugin, recorded decisions."""
