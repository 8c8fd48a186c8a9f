"""Reads where a cluster's replicas are."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.admin.client import KafkaAdmin
from kmirror.plans.snapshot import settings_of
from kmirror.plans.stretch import BrokerPlace, ClusterLayout, TopicLayout


class LayoutAdmin(KafkaAdmin):
    """A control plane that knows racks and replicas; its arguments are `KafkaAdmin`'s."""

    def layout(self, readers: Mapping[str, str]) -> ClusterLayout:
        """
        Return the cluster as far as racks matter.

        Args:
            readers: See `ClusterLayout`.

        Raises:
            ClusterError: It did not answer, or refused.
        """
        topics = {
            name: topic
            for name, topic in sorted(self._requests.metadata().items())
            if topic.partitions
        }
        configs = self.topic_configs(topics)
        return ClusterLayout(
            brokers=self._brokers(),
            topics=tuple(
                TopicLayout(
                    name=name,
                    replicas=tuple(
                        tuple(partition.replicas)
                        for _, partition in sorted(topic.partitions.items())
                    ),
                    settings=settings_of(configs.get(name, ())),
                )
                for name, topic in topics.items()
            ),
            readers=readers,
        )

    def _brokers(self) -> tuple[BrokerPlace, ...]:
        return tuple(
            BrokerPlace(id=broker, rack=rack, settings=settings_of(self.broker_configs(broker)))
            for broker, rack in sorted(self.racks().items())
        )
