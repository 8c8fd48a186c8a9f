"""The kinds of events that are about gaps between a source and its copy."""

from __future__ import annotations

from logging import WARNING

from kmirror.events.event import Event

GAP_FOUND = Event(
    name="gap.found",
    level=WARNING,
    text="{flow}: {topic}-{partition}: gap: {kind}: {log} offsets {offset:or unknown} to "
    "{end_offset:or unknown}, records: {gap_records:or unknown}; {reaction}: {status}",
    more=("metric",),
    meaning="Something is missing between the source and the copy, or will be. Holes that "
    "compaction, aborted records and markers leave are no such gaps. The same stands in the topic "
    "`kmirror-events` of the target.",
    action="See [gaps](gaps.md): what each kind means, and what you can choose.",
)
GAPS_UNWRITTEN = Event(
    name="gaps.unwritten",
    level=WARNING,
    text="{flow}: gaps are told in this log alone: {error}",
    meaning="The target does not allow the topic `kmirror-events`, or did not answer when a query "
    "ended. What copies have gone on without is written by the flow's next query, if the process "
    "lives on.",
    action="Grant what it names: `kmirror acls` prints the command.",
)

GENERATION_BEGUN = Event(
    name="generation.begun",
    level=WARNING,
    text="{flow}: {topic}: copied to {copy} from now on, from its first record",
    more=("copy_generation",),
    meaning="A new generation of a topic's copy has begun, as the file says for a gap. The copy "
    "before it is kept as it is.",
    action="Move its consumers when they are ready: see [gaps](gaps.md#new-generation).",
)

PARTITION_SKIPPED = Event(
    name="partition.skipped",
    level=WARNING,
    text="{flow}: {topic}-{partition}: {reason}",
    more=("offset", "skipped_records"),
    meaning="The copy of a partition goes on behind records that are given up, as the file says.",
)
GAP_EVENTS = (PARTITION_SKIPPED, GAP_FOUND, GAPS_UNWRITTEN, GENERATION_BEGUN)
