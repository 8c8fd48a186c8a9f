"""What a program asks the console of audits and canaries."""

from __future__ import annotations

from kmirror.api.audits import (
    AuditList,
    AuditView,
    PartitionAuditList,
    TopicAudit,
    TopicAuditList,
    WindowList,
)
from kmirror.api.canaries import CanaryList, CanaryView
from kmirror.api.connection import ApiConnection, quoted


class AuditCalls(ApiConnection):
    """The part of `ApiClient` that asks what was compared, and what arrives."""

    def audits(self) -> tuple[AuditView, ...]:
        """Return how far each flow is audited, and what was found."""
        return self._get(AuditList, "/audit").audits

    def audit(self, flow: str) -> AuditView:
        """Return how far a flow is audited, and what was found."""
        return self._get(AuditView, f"/audit/{quoted(flow)}")

    def audit_topics(self, flow: str) -> TopicAuditList:
        """Return the same for a flow's topics, the worst first."""
        return self._get(TopicAuditList, f"/audit/{quoted(flow)}/topics")

    def audit_topic(self, flow: str, topic: str) -> TopicAudit:
        """Return the same for one of them."""
        return self._get(TopicAudit, f"/audit/{quoted(flow)}/topics/{quoted(topic)}")

    def audit_partitions(
        self,
        flow: str,
        *,
        topic: str | None = None,
        verdict: str | None = None,
        text: str | None = None,
        offset: int = 0,
        limit: int = 1000,
    ) -> PartitionAuditList:
        """
        Return the same for a flow's partitions, the worst first.

        Args:
            flow: `S->T`.
            topic: Only those of one topic.
            verdict: Only those with this verdict.
            text: Only those whose topic or number has it.
            offset, limit: Which of them.
        """
        asked = {"topic": topic, "verdict": verdict, "q": text, "offset": offset, "limit": limit}
        return self._get(PartitionAuditList, f"/audit/{quoted(flow)}/partitions", asked)

    def audit_windows(
        self,
        flow: str,
        *,
        topic: str | None = None,
        verdict: str | None = None,
        text: str | None = None,
        offset: int = 0,
        limit: int = 1000,
    ) -> WindowList:
        """
        Return the windows of a flow's audit that are kept, those that differ first.

        Args:
            flow: `S->T`.
            topic: Only those of one topic.
            verdict: Only those with this verdict; `open` for all that are not identical.
            text: Only those whose topic, number or words have it.
            offset, limit: Which of them.
        """
        asked = {"topic": topic, "verdict": verdict, "q": text, "offset": offset, "limit": limit}
        return self._get(WindowList, f"/audit/{quoted(flow)}/windows", asked)

    def canaries(self) -> tuple[CanaryView, ...]:
        """Return what the canaries of all flows have seen."""
        return self._get(CanaryList, "/canary").canaries

    def canary(self, flow: str) -> CanaryView:
        """Return what the canary of a flow has seen."""
        return self._get(CanaryView, f"/canary/{quoted(flow)}")
