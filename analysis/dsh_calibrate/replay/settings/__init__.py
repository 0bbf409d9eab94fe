"""Guard settings as users keep them: files, homes, profiles and single keys.

:func:`resolve` turns the options of a command into :class:`Settings`; :func:`survey` does
the same without stopping at what is refused.
"""

from dsh_calibrate.replay.settings.describe import config_document, describe_in_force
from dsh_calibrate.replay.settings.findings import Remark
from dsh_calibrate.replay.settings.model import GuardSettings, KeyValue, Settings
from dsh_calibrate.replay.settings.resolving import AUTO, Inputs, resolve, survey

__all__ = [
    "AUTO",
    "GuardSettings",
    "Inputs",
    "KeyValue",
    "Remark",
    "Settings",
    "config_document",
    "describe_in_force",
    "resolve",
    "survey",
]
