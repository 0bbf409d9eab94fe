"""Runs vector files against the engine (the golden files, and those kept under tests/).

A file is recognised by its name; its runner turns each input into the answer the engine
gives now, and the two answers are compared as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from dsh_calibrate.conformance.comparison import differing_places
from dsh_calibrate.conformance.outcome import Difference, FileOutcome, NotChecked, VectorOutcome
from dsh_calibrate.conformance.runners import KINDS, Runner, load_runner
from dsh_calibrate.conformance.vector_files import Vector, read_vectors, vector_paths
from dsh_calibrate.errors import UsageError

FIRST = 3
"""How many differences of each file are kept unless the caller says otherwise."""


def check_vectors(paths: Iterable[Path], *, first: int = FIRST) -> VectorOutcome:
    """Run every vector file that ``paths`` mean; keep the ``first`` differences of each.

    Files whose name says nothing, or whose kind has no runner yet, are in ``not_checked``.
    Raises :class:`UsageError` when a path is missing, a line is no vector, no file is
    recognised, or not one vector could be run.
    """
    files: list[FileOutcome] = []
    not_checked: list[NotChecked] = []
    recognised = False
    for path in vector_paths(paths):
        kind = path.name.removesuffix(".jsonl")
        if not path.name.endswith(".jsonl") or kind not in KINDS:
            not_checked.append(NotChecked(path, "no vector file is known by this name"))
            continue
        recognised = True
        runner = load_runner(kind)
        if runner is None:
            not_checked.append(NotChecked(path, f"no runner for {kind} vectors yet"))
        else:
            files.append(check_file(path, kind, runner, first=first))
    if not recognised:
        known = ", ".join(f"{kind}.jsonl" for kind in KINDS)
        raise UsageError(f"no vector file recognised; known by name: {known}")
    outcome = VectorOutcome(tuple(files), tuple(not_checked))
    if not outcome.vectors:
        names = ", ".join(str(path) for path in _paths(outcome))
        raise UsageError(f"not one vector could be run: {names}")
    return outcome


def check_file(path: Path, kind: str, runner: Runner, *, first: int = FIRST) -> FileOutcome:
    """Run one vector file.

    Raises :class:`UsageError` where a line is no vector, or one of a version without profile.
    """
    vectors = agreed = 0
    differences: list[Difference] = []
    for vector in read_vectors(path, runner.required):
        vectors += 1
        try:
            got = _answer(runner, vector)
        except UsageError as error:
            raise UsageError(f"{path}:{vector.line}: {error}") from None
        places = differing_places(vector.expect, got)
        if not places:
            agreed += 1
        elif len(differences) < first:
            differences.append(
                Difference(vector.line, vector.note, places, vector.given, vector.expect, got)
            )
    return FileOutcome(path, kind, vectors, agreed, tuple(differences))


def _answer(runner: Runner, vector: Vector) -> object:
    """The engine's answer; an engine that fails is a difference like any other.

    Raises :class:`UsageError` where the vector is of a version that the engine does not have.
    """
    try:
        return runner.answer(vector.given)
    except UsageError:
        raise
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}


def _paths(outcome: VectorOutcome) -> Iterable[Path]:
    found = [*(file.path for file in outcome.files), *(file.path for file in outcome.not_checked)]
    return islice(found, 5)
