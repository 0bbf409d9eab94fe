"""Runs a guard plugin itself, under Node, in a small host of ours.

``host.mjs`` offers the seams that the guards use and answers what the plugin did at every
event; ``stubs.mjs`` stands in for peer packages that are not installed. Both are data of
this package. Running a plugin is running somebody else's code: only on request.
"""
