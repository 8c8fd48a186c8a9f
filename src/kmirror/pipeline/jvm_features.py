"""What only Kafka's own admin client asks: features of a cluster, rights on transactional ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from py4j.protocol import Py4JJavaError

from kmirror.pipeline.jvm_admin import JvmAdmin
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.waits import waiting


class JvmFeatures(JvmAdmin):
    """A few questions that change nothing; its arguments are `JvmAdmin`'s."""

    def levels(self) -> Mapping[str, int] | None:
        """Return the levels of finalized features (KIP-584); `None` where nobody tells."""
        with calling_jvm(), waiting(f"for {self._name}", "ask for features"):
            try:
                found = self._answer(self._admin.describeFeatures().featureMetadata())
            except Py4JJavaError:
                return None
            finalized = found.finalizedFeatures()
            return {name: int(finalized[name].maxVersionLevel()) for name in finalized}

    def topic_bytes(
        self, brokers: Sequence[int], topics: Mapping[str, int]
    ) -> Mapping[str, int] | None:
        """
        Return what topics take on disks, all replicas together; `None` where nobody tells.

        Args:
            brokers: Their numbers.
            topics: How many partitions each has.
        """
        with calling_jvm(), waiting(f"for {self._name}", "ask for sizes on disk"):
            asked = self._jvm.java.util.ArrayList()
            for broker in brokers:
                asked.add(broker)
            try:
                found = self._answer(self._admin.describeLogDirs(asked).allDescriptions())
            except Py4JJavaError:
                return None
            sizes = dict.fromkeys(topics, 0)
            # A cluster has many replicas: only those that are wanted come over from Java.
            for folders in found.values():
                for folder in folders.values():
                    replicas = folder.replicaInfos()
                    for topic, partitions in topics.items():
                        for number in range(partitions):
                            at = self._jvm.org.apache.kafka.common.TopicPartition(topic, number)
                            replica = replicas.get(at)
                            sizes[topic] += 0 if replica is None else int(replica.size())
            return sizes

    def hides_transactional_id(self, name: str) -> bool:
        """
        Return whether this principal may not describe a transactional id, so not use it either.

        Args:
            name: It need not be there.
        """
        with calling_jvm(), waiting(f"for {self._name}", "ask for a transactional id"):
            asked = self._jvm.java.util.ArrayList()
            asked.add(name)
            try:
                self._answer(self._admin.describeTransactions(asked).description(name))
            except Py4JJavaError as error:
                return "TransactionalIdAuthorizationException" in str(error.java_exception)
        return False
