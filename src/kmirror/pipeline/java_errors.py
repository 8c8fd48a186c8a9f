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
_ACTIVE = ("UnknownMemberIdException", "GroupNotEmptyException", "StaleMemberEpochException")


def client_error(failure: Mapping[str, str]) -> ClientError:
    """Read what `io.kmirror.driver.Json.failure` has written."""
    return ClientError(name=failure["error"], message=failure["message"])


def translated(
    failure: Mapping[str, str],
    cluster: str,
    doing: str,
    *,
    needs: str = "DESCRIBE and READ on it",
) -> ClusterError:
    """
    Give the error for an answer of `io.kmirror.driver.Json.failure`.

    Args:
        failure: The exception's class and message.
        cluster: The cluster as messages shall name it.
        doing: What was tried.
        needs: The rights that it takes.
    """
    error = client_error(failure)
    kind, text = error.name, f"{cluster}: could not {doing}: {error.words}"
    if kind.endswith("AuthorizationException"):
        denied = f"{cluster}: not authorized to {doing}: {error.words}"
        return NotAuthorized(denied, hint=f"grant this principal {needs}")
    if kind.endswith("AuthenticationException"):
        return NotAuthorized(text, hint="check sasl.jaas.config, or ssl.keystore.*")
    if kind in _ACTIVE:
        return ClusterError(text, hint="stop its members first")
    if kind in _UNAVAILABLE:
        return ClusterUnavailable(text)
    return ClusterError(f"{text} ({kind})")
