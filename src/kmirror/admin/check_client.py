"""Asks a cluster what a check of a file wants to know; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    ConfigResource,
    OffsetSpec,
)

from kmirror.admin.client import KafkaAdmin
from kmirror.errors import NotAuthorized
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import settings_of


class CheckAdmin(KafkaAdmin):
    """A control plane that reads settings of brokers, and times; arguments as for `KafkaAdmin`."""

    def broker_settings(self, broker: int) -> Mapping[str, str]:
        """Return a broker's settings; empty where they may not be read."""
        resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
        try:
            return settings_of(
                self._configs([resource], "read the settings of broker")[str(broker)]
            )
        except NotAuthorized:
            return {}

    def records_before(
        self, partitions: Iterable[TopicPartition], at_ms: int
    ) -> Mapping[TopicPartition, int]:
        """
        Return how many offsets lie before the first record that is not older than a time.

        Args:
            partitions: Which.
            at_ms: The time, milliseconds since the epoch.
        """
        wanted = list(partitions)
        spec = OffsetSpec.for_timestamp(at_ms)
        found = self._list_offsets(wanted, spec, "read_uncommitted")
        starts, ends = self.offsets(wanted, "earliest"), self.offsets(wanted, "latest")
        return {
            # Where no record is as new as that, the answer is -1.
            tp: (info.offset if info.offset >= 0 else ends.get(tp, starts[tp])) - starts[tp]
            for tp, info in found.items()
            if tp in starts
        }
