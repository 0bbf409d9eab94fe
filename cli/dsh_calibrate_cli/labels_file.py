"""Which labels file a command works on, and changes to it that are safe or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dsh_calibrate.corpora.label_reading import MOST_BYTES, parse_labels
from dsh_calibrate.corpora.label_writing import save_labels, with_label
from dsh_calibrate.corpora.labels import Entry, Labels, apply_labels
from dsh_calibrate.errors import UsageError
from dsh_calibrate.kept_files import read_kept
from dsh_calibrate.logs.discovery import Discovery, Log
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import dsh_home

NAME = "labels.toml"
_NEW = "# Labels of recorded sessions (dsh-calibrate corpus label). Globs: log keys, session ids.\n"


@dataclass(frozen=True, slots=True)
class LabelsFile:
    """A labels file, read afresh for every change: people edit it in between."""

    path: Path

    def text(self) -> str:
        """What stands in it; a heading when there is no file yet."""
        try:
            return read_kept(self.path, MOST_BYTES).decode("utf-8")
        except FileNotFoundError:
            return _NEW
        except UnicodeDecodeError:
            raise UsageError(f"{self.path}: is not UTF-8 text: save it as UTF-8") from None
        except OSError as wrong:
            raise UsageError(f"{self.path}: cannot be read ({wrong.strerror})") from None

    def labels(self, found: Discovery) -> Labels:
        """What it says of the logs; globs that match nothing and contradictions are refused."""
        return self._applied(self.text(), found)

    def add(self, entries: Sequence[Entry], found: Discovery) -> Labels:
        """Set labels and save the file in one step, or raise and leave it as it is."""
        text = self.text()
        for entry in entries:
            text = with_label(text, entry, str(self.path))
        labels = self._applied(text, found)
        try:
            save_labels(self.path, text)
        except OSError as wrong:
            raise UsageError(f"{self.path}: cannot be written ({wrong.strerror})") from None
        return labels

    def _applied(self, text: str, found: Discovery) -> Labels:
        entries = parse_labels(text, str(self.path))
        everything = (*found.logs, *found.left_out)
        return apply_labels(entries, _names(found.logs), _names(everything))


def _names(logs: Sequence[Log]) -> list[tuple[str, str | None]]:
    return [(log.key, log.header.session if log.header is not None else None) for log in logs]


def corpus_and_labels(
    options: CorpusOptions, labels: Path | None
) -> tuple[CorpusOptions, LabelsFile]:
    """The corpus and its labels file, from PATH… and ``--labels``.

    A PATH that is a labels file (``*.toml``) stands for the folder it lies in; without one
    and without ``--labels``, the labels file is ``labels.toml`` in the one folder named.
    Raises :class:`UsageError` when that leaves it open, and for a place under the sessions
    of the DSH home, where nothing is ever written.
    """
    paths = list(options.paths)
    named = [path for path in paths if path.suffix == ".toml"]
    if len(named) > 1 or (named and labels is not None):
        raise UsageError("two labels files are named: name one, with --labels or as PATH")
    if named:
        labels = named[0]
        paths = [path for path in paths if path is not labels] or [labels.parent]
        options = replace(options, paths=paths)
    if labels is None:
        if len(paths) != 1 or not isinstance(paths[0], Path) or not paths[0].is_dir():
            raise UsageError(
                "which labels file? name it with --labels FILE, or name one folder as PATH: "
                f"its {NAME} is then meant"
            )
        labels = paths[0] / NAME
    recorded = (dsh_home() / "sessions").resolve()
    if recorded in labels.resolve().parents:
        raise UsageError(
            f"{labels} lies where sessions are recorded, and nothing is written there: name "
            "another place with --labels FILE"
        )
    if not labels.parent.is_dir():
        raise UsageError(f"{labels.parent}: no such folder; make it, or name another with --labels")
    return options, LabelsFile(labels)
