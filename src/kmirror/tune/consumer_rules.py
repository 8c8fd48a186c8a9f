"""What the consumer's settings do to reading over a link."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.config.guards import REQUEST_TIMEOUT_MS_MIN
from kmirror.tune.case import Case
from kmirror.tune.finding import MM2_ONLY, Finding, Level, Setting
from kmirror.tune.link import (
    REQUEST_TIMEOUT_MS,
    busy_bytes,
    power_below,
    size_within,
    timeout_ms,
)
from kmirror.tune.link_units import rate_text, size_text, time_text

_TIMEOUT = "request.timeout.ms"
_ANSWER = "fetch.max.bytes"
_PART = "max.partition.fetch.bytes"
_WAIT = "fetch.max.wait.ms"
_WAIT_MS = 500
_ANSWER_BYTES_MIN = 64 * 1024
_PART_BYTES_MAX = 16 * 1024 * 1024
_POLL_RECORDS = 5000
_SMALL_RECORD_BYTES = 1000


def answer_bytes(case: Case) -> int | None:
    """Return MM2's largest answer to a fetch; a record that is larger comes all the same."""
    limit, part = case.consumer.number(_ANSWER), case.consumer.number(_PART)
    if limit is None or part is None:
        return None
    partitions = case.measured.partitions
    size = limit if partitions is None else min(limit, part * max(1, partitions))
    return max(size, case.measured.largest_bytes)


def fetch_answer(case: Case) -> Iterator[Finding]:
    """Judge fetch sizes: a response that misses its time-out is discarded and requested again."""
    link, allowed_ms = case.measured.source, case.consumer.number(_TIMEOUT)
    size = answer_bytes(case)
    if allowed_ms is None or size is None or link.bytes_per_s is None:
        return
    needs_ms = link.request_ms(size) or 0.0
    # Half of the time is enough here: what is late is asked for again, not written twice.
    if 2 * needs_ms <= allowed_ms:
        return
    yield Finding(
        level=Level.DANGER
        if needs_ms > allowed_ms and case.measured.partitions is not None
        else Level.WARNING,
        flow=str(case.flow),
        lines=tuple(case.consumer.line(name) for name in (_ANSWER, _PART, _TIMEOUT)),
        says=f"a response of {size_text(size)} needs {time_text(needs_ms)} at "
        f"{rate_text(link.bytes_per_s)}, and has {time_text(allowed_ms)}",
        why="when the source is far ahead, responses are full; a late one is discarded with "
        "its connection and requested again: the link is busy and nothing is copied",
        instead=_smaller_answers(case, allowed_ms),
        kmirror="requests no more than what arrives in a quarter of the time-out",
        concerns=MM2_ONLY,
    )


def _smaller_answers(case: Case, allowed_ms: int) -> tuple[Setting, ...]:
    link = case.measured.source
    within_ms = max(allowed_ms, REQUEST_TIMEOUT_MS)
    limit = case.consumer.number(_ANSWER) or _ANSWER_BYTES_MIN
    fits = max(_ANSWER_BYTES_MIN, power_below(size_within(link, within_ms) or 0))
    answer = min(fits, max(limit, _ANSWER_BYTES_MIN))
    largest = max(answer, case.measured.largest_bytes)
    settings = [case.consumer.setting(_ANSWER, answer)]
    if (part := case.consumer.number(_PART)) is not None and part > answer:
        settings.append(case.consumer.setting(_PART, answer))
    needed_ms = max(within_ms, timeout_ms(link, largest))
    if needed_ms > allowed_ms:
        settings.append(case.consumer.setting(_TIMEOUT, needed_ms))
    return tuple(settings)


def fetch_wait(case: Case) -> Iterator[Finding]:
    """Judge `fetch.max.wait.ms`: a broker that waits longer than the client looks dead."""
    wait_ms, allowed_ms = case.consumer.number(_WAIT), case.consumer.number(_TIMEOUT)
    if wait_ms is None or allowed_ms is None:
        return
    round_trip_ms = case.measured.source.rtt_ms or 0.0
    dead = wait_ms + round_trip_ms >= allowed_ms
    if not dead and allowed_ms >= REQUEST_TIMEOUT_MS_MIN:
        return
    instead = [case.consumer.setting(_TIMEOUT, max(allowed_ms, REQUEST_TIMEOUT_MS))]
    if wait_ms > _WAIT_MS:
        instead.append(case.consumer.setting(_WAIT, _WAIT_MS))
    yield Finding(
        level=Level.DANGER if dead else Level.WARNING,
        flow=str(case.flow),
        lines=(case.consumer.line(_TIMEOUT), case.consumer.line(_WAIT)),
        says="the consumer gives up before the broker has to answer"
        if dead
        else f"a response has {time_text(allowed_ms)}",
        why=f"a broker without new records answers after {time_text(wait_ms)}, and the round trip "
        "adds to that; a client that gives up loses its connection and what was in flight",
        instead=tuple(instead),
        kmirror=case.consumer.kmirror_text(_TIMEOUT),
        concerns=case.consumer.concerns(_TIMEOUT, _WAIT),
    )


def fetch_min(case: Case) -> Iterator[Finding]:
    """Judge `fetch.min.bytes`: waiting for more bytes delays records that are there."""
    least, wait_ms = case.consumer.number("fetch.min.bytes"), case.consumer.number(_WAIT)
    if least is None or wait_ms is None or least <= 1 or wait_ms <= _WAIT_MS:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(case.consumer.line("fetch.min.bytes"), case.consumer.line(_WAIT)),
        says=f"a record waits up to {time_text(wait_ms)} on the source until there are "
        f"{size_text(least)}",
        why="this saves requests when few records arrive, but delays every record",
        instead=(case.consumer.setting(_WAIT, _WAIT_MS),),
        kmirror=case.consumer.kmirror_text(_WAIT),
    )


def fetch_size(case: Case) -> Iterator[Finding]:
    """One request a broker is under way: small answers leave a long link idle."""
    link, answer = case.measured.source, answer_bytes(case)
    part = case.consumer.number(_PART)
    if answer is None or part is None or link.bytes_per_s is None:
        return
    reached = link.reached_bytes_s(answer)
    wanted = busy_bytes(link, case.measured.partitions)
    room = size_within(link, case.consumer.number(_TIMEOUT) or REQUEST_TIMEOUT_MS) or 0
    limit = case.consumer.number(_ANSWER) or answer
    if reached is None or wanted is None or reached >= link.bytes_per_s / 2:
        return
    better = min(wanted, _PART_BYTES_MAX, power_below(room))
    settings = [case.consumer.setting(_PART, better)] if better > part else []
    needed = power_below(min(room, better * max(1, case.measured.partitions or 1)))
    if needed > limit:
        settings.append(case.consumer.setting(_ANSWER, needed))
    if not settings:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(case.consumer.line(_PART), case.consumer.line(_ANSWER)),
        says=f"reading reaches {rate_text(reached)} of {rate_text(link.bytes_per_s)}",
        why=f"each broker gets one request per round trip of {time_text(link.rtt_ms or 0)}; the "
        f"link holds {size_text(link.product_bytes or 0)} (bandwidth x round trip), and four "
        "times that in a response keeps it 80 % busy",
        instead=tuple(settings),
        kmirror=case.consumer.kmirror_text(_PART)
        or "4 MiB of each partition, and one response is fetched while another is copied",
        concerns=case.consumer.concerns(_PART, _ANSWER),
    )


def poll_records(case: Case) -> Iterator[Finding]:
    """Small records come in small pieces: 500 of 100 bytes are a request of 50 kB."""
    number, size = case.consumer.number("max.poll.records"), case.measured.record_bytes
    if number is None or size is None or size >= _SMALL_RECORD_BYTES or number >= _POLL_RECORDS:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(case.consumer.line("max.poll.records"),),
        says=f"records of {size_text(size)} are handed on {number} at a time",
        why=f"that is {size_text(number * size)} for each turn of MirrorMaker 2's loop; with "
        f"{_POLL_RECORDS} and larger batches it was three times as fast on a short link",
        instead=(case.consumer.setting("max.poll.records", _POLL_RECORDS),),
        kmirror="has no such limit: it copies the batches of a response as they come",
        concerns=MM2_ONLY,
    )


def isolation(case: Case) -> Iterator[Finding]:
    """Judge `isolation.level`: `read_uncommitted` copies records of aborted transactions."""
    if case.consumer.text("isolation.level") != "read_uncommitted" or not (
        case.transactional or case.consumer.entry("isolation.level")
    ):
        return
    yield Finding(
        level=Level.WARNING,
        flow=str(case.flow),
        lines=(case.consumer.line("isolation.level"),),
        says="records of aborted transactions are copied, and are valid on the target",
        why="records of a producer that aborts and writes again are then there twice"
        + (
            "; and without it MirrorMaker 2 does not call itself exactly once"
            if case.transactional
            else ""
        ),
        instead=(case.consumer.setting("isolation.level", "read_committed"),),
        kmirror=case.consumer.kmirror_text("isolation.level") or "reads with read_committed",
        concerns=case.consumer.concerns("isolation.level"),
    )


CONSUMER_RULES = (
    fetch_answer,
    fetch_wait,
    fetch_min,
    fetch_size,
    poll_records,
    isolation,
)
