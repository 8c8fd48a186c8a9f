"""Reads where a cluster's replicas are."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined]  # public, but not in __all__

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
            name: topic for name, topic in sorted(self._metadata().items()) if topic.partitions
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
        answer = self._description()
        settings = {node.id: self._broker_settings(node.id) for node in answer.nodes}
        return tuple(
            BrokerPlace(id=node.id, rack=node.rack or "", settings=settings[node.id])
            for node in sorted(answer.nodes, key=lambda node: node.id)
        )

    def _broker_settings(self, broker: int) -> dict[str, str]:
        """Ask a broker for its settings: each answers for itself alone."""
        resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
        return settings_of(self._configs([resource], "read the settings of broker")[str(broker)])
