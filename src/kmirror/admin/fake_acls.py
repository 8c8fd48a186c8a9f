"""ACLs of a cluster in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kmirror.errors import ClusterError, MirrorError
from kmirror.plans.acl_binding import AclBinding


class FakeAcls:
    """
    An `AclAdmin` without a cluster.

    Args:
        bindings: What is there.
    """

    def __init__(self, *bindings: AclBinding) -> None:
        self.bindings = set(bindings)
        # What `read` and `check_alter` raise, as a cluster would that refuses.
        self.unreadable: ClusterError | None = None
        self.unalterable: ClusterError | None = None

    def read(self) -> frozenset[AclBinding]:
        """Return all ACLs."""
        if self.unreadable is not None:
            raise self.unreadable
        return frozenset(self.bindings)

    def check_alter(self) -> None:
        """Find out whether ACLs can be changed."""
        if self.unalterable is not None:
            raise self.unalterable

    def create(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Create ACLs; gives those that failed."""
        if self.unalterable is not None:
            return dict.fromkeys(bindings, self.unalterable)
        self.bindings.update(bindings)
        return {}

    def delete(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Delete ACLs; gives those that failed."""
        if self.unalterable is not None:
            return dict.fromkeys(bindings, self.unalterable)
        self.bindings.difference_update(bindings)
        return {}
