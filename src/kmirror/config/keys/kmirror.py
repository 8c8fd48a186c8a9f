"""The keys that are kmirror's own: nothing of MirrorMaker 2 has these names."""

from __future__ import annotations

from functools import partial

from kmirror.config.acl_principals import check_principals
from kmirror.config.checks import check_address, check_sql, check_window
from kmirror.config.deletion import read_deletion
from kmirror.config.keys.canary import CANARY_KEYS
from kmirror.config.keys.flow_key import flow_key
from kmirror.config.keys.key import Key, KeyType, Scope
from kmirror.config.keys.server import ROLES
from kmirror.config.limits_values import bytes_per_second, priority_class
from kmirror.config.per_topic import check_per_topic, one_of_words
from kmirror.policy.gap_reactions import GAP_REACTIONS, POSITION_REACTIONS
from kmirror.policy.poison import Poison
from kmirror.wire.worker_group import NODES_GROUP

SELECT_COLUMNS = ("key", "value", "headers", "timestamp")
SPARK_PREFIX = "kmirror.spark."
ALIAS_PREFIX = "kmirror.alias."

read_gap_reaction = one_of_words(*GAP_REACTIONS)
read_position_reaction = one_of_words(*POSITION_REACTIONS)

_driver_text = partial(Key, scope=Scope.DRIVER, type=KeyType.STRING)

METRICS_KEYS = (
    _driver_text(
        name="kmirror.metrics.listen",
        check=check_address,
        doc="Where the driver, or a Connect worker, serves [metrics](metrics.md) for Prometheus: "
        "`127.0.0.1:9404`, or `:9404` for all addresses of the machine. By default nowhere. Takes "
        "effect at the next start; `--metrics-listen` of `kmirror run` and `kmirror connect` comes "
        "first.",
    ),
    _driver_text(
        name="kmirror.metrics.users.file",
        doc="A file of users, as in [REST security](rest-security.md): who reads metrics logs in "
        "as one of them. By default everybody who reaches the address may read.",
    ),
)
NODES_KEYS = (
    _driver_text(
        name="kmirror.nodes",
        choices=("one", "several"),
        doc="How many `kmirror run` have this file. `one`: whoever starts later takes the flows "
        "over, and the one before ends with 4. `several`: they share the flows, and take over from "
        "each other; see [several nodes](nodes.md). By default `several` if "
        "`dedicated.mode.enable.internal.rest = true`, by which MirrorMaker 2 is told so, else "
        "`one`.",
    ),
    _driver_text(
        name="kmirror.nodes.cluster",
        doc="The alias of the cluster on which the nodes meet, in the topic "
        "`__kmirror-nodes-<group.id>`. By default the first of `clusters` that flows of this node "
        "go to.",
    ),
    _driver_text(
        name="kmirror.nodes.group.id",
        default=NODES_GROUP,
        doc="Nodes that meet on the same cluster and have the same one share their flows.",
    ),
)
CONSOLE_KEYS = (
    _driver_text(
        name="kmirror.console",
        check=check_address,
        doc="Where the driver, or a Connect worker, serves its [console](console.md) and "
        "[API](api.md): `127.0.0.1:8089`, or `:8089` for all addresses of the machine. By default "
        "nowhere. Takes effect at the next start.",
    ),
    _driver_text(
        name="kmirror.console.users.file",
        doc="Who may use the console, and as what: a file of users, as in "
        "[REST security](rest-security.md). By default everybody who reaches the address.",
    ),
    _driver_text(
        name="kmirror.console.anonymous.role",
        choices=("none", *ROLES),
        any_case=True,
        doc="What those may who do not log in: by default `viewer` without a file of users, "
        "`none` with one.",
    ),
    _driver_text(
        name="kmirror.console.records.role",
        choices=("none", "operator", "admin"),
        default="operator",
        any_case=True,
        doc="Who may look at records of topics on the console, and at dead letters: those of this "
        "role, or a higher one; with `none` nobody.",
    ),
    Key(
        scope=Scope.DRIVER,
        name="kmirror.console.hosts",
        type=KeyType.LIST,
        default=(),
        doc="Names of the console in the `Host` header, besides `localhost`, addresses, and the "
        "name in `kmirror.console`.",
    ),
    _driver_text(
        name="kmirror.console.report.key",
        doc="The console signs the reports of [audits](audit.md#a-report-for-others) with this "
        "private key: ed25519, PEM without a password. By default they are not signed.",
    ),
    _driver_text(
        name="kmirror.console.history.file",
        doc="The driver keeps what the console's [plots](console.md#plots-over-a-restart) show in "
        "this file, so that they are there after a restart. Its folder must be there; each driver "
        "has a file of its own. By default plots begin anew. Takes effect at the next start.",
    ),
)
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
        doc="How often a transaction is committed while there is a backlog. Consumers with "
        "`isolation.level=read_committed` see a record after its commit. While few records come, "
        "commits follow each other sooner: they take a third of the time, more where it is idle. "
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
        default=86_400,
        low=5,
        high=86_400,
        doc="How long a Spark real-time batch lasts at most.",
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
        name="kmirror.provenance",
        type=KeyType.BOOLEAN,
        default=False,
        doc="Copies get the header `kmirror.provenance`: the record's cluster, topic, partition, "
        "offset and time, and the clusters it has been on. No record comes back to one of them, so "
        "one topic name can be copied both ways; see [patterns](patterns.md#provenance).",
    ),
    flow_key(
        name="kmirror.provenance.hops.max",
        type=KeyType.INT,
        low=1,
        doc="A record that came over so many flows is copied no further: with 1 only what was "
        "written on the source itself is copied. By default there is no limit.",
    ),
    flow_key(
        name="kmirror.flow.limit.bytes.per.second",
        type=KeyType.LONG,
        low=1000,
        doc="So much is read for the whole flow at most, as it lies in the source's batches. "
        "See [limits](limits.md).",
    ),
    flow_key(
        name="kmirror.limit.bytes.per.second",
        type=KeyType.LIST,
        default=(),
        check=check_per_topic(bytes_per_second),
        doc="The same for each topic: `audit.*: 1000000, none`. A number alone is for every other "
        "topic, each by itself.",
    ),
    flow_key(
        name="kmirror.priority",
        type=KeyType.LIST,
        default=(),
        check=check_per_topic(priority_class),
        doc="Which topics come first: `orders.*: A, audit.*: C, B`. A later class is read when "
        "the ones before it have caught up, or leave some of the flow's limit.",
    ),
    flow_key(
        name="kmirror.window",
        type=KeyType.STRING,
        check=check_window,
        doc="When the flow copies: `22:00-06:00`, or `Mon-Fri 20:00-06:00, Sat-Sun 00:00-24:00 "
        "Europe/Berlin`; UTC without a time zone. Outside of it all partitions are "
        "[paused](limits.md#time-windows). By default always.",
    ),
    flow_key(
        name="kmirror.data.gap",
        type=KeyType.LIST,
        default=("fail",),
        check=check_per_topic(read_gap_reaction),
        doc="What to do when the source no longer holds the next record: `fail` parks the "
        "partition, `continue` goes on with what the source has, `new-generation` begins a new "
        "copy. For each topic, as "
        "`fail, audit.*: continue`; see [gaps](gaps.md).",
    ),
    flow_key(
        name="kmirror.log.truncated",
        type=KeyType.LIST,
        default=("fail",),
        check=check_per_topic(read_gap_reaction),
        doc="What to do when the source has lost records that were copied: `fail` parks the "
        "partition, `continue` goes on where the log has changed, `restart` copies the log from "
        "its beginning again, `new-generation` begins a new copy. For each topic. Without it, "
        "`kmirror.data.gap` decides; see "
        "[gaps](gaps.md).",
    ),
    flow_key(
        name="kmirror.topic.recreated",
        type=KeyType.LIST,
        default=("fail",),
        check=check_per_topic(read_gap_reaction),
        doc="What to do when a source topic was deleted and created again: `fail` parks its "
        "partitions, `continue` appends the new topic from its start, `new-generation` begins a "
        "new copy. For each topic; see "
        "[gaps](gaps.md).",
    ),
    flow_key(
        name="kmirror.position.missing",
        type=KeyType.LIST,
        default=("fail",),
        check=check_per_topic(read_position_reaction),
        doc="What to do when a partition's position is lost, or the target lost what was "
        "committed with it: `fail` parks the partition, `earliest` or `restart` copies everything "
        "again, `latest` copies only new records, `adopt` finds the position by comparing the "
        "tails of both logs, `continue` goes on at the position, if it is known, "
        "`new-generation` begins a new copy. For each topic; "
        "see [gaps](gaps.md).",
    ),
    flow_key(
        name="kmirror.poison",
        type=KeyType.LIST,
        default=(Poison.PARK.value,),
        check=check_per_topic(one_of_words(*(each.value for each in Poison))),
        doc="What to do with a record that the target never takes, or a damaged batch: `park` "
        "stops its partition before it, `skip` goes on without it, `dlq` goes on and keeps it in "
        "`kmirror-dlq.<S>` on the target. For each topic, if need be: `park, audit.*: skip`. See "
        "[poison](poison.md).",
    ),
    flow_key(
        name="kmirror.audit.enabled",
        type=KeyType.BOOLEAN,
        default=False,
        doc="Audit the flow while it copies: compare both sides window by window, and write down "
        "on the target what is identical and what is not; see [audit](audit.md). Both clusters "
        "are read once more for it.",
    ),
    flow_key(
        name="kmirror.audit.rate",
        type=KeyType.LONG,
        default=3_000_000,
        low=1000,
        also=(0,),
        doc="How many bytes a second the driver's audit reads of each cluster at most: keys and "
        "values, not compressed. 0 for as fast as it can. `kmirror audit run` has `--rate` "
        "instead.",
    ),
    flow_key(
        name="kmirror.audit.interval.seconds",
        type=KeyType.LONG,
        default=60,
        low=1,
        doc="How often the audit looks for what was copied since; in a backlog, between two reads.",
    ),
    flow_key(
        name="kmirror.audit.window.records",
        type=KeyType.LONG,
        default=100_000,
        low=1,
        high=10_000_000,
        doc="How many source offsets a window of the audit has at most. Fewer when records are "
        "large: a window has some 64 MiB.",
    ),
    flow_key(
        name="kmirror.sync.log.start",
        type=KeyType.BOOLEAN,
        default=False,
        doc="Delete from the beginning of a copy what DeleteRecords or retention took from the "
        "beginning of its source partition; see [deletion](deletion.md#where-a-copy-begins).",
    ),
    flow_key(
        name="kmirror.topic.deletion",
        type=KeyType.LIST,
        default=("ignore",),
        check=check_per_topic(read_deletion),
        doc="What becomes of a copy once it is proved that its topic was deleted on the source: "
        "`ignore`, `quarantine` or `delete-after=7d` (s, m, h, d), for all topics or as "
        "`regex: value`; see [deletion](deletion.md).",
    ),
    flow_key(
        name="kmirror.acls",
        type=KeyType.STRING,
        default="mm2",
        choices=("mm2", "exact"),
        doc="`mm2` copies ACLs of topics as MirrorMaker 2 does; `exact` copies those of prefixes, "
        "groups and transactional ids, too, and takes back what the source takes back, see "
        "[parity](parity.md#exact-acls). `sync.topic.acls.enabled = false` switches off both.",
    ),
    flow_key(
        name="kmirror.acls.interval.seconds",
        type=KeyType.LONG,
        default=10,
        low=1,
        high=86_400,
        doc="How often ACLs are compared with `kmirror.acls = exact`. What is gone from the source "
        "is removed when it is gone twice.",
    ),
    flow_key(
        name="kmirror.acls.principals",
        type=KeyType.LIST,
        default=(),
        check=check_principals,
        doc="With `exact`: who has another name on the target, as `User:alice: User:alice-dr`, "
        "separated by commas.",
    ),
    flow_key(
        name="kmirror.acls.write",
        type=KeyType.BOOLEAN,
        default=False,
        doc="With `exact`: who may write to a topic may write to its copy, too.",
    ),
    flow_key(
        name="kmirror.slo.lag.seconds",
        type=KeyType.INT,
        default=30,
        low=1,
        doc="How far behind, in time, the flow may be: then it is `IN_SYNC`, otherwise `BEHIND`. "
        "See [monitoring](monitoring.md#verdicts).",
    ),
    flow_key(
        name="kmirror.slo.rpo.seconds",
        type=KeyType.INT,
        default=300,
        low=1,
        doc="How old the oldest record may be that only the source has: beyond that the flow is "
        "`BROKEN`, as it is when nothing moves or something is parked.",
    ),
    *CANARY_KEYS,
)
