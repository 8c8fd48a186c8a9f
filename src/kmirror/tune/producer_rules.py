"""What the producer's settings can do to records: twice, out of order, lost, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.config.guards import DELIVERY_TIMEOUT_MS_MIN, IN_FLIGHT_MAX, REQUEST_TIMEOUT_MS_MIN
from kmirror.tune.case import Case
from kmirror.tune.finding import MM2_ONLY, Finding, Level
from kmirror.tune.link import (
    INT_MAX,
    TIMEOUT_SHARE,
    Link,
    busy_bytes,
    power_above,
    power_below,
    size_within,
    timeout_ms,
)
from kmirror.tune.link_units import rate_text, size_text, time_text
from kmirror.tune.scenarios import Scenario

RETRIES_MIN = 100
DELIVERY_TIMEOUT_MS = 120_000  # Kafka's default
_LARGE_BATCH_BYTES = 32 * 1024
_BATCH_BYTES_MAX = 1024 * 1024
_LINGER_MS, _LINGER_MS_MAX = 20, 500
_TIMEOUT = "request.timeout.ms"
_IN_FLIGHT = "max.in.flight.requests.per.connection"


def request_bytes(case: Case) -> int:
    """Return MM2's largest produce request: a batch of each partition, up to the limit."""
    batch = max(case.producer.number("batch.size") or 0, case.measured.largest_bytes, 1)
    limit = max(case.producer.number("max.request.size") or batch, batch)
    partitions = case.measured.partitions
    return limit if partitions is None else min(limit, batch * max(1, partitions))


def request_timeout(case: Case) -> Iterator[Finding]:
    """Judge request time-outs: a late request is sent again while the first still arrives."""
    allowed_ms = case.producer.number(_TIMEOUT)
    if allowed_ms is None:
        return
    size, link = request_bytes(case), case.measured.target
    needs_ms = link.request_ms(size)
    hopeless = needs_ms is not None and needs_ms > allowed_ms
    if allowed_ms < REQUEST_TIMEOUT_MS_MIN or hopeless:
        level = Level.DANGER
    elif needs_ms is not None and needs_ms * TIMEOUT_SHARE > allowed_ms:
        level = Level.WARNING
    else:
        return
    names = (_TIMEOUT, "batch.size", "max.request.size")
    yield Finding(
        level=level,
        flow=str(case.flow),
        lines=tuple(case.producer.line(name) for name in names),
        says=_timeout_text(case, allowed_ms, size),
        why=_repeat_text(case),
        instead=(case.producer.setting(_TIMEOUT, max(allowed_ms, timeout_ms(link, size))),),
        scenario=_timeout_scenario(case),
        kmirror=case.producer.kmirror_text(_TIMEOUT),
        concerns=case.producer.concerns(_TIMEOUT),
    )


def _timeout_text(case: Case, allowed_ms: int, size: int) -> str:
    link = case.measured.target
    needs_ms = link.request_ms(size)
    if needs_ms is None:
        rate = rate_text(1000 * TIMEOUT_SHARE * size / max(1, allowed_ms))
        return (
            f"a request of {size_text(size)} has {time_text(allowed_ms)}, and needs a quarter of "
            f"it only above {rate}; a lost packet or a busy broker is enough"
        )
    share = "more than there is" if needs_ms > allowed_ms else "more than a quarter"
    if needs_ms * TIMEOUT_SHARE <= allowed_ms:
        share = "enough, until a packet is lost or a broker is busy"
    return (
        f"a request of {size_text(size)} needs {time_text(needs_ms)} "
        f"({rate_text(link.bytes_per_s or 0)}, {time_text(link.rtt_ms or 0)}), and has "
        f"{time_text(allowed_ms)}: {share}"
    )


def _repeat_text(case: Case) -> str:
    if case.idempotent:
        return (
            "the client gives up and sends it again while the first copy still arrives; the broker "
            "refuses the second one, but the next request fares no better: the task stands or dies"
        )
    return (
        "the client gives up and sends it again while the first copy still arrives; without "
        "idempotence the broker appends both"
    )


def _timeout_scenario(case: Case) -> Scenario:
    retries = case.producer.number("retries")
    if retries is not None and retries >= RETRIES_MIN:
        return Scenario.DEFAULT_RETRIES
    if (case.producer.number("batch.size") or 0) > _LARGE_BATCH_BYTES:
        return Scenario.LARGE_BATCHES
    if case.measured.partitions is None or case.measured.partitions > 1:
        return Scenario.MANY_PARTITIONS
    return Scenario.FEW_RETRIES


def retries(case: Case) -> Iterator[Finding]:
    """Judge `retries`: a producer that gives up fails its task, which MM2 does not restart."""
    number = case.producer.number("retries")
    if number is None or number >= RETRIES_MIN:
        return
    yield Finding(
        level=Level.DANGER,
        flow=str(case.flow),
        lines=(case.producer.line("retries"),),
        says="the producer gives up after a moment of trouble",
        why="the task fails and stays failed until it is restarted; then it copies again what it "
        "wrote after its last position. Time limits retries, not their number: see "
        "delivery.timeout.ms. (Without the line it is the same.)",
        instead=(case.producer.setting("retries", INT_MAX),),
        scenario=Scenario.FEW_RETRIES,
        kmirror=case.producer.kmirror_text("retries"),
        concerns=case.producer.concerns("retries"),
    )


def idempotence(case: Case) -> Iterator[Finding]:
    """Without sequence numbers the broker cannot tell a repeated request from a new one."""
    if case.idempotent or case.producer.text("enable.idempotence") is None:
        return
    written = case.producer.entry("enable.idempotence") is not None
    yield Finding(
        level=Level.DANGER if written else Level.WARNING,
        flow=str(case.flow),
        lines=(case.producer.line("enable.idempotence"),),
        says="a request whose response is lost is written a second time",
        why="MirrorMaker 2 switches Kafka's default off; with it on, brokers recognize a "
        "repeated request. It needs acks=all and at most 5 requests in flight",
        instead=(case.producer.setting("enable.idempotence", "true"),),
        scenario=Scenario.LOST_ANSWERS,
        kmirror=case.producer.kmirror_text("enable.idempotence") or "always on",
        concerns=MM2_ONLY,
    )


def in_flight(case: Case) -> Iterator[Finding]:
    """Judge requests in flight: a repeated one changes its place among them."""
    number = case.producer.number(_IN_FLIGHT)
    if number is None or number <= (IN_FLIGHT_MAX if case.idempotent else 1):
        return
    if case.idempotent:
        says = f"an idempotent producer does not start with more than {IN_FLIGHT_MAX}"
    else:
        says = f"{number} requests are under way at once, and nothing keeps their order"
    yield Finding(
        level=Level.DANGER,
        flow=str(case.flow),
        lines=(case.producer.line(_IN_FLIGHT), case.producer.line("enable.idempotence")),
        says=says,
        why="a failed request is repeated after the next one; idempotence keeps the order "
        f"of up to {IN_FLIGHT_MAX}",
        instead=(
            case.producer.setting(_IN_FLIGHT, min(number, IN_FLIGHT_MAX)),
            case.producer.setting("enable.idempotence", "true"),
        ),
        scenario=Scenario.SEVERAL_IN_FLIGHT,
        kmirror=case.producer.kmirror_text(_IN_FLIGHT),
        concerns=case.producer.concerns(_IN_FLIGHT),
    )


def acks(case: Case) -> Iterator[Finding]:
    """Judge `acks`: a record that only the leader has is lost with it."""
    text = case.producer.text("acks")
    if text is None or text.lower() in {"all", "-1"}:
        return
    yield Finding(
        level=Level.DANGER,
        flow=str(case.flow),
        lines=(case.producer.line("acks"),),
        says="a record counts as copied before the target's replicas have it",
        why="if the leader dies then, the record is lost and is not copied again; an idempotent "
        "producer does not start with this",
        instead=(case.producer.setting("acks", "all"),),
        kmirror=case.producer.kmirror_text("acks"),
        concerns=case.producer.concerns("acks"),
    )


def delivery_timeout(case: Case) -> Iterator[Finding]:
    """Judge `delivery.timeout.ms`: a late record fails the task, whatever `retries` says."""
    allowed_ms = case.producer.number("delivery.timeout.ms")
    linger_ms = case.producer.number("linger.ms")
    request_ms = case.producer.number(_TIMEOUT)
    if allowed_ms is None or linger_ms is None or request_ms is None:
        return
    least_ms = linger_ms + request_ms
    if case.producer.entry("delivery.timeout.ms") is None or allowed_ms >= max(
        DELIVERY_TIMEOUT_MS, least_ms
    ):
        return
    refused = allowed_ms < least_ms
    instead_ms = min(INT_MAX, max(DELIVERY_TIMEOUT_MS, linger_ms + 2 * request_ms))
    yield Finding(
        level=Level.DANGER if refused or allowed_ms < DELIVERY_TIMEOUT_MS_MIN else Level.WARNING,
        flow=str(case.flow),
        lines=tuple(
            case.producer.line(name) for name in ("delivery.timeout.ms", "linger.ms", _TIMEOUT)
        ),
        says=f"less than linger.ms + {_TIMEOUT} = {time_text(least_ms)}: the producer does not "
        "start"
        if refused
        else f"a record that waits for {time_text(allowed_ms)} fails the task",
        why="a leader election or a short outage of the link sometimes takes longer",
        instead=(case.producer.setting("delivery.timeout.ms", instead_ms),),
        scenario=None if refused else Scenario.FEW_RETRIES,
        kmirror=case.producer.kmirror_text("delivery.timeout.ms"),
        concerns=case.producer.concerns("delivery.timeout.ms"),
    )


def record_limit(case: Case) -> Iterator[Finding]:
    """Judge `max.request.size`: a record that the producer refuses fails the task for ever."""
    largest = case.measured.largest_bytes
    names = ("max.request.size", "buffer.memory")
    short = [
        name
        for name in names
        if (limit := case.producer.number(name)) is not None and limit < largest
    ]
    if not short:
        return
    yield Finding(
        level=Level.DANGER,
        flow=str(case.flow),
        lines=tuple(case.producer.line(name) for name in short),
        says=f"there are records of {size_text(largest)}, which the producer refuses",
        why="the task fails at the first of them, with all its partitions, and again after each "
        "restart. The target topics' max.message.bytes must allow them, too",
        instead=tuple(case.producer.setting(name, 2 * power_above(largest)) for name in short),
        kmirror=" ".join(filter(None, map(case.producer.kmirror_text, short)))
        or "takes records up to 32 MiB",
        concerns=case.producer.concerns(*short),
    )


def batch_size(case: Case) -> Iterator[Finding]:
    """One request under way, and one batch of a partition in it: the round trip is the limit."""
    link, partitions = case.measured.target, max(1, case.measured.partitions or 1)
    batch, flying = case.producer.number("batch.size"), case.producer.number(_IN_FLIGHT)
    if batch is None or flying is None or link.bytes_per_s is None or not link.product_bytes:
        return
    share = link.bytes_per_s / partitions
    reached = _reached(link, flying * batch, partitions)
    better = max(batch, _busy_batch(case, batch))
    settings = []
    if better > batch:
        settings.append(case.producer.setting("batch.size", better))
        if (case.producer.number("linger.ms") or 0) < _LINGER_MS:
            settings.append(case.producer.setting("linger.ms", _LINGER_MS))
    if flying < IN_FLIGHT_MAX and _reached(link, flying * better, partitions) < share / 2:
        settings.append(case.producer.setting(_IN_FLIGHT, IN_FLIGHT_MAX))
        settings.append(case.producer.setting("enable.idempotence", "true"))
    if reached >= share / 2 or not settings:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=tuple(case.producer.line(name) for name in ("batch.size", _IN_FLIGHT)),
        says=f"a partition that is behind reaches {rate_text(reached)} of its share of "
        f"{rate_text(share)}",
        why=f"{flying} x {size_text(batch)} travel in each round trip of "
        f"{time_text(link.rtt_ms or 0)}; the link holds {size_text(link.product_bytes)} "
        "(bandwidth x round trip), and four times that in flight keeps it 80 % busy. A little "
        f"linger fills batches; up to {IN_FLIGHT_MAX} requests stay in order with idempotence",
        instead=tuple(settings),
        kmirror=case.producer.kmirror_text("batch.size") or "512 KiB, and five requests in flight",
        concerns=case.producer.concerns("batch.size", _IN_FLIGHT),
    )


def _reached(link: Link, size_bytes: int, partitions: int) -> float:
    """Return the rate of one partition while all have so many bytes in flight."""
    return (link.reached_bytes_s(size_bytes * partitions) or 0.0) / partitions


def _busy_batch(case: Case, batch: int) -> int:
    """Return the batch that keeps the link busy, and leaves room in the time-out."""
    link = case.measured.target
    allowed_ms = max(case.producer.number(_TIMEOUT) or 0, timeout_ms(link, batch))
    return min(
        busy_bytes(link, case.measured.partitions) or batch,
        power_below(case.producer.number("max.request.size") or batch),
        power_below(size_within(link, allowed_ms) or 0),
        _BATCH_BYTES_MAX,
    )


def linger(case: Case) -> Iterator[Finding]:
    """Judge `linger.ms`: waiting for more records is worth milliseconds, not seconds."""
    number = case.producer.number("linger.ms")
    if number is None or number <= _LINGER_MS_MAX:
        return
    yield Finding(
        level=Level.WARNING,
        flow=str(case.flow),
        lines=(case.producer.line("linger.ms"),),
        says=f"a record waits up to {time_text(number)} for others",
        why="it delays every record and raises the least delivery.timeout.ms; 20 ms fill batches "
        "if there are enough records",
        instead=(case.producer.setting("linger.ms", _LINGER_MS),),
        kmirror="applied, but lanes send what they have before they read on",
        concerns=MM2_ONLY,
    )


def compression(case: Case) -> Iterator[Finding]:
    """MM2 unpacks every batch, and packs it again only if it is told to."""
    link, packed = case.measured.target, case.measured.packed
    if case.producer.text("compression.type") != "none":
        return
    slow = link.bytes_per_s is not None and link.bytes_per_s < 12.5e6
    unpacks = packed is not None and packed < 0.8
    if not slow and not unpacks:
        return
    grows = f"{1 / packed:.1f} times" if packed else ""
    yield Finding(
        level=Level.WARNING if unpacks else Level.ADVICE,
        flow=str(case.flow),
        lines=(case.producer.line("compression.type"),),
        says=f"what the source has compressed is sent to the target at {grows} its size"
        if unpacks
        else f"records cross a link of {rate_text(link.bytes_per_s or 0)} uncompressed",
        why="MirrorMaker 2 unpacks batches, and its producer's setting decides: zstd compresses "
        "best, for a slow link; lz4 costs least",
        instead=(case.producer.setting("compression.type", "zstd" if slow else "lz4"),),
        kmirror="copies whole batches with the source's compression; it compresses only records "
        "that it copies one by one",
        concerns=MM2_ONLY,
    )


PRODUCER_RULES = (
    request_timeout,
    retries,
    idempotence,
    in_flight,
    acks,
    delivery_timeout,
    record_limit,
    batch_size,
    linger,
    compression,
)
