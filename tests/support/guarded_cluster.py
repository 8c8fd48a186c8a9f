"""Clusters with an authorizer, where one user logs in with a password."""

from __future__ import annotations

from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster

_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_PASSWORD = "not-much-of-a-secret"

LOGIN_LINES = (
    "security.protocol = SASL_PLAINTEXT",
    "sasl.mechanism = PLAIN",
    f'sasl.jaas.config = {_MODULE} username="mirror" password="{_PASSWORD}";',
)
"""What a file needs so that its clients come in as `User:mirror`, through the listener LOGIN."""


def guarded_cluster(name: str, folder: Path) -> Cluster:
    """
    Make a cluster that knows `User:mirror`, who may do nothing yet.

    Args:
        name: Its name.
        folder: For its data.
    """
    return Cluster(
        name,
        folder,
        listeners={"LOGIN": "SASL_PLAINTEXT"},
        config={
            "sasl.enabled.mechanisms": "PLAIN",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            # Whoever comes in without a password is the test.
            "super.users": "User:ANONYMOUS",
            "listener.name.login.plain.sasl.jaas.config": f'{_MODULE} user_mirror="{_PASSWORD}";',
        },
    )
