"""What `kmirror plan` reports of users, and that the commands which it prints repair it."""

from __future__ import annotations

import json
import secrets
import shlex
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.jvm_command import kafka_command, run_tool

from tests.support.commands import plan
from tests.support.mirror_file import flow_lines, mirror_file

pytestmark = pytest.mark.kafka

_DONE_S_MAX = 60


def run_printed(command: str, folder: Path) -> None:
    """Run a kafka-configs.sh command with Kafka's own program."""
    program, *arguments = shlex.split(command)
    assert program == "kafka-configs.sh"
    run_tool(kafka_command("kafka.admin.ConfigCommand", *arguments, folder=folder), "not altered")


def give(cluster: Cluster, user: str, folder: Path) -> None:
    """Let a user log in, with a limit."""
    login = UserScramCredentialUpsertion(
        user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), b"secret"
    )
    admin = cluster.admin()
    for done in admin.alter_user_scram_credentials([login]).values():
        done.result(_DONE_S_MAX)
    run_printed(
        f"kafka-configs.sh --bootstrap-server {cluster.bootstrap} --alter --add-config "
        f"producer_byte_rate=1024000 --entity-type users --entity-name {user}",
        folder,
    )


def take_back(cluster: Cluster, user: str, folder: Path) -> None:
    """Take both away: others use the cluster, too."""
    for config in ("SCRAM-SHA-256", "producer_byte_rate"):
        run_printed(
            f"kafka-configs.sh --bootstrap-server {cluster.bootstrap} --alter --delete-config "
            f"{config} --entity-type users --entity-name {user}",
            folder,
        )


def test_quotas_and_users(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """Each is reported with its command until that was run; a plan changes nothing of it."""
    a, b = kafka_pair
    user = f"u-{secrets.token_hex(4)}"
    give(a, user, tmp_path)
    try:
        file = mirror_file(tmp_path, {"A": a, "B": b}, *flow_lines("A->B", f"{user}-none"))
        told = [each for each in reports(file) if user in each["words"]]
        assert [each["kind"] for each in told] == ["quota", "scram_user"]
        text = plan(file).text
        for each in told:
            assert f"report {each['words']}" in text
            (command,) = each["commands"]
            assert f"       {command}" in text
            assert f"--bootstrap-server {b.bootstrap}" in command
            run_printed(command.replace("PASSWORD", "another-secret"), tmp_path)
        assert not [each for each in reports(file) if user in each["words"]]
    finally:
        take_back(a, user, tmp_path)
    take_back(b, user, tmp_path)


def reports(file: Path) -> list[dict[str, Any]]:
    """Give what a plan reports; nothing else is to be done."""
    answer = plan(file, "--json")
    assert answer.code == 0, answer.text
    found = json.loads(answer.text)
    assert not found["not_compared"]
    reported: list[dict[str, Any]] = found["reports"]
    return reported
