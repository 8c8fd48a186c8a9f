"""The heartbeats of a process: a thread for each target cluster, or connector, that has some."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.load import MirrorConfig
from kmirror.errors import MirrorError
from kmirror.flows.heartbeats import Heartbeats
from kmirror.jvm.key_stores import librdkafka_settings

_TIMEOUT_S = 10.0
_LAST_S_MAX = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Beats:
    """
    Heartbeats to one target.

    Args:
        pairs: What to write; all have this target.
        admin: How to reach it.
        has_flows: A flow of this process tells when it is away.
    """

    pairs: tuple[HeartbeatConfig, ...]
    admin: ClientProperties
    has_flows: bool = False


class Pulse:
    """
    Writes heartbeats.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._of_name: dict[str, Heartbeats] = {}

    def start(self, config: MirrorConfig, targets: Collection[str]) -> None:
        """
        Write the heartbeats to *targets* by *config*, instead of those before.

        Args:
            config: The file.
            targets: Aliases of clusters.
        """
        self.end(targets)
        for target in targets:
            pairs = tuple(each for each in config.heartbeats if each.flow.target == target)
            if not pairs:
                continue
            has_flows = any(target in {f.flow.source, f.flow.target} for f in config.flows)
            admin = config.cluster(target).admin
            self.begin(target, Beats(pairs=pairs, admin=admin, has_flows=has_flows))

    def begin(self, name: str, beats: Beats) -> None:
        """
        Write *beats*, until they are ended by their name.

        Args:
            name: Of a target, or of a connector; nothing is written by it now.
            beats: What.
        """
        assert name not in self._of_name, "end those before"
        target = beats.pairs[0].flow.target
        client = librdkafka_settings(beats.admin)
        admin = KafkaAdmin(target, client, timeout_s=_TIMEOUT_S, clock=self._clock)
        heartbeats = Heartbeats(
            beats.pairs, admin, client, has_flows=beats.has_flows, clock=self._clock
        )
        heartbeats.start()
        self._of_name[name] = heartbeats

    def end(self, names: Iterable[str]) -> None:
        """Write these no more; a name that there is not is none of them."""
        self._end([self._of_name.pop(name) for name in names if name in self._of_name])

    @property
    def has_begun(self) -> bool:
        """Whether the first ones were written, or could not be."""
        return all(heartbeats.has_begun for heartbeats in self._of_name.values())

    def begun(self, name: str) -> bool:
        """Whether those of *name* were written at least once, or could not be."""
        heartbeats = self._of_name.get(name)
        return heartbeats is not None and heartbeats.has_begun

    def trouble(self, name: str) -> MirrorError | None:
        """Return why the last of those of *name* was not written; `None` when it was."""
        heartbeats = self._of_name.get(name)
        return None if heartbeats is None else heartbeats.trouble

    def close(self) -> None:
        """Write no more of them."""
        self._end(list(self._of_name.values()))
        self._of_name.clear()

    def _end(self, ending: Sequence[Heartbeats]) -> None:
        """Side by side: a target that is away makes its own wait."""
        until_s = self._clock.monotonic_s() + _LAST_S_MAX
        for heartbeats in ending:
            heartbeats.stop()
        for heartbeats in ending:
            heartbeats.close(max(0.0, until_s - self._clock.monotonic_s()))
