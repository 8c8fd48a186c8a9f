"""What librdkafka says to its settings, without a connection."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from kmirror.admin._errors import kafka_error
from kmirror.config.client_properties import ClientProperties
from kmirror.config.librdkafka import to_librdkafka
from kmirror.errors import Problem

_SERVERS = "bootstrap.servers"


def admin_problem(properties: ClientProperties, settings: Mapping[str, str]) -> Problem | None:
    """
    Return why librdkafka refuses an admin client: missing files, keys that do not open.

    Args:
        properties: Java client properties.
        settings: The same for librdkafka.
    """
    if settings.get("sasl.mechanism") == "OAUTHBEARER":
        return None  # it would ask for a token
    try:
        # Without an address nothing is connected; librdkafka would say so in the log.
        without = {name: text for name, text in settings.items() if name != _SERVERS}
        AdminClient({**without, "log_level": 0})
    except KafkaException as error:
        words = kafka_error(error).str()
        java_names = to_librdkafka(properties).java_names
        named = (java for ours, java in java_names.items() if ours in words)
        for name in (*named, "security.protocol", _SERVERS):
            found = properties.problem(name, f"librdkafka, for the admin clients: {words}")
            if found is not None:
                return found
        raise
    return None
