"""Homes and settings files for tests, and short ways to resolve them."""

from __future__ import annotations

import json

from dsh_calibrate.replay.settings import Inputs, resolve, survey


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def make_home(root, files=None, bundles=("dsh-repeat-tool-breaker",), profile="web"):
    """A DSH home with one profile; ``files`` maps paths below the home to their text."""
    manifest = {"dsh": {"profile": {"bundles": list(bundles)}}}
    write(root / "profiles" / profile / "package.json", json.dumps(manifest))
    for name, text in (files or {}).items():
        write(root / name, text)
    return root


def of_home(home, *sets, config=("auto",), **more):
    return survey(Inputs(config=config, assignments=sets, dsh_home=home, **more))


def of_file(path, *sets, **more):
    return survey(Inputs(config=[str(path)], assignments=sets, **more))


def of_sets(*sets, **more):
    return survey(Inputs(assignments=sets, **more))


def value(settings, guard, key):
    found = settings.guards[guard].keys[key]
    return found.value, found.source


def refusals(settings):
    return [str(error) for error in settings.refusals]


def remarks(settings):
    return [remark.text for remark in settings.remarks]


__all__ = [
    "Inputs",
    "make_home",
    "of_file",
    "of_home",
    "of_sets",
    "refusals",
    "remarks",
    "resolve",
    "survey",
    "value",
    "write",
]
