"""What connectors are and do on this worker, by what it runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kmirror.config.connector import MIRROR_PACKAGE, Kind
from kmirror.config.connectors import ConnectorFlow
from kmirror.connect.model import ConnectorStatus, TargetState, TaskId, TaskInfo
from kmirror.connect.plan import Plan
from kmirror.connect.states import (
    Part,
    checkpoint_status,
    failed,
    idle,
    single_status,
    source_status,
    stopped,
    task_partitions,
)
from kmirror.connect.zero_offsets import Subject
from kmirror.policy.replication import HEARTBEATS_TOPIC
from kmirror.runtime.host_options import slots_of
from kmirror.runtime.worker import Worker

_NO_SOURCE = (
    "no MirrorSourceConnector of these aliases runs; groups follow what one of this cluster copies"
)


class Reporter:
    """
    Reports of one worker.

    Args:
        worker: What runs.
        worker_id: The worker's name.
    """

    def __init__(self, worker: Worker, worker_id: str) -> None:
        self._worker = worker
        self._worker_id = worker_id

    def status(self, plan: Plan, name: str) -> ConnectorStatus:
        """
        Return what a connector does.

        Args:
            plan: What there is to do; it has the connector.
            name: Which.
        """
        target = plan.connectors[name].target
        if target is TargetState.STOPPED:
            return stopped(name, self._worker_id)
        if problems := plan.built.refused.get(name):
            return failed(name, self._worker_id, "\n".join(map(str, problems)))
        if name in plan.built.idle:
            return idle(name, self._worker_id)
        flows = plan.of(name)
        match plan.kind(name):
            case Kind.SOURCE:
                parts = [self._part(each) for each in flows if each.config is not None]
                return source_status(name, target, parts, self._worker_id)
            case Kind.CHECKPOINT if flows:
                parts = [self._follower(each) for each in flows]
                return checkpoint_status(name, target, parts, self._worker_id)
        begun, trouble = self._worker.beats(flows[0].flow) if flows else (False, None)
        return single_status(name, target, self._worker_id, begun=begun, trouble=trouble)

    def tasks(self, plan: Plan, name: str) -> tuple[TaskInfo, ...]:
        """
        Return a connector's tasks, with what MirrorMaker 2 would give them.

        Args:
            plan: What there is to do; it has the connector.
            name: Which.
        """
        config = plan.connectors[name].settings
        kind = plan.kind(name)
        count = len(self.status(plan, name).tasks)
        if kind is None or not count:
            return ()
        shares = self._shares(plan, name) if kind is Kind.SOURCE else [{}] * count
        task_class = f"{MIRROR_PACKAGE}{kind.removesuffix('Connector')}Task"
        return tuple(
            TaskInfo(
                id=TaskId(name, number),
                config={**config, **share, "task.class": task_class, "task.index": str(number)},
            )
            for number, share in enumerate(shares)
        )

    def written(self, plan: Plan, name: str) -> Mapping[str, int]:
        """
        Return how many records a connector has written to topics, as far as that is counted.

        Args:
            plan: What there is to do; it has the connector.
            name: Which.
        """
        kind, flows = plan.kind(name), plan.of(name)
        if kind is Kind.HEARTBEAT:
            begun = any(self._worker.beats(each.flow) == (True, None) for each in flows)
            return {HEARTBEATS_TOPIC: 1} if begun else {}
        found: dict[str, int] = {}
        for each in flows if kind is Kind.SOURCE else ():
            status = self._worker.status(each.flow)
            if status is None or each.config is None:
                continue
            remote_topic = each.config.topic_selection().remote_topic
            for topic in status.topics:
                copy = remote_topic(topic.topic)
                found[copy] = found.get(copy, 0) + topic.records
        return found

    def subjects(self, plan: Plan, names: Iterable[str]) -> Mapping[str, Collection[Subject]]:
        """
        Return what checkpoint and heartbeat connectors have written of since they began.

        Args:
            plan: What there is to do.
            names: Connectors that this worker may have.
        """
        checkpoints = self._worker.checkpoints()
        found: dict[str, Collection[Subject]] = {}
        for name in names:
            flows = [each.flow for each in plan.of(name)]
            match plan.kind(name):
                case Kind.CHECKPOINT:
                    found[name] = {key for flow in flows for key in checkpoints.get(flow, ())}
                case Kind.HEARTBEAT:
                    found[name] = {
                        flow for flow in flows if self._worker.beats(flow) == (True, None)
                    }
        return {name: subjects for name, subjects in found.items() if subjects}

    def _shares(self, plan: Plan, name: str) -> list[Mapping[str, str]]:
        return [
            {"task.assigned.partitions": ",".join(map(str, share))}
            for each in plan.of(name)
            if each.config is not None
            for share in task_partitions(self._worker.status(each.flow), slots_of(each.config))
        ]

    def _part(self, flow: ConnectorFlow) -> Part:
        assert flow.config is not None, "a source connector copies"
        return Part(
            flow=flow.flow,
            tasks=slots_of(flow.config),
            status=self._worker.status(flow.flow),
            trouble=self._worker.trouble(flow.flow),
        )

    def _follower(self, flow: ConnectorFlow) -> Part:
        if flow.config is None:
            return Part(flow=flow.flow, tasks=1, waits=_NO_SOURCE)
        return Part(
            flow=flow.flow,
            tasks=1,
            status=self._worker.status(flow.flow),
            trouble=self._worker.trouble(flow.flow),
        )
