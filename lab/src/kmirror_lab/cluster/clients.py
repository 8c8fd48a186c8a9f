"""The lab's own Kafka clients: quiet ones, that notice a returning broker at once."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient

from kmirror.errors import ClusterUnavailable

# A broker that was just killed is no news in a lab, so librdkafka's log is off.
_QUIET = {"log_level": "0", "reconnect.backoff.ms": "20", "reconnect.backoff.max.ms": "200"}


def admin_client(bootstrap: str) -> AdminClient:
    """Return an admin client of the cluster at *bootstrap*."""
    return AdminClient({**_settings(bootstrap, {})})


def consumer(bootstrap: str, **settings: str) -> Consumer:
    """
    Return a consumer; settings by librdkafka's names with `_` for `.`.

    It belongs to no real group and stores no offsets.
    """
    ours = {
        "group.id": "kmirror-lab",
        "enable.auto.commit": "false",
        "enable.auto.offset.store": "false",
    }
    return Consumer(_settings(bootstrap, ours | _dotted(settings)))


def producer(bootstrap: str, **settings: str) -> Producer:
    """Return a producer; settings by librdkafka's names with `_` for `.`."""
    return Producer(_settings(bootstrap, _dotted(settings)))


class Refusals:
    """
    What a cluster has refused of a producer's records: their `on_delivery`.

    Attributes:
        errors: Why, in the order of the answers.
    """

    def __init__(self) -> None:
        self.errors: list[KafkaError] = []

    def __call__(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            self.errors.append(error)


def drain(client: Producer, *, timeout_s: float, refused: Sequence[KafkaError] = ()) -> None:
    """
    Wait until the cluster has answered for every record of *client*.

    Args:
        client: A producer.
        timeout_s: How long that may take.
        refused: What its delivery reports have collected, and still do.

    Raises:
        KafkaException: A record was refused.
        ClusterUnavailable: Some were not answered in time.
    """
    left = client.flush(timeout_s)
    if refused:
        raise KafkaException(refused[0])
    if left:
        raise ClusterUnavailable(f"{left} records not acknowledged within {timeout_s:g} s")


def _settings(bootstrap: str, more: dict[str, str]) -> dict[str, str]:
    return {"bootstrap.servers": bootstrap} | _QUIET | more


def _dotted(settings: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "."): value for name, value in settings.items()}
