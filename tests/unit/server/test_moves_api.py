"""Moves over the API: what is refused before anything begins, and what a move says of its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.api.moves import MoveRequest, MoveState, MoveVerb
from kmirror.errors import ApiRefused
from kmirror.server.users import token_digest
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient

PATH = "/api/v1/flows/A-%3EB/moves"
GOOD = {"kind": "failover", "reason": "x", "flow": "A->B"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console."""
    with serving_console(tmp_path_factory.mktemp("console")) as client:
        yield client


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"flow": "B->A"}, "the flow's name is A->B, and not B->A"),
        ({"reason": " "}, "say why"),
        ({"kind": "move"}, "one of failover, promote, failback"),
        ({"groups": "("}, "groups: ("),
        ({"wait_s": -1}, "wait_s: expected minimum 0"),
        ({"dry_run": True}, "dry_run: there is no such field"),
    ],
)
def test_moves_that_cannot_be(served: RestClient, body: dict[str, Any], words: str) -> None:
    reply = served.post(PATH, GOOD | body)
    assert reply.status == 400
    assert words in reply.json["message"]
    assert served.get("/api/v1/moves").json == {"moves": []}


def test_who_may_move(tmp_path: Path) -> None:
    """Admins alone: others are refused where it becomes an order."""
    users, secret = tmp_path / "users", "Oa7vX0hWm3Jq9cT5rLz1yBd8"
    users.write_text(f"ops:operator:{token_digest(secret)}\n", encoding="utf-8")
    users.chmod(0o600)
    with serving_console(tmp_path, role="viewer", users=users) as client:
        operator = ApiClient(client.base, token=secret)
        move = MoveRequest(kind=MoveVerb.PROMOTE, reason="x", flow="A->B")
        with pytest.raises(ApiRefused, match="needs the role admin") as refused:
            operator.begin_move(move)
        assert refused.value.status == 403
        with pytest.raises(ApiRefused, match="needs the role admin"):
            operator.abort_move("A->B", reason="x")
        assert "data-move" not in client.get("/move").text


def test_one_move_at_a_time_and_how_it_ends(tmp_path: Path) -> None:
    """Clusters that are not there end it, in words; then another one may begin."""
    with serving_console(tmp_path) as client:
        api = ApiClient(client.base)
        begun = api.begin_move(MoveRequest(kind=MoveVerb.FAILOVER, reason="a\n fire", flow="A->B"))
        assert (begun.state, begun.doing) == (MoveState.RUNNING, "look")
        assert (begun.reason, begun.here, begun.there) == ("a fire", "A", "B")
        # The flow the other way has the same clusters.
        with pytest.raises(ApiRefused, match="move 1 is under way"):
            api.begin_move(MoveRequest(kind=MoveVerb.FAILBACK, reason="x", flow="B->A", drill=True))
        wait_until(lambda: api.move(1).ended_ms is not None, "ended", timeout_s=60, pause_s=0.1)
        ended = api.move(1)
        assert ended.state is MoveState.FAILED
        assert "cluster B" in ended.problem
        assert "Order it again" in ended.hint
        assert ended.loss is None
        texts = [each.text for each in api.events(flow="A->B").events]
        assert any("failover, ordered by anonymous@127.0.0.1: a fire" in each for each in texts)
        assert any("failover: failed: " in each for each in texts)
        with pytest.raises(ApiRefused, match="there is no move 7"):
            api.move(7)
        assert "It did not come to its end." in client.get("/move").text


def test_clusters_that_do_not_answer(served: RestClient) -> None:
    """A dry run says so; and so does whoever ends a hold."""
    api = ApiClient(served.base)
    with pytest.raises(ApiRefused, match="cluster B") as refused:
        api.move_plan("A->B", MoveVerb.FAILOVER)
    assert refused.value.status == 503
    with pytest.raises(ApiRefused) as refused:
        api.abort_move("A->B", reason="x")
    assert refused.value.status == 503
    assert served.get("/api/v1/flows/A-%3EB/move-plan?kind=x").status == 400
