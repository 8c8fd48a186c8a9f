"""Every kind of event that there is. `make docs` writes docs/events.md from it."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.audits import AUDIT_EVENTS
from kmirror.events.canary import CANARY_EVENTS
from kmirror.events.connect import CONNECT_EVENTS
from kmirror.events.console import CONSOLE_EVENTS
from kmirror.events.consumers import CONSUMER_EVENTS
from kmirror.events.deletions import DELETION_EVENTS
from kmirror.events.event import Event
from kmirror.events.gaps import GAP_EVENTS
from kmirror.events.metrics import METRICS_EVENTS
from kmirror.events.mm1 import MM1_EVENTS
from kmirror.events.nodes import NODES_EVENTS
from kmirror.events.parity import PARITY_EVENTS
from kmirror.events.poison import POISON_EVENTS
from kmirror.events.reloads import RELOAD_EVENTS
from kmirror.events.resolver import RESOLVER_EVENTS
from kmirror.events.rest import REST_EVENTS
from kmirror.events.run_record import RUN_RECORD_EVENTS
from kmirror.events.starts import START_EVENTS

CONFIG_DOUBTFUL = Event(
    name="config.doubtful",
    level=WARNING,
    text="{line}",
    more=("place", "key", "expected"),
    meaning="A line of the file has no effect, or another one than it seems to have.",
    action="Change the line as it says, or take it out.",
)
CONFIG_INACTIVE = Event(
    name="config.inactive",
    level=INFO,
    text="not active yet: {keys}",
    meaning="The file has keys that are accepted and checked, but do nothing so far.",
)
RUN_REFUSED = Event(
    name="run.refused",
    level=ERROR,
    text="{error}",
    meaning="The process cannot run: the file is wrong, or something is missing on this machine. "
    "As text it may have several lines, and no time.",
    action="Mend what it lists, and start again.",
)
RUN_CRASHED = Event(
    name="run.crashed",
    level=ERROR,
    text="unexpected",
    more=("error",),
    meaning="A thread of the process ended of an error that nobody foresaw; without JSON, Python "
    "writes the trace alone.",
    action="Report it with the trace, which is in `exception`.",
)
RUN_STOPPED = Event(
    name="run.stopped",
    level=INFO,
    text="stopped, before Spark had started",
    meaning="The process was told to end while it started. Nothing was copied.",
)
WAIT_LASTING = Event(
    name="wait.lasting",
    level=INFO,
    text="{line}",
    more=("waits", "doing"),
    meaning="Something has waited for more than 1.5 s; once a minute for all that wait for the "
    "same.",
    action="Look at the cause, if the line has one: a cluster that is away, or slow.",
)
LIBRARY_LINE = Event(
    name="library.line",
    level=None,
    text="{line}",
    more=("logger",),
    meaning="A Python library has logged something.",
)

JARS_PREPARED = Event(
    name="jars.prepared",
    level=INFO,
    text="{line}",
    meaning="Jars are fetched, or the connector is compiled: at the first start only.",
)
SPARK_STARTING = Event(
    name="spark.starting",
    level=INFO,
    text="starting Spark ({master})",
    meaning="Spark's JVM starts; it takes some seconds.",
)
SPARK_UNPROTECTED = Event(
    name="spark.unprotected",
    level=WARNING,
    text="{master}: the clients' settings, passwords included, travel to the executors "
    "unprotected: {keys:are} off",
    meaning="Whoever can listen between the driver and Spark's executors can read passwords.",
    action="Switch on what it names; see [Spark clusters](spark-clusters.md).",
)
SPARK_LINE = Event(
    name="spark.line",
    level=None,
    text="{line}",
    more=("flow", "logger"),
    meaning="Spark, Kafka's Java clients, or the JVM itself wrote a line; its level is theirs.",
    action="What follows from it for a flow is in the flow's own events.",
)
JVM_LOST = Event(
    name="jvm.lost",
    level=ERROR,
    text="{reason}",
    meaning="Spark's JVM has ended. All flows end, and the process with 3.",
    action="Start the process again. If it was killed for its memory, give it more.",
)

FLOW_CONFIGURED = Event(
    name="flow.configured",
    level=INFO,
    text="{flow}: {guarantee}, {granularity}, topics {patterns}",
    meaning="What the file says of a flow that will run.",
)
FLOW_PROGRESS = Event(
    name="flow.progress",
    level=INFO,
    text="{flow}: {state} ({status}), {records_per_s:.0f} records/s, {bytes_per_s:size}/s, "
    "lag {lag_records:or ?}",
    meaning="How a flow is, once a minute.",
)
FLOW_WAITING = Event(
    name="flow.waiting",
    level=WARNING,
    text="{flow}: {reason}",
    meaning="Something keeps a flow that runs from going on; once a minute. It goes on by itself.",
    action="Look at the cluster, or at Spark's executors, whichever it names.",
)
FLOW_INTERRUPTED = Event(
    name="flow.interrupted",
    level=WARNING,
    text="{flow}: {state}: {error}; next try in {delay_s:.0f} s",
    meaning="A flow has failed, or could not start, and will be started again; once a minute.",
    action="Look at the cause if it lasts; see [errors](errors.md).",
)
FLOW_CRASHED = Event(
    name="flow.crashed",
    level=ERROR,
    text="{flow}: unexpected",
    more=("error",),
    meaning="A flow met an error that nobody foresaw. It will be started again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)
FLOW_FENCED = Event(
    name="flow.fenced",
    level=ERROR,
    text="{error}",
    more=("flow",),
    meaning="A newer driver has taken the flow over. It ends here, and the process with 4 unless "
    "it is one of several nodes, or a Connect worker.",
    action="Nothing, if the other driver is meant to run; else stop that one.",
)
FLOW_FAILED = Event(
    name="flow.failed",
    level=ERROR,
    text="{error}",
    more=("flow",),
    meaning="A flow cannot run, and another try would not help.",
    action="Change the file as it says.",
)
FLOW_ABORTED = Event(
    name="flow.aborted",
    level=WARNING,
    text="{flow}: did not come to rest ({reason}); what was open is aborted, and copied again "
    "at the next start",
    meaning="A flow that was told to stop could not finish its transactions in time. Nothing is "
    "lost, and nothing is there twice.",
)
FLOW_ABANDONED = Event(
    name="flow.abandoned",
    level=WARNING,
    text="{flow}: stopped, without waiting any longer ({status})",
    meaning="What a flow was at when it was told to stop did not end in time.",
)
FLOW_ENDED = Event(
    name="flow.ended",
    level=INFO,
    text="{flow}: {state}",
    meaning="A flow has stopped in good order, or is complete.",
)
FLOW_COPIED = Event(
    name="flow.copied",
    level=INFO,
    text="{flow}: copied {records:,} records, {bytes:size}",
    meaning="What a flow has copied, at the end of the process.",
)
FLOW_INCOMPLETE = Event(
    name="flow.incomplete",
    level=WARNING,
    text="{flow}: {reason}",
    meaning="What of the selection was not copied, at the end of the process.",
    action="See [what is not mirrored](operations.md#what-is-not-mirrored).",
)
PLAN_MADE = Event(
    name="plan.made",
    level=INFO,
    text="{flow}: plan {plan}: {topic_count} topics, {partition_count} partitions in "
    "{slot_count} slots",
    more=("generation",),
    meaning="What is being copied has changed.",
)
PLAN_POSTPONED = Event(
    name="plan.postponed",
    level=WARNING,
    text="{flow}: new plan put off: {error}",
    meaning="What is being copied should change, but a cluster could not be asked. The old plan "
    "goes on; it is tried again.",
    action="Look at the cluster that it names.",
)

ORDER_TAKEN = Event(
    name="order.taken",
    level=INFO,
    text="{flow}: {order}, {reason}",
    meaning="Somebody has ordered what of a flow is copied, with `kmirror pause` and its like. At "
    "a start the orders that hold are told again.",
)
ORDER_EXPIRED = Event(
    name="order.expired",
    level=INFO,
    text="{flow}: over: {order}, {reason}",
    meaning="An order that was given for some time has expired.",
)
CONTROL_REFUSED = Event(
    name="control.refused",
    level=WARNING,
    text="{flow}: no orders can be read: {error}",
    meaning="The target refuses the topic that `kmirror pause` and its like write to. The flow "
    "copies everything, whatever is ordered.",
    action="Grant Create, Describe, Read and Write on the topic, and start again.",
)

TOPIC_CREATED = Event(
    name="topic.created",
    level=INFO,
    text="{flow}: created {topic} with {partition_count} partitions",
    meaning="A topic was made on the target; `topic` is its name there.",
)
TOPIC_GROWN = Event(
    name="topic.grown",
    level=INFO,
    text="{flow}: grew {topic} to {partition_count} partitions",
    meaning="A topic of the target has more partitions; `topic` is its name there.",
)
TOPIC_GONE = Event(
    name="topic.gone",
    level=WARNING,
    text="{flow}: {topic} is no longer to be seen on the source (deleted, or not allowed to us "
    "any more); its copy stays as it is",
    meaning="A topic that was copied cannot be seen any more.",
    action="If it was not deleted, grant Describe on it.",
)
SELECTION_INCOMPLETE = Event(
    name="selection.incomplete",
    level=WARNING,
    text="{flow}: {reason}",
    meaning="Something that is selected cannot be copied, or an item of `topics` matches nothing.",
    action="See [what is not mirrored](operations.md#what-is-not-mirrored).",
)
PARTITION_POSITIONED = Event(
    name="partition.positioned",
    level=INFO,
    text="{flow}: {topic}-{partition}: {reason}",
    more=("offset",),
    meaning="Where the copy of a partition begins, and why there.",
)
PARTITION_PARKED = Event(
    name="partition.parked",
    level=ERROR,
    text="{flow}: parked {reason}",
    more=("topic", "partition", "offset", "kind"),
    meaning="A partition stands still, because it could not go on correctly; the others go on. "
    "`offset` is the one that the cause speaks of, if any: of the copy, for "
    "`target_lost_records`.",
    action="Choose what the line offers; see [parked partitions](operations.md#parked-partitions).",
)
PARTITIONS_PARKED = Event(
    name="partitions.parked",
    level=ERROR,
    text="{flow}: {topic}: {partitions:count} partitions parked ({places}): {reason}",
    more=("kind",),
    meaning="Several partitions of a topic stand still for the same cause.",
    action="Choose what the line offers; see [parked partitions](operations.md#parked-partitions).",
)
HEARTBEAT_FAILED = Event(
    name="heartbeat.failed",
    level=WARNING,
    text="no heartbeats to {target}: {error}",
    meaning="A heartbeat could not be written; once a minute. The next one follows all the same.",
    action="Look at the target, and at what the driver may do there.",
)

POSITION_COPY_FAILED = Event(
    name="position_copy.failed",
    level=WARNING,
    text="{flow}: positions not copied for MirrorMaker 2: {error}",
    meaning="The second copy of the positions, for MirrorMaker 2, was not written at the end. "
    "kmirror's own positions are safe.",
    action="Before you go back to MirrorMaker 2, run kmirror once more.",
)
OFFSET_MAP_REFUSED = Event(
    name="offset_map.refused",
    level=WARNING,
    text="{flow}: no exact offset map: {error}",
    meaning="The target does not allow the topic of the exact offset map. It is kept in memory "
    "alone; what another process needs of it is read from both clusters again.",
    action="Grant what it names, and start again.",
)
OFFSET_MAP_FILLED = Event(
    name="offset_map.filled",
    level=INFO,
    text="{flow}: {topic}-{partition}: offsets {offset} to {end_offset} are in the offset map now",
    meaning="A part of the offset map was missing. It was read from both clusters.",
)
OFFSET_MAP_UNKNOWABLE = Event(
    name="offset_map.unknowable",
    level=WARNING,
    text="{flow}: {topic}-{partition}: nobody can tell where {offset:or the beginning} to "
    "{end_offset} went",
    meaning="A part of the offset map is missing, and both clusters together do not tell it. A "
    "group within it goes on at its beginning: records are read again, and none is left out.",
)
OFFSET_MAP_PRUNED = Event(
    name="offset_map.pruned",
    level=INFO,
    text="{flow}: {chunk_count} chunks taken out of the offset map",
    meaning="The offset map forgot what lies before the beginnings of both logs.",
)

EVENTS = (
    *(each for each in tuple(globals().values()) if isinstance(each, Event)),
    *(PARITY_EVENTS + RELOAD_EVENTS + POISON_EVENTS + GAP_EVENTS + DELETION_EVENTS + REST_EVENTS),
    *(CONNECT_EVENTS + METRICS_EVENTS + NODES_EVENTS + RESOLVER_EVENTS + MM1_EVENTS),
    *(CONSUMER_EVENTS + START_EVENTS + CANARY_EVENTS + RUN_RECORD_EVENTS),
    *(AUDIT_EVENTS + CONSOLE_EVENTS),
)
"""The whole table, in its order."""
