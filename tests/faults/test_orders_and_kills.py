"""Orders while a flow is loaded and killed: they pause, and never lose or repeat anything."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.commands import order
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_LIVES = 3
_ORDERS_A_LIFE = 4
VERBS = ("pause", "park", "resume")
_log = logging.getLogger(__name__)


@pytest.mark.long
def test_pauses_under_load_and_kills(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    seed: int,
) -> None:
    """Partitions, topics and the flow, at random; some drivers die before they have obeyed."""
    a, b = kafka_pair
    rng = random.Random(seed)
    topics = [new_topic(a, "paused", partitions=2), new_topic(a, "plain", partitions=2)]
    flow = mirrored(a, b, *topics)
    for topic in topics:
        flow.write(topic, partitions=2, rate=200, abort_every=4, seed=seed)
    places = [(), *((topic,) for topic in topics), *((f"{topic}:1",) for topic in topics)]
    names = [str(copy.flow) for copy in flow.copies]
    for life in range(_LIVES):
        driver = flow.start_copying()
        for number in range(_ORDERS_A_LIFE):
            verb, place, name = (rng.choice(each) for each in (VERBS, places, names))
            is_last = number == _ORDERS_A_LIFE - 1
            if is_last:
                driver.kill()  # whoever comes next obeys it
            answer = order(verb, flow.file, str(name), *place)
            _log.warning("life %d: %s", life, answer.text.strip())
            assert answer.code == 0, answer.text
            assert ("no driver has obeyed" in answer.text) == is_last
    for name in names:
        assert order("resume", flow.file, name).code == 0
    flow.finish(flow.start(), timeout_s=300)
