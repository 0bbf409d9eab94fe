"""What a refused shell call was after: a download, or an address in passing.

The split is the one of the plugin's own scan (contract.md 5, ``allowlist scan``): calls
without a URL that parses, calls that name a downloader or an interpreter fetch, the rest.
"""

from __future__ import annotations

import re
from typing import Literal

from dsh_calibrate.guards.repeat_tool_breaker.commands import analyse
from dsh_calibrate.guards.repeat_tool_breaker.config import Config

RefusalKind = Literal["target", "incidental", "url_less"]

MECHANISM = re.compile(
    r"\b(curl|wget|httpie)\b|urllib|\brequests\.|fetch\(|Invoke-WebRequest|\biwr\b|http\.client",
    re.ASCII,
)
"""Names a downloader or an interpreter fetch."""


def refusal_kind(command: str, config: Config) -> RefusalKind:
    """Which of the three kinds a refused ``command`` is."""
    parts = analyse(command, config)
    if not any(parts.normal_urls):
        return "url_less"
    return "target" if MECHANISM.search(command) else "incidental"
