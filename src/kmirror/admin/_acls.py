"""The ACLs of a real cluster, over confluent-kafka."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from typing import Any, cast

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AclBinding as KafkaAcl,
)
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # and these
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from kmirror.admin.requests import PER_REQUEST_MAX, Requests
from kmirror.errors import MirrorError, NotAuthorized
from kmirror.pieces import pieces
from kmirror.plans.acl_binding import AclBinding, PatternType, Permission

_ANY_TEXT = cast("str", None)  # the library's types do not know it
_EVERY = AclBindingFilter(
    ResourceType.ANY,
    _ANY_TEXT,
    ResourcePatternType.ANY,
    _ANY_TEXT,
    _ANY_TEXT,
    AclOperation.ANY,
    AclPermissionType.ANY,
)
# Nobody is called so: a deletion of it deletes nothing, and is refused like any other.
_NOBODY = AclBinding(
    resource="TOPIC",
    pattern="LITERAL",
    name="__kmirror",
    principal="User:__kmirror-nobody",
    host="*",
    operation="DESCRIBE",
    permission="DENY",
)
_DESCRIBES = frozenset({AclOperation.DESCRIBE, AclOperation.ALTER})
# librdkafka calls Kafka's CLUSTER by the name that it had once.
_CLUSTER = "CLUSTER"


class KafkaAcls:
    """
    An `AclAdmin` for real brokers.

    Args:
        name: The cluster, as messages name it.
        requests: Asks it.
        timeout_s: Deadline of every call, seconds.
    """

    def __init__(self, name: str, requests: Requests, *, timeout_s: float) -> None:
        self._name = name
        self._requests = requests
        self._timeout_s = timeout_s

    def read(self) -> frozenset[AclBinding]:
        """Return all ACLs, if this principal may read them."""
        # Who may not gets an empty answer: the library does not tell of the broker's refusal.
        self._check(_DESCRIBES, "read its ACLs", "Describe")
        found = self._requests.one(
            lambda: self._requests.answer(
                self._requests.client.describe_acls(_EVERY, request_timeout=self._timeout_s)
            ),
            "read its ACLs",
        )
        self._check(
            _DESCRIBES, "read its ACLs", "Describe"
        )  # it may have been taken away meanwhile
        return frozenset(map(_ours, found))

    def check_alter(self) -> None:
        """Find out whether ACLs can be changed: by deleting one that nobody can have."""
        self._check(frozenset({AclOperation.ALTER}), "change its ACLs", "Alter")
        for error in self.delete([_NOBODY]).values():
            raise error

    def create(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Create ACLs; gives those that failed."""
        return self._each(bindings, _theirs, self._requests.client.create_acls, "create ACL")

    def delete(self, bindings: Collection[AclBinding]) -> Mapping[AclBinding, MirrorError]:
        """Delete exactly these ACLs; gives those that failed."""
        return self._each(bindings, _filter, self._requests.client.delete_acls, "delete ACL")

    def _each(
        self,
        bindings: Collection[AclBinding],
        theirs_of: Callable[[AclBinding], Any],
        request: Callable[..., Mapping[Any, Future[Any]]],
        doing: str,
    ) -> dict[AclBinding, MirrorError]:
        failed = dict[AclBinding, MirrorError]()
        for piece in pieces(sorted(bindings), PER_REQUEST_MAX):
            theirs = {theirs_of(each): each for each in piece}
            futures = request(list(theirs), request_timeout=self._timeout_s)
            failed |= self._failures(futures, theirs, doing)
        return failed

    def _failures(
        self, futures: Mapping[Any, Future[Any]], ours: Mapping[Any, AclBinding], doing: str
    ) -> dict[AclBinding, MirrorError]:
        named = {str(ours[each]): ours[each] for each in futures}
        answers = {str(ours[each]): future for each, future in futures.items()}
        failed = self._requests.failures(answers, doing, needs="Alter")
        return {named[name]: error for name, error in failed.items()}

    def _check(self, any_of: frozenset[AclOperation], doing: str, needs: str) -> None:
        described = self._requests.described("ask for rights on the cluster", with_rights=True)
        if not any_of & set(described.authorized_operations or ()):
            raise NotAuthorized(
                f"{self._name}: not authorized to {doing}",
                hint=f"grant this principal {needs} on the cluster",
            )


def _ours(acl: Any) -> AclBinding:
    is_cluster = acl.restype is ResourceType.BROKER
    return AclBinding(
        resource=_CLUSTER if is_cluster else acl.restype.name,
        pattern=cast("PatternType", acl.resource_pattern_type.name),
        name=acl.name,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation.name,
        permission=cast("Permission", acl.permission_type.name),
    )


def _theirs(acl: AclBinding) -> KafkaAcl:
    return KafkaAcl(*_fields(acl))


def _filter(acl: AclBinding) -> AclBindingFilter:
    """Return the filter that finds this one alone."""
    return AclBindingFilter(*_fields(acl))


def _fields(acl: AclBinding) -> tuple[Any, ...]:
    return (
        ResourceType.BROKER if acl.resource == _CLUSTER else ResourceType[acl.resource],
        acl.name,
        ResourcePatternType[acl.pattern],
        acl.principal,
        acl.host,
        AclOperation[acl.operation],
        AclPermissionType[acl.permission],
    )
