"""The table of every key of the properties file: the only place that knows their names."""

from __future__ import annotations

import re

from kmirror.config.client_settings import SETTINGS_OF_ROLE
from kmirror.config.keys.clients import CLIENT_KEYS
from kmirror.config.keys.consumers import CONSUMER_KEYS
from kmirror.config.keys.key import Key, Scope
from kmirror.config.keys.kmirror import (
    CONSOLE_KEYS,
    KMIRROR_KEYS,
    METRICS_KEYS,
    NODES_KEYS,
    SPARK_PREFIX,
)
from kmirror.config.keys.mirror import (
    DRIVER_KEYS,
    OLD_KEYS,
    PARITY_KEYS,
    POLICY_KEYS,
    TOPIC_KEYS,
)
from kmirror.config.keys.otlp import OTLP_KEYS
from kmirror.config.keys.worker import CONNECTOR_KEYS, CONVERTER_KEYS, WORKER_KEYS

SECTIONS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    ("The driver", DRIVER_KEYS + NODES_KEYS + METRICS_KEYS + OTLP_KEYS + CONSOLE_KEYS),
    ("Topics", TOPIC_KEYS),
    ("Names and filters", POLICY_KEYS),
    ("kmirror's own keys", KMIRROR_KEYS),
    ("Connections and security", CLIENT_KEYS),
    ("Heartbeats, offset syncs, checkpoints, groups", CONSUMER_KEYS),
    ("Topic settings, ACLs, metrics", PARITY_KEYS),
    ("Kafka Connect", WORKER_KEYS + CONVERTER_KEYS + CONNECTOR_KEYS),
    ("Old names", OLD_KEYS),
)

KEYS: dict[str, Key] = {key.name: key for _, keys in SECTIONS for key in keys}
assert len(KEYS) == sum(len(keys) for _, keys in SECTIONS), "a key is in the table twice"

# What a cluster's clients inherit from `A.x` and from the top level; nothing else is.
CLIENT_NAMES = tuple(key.name for key in CLIENT_KEYS)

# What MM2's connectors take from the top level (its ConfigDefs, plus our own keys).
CONNECTOR_NAMES = frozenset(
    name for name, key in KEYS.items() if key.scope in (Scope.FLOW, Scope.CLUSTER, Scope.EVERYWHERE)
) - {"bootstrap.servers"}

POLICY_PREFIX = "replication.policy."

_SECRET_NAME = re.compile(
    r"passw|secret|token(?!\.endpoint)|credential(?!s\.client\.id)|passphrase|jaas|api\.?key"
    r"|keystore\.key|private\.key(?!\.file)|user\.info",
    re.IGNORECASE,
)
# A login on a line whose name does not say so: misspelt, or cut off where a `\\` is missing.
_LOGIN = re.compile(r"LoginModule\s+\w")
_LOGIN_OPTION = re.compile(r"(?:password|secret)\s*=", re.IGNORECASE)


def client_key(role: str, name: str) -> Key | None:
    """Return the row of a setting of a producer, consumer or admin client; None if it has none."""
    return KEYS[name] if name in CLIENT_NAMES else SETTINGS_OF_ROLE[role].get(name)


def is_secret_name(name: str) -> bool:
    """Whether the value of *name* must not be shown; unknown names are judged by their words."""
    if name.startswith(SPARK_PREFIX):
        return True  # what Spark loads has names of its own
    known = _known(name)
    return _SECRET_NAME.search(name) is not None if known is None else known.secret


def is_secret(name: str, text: str) -> bool:
    """Whether a line must not be shown: its name says so, or there is a login in its text."""
    if is_secret_name(name) or _LOGIN.search(text):
        return True
    # SQL, a known name, may compare something that is called like this.
    return _known(name) is None and _LOGIN_OPTION.search(text) is not None


def _known(name: str) -> Key | None:
    """Return the row of a name, whatever stands before it."""
    parts = name.split(".")
    found = (KEYS.get(".".join(parts[start:])) for start in range(len(parts)))
    return next((key for key in found if key is not None), None)
