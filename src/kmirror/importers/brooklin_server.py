"""Brooklin's `server.properties`: its transport provider writes, its connector reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.keys.table import CLIENT_NAMES, client_key
from kmirror.importers.clients import Client, import_client
from kmirror.importers.draft import Draft
from kmirror.importers.setting import Setting
from kmirror.model import Flow

_PROVIDER = "brooklin.server.transportProvider."
_CONNECTOR = "brooklin.server.connector."
_NOT_NEEDED = {
    "commitIntervalMs": "positions are committed with the records, see kmirror.commit.interval.ms",
    "isFlushlessModeEnabled": "nothing waits for a flush: two producers of a slot take turns",
    "flowControlEnabled": "a slot reads as much as the target takes",
    "maxInFlightMessagesThreshold": "a slot reads as much as the target takes",
    "minInFlightMessagesThreshold": "a slot reads as much as the target takes",
    "pausePartitionOnError": "kmirror parks what cannot go on, and tries again",
    "pauseErrorPartitionDurationMs": "kmirror tries what is parked again within five minutes",
    "enablePartitionAssignment": "kmirror assigns partitions itself",
    "partitionFetchIntervalMs": "write refresh.topics.interval.seconds",
    "producersPerTask": "each slot has its producers",
    "numProducersPerConnector": "each slot has its producers",
}
_OWN = "of Brooklin's servers; kmirror has none"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrooklinServer:
    """
    A server's file.

    Args:
        settings: Its lines.
    """

    settings: tuple[Setting, ...]

    def target_servers(self, provider: str) -> str:
        """Return the addresses that a transport provider writes to; empty if there are none."""
        found = {
            owner: setting.text.strip()
            for setting in self.settings
            for owner, name in (_split(setting.key, _PROVIDER),)
            if name == "bootstrap.servers"
        }
        return found.get(provider) or (next(iter(found.values())) if len(found) == 1 else "")

    def write(
        self, draft: Draft, providers: Mapping[str, Flow], connectors: Mapping[str, Flow]
    ) -> None:
        """
        Write what counts for flows: how they read, and how they write.

        Args:
            draft: Receives it.
            providers: A flow that each transport provider writes for.
            connectors: A flow that each connector reads for.
        """
        for setting in self.settings:
            provider, writes = _split(setting.key, _PROVIDER)
            connector, reads = _split(setting.key, _CONNECTOR)
            if provider in providers and _is_of_client("producer", writes):
                alias = providers[provider].target
                client = Client(alias=alias, role="producer", prefix=f"{alias}.producer.")
                import_client(draft, client, setting, writes)
            elif connector in connectors and reads.startswith("consumer."):
                alias = connectors[connector].source
                client = Client(alias=alias, role="consumer", prefix=f"{alias}.consumer.")
                import_client(draft, client, setting, reads.removeprefix("consumer."))
            else:
                draft.differs(setting, _NOT_NEEDED.get(writes or reads, _OWN))


def _split(key: str, prefix: str) -> tuple[str, str]:
    """Return whose a key is, and what it is called there; nothing for keys of another kind."""
    owner, _, name = key.removeprefix(prefix).partition(".")
    return (owner, name) if key.startswith(prefix) else ("", "")


def _is_of_client(role: str, name: str) -> bool:
    return name in CLIENT_NAMES or client_key(role, name) is not None
