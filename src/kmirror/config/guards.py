"""
Client settings that would break the promise of never losing and never doubling a record.

They are named in a warning and not applied; the rest goes to the clients as written.
"""

from __future__ import annotations

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys import is_secret_name
from kmirror.config.librdkafka import to_librdkafka
from kmirror.config.secret import Secret

REQUEST_TIMEOUT_MS_MIN = 5_000
DELIVERY_TIMEOUT_MS_MIN = 30_000
IN_FLIGHT_MAX = 5
# Kafka's own defaults of the producer.
_REQUEST_TIMEOUT_MS = 30_000
_LINGER_MS = 5

_SLOW_LINK = "a short time-out on a slow link made MM2 write duplicates"
_BYTES = "records are copied as the bytes they are"
_POSITIONS = "positions are kept on the target, with the records"

# Role -> name -> (values that say what is done anyway, why any other is not applied).
NOT_APPLIED: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {
    "producer": {
        "acks": (
            ("all", "-1"),
            "acks is always all: with less, an acknowledged record can be lost",
        ),
        "enable.idempotence": (
            ("true",),
            "it is always on: without it a retry writes a record twice",
        ),
        "retries": (
            (),
            "delivery.timeout.ms limits retries: giving up early parks good partitions",
        ),
        "transactional.id": ((), "kmirror names its transactions itself, to fence older drivers"),
        "key.serializer": ((), _BYTES),
        "value.serializer": ((), _BYTES),
    },
    "consumer": {
        "group.id": ((), _POSITIONS),
        "group.instance.id": ((), _POSITIONS),
        "group.protocol": ((), _POSITIONS),
        "enable.auto.commit": (("false",), _POSITIONS),
        "key.deserializer": ((), _BYTES),
        "value.deserializer": ((), _BYTES),
    },
    "admin": {},
}


def guarded(role: str, entries: Entries, findings: Findings) -> ClientProperties:
    """
    The properties of a client of *role* (`producer`, `consumer`, `admin`), made safe.

    What is left out or raised is a warning in *findings*; a time-out that is no number is a
    problem there.
    """
    values: dict[str, str | Secret] = {}
    for name, entry in entries.items():
        text = _safe(role, name, entries, findings)
        if text is not None:
            hidden = entry.secret or is_secret_name(name)
            values[name] = Secret(text) if hidden else text
    return ClientProperties(values, entries)


def guarded_admin(end: str, entries: Entries, findings: Findings) -> ClientProperties:
    """
    The properties of an admin client, which Python runs: librdkafka must understand them.

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
    rule = NOT_APPLIED[role].get(name)
    if rule is not None:
        harmless, why = rule
        if entry.text.strip().lower() not in harmless:
            findings.doubt(entry, f"not applied: {why}")
        return None
    if (floor_ms := _floor_ms(name, entries)) is not None:
        return _raised(entry, floor_ms, findings)
    if role == "producer" and name == "max.in.flight.requests.per.connection":
        number = _number(entry, findings)
        if number is None or number > IN_FLIGHT_MAX:
            findings.doubt(
                entry, f"not applied: more than {IN_FLIGHT_MAX} can change the order of records"
            )
            return None
    return entry.text


def _floor_ms(name: str, entries: Entries) -> int | None:
    """Give the least that a time-out may be; `None` for other settings."""
    if name == "request.timeout.ms":
        return REQUEST_TIMEOUT_MS_MIN
    if name != "delivery.timeout.ms":
        return None
    request_ms = _written(entries, "request.timeout.ms", _REQUEST_TIMEOUT_MS)
    linger_ms = _written(entries, "linger.ms", _LINGER_MS)
    # With less than the two together Kafka's producer does not start (KIP-91).
    return max(DELIVERY_TIMEOUT_MS_MIN, linger_ms + max(REQUEST_TIMEOUT_MS_MIN, request_ms))


def _written(entries: Entries, name: str, default: int) -> int:
    entry = entries.get(name)
    number = None if entry is None else _whole(entry.text)
    return default if number is None else number


def _raised(entry: Entry, floor_ms: int, findings: Findings) -> str | None:
    number = _number(entry, findings)
    if number is not None and number < floor_ms:
        findings.doubt(entry, f"raised to {floor_ms}: {_SLOW_LINK}")
        return str(floor_ms)
    return entry.text


def _number(entry: Entry, findings: Findings) -> int | None:
    number = _whole(entry.text)
    if number is None:
        findings.wrong(entry, "expected a whole number")
    return number


def _whole(text: str) -> int | None:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 10 else None
