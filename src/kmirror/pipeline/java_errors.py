"""What went wrong in a Java client, as one of our errors."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized
from kmirror.model import ClientError

_UNAVAILABLE = frozenset(
    {
        *("TimeoutException", "DisconnectException", "NetworkException", "RetriableException"),
        *("CoordinatorNotAvailableException", "CoordinatorLoadInProgressException"),
        *(
            "NotCoordinatorException",
            "BrokerNotAvailableException",
            "UnstableOffsetCommitException",
        ),
    }
)
_DENIED = ("AuthorizationException", "AuthenticationException")
_ACTIVE = ("UnknownMemberIdException", "GroupNotEmptyException", "StaleMemberEpochException")


def client_error(failure: Mapping[str, str]) -> ClientError:
    """Read what `io.kmirror.driver.Json.failure` has written."""
    return ClientError(name=failure["error"], message=failure["message"])


def translated(failure: Mapping[str, str], cluster: str, doing: str) -> ClusterError:
    """
    Give the error for an answer of `io.kmirror.driver.Json.failure`.

    Args:
        failure: The exception's class and message.
        cluster: The cluster as messages shall name it.
        doing: What was tried.
    """
    error = client_error(failure)
    kind, text = error.name, f"{cluster}: could not {doing}: {error.words}"
    if kind.endswith(_DENIED):
        return NotAuthorized(text, hint="grant this principal DESCRIBE and READ on it")
    if kind in _ACTIVE:
        return ClusterError(text, hint="stop its members first")
    if kind in _UNAVAILABLE:
        return ClusterUnavailable(text)
    return ClusterError(f"{text} ({kind})")
