"""Keeps a flow from copying, whoever drives it and whoever starts it, until it is let go."""

from __future__ import annotations

from dataclasses import replace

from kmirror.admin.kafka_clients import KafkaClients
from kmirror.admin.owner_entry import OwnerEntry, read_owner, this_process
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients, open_ownership
from kmirror.errors import Fenced, MirrorError
from kmirror.wire.position import Owner

# A driver that starts at the same moment may win once or twice; it looks before it claims again.
_TRIES = 5


class FlowHold:
    """
    A flow's hold: an entry on the target that no driver takes over.

    Args:
        config: The flow.
        clients: Its clients; only the target is spoken to.
        kafka: Opens Kafka's own.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, clients: FlowClients, kafka: KafkaClients, clock: Clock
    ) -> None:
        self._config = config
        self._clients = clients
        self._kafka = kafka
        self._clock = clock

    def owner(self) -> OwnerEntry | None:
        """
        Return who has the flow now; `None` when nobody ever had.

        Raises:
            ClusterError: The target did not answer, or refused.
        """
        return read_owner(
            self._config.flow, self._clients.target, self._config.offset_storage_topic
        )

    def take(self, why: str, *, since_ms: int | None = None) -> OwnerEntry:
        """
        Fence whoever drives the flow, and keep everybody from driving it; or renew that.

        Args:
            why: The command that does it, such as `failover`.
            since_ms: When it began, milliseconds since the epoch; now, unless given.

        Returns:
            The hold, as the target has it now.

        Raises:
            ClusterError: The target did not answer, or refused.
        """
        return self._claim(why, since_ms=since_ms, release=False)

    def release(self) -> Owner | None:
        """
        Let whoever waits, or starts, drive the flow again.

        Returns:
            Whose entry took the hold's place, until a driver's takes that one's.

        Raises:
            ClusterError: The target did not answer, or refused.
        """
        return self._claim("", since_ms=None, release=True).owner

    def _claim(self, why: str, *, since_ms: int | None, release: bool) -> OwnerEntry:
        ownership = open_ownership(self._config, self._clients, self._kafka, self._clock)
        trouble: MirrorError | None = None
        try:
            for _ in range(_TRIES):
                before = ownership.read_owner()
                slots = 1 if before is None or before.owner is None else before.owner.slots
                owner = this_process(
                    self._clock,
                    self._config.flow,
                    slots=slots,
                    hold=why,
                    kept_for=_kept_for(before),
                )
                if since_ms is not None:
                    owner = replace(owner, started_ms=since_ms)
                try:
                    generation = ownership.claim(owner, release=release)
                except Fenced as error:
                    trouble = error
                    now = ownership.read_owner()
                    if release and now is not None and not now.is_hold:
                        # A driver was waiting, and was fast.
                        return OwnerEntry(generation=now.generation, owner=owner)
                else:
                    if not release:
                        # They are needed when it ends.
                        ownership.keep_positions()
                    return OwnerEntry(generation=generation, owner=owner)
        finally:
            ownership.close()
        assert trouble is not None, "it was tried"
        raise trouble


def _kept_for(before: OwnerEntry | None) -> str:
    """Return the process that drives the flow, or did when the hold began."""
    if before is None or before.owner is None:
        return ""
    return before.owner.kept_for if before.is_hold else before.owner.process
