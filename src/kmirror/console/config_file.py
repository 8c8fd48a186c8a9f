"""The properties file as an operator asks for it: what is in effect, and what lies on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from kmirror.api.config import (
    FieldDifference,
    FileChanges,
    FileFinding,
    FileState,
    FileView,
    FlowDifference,
    FlowSettings,
    LineView,
    SettingView,
)
from kmirror.clock import Clock
from kmirror.config.changes import ConfigChanges, changes
from kmirror.config.client_defaults import CONSUMER_DEFAULTS, PRODUCER_DEFAULTS
from kmirror.config.connector import is_of_connector
from kmirror.config.effective import (
    Client,
    EffectiveSetting,
    Rank,
    client_settings,
    driver_settings,
    flow_settings,
    shown_default,
    shown_line,
)
from kmirror.config.entry import Entry
from kmirror.config.flows import FlowConfig
from kmirror.config.guards import FLOORS_MS, NOT_APPLIED
from kmirror.config.load import MirrorConfig, MirrorLines, read_lines
from kmirror.console.kept_answers import KeptAnswers
from kmirror.ends.clients import CONSUMER_FIXED, PRODUCER_FIXED, lane_consumer, lane_producer
from kmirror.errors import ConfigError, EnvironmentProblem, Problem
from kmirror.model import Flow

# Reading key stores takes a JVM: not for each of many tabs.
_KEEP_S = 2.0
_WHY = {
    ("consumer", each.name): f"kmirror's default, {each.value}; Kafka's is {each.kafka}: {each.why}"
    for each in CONSUMER_DEFAULTS
} | {
    ("producer", each.name): f"kmirror's default, {each.value}; Kafka's is {each.kafka}: {each.why}"
    for each in PRODUCER_DEFAULTS
}


class ConfigFile:
    """
    Answers about the file of a process.

    Args:
        config: Gives the file as it is in effect.
        read: Reads it as it lies on disk; raises ConfigError or EnvironmentProblem.
        compared_with: What `config` is, in words.
        clock: Where time comes from.
    """

    of_connectors = False

    def __init__(
        self,
        config: Callable[[], MirrorConfig],
        read: Callable[[], MirrorConfig],
        compared_with: str,
        clock: Clock,
    ) -> None:
        self._config = config
        self._read = read
        self._compared_with = compared_with
        self._clock = clock
        self._changes = KeptAnswers[FileChanges](_KEEP_S, clock)

    def file(self) -> FileView:
        """Return the file as it is in effect."""
        config = self._config()
        return FileView(
            file=config.path.name,
            flows=tuple(str(each.flow) for each in config.flows),
            findings=tuple(finding_views(config.warnings, is_wrong=False)),
            inactive=config.inactive_keys,
            settings=tuple(map(setting_view, driver_settings(config))),
        )

    def flow(self, flow: FlowConfig) -> FlowSettings:
        """
        Return the settings of a flow.

        Args:
            flow: The flow.
        """
        config = self._config()
        found = list(flow_settings(config, flow))
        for client in flow_clients(flow):
            found += client_settings(config, client)
        return FlowSettings(flow=str(flow.flow), settings=tuple(map(setting_view, found)))

    def changes(self) -> FileChanges:
        """
        Return what a reload of the file, as it lies on disk now, would change.

        Raises:
            EnvironmentProblem: Its key stores cannot be read here.
        """
        before = self._config()
        return self._changes.get((id(before), before.digest), lambda: self._compare(before))

    def lines(self, flow: FlowConfig) -> MirrorLines:  # noqa: ARG002 - it has those of all
        """
        Return the lines of the file, as it lies on disk now.

        Args:
            flow: Any of its flows.

        Raises:
            EnvironmentProblem: It cannot be read any more.
        """
        path = self._config().path
        try:
            # Where a line is counts here, not what its references say.
            return read_lines(path, environ={})
        except ConfigError as error:
            raise EnvironmentProblem(
                f"{path.name} has changed, and cannot be read: `kmirror check` says why"
            ) from error

    def _compare(self, before: MirrorConfig) -> FileChanges:
        try:
            after = self._read()
        except ConfigError as error:
            wrong = finding_views(error.problems, is_wrong=True)
            found = (*wrong, *finding_views(error.warnings, is_wrong=False))
            return self._told(FileState.REFUSED, ConfigChanges(), found)
        found = tuple(finding_views(after.warnings, is_wrong=False))
        differs = changes(before, after)
        if differs.refused:
            return self._told(FileState.REFUSED, differs, found)
        return self._told(FileState.CHANGED if differs else FileState.SAME, differs, found)

    def _told(
        self, state: FileState, differs: ConfigChanges, findings: tuple[FileFinding, ...]
    ) -> FileChanges:
        return FileChanges(
            as_of_ms=self._clock.wall_ms(),
            compared_with=self._compared_with,
            state=state,
            flows=tuple(
                FlowDifference(
                    flow=str(flow.flow),
                    kind=flow.kind.value,
                    fields=tuple(
                        FieldDifference(
                            name=each.name,
                            before=each.before,
                            after=each.after,
                            at_once=each.is_live,
                        )
                        for each in flow.fields
                    ),
                )
                for flow in differs.flows
            ),
            heartbeats=differs.heartbeats,
            refused=differs.refused,
            findings=findings,
        )


def flow_clients(flow: FlowConfig) -> Iterator[Client]:
    """
    Yield the clients of a flow, as they are made.

    Args:
        flow: The flow.
    """
    # The flow of an alias topic has the settings of its cluster.
    source, target = flow.flow.source, flow.target_cluster
    own = f"{Flow(source, target)}."
    yield Client(
        section="Consumer of the source, which reads the records",
        role="consumer",
        alias=source,
        prefixes=(f"{own}source.consumer.", f"{own}consumer.", f"{own}source.cluster."),
        properties=lane_consumer(flow),
        fixed=frozenset(CONSUMER_FIXED),
    )
    yield Client(
        section="Producer of the target, which writes the records",
        role="producer",
        alias=target,
        prefixes=(f"{own}producer.override.",),
        properties=lane_producer(flow),
        fixed=frozenset(PRODUCER_FIXED),
    )
    for end, alias, properties in (
        ("source", source, flow.source_admin),
        ("target", target, flow.target_admin),
    ):
        yield Client(
            section=f"Admin client of the {end}, the control plane",
            role="admin",
            alias=alias,
            prefixes=(f"{own}{end}.admin.", f"{own}admin.", f"{own}{end}.cluster."),
            properties=properties,
        )


def setting_view(found: EffectiveSetting) -> SettingView:
    """
    Return a setting as the API shows it.

    Args:
        found: The setting.
    """
    key = found.key
    return SettingView(
        name=found.name,
        section=found.section,
        value=found.value,
        set_by=found.rank.value,
        line=None if found.entry is None else _line(found.entry),
        lost=tuple(map(_line, found.lost)),
        default=shown_default(key),
        type="" if key is None else key.type.value,
        doc="" if key is None else key.doc,
        why=_why(found),
        is_active=key is None or key.active,
    )


def _why(found: EffectiveSetting) -> str:
    """Say why kmirror decides a setting."""
    key = found.key
    if found.why:
        return found.why
    if found.rank is Rank.KMIRROR:
        for role, names in NOT_APPLIED.items():
            if found.section.lower().startswith(role) and found.name in names:
                return names[found.name][1]
        if found.lost and found.name in FLOORS_MS:
            return f"raised: {FLOORS_MS[found.name][1]}"
        return next(
            (
                why
                for (role, name), why in _WHY.items()
                if name == found.name and found.section.lower().startswith(role)
            ),
            "",
        )
    if key is not None and key.mm2_default is not None and found.entry is None:
        return f"MirrorMaker 2's default is {key.mm2_default}: {key.why}"
    return ""


def _line(entry: Entry) -> LineView:
    return LineView(where=place_words(entry.where), key=entry.key, value=shown_line(entry))


def finding_views(problems: Iterable[Problem], *, is_wrong: bool) -> Iterator[FileFinding]:
    """
    Yield lines as the API shows them.

    Args:
        problems: What is to be said of them.
        is_wrong: Whether nothing can be done with them.
    """
    for each in problems:
        yield FileFinding(
            where=place_words(each.where),
            key=each.key,
            value=each.value,
            is_wrong=is_wrong,
            words=each.expected,
        )


def place_words(where: str) -> str:
    """
    Return a place without the folder: where files lie is nobody's business who may only look.

    Args:
        where: `file:line` with it, or a connector.
    """
    return where if not where or is_of_connector(where) else Path(where).name
