"""Errors that are meant for the person who typed the command.

Each carries one line that says what is wrong, where, and what to do. The command line
prints that line and exits with :attr:`CalibrateError.exit_code`; nothing else is ever
shown without ``--debug``.
"""


class CalibrateError(Exception):
    """A mistake or a state that the user can do something about (exit code 2)."""

    exit_code = 2


class SettingsError(CalibrateError):
    """A guard's configuration is refused, as the live plugin would refuse it at load.

    ``guard`` is the short name (``rtb``), ``key`` the dotted key at fault
    (``limits.host``), ``message`` what is wrong and what is accepted.
    """

    def __init__(self, guard: str, key: str, message: str) -> None:
        super().__init__(f"{guard}.{key}: {message}" if key else f"{guard}: {message}")
        self.guard = guard
        self.key = key
        self.message = message


class UsageError(CalibrateError):
    """Options or paths that cannot be used together or do not exist."""


class CoverageError(CalibrateError):
    """Less of the corpus could be read than the user asked for (exit code 3)."""

    exit_code = 3
