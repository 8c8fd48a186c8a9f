"""Asks clusters which of the rights that are needed they grant; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kmirror.admin.rights import RightsAdmin
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.plans.access import Resource
from kmirror.plans.grants import Need
from kmirror.plans.missing_rights import Place, Rights, place_of


def ask_rights(
    needs: Iterable[Need],
    logins: Mapping[tuple[str, str], ClientProperties],
    *,
    timeout_s: float,
    clock: Clock,
) -> Mapping[Place, Rights]:
    """
    Ask about all topics, groups and clusters that are needed, as the principal who needs them.

    Of transactional ids clusters tell nobody: who tries, claims the flow.

    Args:
        needs: What is needed, of resources by their names.
        logins: By cluster and principal, the properties with which to log in.
        timeout_s: Deadline of each question, seconds.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster did not answer, or refused.
    """
    asked: dict[tuple[str, str], set[Place]] = {}
    for need in needs:
        asked.setdefault((need.cluster, need.principal), set()).add(place_of(need))
    found: dict[Place, Rights] = {}
    for (alias, principal), places in asked.items():
        settings = librdkafka_settings(logins[alias, principal])
        with RightsAdmin(alias, settings, timeout_s=timeout_s, clock=clock, looks=True) as admin:
            for resource, ask in (
                (Resource.TOPIC, admin.topic_rights),
                (Resource.GROUP, admin.group_rights),
                (Resource.CLUSTER, admin.cluster_rights),
            ):
                names = {each.name: each for each in places if each.resource is resource}
                if names:
                    found |= {names[name]: rights for name, rights in ask(sorted(names)).items()}
    return found
