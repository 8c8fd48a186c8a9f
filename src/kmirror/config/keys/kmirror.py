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
        why="A copy should neither repeat nor lose records.",
        doc="Write records and positions in one transaction; `false` means at least once.",
    ),
    flow_key(
        name="kmirror.commit.interval.ms",
        type=KeyType.INT,
        default=100,
        low=5,
        high=60_000,
        doc="How often a transaction is committed. Consumers with `isolation.level=read_committed` "
        "see a record after its commit; after a pause, that is almost at once. "
        "While a backlog fills a far link, the interval doubles with each transaction, up to 64 "
        "times its value, but not beyond 5 s or a quarter of `transaction.timeout.ms`.",
    ),
    flow_key(
        name="kmirror.commit.bytes.max",
        type=KeyType.LONG,
        default=16 << 20,
        low=1 << 10,
        high=1 << 30,
        doc="Commit a transaction as soon as it holds this many bytes. On a far link this limit "
        "grows with the interval.",
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
        doc="Spark tasks that copy in parallel. By default one for every two cores, at most 4.",
    ),
    flow_key(
        name="kmirror.connections.max",
        type=KeyType.INT,
        default=4,
        low=1,
        high=16,
        doc="Connections from a slot to each broker of a distant source; the slot's partitions "
        "share them. A nearby source is read over one connection.",
    ),
    flow_key(
        name="kmirror.granularity",
        type=KeyType.STRING,
        default="auto",
        choices=("auto", "record"),
        doc="`auto` copies whole record batches and unpacks only those that cannot travel whole; "
        "`record` copies record by record.",
    ),
    flow_key(
        name="kmirror.where",
        type=KeyType.STRING,
        check=check_sql,
        doc="SQL condition on topic, partition, offset, timestamp, key, value and headers. Only "
        "records for which it is true are copied.",
    ),
    *(
        flow_key(
            name=f"kmirror.select.{column}",
            type=KeyType.STRING,
            check=check_sql,
            doc=f"SQL expression for the record's {column} on the target.",
        )
        for column in SELECT_COLUMNS
    ),
    flow_key(
        name="kmirror.position.missing",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "earliest", "latest", "adopt"),
        doc="What to do when a partition's position is lost or no longer fits the target: "
        "`fail` parks the partition, `earliest` copies everything again, `latest` copies only new "
        "records, `adopt` finds the position by comparing the tails of both logs.",
    ),
    flow_key(
        name="kmirror.topic.recreated",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "continue"),
        doc="What to do when a source topic was deleted and created again: `fail` parks its "
        "partitions, `continue` copies the new topic from its start.",
    ),
    flow_key(
        name="kmirror.data.gap",
        type=KeyType.STRING,
        default="fail",
        choices=("fail", "continue"),
        doc="What to do when the source no longer holds the next record, or its log was "
        "truncated: `fail` parks the partition, `continue` goes on with what the source has.",
    ),
)
