"""The questions and orders that kmirror has for a cluster's ACLs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kmirror.errors import MirrorError
from kmirror.plans.acl_binding import AclBinding


class AclAdmin(Protocol):
    """One cluster's ACLs. Every call has a deadline and raises `ClusterError`."""

    def read(self) -> frozenset[AclBinding]:
        """
        Return all ACLs; none also where there is no authorizer.

        Raises:
            NotAuthorized: This principal may not read them. Never an empty answer instead.
        """
        ...

    def check_alter(self) -> None:
        """
        Find out whether ACLs can be changed; nothing is.

        Raises:
            NotAuthorized: This principal may not.
            ClusterError: The cluster has no authorizer.
        """
        ...

    def create(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Create ACLs; gives those that failed. One that exists already has not failed."""
        ...

    def delete(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Delete exactly these ACLs; gives those that failed. One that is gone has not failed."""
        ...
