"""What the producer's memory has to hold."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.tune.case import Case
from kmirror.tune.finding import Finding, Level
from kmirror.tune.link import PRODUCTS_PER_REQUEST, power_above
from kmirror.tune.link_units import size_text

_MEMORY = "buffer.memory"
_BATCH = "batch.size"
_MEMORY_BYTES_MAX = 512 * 1024 * 1024


def buffer_memory(case: Case) -> Iterator[Finding]:
    """Judge `buffer.memory`: a producer without room waits, and nothing is read meanwhile."""
    memory, batch = case.producer.number(_MEMORY), case.producer.number(_BATCH)
    if memory is None or batch is None:
        return
    partitions = case.measured.partitions or 0
    product = case.measured.target.product_bytes or 0
    batches, flying = batch * partitions, PRODUCTS_PER_REQUEST * product
    needed = max(batches, flying)
    if memory >= needed:
        return
    says = (
        f"{partitions} partitions with a batch of {size_text(batch)} each need {size_text(batches)}"
        if batches >= flying
        else f"a link that holds {size_text(product)} is busy with {size_text(flying)} under way"
    )
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(case.producer.line(_MEMORY), case.producer.line(_BATCH)),
        says=f"{says}, and the producer has {size_text(memory)}",
        why="a producer asks for a whole batch at a time; without room it sends batches that are "
        "not full, or waits up to max.block.ms, and nothing is read meanwhile. It is memory of the "
        "Java heap, for each task",
        instead=(case.producer.setting(_MEMORY, min(_MEMORY_BYTES_MAX, power_above(needed))),),
        kmirror=case.producer.kmirror_text(_MEMORY),
        concerns=case.producer.concerns(_MEMORY, _BATCH),
    )


MEMORY_RULES = (buffer_memory,)
