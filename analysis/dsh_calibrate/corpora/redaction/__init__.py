"""Copies of logs that can be published: everything private replaced, every decision kept."""
