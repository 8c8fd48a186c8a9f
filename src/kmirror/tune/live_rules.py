"""What the figures of a running mirror say about its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kmirror.tune.case import Case
from kmirror.tune.finding import Finding, Level, Line
from kmirror.tune.link import power_above
from kmirror.tune.link_units import size_text, time_text
from kmirror.tune.live_figures import LiveFigures
from kmirror.tune.section import Section

_BATCH, _LINGER, _MEMORY = "batch.size", "linger.ms", "buffer.memory"
_ANSWER, _PART, _MIN = "fetch.max.bytes", "max.partition.fetch.bytes", "fetch.min.bytes"
_WAIT = "fetch.max.wait.ms"
_FULL, _NEVER_FULL = 0.8, 0.25
_NEAR = 0.9
_LINGER_MS = 20
_BATCH_BYTES_MAX = 1024 * 1024
_ANSWER_BYTES_MAX = 64 * 1024 * 1024
_PART_BYTES_MAX = 16 * 1024 * 1024
# So many small answers a second cost a broker more than they carry.
_RATE_HIGH, _SMALL_BYTES = 100.0, 4 * 1024
_MIN_BYTES, _WAIT_MS = 16 * 1024, 100
_ROOM = 0.1
_MOSTLY = 0.5

LiveRule = Callable[[Case, LiveFigures], Iterator[Finding]]


def full_batches(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Batches that are full on average would be larger if they might."""
    limit, size = _number(case.producer, figures, _BATCH), figures.batch_bytes
    if limit is None or size is None or size < _FULL * limit or limit >= _BATCH_BYTES_MAX:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(_line(case.producer, figures, _BATCH),),
        says=f"batches are full: {size_text(size)} on average",
        why="larger ones mean fewer requests, and more bytes in each round trip",
        instead=(case.producer.setting(_BATCH, min(_BATCH_BYTES_MAX, 2 * power_above(limit))),),
    )


def empty_batches(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Batches that are never full were sent too soon, or have no need of their size."""
    limit, size, largest = (
        _number(case.producer, figures, _BATCH),
        figures.batch_bytes,
        figures.batch_bytes_max,
    )
    linger_ms = _number(case.producer, figures, _LINGER)
    if figures.of_kmirror:
        return  # Its lanes send what they have before they read on, whatever linger.ms says.
    if limit is None or size is None or size > _NEVER_FULL * limit:
        return
    if linger_ms is None or linger_ms >= _LINGER_MS or (largest or size) > _FULL * limit:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(_line(case.producer, figures, _BATCH), _line(case.producer, figures, _LINGER)),
        says=f"batches are never full: {size_text(size)} on average of {size_text(limit)}",
        why=f"a producer sends what it has after {time_text(linger_ms)}. Waiting "
        f"{_LINGER_MS} ms fills batches if records come often enough, and delays them by as much; "
        "if it changes nothing, the size is more than is needed",
        instead=(case.producer.setting(_LINGER, _LINGER_MS),),
    )


def large_answers(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Answers near their limit mean that there is more than they may bring."""
    limit, part = _number(case.consumer, figures, _ANSWER), _number(case.consumer, figures, _PART)
    largest, mean = figures.fetch_bytes_max, figures.fetch_bytes
    settings = []
    if limit and largest and largest >= _NEAR * limit and limit < _ANSWER_BYTES_MAX:
        better = min(_ANSWER_BYTES_MAX, 2 * power_above(limit))
        settings.append(case.consumer.setting(_ANSWER, better))
    if part and mean and mean >= _NEAR * part and part < _PART_BYTES_MAX:
        better = min(_PART_BYTES_MAX, 2 * power_above(part))
        settings.append(case.consumer.setting(_PART, better))
    if not settings:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(_line(case.consumer, figures, _ANSWER), _line(case.consumer, figures, _PART)),
        says=f"answers of the source are near their limit: {size_text(mean or 0)} on average, "
        f"{size_text(largest or 0)} at most",
        why="there is more to read than one answer brings; larger ones bring more in each round "
        "trip, and need as much more memory",
        instead=tuple(settings),
    )


def small_answers(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Many small answers keep brokers busy with requests instead of records."""
    rate, mean = figures.fetch_rate, figures.fetch_bytes
    if rate is None or mean is None or rate < _RATE_HIGH or mean >= _SMALL_BYTES:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(_line(case.consumer, figures, _MIN), _line(case.consumer, figures, _WAIT)),
        says=f"{rate:,.0f} answers a second of {size_text(mean)} each",
        why=f"with {_MIN} a broker answers when there is that much, or after {_WAIT}: fewer "
        f"requests, and records that are up to {_WAIT_MS} ms older",
        instead=(
            case.consumer.setting(_MIN, _MIN_BYTES),
            case.consumer.setting(_WAIT, _WAIT_MS),
        ),
    )


def throttled(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Name the quotas that hold answers back: they are the limit, whatever else is set."""
    for cluster, role, quota, held_ms in (
        (case.flow.source, "consumer", "consumer_byte_rate", figures.fetch_throttle_ms),
        (case.flow.target, "producer", "producer_byte_rate", figures.produce_throttle_ms),
    ):
        if not held_ms:
            continue
        yield Finding(
            level=Level.WARNING,
            flow=str(case.flow),
            lines=(Line(key=f"quota {quota} of {cluster}", value="set there", where=None),),
            says=f"{cluster} holds each answer to the {role} back for {time_text(held_ms)}",
            why="a quota of that cluster limits the mirror's user or client id; raise it there "
            "(kafka-configs.sh), or leave it and expect that rate",
        )


def memory(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Judge the room in a producer: without any it waits, and nothing is read meanwhile."""
    size, free = _number(case.producer, figures, _MEMORY), figures.memory_free_bytes
    if size is None or free is None or free >= _ROOM * size:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(_line(case.producer, figures, _MEMORY),),
        says=f"of the producer's {size_text(size)} only {size_text(free)} are free",
        why="records wait for room: the target takes less than the source gives. More memory helps "
        "against bursts, not if it is always so",
        instead=(case.producer.setting(_MEMORY, 2 * power_above(size)),),
    )


def bottleneck(case: Case, figures: LiveFigures) -> Iterator[Finding]:
    """Say which side the lanes mostly wait for."""
    waits = {
        "source": figures.source_s or 0.0,
        "target": figures.target_s or 0.0,
        "limits": figures.throttled_s or 0.0,
        "records": figures.convert_s or 0.0,
        "nothing": figures.idle_s or 0.0,
    }
    total = sum(waits.values())
    longest = max(waits, key=lambda each: waits[each])
    if total <= 0 or waits[longest] < _MOSTLY * total:
        return
    says, why = _bottleneck_words(case, longest)
    yield Finding(
        level=Level.NOTE,
        flow=str(case.flow),
        lines=(),
        says=f"{waits[longest] / total:.0%} of the time {says}",
        why=why,
    )


def _bottleneck_words(case: Case, longest: str) -> tuple[str, str]:
    source, target = case.flow.source, case.flow.target
    return {
        "source": (
            f"lanes wait for {source}",
            "without lag they have caught up; with lag the source or its link is the bottleneck: "
            "more kmirror.connections.max if it is far away, otherwise more kmirror.slots",
        ),
        "target": (
            f"lanes wait for {target}",
            "the target or its link is the bottleneck: more kmirror.slots, or a longer "
            "kmirror.commit.interval.ms; and look at the target's own requests",
        ),
        "limits": (
            "the file's own limits hold lanes back",
            "kmirror.flow.limit.bytes.per.second, kmirror.limit.bytes.per.second, kmirror.priority",
        ),
        "records": (
            "lanes put records into transactions",
            "the machine is the bottleneck: more kmirror.slots if there are cores; batches that "
            "travel whole cost least",
        ),
        "nothing": ("lanes have nothing to do", "there is room for more"),
    }[longest]


def _number(section: Section, figures: LiveFigures, name: str) -> int | None:
    """Return what the program that runs uses: the file's value, or its own default."""
    return section.kmirror_number(name) if figures.of_kmirror else section.number(name)


def _line(section: Section, figures: LiveFigures, name: str) -> Line:
    line = section.line(name)
    if line.where is not None or not figures.of_kmirror:
        return line
    return replace(line, value=section.defaults.kmirror.get(name, line.value))


LIVE_RULES: tuple[LiveRule, ...] = (
    full_batches,
    empty_batches,
    large_answers,
    small_answers,
    throttled,
    memory,
    bottleneck,
)
