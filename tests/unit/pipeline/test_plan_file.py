"""The file that the lanes read."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.config.secret import Secret
from kmirror.pipeline.plan_file import Share, SlotWork, write_plan
from kmirror.pipeline.tuning.lane import LANE
from tests.support.flow_plan import PLAN


def test_the_plan_holds_secrets_and_is_for_its_owner_only(tmp_path: Path) -> None:
    """The Java clients need the password; nobody else does."""
    file = tmp_path / "plan.json"
    share = Share(
        topic="t",
        partition=3,
        target="A.t",
        position="A.t",
        topic_id="id",
        target_id="tid",
        until=None,
    )
    plan = replace(
        PLAN,
        consumer=ClientProperties({"ssl.key.password": Secret("s3cret")}),
        slots=(
            SlotWork(transactional_ids=("kmirror-A-B-0", "kmirror-A-B-0-b"), shares=(share,)),
            SlotWork(transactional_ids=("kmirror-A-B-1", "kmirror-A-B-1-b"), shares=()),
        ),
    )
    assert "s3cret" not in repr(plan)
    write_plan(plan, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = json.loads(file.read_text())
    assert written["settings"]["tuning"]["lane"] == LANE.values
    assert written["settings"]["consumer"] == {"ssl.key.password": "s3cret"}
    first, second = written["slots"]
    assert first["transactional_ids"] == ["kmirror-A-B-0", "kmirror-A-B-0-b"]
    assert first["shares"] == [
        {
            "topic": "t",
            "partition": 3,
            "target": "A.t",
            "position": "A.t",
            "topic_id": "id",
            "target_id": "tid",
            "until": None,
            "poison": "park",
        }
    ]
    assert second["shares"] == []
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]
