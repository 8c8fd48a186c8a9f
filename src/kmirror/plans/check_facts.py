"""What is known of a file's clusters and topics before a flow is started: the input of a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kmirror.model import Flow
from kmirror.plans.snapshot import TopicConfigEntry, settings_of

# How a topic's setting is called as the default of a broker, where that is another name.
_MINUTE_MS = 60_000
_OF_BROKER = {
    "max.message.bytes": "message.max.bytes",
    "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
    "message.timestamp.type": "log.message.timestamp.type",
    "min.insync.replicas": "min.insync.replicas",
    "retention.ms": "log.retention.ms",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerFacts:
    """
    A broker.

    Args:
        id: Its number.
        address: The `host:port` that it advertises.
        unreachable: Why no connection to it comes about; empty where one does.
        settings: Its own; empty where they may not be read.
    """

    id: int
    address: str
    unreachable: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """
    A cluster.

    Args:
        alias: Its alias.
        unavailable: Why it does not answer; empty where it does.
        brokers: By id.
        features: Levels of finalized features (KIP-584) by name; `None` where nobody told.
    """

    alias: str
    unavailable: str = ""
    brokers: tuple[BrokerFacts, ...] = ()
    features: Mapping[str, int] | None = None

    def default(self, setting: str) -> str | None:
        """Return what a topic's setting is where nobody sets it; `None` where nobody tells."""
        name = _OF_BROKER.get(setting, setting)
        found = self._setting(name)
        if found is None and setting == "retention.ms":
            for unit, ms in (("minutes", _MINUTE_MS), ("hours", 60 * _MINUTE_MS)):
                span = number(self._setting(f"log.retention.{unit}"))
                if span is not None:
                    return str(span * ms) if span >= 0 else "-1"
        return found

    def _setting(self, name: str) -> str | None:
        return next((b.settings[name] for b in self.brokers if b.settings.get(name)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicCheckFacts:
    """
    A selected topic and its copy.

    Args:
        topic: Its name on the source.
        copy: Its name on the target.
        source: Its settings; empty where they may not be read.
        target: Those of the copy; `None` while there is none.
        copied: Those that a new copy would get.
        is_synced: A copy that is there gets them, too (`sync.topic.configs.enabled`).
        newest_ms: Its largest timestamp; `None` where it holds no records, or it is not known.
        outdated: Records that are older than the copy keeps or takes, by the copy's setting.
    """

    topic: str
    copy: str
    source: Sequence[TopicConfigEntry] = ()
    target: Sequence[TopicConfigEntry] | None = None
    copied: Mapping[str, str] = field(default_factory=dict)
    is_synced: bool = False
    newest_ms: int | None = None
    outdated: Mapping[str, int] = field(default_factory=dict)

    def on_source(self, setting: str) -> str | None:
        """Return a setting of the topic."""
        return settings_of(self.source).get(setting) or None

    def on_target(self, setting: str, cluster: ClusterFacts) -> str | None:
        """Return a setting that the copy has, or would have; `None` where nobody tells."""
        if setting in self.copied and (self.is_synced or self.target is None):
            return self.copied[setting]
        if self.target is not None:
            return settings_of(self.target).get(setting) or None
        return cluster.default(setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFacts:
    """
    A flow.

    Args:
        flow: The flow.
        source, target: Its clusters.
        replication_factor: Of new copies; -1 leaves it to the brokers.
        exactly_once: Records and positions are written in one transaction.
        transaction_timeout_ms: The longest that a transaction of it may take.
        now_ms: The time of this machine when timestamps were read.
        topics: Those that are selected.
        unmatched: What of `topics` matches nothing, in words.
    """

    flow: Flow
    source: ClusterFacts
    target: ClusterFacts
    replication_factor: int
    exactly_once: bool
    transaction_timeout_ms: int
    now_ms: int
    topics: tuple[TopicCheckFacts, ...] = ()
    unmatched: tuple[str, ...] = ()


def number(text: str | None) -> int | None:
    """Return a setting's number; `None` for what is none."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
