"""What differs between a flow's clusters and stays so unless an administrator changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterError
from kmirror.pipeline.jvm_accounts import JvmAccounts
from kmirror.plans.accounts import Accounts, Report, compare_accounts
from kmirror.plans.replicas import compare_replicas
from kmirror.plans.snapshot import TopicState

T = TypeVar("T")
_SERVERS = "bootstrap.servers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """
    What was found.

    Args:
        found: What differs.
        unread: What could not be compared, and why.
    """

    found: tuple[Report, ...] = ()
    unread: tuple[str, ...] = ()


def replica_reports(
    config: FlowConfig,
    target: ClusterAdmin,
    *,
    source_topics: Mapping[str, TopicState],
    target_topics: Mapping[str, TopicState],
) -> Iterator[Report]:
    """
    Yield copies that have fewer replicas than their topics.

    Args:
        config: The flow.
        target: The target's control plane.
        source_topics, target_topics: All topics, by name.

    Raises:
        ClusterError: The target did not answer.
    """
    selection = config.topic_selection()
    copies = {
        name: copy
        for name in source_topics
        if selection.selects(name) and (copy := selection.remote_topic(name)) in target_topics
    }
    if all(source_topics[at].replicas <= target_topics[to].replicas for at, to in copies.items()):
        return
    yield from compare_replicas(
        copies,
        source_topics,
        target_topics,
        brokers=len(target.describe().brokers),
        servers=str(config.target_admin.get(_SERVERS, "")),
    )


def account_reports(config: FlowConfig, jvm: Any) -> Reports:
    """
    Compare the quotas and SCRAM users of both clusters.

    Args:
        config: The flow.
        jvm: A JVM with Kafka's clients on its class path.
    """
    if config.policy.merges:
        return Reports()  # both ends are the same cluster
    unread: list[str] = []
    with ExitStack() as opened:
        try:
            source, target = (
                opened.enter_context(
                    JvmAccounts(jvm, alias, properties, timeout_s=config.admin_request_timeout_s)
                )
                for alias, properties in (
                    (config.flow.source, config.source_admin),
                    (config.flow.target, config.target_admin),
                )
            )
        except ClusterError as error:
            return Reports(unread=(f"client quotas and SCRAM users: {error}",))
        quotas = _both(source.quotas, target.quotas, "client quotas", unread)
        scram = _both(source.scram, target.scram, "SCRAM users", unread)
    ours, theirs = (Accounts(quotas=quotas[end], scram=scram[end]) for end in (0, 1))
    servers = str(config.target_admin.get(_SERVERS, ""))
    return Reports(found=tuple(compare_accounts(ours, theirs, servers)), unread=tuple(unread))


def _both(
    source: Callable[[], Mapping[Any, T]],
    target: Callable[[], Mapping[Any, T]],
    what: str,
    unread: list[str],
) -> tuple[Mapping[Any, T], Mapping[Any, T]]:
    """Ask both clusters; without one of the answers there is nothing to compare."""
    try:
        ours = source()
        return ours, target() if ours else {}
    except ClusterError as error:
        unread.append(f"{what} are not compared: {error}")
        return {}, {}
