"""Which tests run beside which, where `pytest -n 2` has two testers (pytest-xdist).

Most tests on real brokers need the machine: one tester has them, one after another, and the faults
come last, when the other has finished. The other has what computes for moments or mostly waits.
Without `-n` everything runs one after another, in pytest's own order.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_HEAVY = {"integration", "faults"}
# Of these, what is in no hurry or waits: for slow links, throttled clients, brokers that are away,
# rounds of the control plane.
_PATIENT = {
    "test_alias_topics",
    "test_audits",
    "test_auto_creation",
    "test_background",
    "test_cluster_away",
    "test_connect_storage",
    "test_connect_store",
    "test_control",
    "test_copy_generations",
    "test_credentials",
    "test_deletion",
    "test_dlq_command",
    "test_documented_output",
    "test_engine_offsets",
    "test_gaps",
    "test_interrupted_commands",
    "test_lab_duplicates",
    "test_lab_net",
    "test_lab_net_proxy",
    "test_log_start",
    "test_lossy_links",
    "test_metrics",
    "test_mm1",
    "test_narrow_link",
    "test_no_gaps",
    "test_old_brokers",
    "test_quotas",
    "test_reload",
    "test_reports",
    "test_rights",
    "test_topic_acls",
    "test_topologies",
    "test_tune_measures",
    "test_two_ways",
    "test_wrong_addresses",
}


class _TwoScopes(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    def _split_scope(self, nodeid: str) -> str:
        return "alone" if _needs_the_machine(nodeid) else "beside"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Give the scheduler with these two scopes."""
    return _TwoScopes(config, log)


def order(items: list[pytest.Item]) -> None:
    """Put the faults last; a tester takes its tests in this order."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.path.parent.name == "faults")


def _needs_the_machine(nodeid: str) -> bool:
    module = PurePosixPath(nodeid.partition("::")[0])
    return module.parent.name in _HEAVY and module.stem not in _PATIENT
