"""What scenarios foretell, beside what the line's own numbers say."""

from __future__ import annotations

import math

import pytest
from kmirror_lab.duplicates import Effect, Scenario, find_scenario, names, varied
from kmirror_lab.duplicates.conditions import IDEMPOTENCE_KEY, batch_s, conditions_of
from kmirror_lab.duplicates.result import Conditions, Peer
from kmirror_lab.duplicates.step import Verb

# Below that kmirror raises a request time-out.
_OURS_S_MIN = 5.0
_IN_FLIGHT = "us-east-2.producer.max.in.flight.requests.per.connection = "
_PACKET_BYTES = 1448
# Of these the line's numbers say nothing.
_MORE = {Verb.CUT, Verb.RESET, Verb.QUOTA, Verb.KILL, Verb.JOIN}


def answer_s(given: Conditions) -> float:
    """Say how long the answer to a full request takes, behind those that are sent before it."""
    before = [line for line in given.lines if line.startswith(_IN_FLIGHT)]
    in_flight = int(before[0].removeprefix(_IN_FLIGHT)) if before else 1
    rtt_s = 2 * given.delay_s
    # TCP begins with ten packets, and twice as many with each round trip.
    packets = given.batch_bytes * given.partitions / _PACKET_BYTES
    round_trips = math.ceil(math.log2(packets / 10 + 1))
    whole_s = batch_s(given) * given.partitions * in_flight + rtt_s
    return max(whole_s, round_trips * rtt_s)


def by_the_line(name: str) -> bool:
    """Tell whether nothing but the line at the beginning decides what comes of a scenario."""
    scenario = find_scenario(name)
    given = conditions_of(scenario)
    later = any(step.at_s and step.verb is Verb.SET for step in scenario.steps)
    more = any(step.verb in _MORE for step in scenario.steps)
    felt = not any(step.startswith(("bucket ", "jitter ")) for step in given.steps)
    return felt and not (later or more or given.loss or given.loss_back)


def delays_s(scenario: Scenario) -> list[float]:
    """Give the delays of one way, in the order of time."""
    return [step.change.delay_s for step in scenario.steps if step.change.delay_s is not None]


@pytest.mark.parametrize("name", [name for name in names() if by_the_line(name)])
def test_a_request_that_takes_too_long_is_written_twice(name: str) -> None:
    """And one that does not is not; unless the broker knows it again."""
    scenario = find_scenario(name)
    given = conditions_of(scenario)
    late = answer_s(given) * 1000 > given.request_timeout_ms
    known = f"{IDEMPOTENCE_KEY} = true" in given.lines
    for peer in (Peer.MIRROR_MAKER, Peer.MIRROR_MAKER_1):
        foretold = scenario.wanted(peer)
        if foretold is not None:
            assert (Effect.DUPLICATED in foretold) == (late and not known)
            assert bool(foretold) == late


def test_the_surge_needs_the_others_and_others_need_to_be_many() -> None:
    """Alone it has the whole line; eight of them leave it enough, sixty do not."""
    surge = find_scenario("evening-surge")
    found = {
        count: answer_s(conditions_of(varied(surge, "traffic", str(count)))) for count in (0, 8, 60)
    }
    assert found[0] == pytest.approx(0.160, abs=0.001)
    assert found[8] == pytest.approx(0.229, abs=0.001)
    assert found[60] == pytest.approx(1.319, abs=0.001)
    assert found[8] < 0.5 < found[60]
    # With batches of one record, as on a quiet day, they would do no harm either.
    quiet = varied(surge, "mirror.us-east-2.producer.batch.size", "1000")
    assert answer_s(conditions_of(quiet)) < 0.1


def test_a_jitter_is_late_where_its_mean_is_not() -> None:
    """By a good part on both sides, whatever the machine does."""
    jitter = find_scenario("jitter")
    given = conditions_of(jitter)
    (way,) = [step.change for step in jitter.steps]
    assert way.delay_s is not None
    assert way.jitter_s is not None
    assert answer_s(given) < 0.4
    assert 2 * (way.delay_s + way.jitter_s) > 0.65
    assert given.request_timeout_ms == 500


def test_a_jump_is_late_for_the_customer_and_not_for_kmirror() -> None:
    """Before it and behind it everything is in time."""
    jumps = find_scenario("delay-jumps")
    before_s, then_s, after_s = delays_s(jumps)
    assert before_s == after_s
    assert 2 * before_s < 0.5 < 2 * then_s < _OURS_S_MIN
    assert jumps.seconds > jumps.steps[-1].at_s + 30


def test_the_bucket_holds_all_there_is() -> None:
    """With headers: a tenth more than the values is little for 188 B each."""
    large = find_scenario("large-bucket")
    (bucket,) = [step.change.bucket_bytes for step in large.steps]
    assert bucket is not None
    assert bucket > 1.5 * large.records * large.record_bytes


def test_traffic_is_told_beside_the_steps() -> None:
    """As a number for what can be compared; what comes later as text."""
    found = conditions_of(find_scenario("evening-surge"))
    assert found.streams == 60
    assert found.steps == ("25 s: traffic 0",)
    added = varied(find_scenario("far-link"), "traffic", "7")
    assert [(step.verb, step.at_s) for step in added.steps] == [(Verb.SET, 0), (Verb.TRAFFIC, 0)]
    assert conditions_of(added).streams == 7
