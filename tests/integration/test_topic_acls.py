"""ACLs on brokers that enforce them, and on brokers that do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.plans.acl_binding import AclBinding
from tests.support.acls import Acl, grant, revoke
from tests.support.bindings import acl
from tests.support.commands import apply, plan
from tests.support.driver import DriverFactory
from tests.support.guarded_cluster import LOGIN_LINES, guarded_cluster
from tests.support.mirror_file import flow_lines, mirror_file

pytestmark = pytest.mark.kafka

_ASKED = "sync.topic.acls.enabled = true"
_COPIED_S_MAX = 60
_ON_A, _ON_B = (
    Acl(
        cluster=cluster,
        principal="User:mirror",
        resource="cluster",
        name="kafka-cluster",
        is_prefix=False,
        operation=operation,
    )
    for cluster, operation in (("A", "Describe"), ("B", "Alter"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Two clusters with an authorizer, where the mirror may do everything to topics and groups."""

    pair: ClusterPair

    def file(self, folder: Path, *lines: str, topics: str = "t-.*") -> Path:
        """Write a file whose clients log in."""
        addresses = {
            alias: each.bootstrap_of("LOGIN") for alias, each in zip("AB", self.pair, strict=True)
        }
        flow = flow_lines("A->B", topics, "replication.factor = 1")
        return mirror_file(folder, addresses, *LOGIN_LINES, *flow, *lines)


def acls_of(cluster: Cluster, who: str = "alice") -> set[AclBinding]:
    """Give the ACLs of somebody."""
    with KafkaAdmin("X", {"bootstrap.servers": cluster.bootstrap}) as admin:
        return {each for each in admin.acls().read() if each.principal == f"User:{who}"}


def change(cluster: Cluster, *, add: set[AclBinding], remove: set[AclBinding]) -> None:
    """Change ACLs as an administrator does."""
    with KafkaAdmin("X", {"bootstrap.servers": cluster.bootstrap}) as admin:
        assert not admin.acls().create(add)
        assert not admin.acls().delete(remove)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Start both clusters."""
    folder = tmp_path_factory.mktemp("guarded")
    pair = ClusterPair(guarded_cluster("A", folder), guarded_cluster("B", folder))
    with started(*pair):
        for cluster in pair:
            rights = {
                acl("*", "ALL", "mirror"),
                acl("*", "ALL", "mirror", resource="GROUP"),
                acl("*", "ALL", "mirror", resource="TRANSACTIONAL_ID"),
            }
            change(cluster, add=rights, remove=set())
        pair.a.create_topic("t-1", partitions=1)
        pair.b.create_topic("A.t-1", partitions=1)
        change(
            pair.a,
            add={acl("t-1"), acl("t-1", "WRITE"), acl("t-1", "CREATE", denies=True), acl("other")},
            remove=set(),
        )
        yield Guarded(pair=pair)


COPIES = {acl("A.t-1"), acl("A.t-1", "CREATE", denies=True)}


def test_rights_are_missing(guarded: Guarded, tmp_path: Path) -> None:
    """Copied by default they are a note, on request a failure that names what to grant."""
    a, b = guarded.pair
    for lines, code, verb in (((), 0, "leave "), ((_ASKED,), 5, "cannot")):
        file = guarded.file(tmp_path, *lines)
        for answer in (plan(file), apply(file)):
            assert answer.code == code, answer.text
            (line,) = [each for each in answer.text.splitlines() if "ACLs of topics" in each]
            assert line.startswith(f"{verb} ACLs of topics: cluster A"), line
            assert line.endswith("(grant this principal Describe on the cluster)"), line
    grant(a, _ON_A)
    grant(b, replace(_ON_B, operation="Describe"))
    try:
        answer = plan(file)
        assert answer.code == 5, answer.text
        assert "cannot 2 ACLs of topics: cluster B" in answer.text
        assert "(grant this principal Alter on the cluster)" in answer.text
        assert not acls_of(b)
    finally:
        revoke(a, _ON_A)
        revoke(b, replace(_ON_B, operation="Describe"))


def test_plan_apply_and_a_running_flow(
    guarded: Guarded, tmp_path: Path, warm_driver: DriverFactory
) -> None:
    """A plan changes nothing, a second apply neither; a flow copies what is new, and no more."""
    a, b = guarded.pair
    grant(a, _ON_A)
    grant(b, _ON_B)
    file = guarded.file(tmp_path, _ASKED, "sync.topic.acls.interval.seconds = 1")
    try:
        planned = plan(file)
        assert planned.code == 1, planned.text
        assert "allow  User:alice Read on topic A.t-1 (as on t-1)" in planned.text
        assert "deny   User:alice Create on topic A.t-1 (as on t-1)" in planned.text
        assert "leave  1 ACL is left out (a copy is written by the flow alone)" in planned.text
        assert not acls_of(b)
        told = json.loads(apply(file, "--json").text)
        assert [each["operation"] for each in told["created_acls"]] == ["CREATE", "READ"]
        wait_until(lambda: acls_of(b) == COPIES, "the ACLs are there", timeout_s=_COPIED_S_MAX)
        again = apply(file)
        assert (again.code, plan(file).code) == (0, 0), again.text
        assert "A->B  nothing was to be changed" in again.text

        driver = warm_driver(file)
        driver.wait_running()
        change(a, add={acl("t-2", "ALL")}, remove={acl("t-1")})
        wanted = COPIES | {acl("A.t-2")}
        driver.wait_until(lambda: acls_of(b) == wanted, "the ACL is copied", _COPIED_S_MAX)
        driver.wait_for_line(
            r"INFO.*allow User:alice Read on topic A\.t-2 \(All on t-2", timeout_s=_COPIED_S_MAX
        )
        revoke(b, _ON_B)
        change(a, add={acl("t-3")}, remove=set())
        driver.wait_for_line("WARNING.*ACLs of topics are not copied: .*cluster B", timeout_s=60)
        assert driver.stop() == 0
        grant(b, _ON_B)
    finally:
        revoke(a, _ON_A)
        revoke(b, _ON_B)


_EXACT = (
    "kmirror.acls = exact",
    "kmirror.acls.interval.seconds = 2",
    "kmirror.acls.principals = User:alice: User:alice-dr",
)
_REMOVED_S_MAX = 30
FOREIGN = acl("A.x-9", who="carol")
TAKEN = {
    acl("e-*", "DESCRIBE", "carol", resource="GROUP"),
    acl("e-1", "WRITE", "carol", resource="TRANSACTIONAL_ID"),
    acl("x-1", "READ", "carol"),
    acl("x-*", "WRITE", "carol", denies=True),
    acl("x-9", who="carol"),
}
LASTING = {
    acl("x-1", "DESCRIBE", "carol", host="10.0.0.1"),
    acl("x-1", "WRITE", "carol"),
    acl("other", who="carol"),
}
COPIES_TAKEN = {
    acl("e-*", "DESCRIBE", "carol", resource="GROUP"),
    acl("e-1", "WRITE", "carol", resource="TRANSACTIONAL_ID"),
    acl("A.x-1", "READ", "carol"),
    acl("A.x-*", "WRITE", "carol", denies=True),
}
COPIES_LASTING = {acl("A.x-1", "DESCRIBE", "carol", host="10.0.0.1")}


def test_exact(guarded: Guarded, tmp_path: Path, warm_driver: DriverFactory) -> None:
    """
    All kinds are copied and, within 30 s, taken away, but not what somebody else has given.

    Without the right to read the source's ACLs nothing is taken away.
    """
    a, b = guarded.pair
    grant(a, _ON_A)
    grant(b, _ON_B)
    a.create_topic("x-1", partitions=1)
    file = guarded.file(tmp_path, *_EXACT, topics="x-.*")
    change(b, add={FOREIGN}, remove=set())
    change(a, add=TAKEN | LASTING | {acl("x-1", who="alice")}, remove=set())
    try:
        done = apply(file)
        assert done.code == 0, done.text
        assert "allow  User:alice-dr Read on topic A.x-1 (as on topic x-1, where it is" in done.text
        assert "leave  " in done.text
        here = {FOREIGN} | COPIES_TAKEN | COPIES_LASTING
        wait_until(lambda: acls_of(b, "carol") == here, "all are copied", timeout_s=_COPIED_S_MAX)
        assert "nothing was to be changed" in apply(file).text

        driver = warm_driver(file)
        driver.wait_running()
        revoke(a, _ON_A)
        change(a, add=set(), remove=TAKEN)
        driver.wait_for_line("WARNING.*ACLs of topics are not copied: .*cluster A", timeout_s=60)
        assert acls_of(b, "carol") == here
        grant(a, _ON_A)
        here -= COPIES_TAKEN
        driver.wait_until(
            lambda: acls_of(b, "carol") == here, "what is gone is removed", _REMOVED_S_MAX
        )
        driver.wait_for_line("INFO.*remove allow User:carol Read on topic A.x-1", timeout_s=60)
        assert driver.stop() == 0
        assert "A->B  nothing to change" in plan(file).text
    finally:
        change(a, add=set(), remove=TAKEN | LASTING)
        revoke(a, _ON_A)
        revoke(b, _ON_B)


def test_a_target_without_an_authorizer(
    guarded: Guarded, kafka_pair: ClusterPair, tmp_path: Path
) -> None:
    """It is said, and a failure only of who has asked; without one at the source all is quiet."""
    a = guarded.pair.a
    target = {"A": a.bootstrap, "B": kafka_pair.b.bootstrap}
    source = {"A": kafka_pair.a.bootstrap, "B": a.bootstrap}
    lines = flow_lines("A->B", "t-.*", "replication.factor = 1")
    answer = apply(mirror_file(tmp_path, target, *lines))
    assert answer.code == 0, answer.text
    assert "leave  ACLs of topics: cluster B" in answer.text
    assert "No Authorizer is configured" in answer.text
    assert apply(mirror_file(tmp_path, target, *lines, _ASKED)).code == 5
    quiet = plan(mirror_file(tmp_path, source, *flow_lines("A->B", "nothing")))
    assert (quiet.code, quiet.text.splitlines()[0]) == (0, "A->B  nothing to change")
    assert "ACL" not in quiet.text
