"""What a scenario gives a mirror to do with, as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror_lab.duplicates.files import TARGET
from kmirror_lab.duplicates.result import Conditions
from kmirror_lab.duplicates.scenario import Scenario
from kmirror_lab.duplicates.step import End, Step, Verb
from kmirror_lab.net import link_units
from kmirror_lab.net.settings import QUEUE_S_USUAL, Direction, LinkSettings, OneWay

TIMEOUT_KEY = f"{TARGET}.producer.request.timeout.ms"
BATCH_KEY = f"{TARGET}.producer.batch.size"
IDEMPOTENCE_KEY = f"{TARGET}.producer.enable.idempotence"
# Kafka's own, of both programs.
_TIMEOUT_MS, _BATCH_BYTES = 30_000, 16_384
DIRECTIONS = {None: Direction.BOTH, End.SOURCE: Direction.THERE, End.TARGET: Direction.BACK}


def conditions_of(scenario: Scenario) -> Conditions:
    """Read off a scenario what matters for comparing it with another one."""
    numbers = {TIMEOUT_KEY: _TIMEOUT_MS, BATCH_KEY: _BATCH_BYTES}
    lines = []
    for key, value in scenario.mirror:
        if key in numbers and value.isdecimal():
            numbers[key] = int(value)
        else:
            lines.append(f"{key} = {value}")
    link = _link_at_first(scenario)
    return Conditions(
        asked=scenario.asked or scenario.name,
        changes=scenario.changes,
        request_timeout_ms=numbers[TIMEOUT_KEY],
        batch_bytes=numbers[BATCH_KEY],
        rate_bit_s=link.there.rate_bit_s,
        delay_s=link.there.delay_s,
        loss=link.there.loss,
        loss_back=link.back.loss,
        partitions=scenario.partitions,
        record_bytes=scenario.record_bytes,
        keys=scenario.keys,
        streams=_streams_at_first(scenario),
        lines=tuple(lines),
        steps=(*_rest_of(link), *_later(scenario)),
    )


def batch_s(given: Conditions) -> float:
    """
    Say how long one batch is on the link, whose rate it shares with the connections of others.

    Without a rate it takes no time.
    """
    if not given.rate_bit_s:
        return 0.0
    return 8 * given.batch_bytes * (1 + given.streams) / given.rate_bit_s


def _streams_at_first(scenario: Scenario) -> int:
    """Say how many connections of others send when the first record is written."""
    found = [step.streams for step in scenario.steps if _is_traffic_at_first(step)]
    return found[-1] if found else 0


def _is_traffic_at_first(step: Step) -> bool:
    return step.at_s == 0 and step.verb is Verb.TRAFFIC


def _link_at_first(scenario: Scenario) -> LinkSettings:
    """Say what the link does when the first record is written."""
    link = LinkSettings()
    for step in scenario.steps:
        if step.at_s == 0 and step.verb is Verb.SET:
            link = link.changed(step.change, DIRECTIONS[step.leaving])
    return link


def _rest_of(link: LinkSettings) -> Iterator[str]:
    there, back = link.there, link.back
    if there.queue_s != QUEUE_S_USUAL:
        yield f"queue {link_units.show_duration(there.queue_s)}"
    if there.bucket_bytes:
        yield f"bucket {link_units.show_size(there.bucket_bytes)}"
    if there.jitter_s:
        yield f"jitter {link_units.show_duration(there.jitter_s)}"
    if there.reorder:
        yield f"reorder {link_units.show_share(there.reorder)}"
    if _without_loss(there) != _without_loss(back):
        yield f"from the target: {back}"


def _without_loss(way: OneWay) -> tuple[object, ...]:
    return (
        way.rate_bit_s,
        way.queue_s,
        way.bucket_bytes,
        way.delay_s,
        way.jitter_s,
        way.reorder,
        way.cut,
    )


def _later(scenario: Scenario) -> Iterator[str]:
    for step in scenario.steps:
        if not _is_traffic_at_first(step) and (step.at_s or step.verb is not Verb.SET):
            yield f"{step.at_s:g} s: {step.text}"
    if scenario.waits:
        yield "until = end"
