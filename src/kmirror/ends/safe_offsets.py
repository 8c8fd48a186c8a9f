"""Up to where the source may be deleted, because the target is proved to have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kmirror.config.flows import FlowConfig
from kmirror.ends.audit_log import read_audits
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.model import TopicPartition
from kmirror.plans.audits import safe_to_delete_before
from kmirror.wire.flow_names import position_group


def safe_offsets(
    config: FlowConfig, clients: FlowClients, mirrored: Sequence[Mirrored]
) -> Mapping[TopicPartition, int]:
    """
    Return below which source offsets everything is committed on the target, and audited there.

    Args:
        config: The flow.
        clients: Its clients.
        mirrored: The partitions that matter; those of which nothing was audited are left out.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    audits = read_audits(config, clients, clients.target.topics())
    audited = [each for each in mirrored if each.source in audits and not each.merged]
    if not audited:
        return {}
    positions = clients.target.group_positions(
        position_group(config.flow), [each.position for each in audited]
    )
    starts = clients.source.offsets([each.source for each in audited], "earliest", partial=True)
    found = {
        each.source: safe_to_delete_before(
            audits[each.source],
            positions.get(each.position),
            log_start=starts[each.source],
            ids=(each.topic_id, each.target_id),
        )
        for each in audited
        if each.source in starts
    }
    return {place: offset for place, offset in found.items() if offset is not None}
