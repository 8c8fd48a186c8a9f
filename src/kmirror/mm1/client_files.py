"""MirrorMaker 1's `consumer.config` and `producer.config`: safe defaults, and what is not safe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import KeyType, ValueProblem
from kmirror.config.keys.table import client_key, is_secret_name
from kmirror.config.secret import Secret
from kmirror.errors import Problem
from kmirror.importers.clients import RESETS, SERIALIZERS, is_bytes_class, name_today

_INT_MAX, _LONG_MAX = (1 << 31) - 1, (1 << 63) - 1
_IN_FLIGHT = "max.in.flight.requests.per.connection"
_IN_FLIGHT_ORDERED_MAX = 5  # with idempotence, by which the target keeps the order
_RESET = "auto.offset.reset"
# What MirrorMaker 1 sets where a file does not.
PRODUCER_DEFAULTS = {
    "delivery.timeout.ms": str(_INT_MAX),
    "max.block.ms": str(_LONG_MAX),
    "acks": "all",
    _IN_FLIGHT: "1",
}
CONSUMER_DEFAULTS = {"enable.auto.commit": "false"}
# With which values nothing is lost and nothing changes places; the default is one of them.
_SAFE = {
    "acks": frozenset({"all", "-1"}),
    "enable.auto.commit": frozenset({"false"}),
    "enable.idempotence": frozenset({"true"}),
    "retries": frozenset({str(_INT_MAX)}),
}
_LOSS = "is overridden to {0} - data loss or message reordering is possible; expected {1}"
_SYNC = "producer.type"
_CLASS_LISTS = frozenset({"interceptor.classes", "metric.reporters"})
_KAFKAS_OWN = ("org.apache.kafka.",)
_LATEST = (
    "is latest, Kafka's default: what is written to a new partition before the group has seen it, "
    "or before the group's first commit, is not copied; earliest copies all"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFile:
    """
    One of the two files.

    Args:
        name: Its path, for messages.
        entries: Its lines, by name.
        found: Receives what is wrong and what is doubtful.
    """

    name: str
    entries: Entries
    found: Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Consumer:
    """
    The consumer's side.

    Args:
        group: Its group.
        properties: Java client properties.
        warnings: What is doubtful and stands on no line.
    """

    group: str
    properties: ClientProperties
    warnings: tuple[Problem, ...]


def mm1_consumer(file: ClientFile, *, streams: int) -> Mm1Consumer:
    """
    Read `consumer.config`.

    Args:
        file: It.
        streams: How many consumers there will be.
    """
    today = _today("consumer", file)
    properties = _properties("consumer", file, today).with_defaults(CONSUMER_DEFAULTS)
    _warn_unsafe(file, today, CONSUMER_DEFAULTS)
    group = today.get("group.id")
    if group is None or not group.text.strip():
        file.found.missing("group.id", "expected the consumer group, as MirrorMaker 1 needs it")
    member = today.get("group.instance.id")
    if member is not None and streams > 1:
        file.found.wrong(
            member, f"names one member of the group, and --num.streams {streams} makes several"
        )
    warnings: tuple[Problem, ...] = ()
    reset = today.get(_RESET)
    if reset is None:
        warnings = (Problem(where=file.name, key=_RESET, value=None, expected=_LATEST),)
    elif properties[_RESET] == "latest":
        file.found.doubt(reset, _LATEST)
    name = "" if group is None else group.text.strip()
    return Mm1Consumer(group=name, properties=properties, warnings=warnings)


def mm1_producer(file: ClientFile) -> ClientProperties:
    """Read `producer.config`."""
    today = _today("producer", file)
    if (transactional := today.get("transactional.id")) is not None:
        file.found.wrong(transactional, "MirrorMaker 1 has no transactions: take it out")
    _warn_unsafe(file, today, PRODUCER_DEFAULTS)
    return _properties("producer", file, today).with_defaults(PRODUCER_DEFAULTS)


def sends_one_by_one(file: ClientFile) -> bool:
    """Whether a `producer.config` wants each record's acknowledgement before the next is sent."""
    kind = file.entries.get(_SYNC)
    return kind is not None and kind.text.strip() == "sync"


def _today(role: str, file: ClientFile) -> Entries:
    """Give lines by the names that settings have today, without those that mean nothing now."""
    found: Entries = {}
    for name, entry in file.entries.items():
        today = name_today(role, name)
        if name == _SYNC and role == "producer":
            continue
        if name in SERIALIZERS:
            if not is_bytes_class(entry.text):
                file.found.doubt(entry, "not applied: kmirror copies the bytes unchanged")
            continue
        if "zookeeper" in name:
            file.found.doubt(entry, "has no effect: kmirror does not speak to ZooKeeper")
            continue
        if today != name and today in file.entries:
            file.found.doubt(entry, f"has no effect: {today} is set, too")
            continue
        if today != name:
            file.found.doubt(entry, f"is the old name of {today}")
        found.setdefault(today, entry)
    if "bootstrap.servers" not in found:
        file.found.missing("bootstrap.servers", "expected host:port of the cluster's brokers")
    return found


def _properties(role: str, file: ClientFile, today: Entries) -> ClientProperties:
    values: dict[str, str | Secret] = {}
    for name, entry in today.items():
        text = _value(role, name, entry, file.found)
        hidden = entry.secret or is_secret_name(name)
        values[name] = Secret(text) if hidden else text
    return ClientProperties(values, today)


def _value(role: str, name: str, entry: Entry, found: Findings) -> str:
    """Return the text that the client gets; what it would refuse is wrong."""
    key = client_key(role, name)
    is_reference = "${" in entry.text  # the client replaces it by its config.providers
    if key is None:
        if not name.startswith("config.providers."):
            found.doubt(entry, f"is no setting of today's {role}")
        return entry.text
    if is_reference:
        return entry.text
    if name == _RESET:
        # A stream may also have `none` and `by_duration:`, which flows do not.
        return RESETS.get(entry.text.strip(), entry.text.strip())
    try:
        key.parse(entry.text)
    except ValueProblem as problem:
        found.wrong(entry, str(problem))
        return entry.text
    names_classes = key.type is KeyType.CLASS or name in _CLASS_LISTS
    if names_classes or name == "partition.assignment.strategy":
        _refuse_foreign_classes(entry, found)
    return key.as_clients_read(entry.text)


def _refuse_foreign_classes(entry: Entry, found: Findings) -> None:
    names = [part.strip() for part in entry.text.split(",") if part.strip()]
    foreign = [name for name in names if not name.startswith(_KAFKAS_OWN)]
    if foreign:
        found.wrong(
            entry,
            f"kmirror loads no Java classes of others: {', '.join(foreign)}; take it out, or name "
            "one of Kafka's own",
        )


def _warn_unsafe(file: ClientFile, today: Entries, defaults: Mapping[str, str]) -> None:
    """Warn as MirrorMaker 1 does of each setting that is less safe than its default."""
    role_names = {**dict.fromkeys(defaults), "enable.idempotence": None, "retries": None}
    for name in role_names:
        entry = today.get(name)
        if entry is None or "${" in entry.text:
            continue
        text = entry.text.strip().lower()
        safe = _SAFE.get(name, frozenset({defaults.get(name, "")}))
        if text in safe or (name == _IN_FLIGHT and _keeps_order(text, today)):
            continue
        file.found.doubt(entry, _LOSS.format(entry.text.strip(), min(safe, key=len)))


def _keeps_order(in_flight: str, today: Entries) -> bool:
    idempotence = today.get("enable.idempotence")
    is_on = idempotence is not None and idempotence.text.strip().lower() == "true"
    return is_on and in_flight.isdecimal() and int(in_flight) <= _IN_FLIGHT_ORDERED_MAX
