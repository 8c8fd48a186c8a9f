"""Which rights are taken away together, and the lines that miss them."""

from __future__ import annotations

from dataclasses import dataclass

DENIED = "not authorized to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """
    Rights that are taken away together, because one run can miss all of them.

    Args:
        taken: Cluster, name and operation, and the line that misses it.
        stop: The lines come at the driver's end.
        fills: A topic of B that has records at the end, which a later round has to read.
    """

    taken: dict[str, str]
    stop: bool = False
    fills: str = ""


# Creations come first: later nothing has to be created. The first driver makes what is made before
# the flow is claimed, and never gets as far as mirroring. The second mirrors t-grows alone, which
# is there on both clusters.
ROUNDS = (
    Round(
        taken={
            "B mm2-offsets.A.internal Create": f"waiting: .*{DENIED} create topic mm2-offsets",
            "B heartbeats Create": f"no heartbeats to B: .*{DENIED} create topic heartbeats",
            "B __kmirror-offsets-A-B Create": f"no exact offset map: .*{DENIED} create topic __km",
            "B __kmirror-control-A-B Create": f"no orders .*{DENIED} create topic __kmirror-contr",
            "B kmirror-dlq.A Create": f"nothing can be kept: .*{DENIED} create topic kmirror-dlq",
        }
    ),
    Round(
        taken={
            "A t- DescribeConfigs": f"not mirrored: t-1: .*{DENIED} read the settings of topic",
            "A mm2-offset-syncs.B.internal Create": f"{DENIED} create topic mm2-offset-syncs",
            "B __kmirror-deletions-A-B Create": f"{DENIED} create topic __kmirror-deletions-A-B",
            "B A.checkpoints.internal Create": f"checkpoints: .*{DENIED} create topic A.checkp",
            "B __kmirror-groups-A-B Create": f"moved back .*{DENIED} create topic __kmirror-gr",
        }
    ),
    Round(
        taken={
            "B A.checkpoints.internal Write": f"checkpoints: .*{DENIED} write to topic A.checkp",
            "B __kmirror-deletions-A-B Write": f"{DENIED} write to topic __kmirror-deletions-A-B",
        }
    ),
    Round(
        taken={
            "B A.t- Create": f"not mirrored: t-3: .*{DENIED} create topic A.t-3",
            "A mm2-offset-syncs.B.internal Write": f"{DENIED} write to topic mm2-offset-syncs",
            "B heartbeats Write": f"no heartbeats to B: .*{DENIED} write to topic heartbeats",
        },
        fills="__kmirror-groups-A-B",
    ),
    Round(
        taken={
            "B __kmirror-groups-A-B Write": f"moved back .*{DENIED} write to topic __kmirror-gr",
            "B A.t- AlterConfigs": "WARNING.*(AlterConfigs|read the settings)",
            "B A.t- Alter": f"not mirrored: t-grows: .*{DENIED} add partitions to topic A.t-grows",
        }
    ),
    Round(
        taken={
            "B g- Read": "WARNING .*group g-1 do not follow: .*uthoriz",
            "B A.t- Delete": f"WARNING .*{DENIED} delete topic A.t-3",
        }
    ),
    Round(
        taken={
            "B __kmirror-groups-A-B Read": f"moved back .*{DENIED} read __kmirror-groups-A-B",
            "B kmirror-dlq.A Write": r"parked t-poison-0: target: Not author.*\[kmirror-dlq\.A\]",
        }
    ),
    Round(
        taken={
            "B __kmirror-offsets-A-B Read": f"offset map: .*{DENIED} read __kmirror-off",
            "B __kmirror-control-A-B Read": f"no orders .*{DENIED} read __kmirror-control-A-B",
            "B __kmirror-deletions-A-B Read": f"{DENIED} read __kmirror-deletions-A-B",
        }
    ),
    Round(
        taken={
            "B __kmirror-offsets-A-B Write": r"repeated: .*Not authorized .*\[__kmirror-offsets-A-B"
        }
    ),
    Round(taken={"A t- Read": r"topics: nothing matches t-\.\*"}),
    Round(taken={"B A.t- Write": r"parked t-grows-0: target: Not authorized .*\[A\.t-grows\]"}),
    Round(taken={"B A.t- Read": f"waiting: .*{DENIED} write positions .*A\\.t-.*uthoriz"}),
    Round(taken={"B __kmirror-A-B Read": f"waiting: .*{DENIED} read .* group __kmirror-A-B"}),
    Round(taken={"B kmirror-A-B- Write": f"waiting: .*{DENIED} claim flow .*Transactional Id"}),
    Round(taken={"B mm2-offsets.A.internal Read": f"waiting: .*{DENIED}.*mm2-offsets"}),
    Round(
        taken={"B mm2-offsets.A.internal Write": f"WARNING.*{DENIED} write to topic mm2-offsets"},
        stop=True,
    ),
)
GROWS_IN, GONE_IN, BACK_IN, POISON_IN, ORDERED_IN = 4, 5, 6, 6, 7
POISON = "t-poison"
# Kafka hides what may not be described: nobody can say what it is that is not there.
HIDDEN = "A g- Describe"
# Only who orders something writes it; the driver answers orders alone.
ORDERING = "B __kmirror-control-A-B Write"
# Only who looks at dead letters reads them.
LOOKING = "B kmirror-dlq.A Read"
# What a replay needs besides, in the order in which it comes to miss it: what is there and empty
# need not be read.
REPLAYING = ("Create", "Write", "Read")
