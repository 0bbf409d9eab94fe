"""``allowlist`` without what verbs, commands and log keys contain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from dsh_calibrate.reports.masking import mask_command, mask_log_keys, mask_verb

Mask = Callable[[object], object]


def document_mask(logs: Iterable[str], *, masked: bool) -> Mask:
    """What shows a JSON document or a row: masked by the names of its fields, or as it is.

    ``logs`` are all log keys of the corpus, so that alike ones are numbered.
    """
    if not masked:
        return lambda value: value
    keys = mask_log_keys(logs)
    fields: Mapping[str, Callable[[str], str]] = {
        "verb": mask_verb,
        "command": mask_command,
        "log": lambda key: keys.get(key, key),
    }

    def shown(value: object) -> object:
        if isinstance(value, list):
            return [shown(item) for item in value]
        if isinstance(value, dict):
            return {
                name: fields[name](item)
                if name in fields and isinstance(item, str)
                else shown(item)
                for name, item in value.items()
            }
        return value

    return shown
