"""What a run of a plugin beside the engine found: plain data, nothing printed."""

from __future__ import annotations

from dataclasses import dataclass, field

from dsh_calibrate.conformance.comparison import Place
from dsh_calibrate.conformance.driver.process import Loaded
from dsh_calibrate.conformance.plugin_package import PluginPackage
from dsh_calibrate.conformance.plugin_traces import Site


@dataclass(frozen=True, slots=True)
class PluginDifference:
    """The first event of a lifecycle at which plugin and engine do not agree.

    What follows in the same lifecycle may only follow from it. ``plugin`` and ``engine``
    are both answers, JSON values full of log content: never shown unescaped.
    """

    log: str
    site: Site
    event: str
    places: tuple[Place, ...]
    plugin: object
    engine: object


@dataclass(slots=True)
class Tally:
    """Counts over traces.

    ``answers`` are the events that both sides answered, ``spoken`` those at which the plugin
    did more than let the call run, ``unread`` the parts of answers that its words did not
    tell, ``quiet`` recorded denials that settle nothing.
    """

    traces: int = 0
    lifecycles: int = 0
    differing_lifecycles: int = 0
    calls: int = 0
    results: int = 0
    streams: int = 0
    answers: int = 0
    agreed: int = 0
    spoken: int = 0
    unread: int = 0
    quiet: int = 0

    @property
    def differing(self) -> int:
        """At how many events the two do not agree."""
        return self.answers - self.agreed


@dataclass(frozen=True, slots=True)
class PluginOutcome:
    """A whole run: which plugin, what was loaded, counts, the first differences."""

    package: PluginPackage
    loaded: Loaded
    tally: Tally
    differences: tuple[PluginDifference, ...] = field(default=())

    @property
    def all_agree(self) -> bool:
        """Whether both said the same at every event."""
        return not self.tally.differing
