"""Manifests, labels, scenarios and the log writer."""
