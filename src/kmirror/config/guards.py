"""
Client settings that would break the promise of never losing and never doubling a record.

They are named in a warning and not applied; the rest goes to the clients as written.
"""

from __future__ import annotations

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import ValueProblem
from kmirror.config.keys.table import client_key, is_secret_name
from kmirror.config.librdkafka import to_librdkafka
from kmirror.config.secret import Secret

REQUEST_TIMEOUT_MS_MIN = 5_000
DELIVERY_TIMEOUT_MS_MIN = 30_000
IN_FLIGHT_MAX = 5
# Kafka's own defaults.
_KAFKA_DEFAULTS = {
    "request.timeout.ms": 30_000,
    "linger.ms": 5,
    "buffer.memory": 32 << 20,
    "batch.size": 16 << 10,
}

_INT_MAX = (1 << 31) - 1

SLOW_LINK = "a short time-out on a slow link made MM2 write duplicates"
# Time-outs with which a client never gets as far as its first answer: the least of each, and why.
FLOORS_MS = {
    "request.timeout.ms": (REQUEST_TIMEOUT_MS_MIN, SLOW_LINK),
    "max.block.ms": (5_000, "metadata and buffer space sometimes take that long"),
    "transaction.timeout.ms": (
        5_000,
        "the target aborts a longer transaction, and it is copied again",
    ),
    "socket.connection.setup.timeout.ms": (1_000, "a connection takes a moment to set up"),
    "socket.connection.setup.timeout.max.ms": (1_000, "a connection takes a moment to set up"),
}
_BYTES = "kmirror copies bytes unchanged"
_POSITIONS = "kmirror keeps positions on the target, with the records"
# A client with providers of its own would read what the file's allow-lists forbid (CVE-2024-31141).
_PROVIDERS = {
    "config.providers": ((), "only the top-level config.providers expand references"),
}

# Role -> name -> (values that say what is done anyway, why any other is not applied).
NOT_APPLIED: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {
    "producer": {
        **_PROVIDERS,
        "acks": (
            ("all", "-1"),
            "acks is always all: with less, an acknowledged record can be lost",
        ),
        "enable.idempotence": (
            ("true",),
            "idempotence is always on: without it a retry writes records twice",
        ),
        "retries": (
            (),
            "delivery.timeout.ms limits retries: giving up early parks good partitions",
        ),
        "transaction.two.phase.commit.enable": (
            ("false",),
            "kmirror's transactions have one phase",
        ),
        "transactional.id": ((), "kmirror names its transactions itself, to fence older drivers"),
        "key.serializer": ((), _BYTES),
        "value.serializer": ((), _BYTES),
    },
    "consumer": {
        **_PROVIDERS,
        "group.id": ((), _POSITIONS),
        "group.instance.id": ((), _POSITIONS),
        "group.protocol": ((), _POSITIONS),
        "group.remote.assignor": ((), _POSITIONS),
        "enable.auto.commit": (("false",), _POSITIONS),
        "key.deserializer": ((), _BYTES),
        "value.deserializer": ((), _BYTES),
    },
    "admin": {
        **_PROVIDERS,
        "bootstrap.controllers": ((), "bootstrap.servers says where the cluster is"),
    },
}


def guarded(role: str, entries: Entries, findings: Findings) -> ClientProperties:
    """
    Return the properties of a client of *role* (`producer`, `consumer`, `admin`), made safe.

    What is left out or raised is a warning in *findings*, what excludes each other a problem. What
    is no value of its setting is left out without a word: `Survey` has said so.
    """
    values: dict[str, str | Secret] = {}
    for name, entry in entries.items():
        text = _safe(role, name, entries, findings)
        if text is not None:
            hidden = entry.secret or is_secret_name(name)
            values[name] = Secret(text) if hidden else text
    if role == "producer":
        _check_memory(entries, findings)
    return ClientProperties(values, entries)


def guarded_admin(end: str, entries: Entries, findings: Findings) -> ClientProperties:
    """
    Return the properties of an admin client, which Python runs: librdkafka must understand them.

    Args:
        end: The cluster's alias, for messages.
        entries: The client's entries.
        findings: Receives what librdkafka cannot do.
    """
    properties = guarded("admin", entries, findings)
    for unknown in to_librdkafka(properties).untranslated:
        entry = entries.get(unknown.name)
        if entry is None:
            near = entries.get("security.protocol")
            findings.missing(f"{end}.{unknown.name}", unknown.why, near)
        elif unknown.fatal:
            findings.wrong(entry, unknown.why)
        else:
            findings.doubt(entry, unknown.why)
    return properties


def _safe(role: str, name: str, entries: Entries, findings: Findings) -> str | None:
    entry = entries[name]
    text = _read(role, name, entry)
    rule = NOT_APPLIED[role].get(name)
    if rule is not None:
        harmless, why = rule
        if entry.text.strip().lower() not in harmless:
            findings.doubt(entry, f"not applied: {why}")
        return None
    if text is None:
        return None
    if client_key(role, name) is None:
        return text  # of another client: whatever it says, this one ignores it
    floor_ms, why = _floor_ms(role, name, entries)
    if floor_ms is not None and int(text) < floor_ms:
        findings.doubt(entry, f"raised to {floor_ms}: {why}")
        return str(floor_ms)
    in_flight = role == "producer" and name == "max.in.flight.requests.per.connection"
    if in_flight and int(text) > IN_FLIGHT_MAX:
        findings.doubt(
            entry, f"not applied: more than {IN_FLIGHT_MAX} can change the order of records"
        )
        return None
    return text


def _read(role: str, name: str, entry: Entry) -> str | None:
    """Return the text as clients take it, `None` for one that is no value of its setting."""
    key = client_key(role, name)
    if key is None:
        return entry.text
    try:
        key.parse(entry.text)
    except ValueProblem:
        return None
    return key.as_clients_read(entry.text)


def _floor_ms(role: str, name: str, entries: Entries) -> tuple[int | None, str]:
    """Return the least that a time-out may be, `None` for other settings, and why."""
    request_ms = max(REQUEST_TIMEOUT_MS_MIN, _number(role, "request.timeout.ms", entries))
    if name == "delivery.timeout.ms":
        # With less than the two together Kafka's producer does not start (KIP-91).
        least_ms = min(_INT_MAX, _number(role, "linger.ms", entries) + request_ms)
        return max(DELIVERY_TIMEOUT_MS_MIN, least_ms), SLOW_LINK
    if name == "default.api.timeout.ms" and role == "admin":
        return request_ms, "Kafka's admin client does not start with less than request.timeout.ms"
    return FLOORS_MS.get(name, (None, ""))


def _number(role: str, name: str, entries: Entries) -> int:
    """Return a number from the file, or else Kafka's default."""
    entry = entries.get(name)
    text = None if entry is None else _read(role, name, entry)
    return _KAFKA_DEFAULTS[name] if text is None else int(text)


def _check_memory(entries: Entries, findings: Findings) -> None:
    """Refuse a batch larger than the buffer: a producer allocates a whole batch for any record."""
    entry = entries.get("batch.size")
    if entry is None or "buffer.memory" not in entries:
        return
    memory = _number("producer", "buffer.memory", entries)
    if _number("producer", "batch.size", entries) > memory:
        shown = entries["buffer.memory"].shown.strip()
        findings.wrong(entry, f"expected no more than buffer.memory, which is {shown}")
