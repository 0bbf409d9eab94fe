"""A made-up corpus that derive can answer on: mostly quiet work, and loops (issue 5, item 8)."""

from __future__ import annotations

import random
from pathlib import Path

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session

SEED = 20_177


def quiet(number: int, peak: int, dice: random.Random) -> Session:
    """Edit and test: ``make`` comes back ``peak`` times, everything else differs."""
    session = Session(f"healthy-{number:03}", start=1_700_000_000_000 + number * 86_400_000)
    session.human("Please fix it.")
    for k in range(peak):
        session.call("edit", {"file_path": f"/work/app/a{number}-{k}.py"}).result("ok")
        session.call("bash", {"command": "make"}).result(f"pass {dice.randrange(10_000)}")
    return session.say("Done.")


def stuck(number: int, length: int) -> Session:
    """The same call over and over, until somebody stops it."""
    session = Session(f"stuck-{number:03}", start=1_600_000_000_000 + number * 86_400_000)
    session.human("Please fix it.")
    for _ in range(length):
        session.call("read", {"file_path": f"/work/app/lost{number}.txt"}).result("nothing")
    return session.end_turn("aborted", abort="user")


def make_corpus(folder: Path, *, healthy: int = 150, stuck_: int = 30, loud: int = 2) -> Path:
    """Write sessions and ``labels.toml``; ``loud`` healthy ones peak at 8, the others at 6."""
    dice = random.Random(SEED)
    sessions = [
        quiet(number, 8 if number < loud else dice.randint(1, 6), dice) for number in range(healthy)
    ]
    sessions += [stuck(number, dice.randint(9, 14)) for number in range(stuck_)]
    for session in sessions:
        write_session(folder / "sessions", session, 4, "plain")
    rows = []
    if healthy:
        rows.append('[[label]]\nsession = "healthy-*"\noutcome = "healthy"\n')
    if stuck_:
        rows.append('[[label]]\nsession = "stuck-*"\noutcome = "stuck"\n')
    (folder / "labels.toml").write_text("\n".join(rows))
    return folder
