"""The keys that are kmirror's own: nothing of MirrorMaker 2 has these names."""

from __future__ import annotations

from kmirror.config.checks import check_sql
from kmirror.config.keys.flow_key import flow_key
from kmirror.config.keys.key import KeyType

SELECT_COLUMNS = ("key", "value", "headers", "timestamp")
SPARK_PREFIX = "kmirror.spark."
ALIAS_PREFIX = "kmirror.alias."

KMIRROR_KEYS = (
    flow_key(
        name="kmirror.exactly.once",
        type=KeyType.BOOLEAN,
        default=True,
        mm2_default="at least once",
        why="Nothing twice and nothing lost is what a copy is for.",
        doc="Records and positions are one transaction; false is at least once.",
    ),
    flow_key(
        name="kmirror.commit.interval.ms",
        type=KeyType.INT,
        default=100,
        low=5,
        high=60_000,
        doc="How often a transaction is committed; readers of committed data wait that long, "
        "or next to nothing for what comes after a pause. "
        "A backlog on a far link is committed up to 64 times more seldom, every 5 s at least.",
    ),
    flow_key(
        name="kmirror.commit.bytes.max",
        type=KeyType.LONG,
        default=16 << 20,
        low=1 << 10,
        high=1 << 30,
        doc="A transaction with more bytes than that is committed at once.",
    ),
    flow_key(
        name="kmirror.batch.duration.seconds",
        type=KeyType.INT,
        default=300,
        low=5,
        high=86_400,
        doc="How long a Spark real-time batch lasts; the first one ends after 10 s at most.",
    ),
    flow_key(
        name="kmirror.slots",
        type=KeyType.INT,
        low=1,
        high=1024,
        doc="Spark tasks that copy side by side; decided at start when absent.",
    ),
    flow_key(
        name="kmirror.connections.max",
        type=KeyType.INT,
        default=4,
        low=1,
        high=16,
        doc="Connections of a slot to each broker of a source that is far away, shared by its "
        "partitions. A near one is read over one.",
    ),
    flow_key(
        name="kmirror.granularity",
        type=KeyType.STRING,
        default="auto",
        choices=("auto", "record"),
        doc="Copy record batches as they are, wherever that is exact; or always every record.",
    ),
    flow_key(
        name="kmirror.where",
        type=KeyType.STRING,
        check=check_sql,
        doc="SQL on topic, partition, offset, timestamp, key, value, headers: only those records.",
    ),
    *(
        flow_key(
            name=f"kmirror.select.{column}",
            type=KeyType.STRING,
            check=check_sql,
            doc=f"SQL that gives the record's {column} on the target.",
        )
        for column in SELECT_COLUMNS
    ),
    flow_key(
        name="kmirror.position.missing",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "earliest", "latest", "adopt"),
        doc="When the target has records of a partition and nothing says which: stop it, "
        "copy all, copy what comes, or find the position by comparing both ends.",
    ),
    flow_key(
        name="kmirror.topic.recreated",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "continue"),
        doc="When a source topic was deleted and made again: stop it, or go on from its start.",
    ),
    flow_key(
        name="kmirror.data.gap",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "continue"),
        doc="When the source no longer holds what comes next: stop it, or go on behind the gap.",
    ),
)
