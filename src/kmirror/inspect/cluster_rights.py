"""Which rights a file's flows lack on one cluster, for the topics that are there now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.load import MirrorConfig
from kmirror.inspect.access import named_needs, process_needs
from kmirror.inspect.rights import ask_rights
from kmirror.plans.check_rules import CheckFinding, check_rights
from kmirror.plans.grants import Need
from kmirror.plans.missing_rights import MissingRights, missing_rights


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRights:
    """
    What was found.

    Args:
        missing: Rights that are needed and not granted.
        unchecked: Flows whose topics are not known, since their source has not answered.
    """

    missing: tuple[CheckFinding, ...]
    unchecked: tuple[str, ...]


def ask_missing(
    config: MirrorConfig,
    alias: str,
    topics: Mapping[str, Collection[str]],
    *,
    timeout_s: float,
    clock: Clock,
) -> ClusterRights:
    """
    Ask a cluster for the rights of everybody who works there by the file.

    Groups and transactional ids are not asked for: `kmirror check` does that.

    Args:
        config: The file.
        alias: The cluster.
        topics: The topics of each cluster that has answered, by alias.
        timeout_s: Deadline of each question, seconds.
        clock: Where time comes from.

    Raises:
        ClusterError: It does not answer, or refuses.
    """
    needs: list[Need] = []
    logins: dict[tuple[str, str], ClientProperties] = {}
    unchecked: list[str] = []
    found = [process_needs(config)]
    for flow in config.flows:
        if alias not in {flow.flow.source, flow.flow.target}:
            continue
        there = topics.get(flow.flow.source)
        if there is None:
            unchecked.append(str(flow.flow))
            continue
        selected = sorted(filter(flow.topic_selection().selects, there))
        found.append(named_needs(flow, selected))
    for each in found:
        needs += [need for need in each.needs if need.cluster == alias]
        logins |= each.logins
    rights = ask_rights(needs, logins, timeout_s=timeout_s, clock=clock)
    missing = missing_rights(needs, rights).missing
    told = check_rights(MissingRights(missing=missing, untold=()))
    return ClusterRights(missing=tuple(told), unchecked=tuple(unchecked))
