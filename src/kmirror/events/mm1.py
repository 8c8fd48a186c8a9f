"""The events of `kmirror mm1`; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

STREAMS_STARTED = Event(
    name="streams.started",
    level=INFO,
    text="group {group}: {stream_count} streams copy topics that match {patterns}",
    meaning="The streams join the group on the source; which partitions they have follows.",
)
STREAM_ASSIGNED = Event(
    name="stream.assigned",
    level=INFO,
    text="{group}-{stream}: got {places}",
    meaning="The group has given partitions to a stream; it goes on at the group's offsets.",
)
STREAM_REVOKED = Event(
    name="stream.revoked",
    level=INFO,
    text="{group}-{stream}: flushed, committed and gave back {places}",
    meaning="A rebalance, such as when an instance comes or goes. Whoever gets the partitions goes "
    "on where this one has stopped.",
)
STREAM_LOST = Event(
    name="stream.lost",
    level=WARNING,
    text="{group}-{stream}: lost {places}; what it copied since its last commit is copied again",
    meaning="The group took partitions away without asking: the stream did not ask for records for "
    "longer than `max.poll.interval.ms`, or the source did not hear of it for longer than "
    "`session.timeout.ms`.",
    action="Look whether the target was away, or slow. Raise max.poll.interval.ms, or lower "
    "max.poll.records.",
)
STREAM_COMMIT_REFUSED = Event(
    name="stream_commit.refused",
    level=WARNING,
    text="{group}-{stream}: Failed to commit offsets because the consumer group has rebalanced and "
    "assigned partitions to another instance: {reason}",
    meaning="As `stream.lost`: another stream copies those records again.",
    action="Raise session.timeout.ms, or lower max.poll.records.",
)
STREAM_COMMIT_DELAYED = Event(
    name="stream_commit.delayed",
    level=WARNING,
    text="{group}-{stream}: Failed to commit offsets because the offset commit request processing "
    "can not be completed in time: {reason}",
    meaning="It is tried again. Records go on being copied.",
    action="Look at the source's brokers. Where they are only slow, raise default.api.timeout.ms.",
)
STREAM_WAITING = Event(
    name="stream.waiting",
    level=WARNING,
    text="{group}-{stream}: waits for {duration_s:.0f} s until the target takes a record of "
    "{topic}",
    meaning="The topic is not on the target and its brokers may not make it, the target does not "
    "answer, or it takes less than the source has. Once a minute. With MirrorMaker 1's "
    "`max.block.ms` a stream waits for ever.",
    action="Make the topic, or look at the target's brokers, and at what this principal may do.",
)
STREAM_DROPPED = Event(
    name="stream.dropped",
    level=ERROR,
    text="group {group}: left out {skipped_records} records of {topic}: {reason}",
    meaning="They could not be sent, and `--abort.on.send.failure false` says to go on. Their "
    "offsets are committed: they are lost to the copy.",
    action="Mend the cause that it names.",
)
STREAM_DIED = Event(
    name="stream.died",
    level=ERROR,
    text="{group}-{stream}: Mirror maker thread exited abnormally, stopping the whole mirror "
    "maker: {reason}",
    meaning="The other streams flush, commit and end. What this one has not committed is copied "
    "again by whoever gets its partitions. The process ends with 255.",
    action="Mend the cause that it names, and start again.",
)
STREAMS_PROGRESS = Event(
    name="streams.progress",
    level=INFO,
    text="group {group}: {records_per_s:,.0f} records/s, {bytes_per_s:size}/s",
    meaning="Once a minute. The group's lag is what `kafka-consumer-groups.sh` shows.",
)
STREAMS_COPIED = Event(
    name="streams.copied",
    level=INFO,
    text="group {group}: copied {records:,} records, {bytes:size}; left out {skipped_records:,}",
    meaning="At the end: what this process has sent, some of it twice after a failure.",
)
STREAMS_UNFINISHED = Event(
    name="streams.unfinished",
    level=WARNING,
    text="group {group}: not all streams have flushed and committed in time",
    meaning="The process ends within 10 s of SIGTERM, and a cluster did not answer that soon. What "
    "was not committed is copied again.",
    action="Look at the clusters.",
)

MM1_EVENTS = (
    STREAMS_STARTED,
    STREAM_ASSIGNED,
    STREAM_REVOKED,
    STREAM_LOST,
    STREAM_COMMIT_REFUSED,
    STREAM_COMMIT_DELAYED,
    STREAM_WAITING,
    STREAM_DROPPED,
    STREAM_DIED,
    STREAMS_PROGRESS,
    STREAMS_COPIED,
    STREAMS_UNFINISHED,
)
