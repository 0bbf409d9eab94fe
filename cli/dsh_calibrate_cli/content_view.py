"""How a command shows content: masked for people, or as it is."""

from __future__ import annotations

from dsh_calibrate_cli.content_options import ContentOptions


class ContentView:
    """Shows fingerprints, arguments, texts, tools and log keys, masked or not.

    What it returns is not escaped yet: text for a terminal goes through ``console``.
    """

    def __init__(self, *, masked: bool) -> None:
        self.masked = masked

    def fingerprint(self, text: str) -> str:
        """A fingerprint."""
        from dsh_calibrate.reports.masking import mask_fingerprint

        if self.masked and text.startswith("call:"):  # tool and arguments, as in exact:
            return "call:" + mask_fingerprint("exact:" + text[5:])[6:]
        return mask_fingerprint(text) if self.masked else text

    def arguments(self, text: str) -> str:
        """The JSON text of a call's arguments."""
        from dsh_calibrate.reports.masking import mask_arguments

        return mask_arguments(text) if self.masked else text

    def text(self, text: str) -> str:
        """Free text."""
        from dsh_calibrate.reports.masking import mask_text

        return mask_text(text) if self.masked else text

    def tool(self, text: str) -> str:
        """The name of a tool, a plugin or a code."""
        from dsh_calibrate.reports.masking import mask_tool

        return mask_tool(text) if self.masked else text

    def log(self, text: str) -> str:
        """The key of a log, or a session id."""
        from dsh_calibrate.reports.masking import mask_log_key

        return mask_log_key(text) if self.masked else text


def view_for(content: ContentOptions, *, for_people: bool) -> ContentView:
    """The view that the options ask for in an artefact."""
    return ContentView(masked=content.masks(for_people=for_people))
