"""`kmirror dlq`: what was left out is listed, shown, and written to its topic once."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.api.client import ApiClient
from kmirror.api.left_out import ReplayRequest
from kmirror.model import Flow
from tests.support.batches import damage, varied, write_batches
from tests.support.bounded import FlowCopier
from tests.support.chromium import NEEDS_CHROMIUM, chromium
from tests.support.commands import dlq
from tests.support.console_page import console_page
from tests.support.console_server import serving_console
from tests.support.mirror_file import KEEPS_SETTINGS
from tests.support.records import delete_before, numbered, read, record, write
from tests.support.rest_server import RestClient
from tests.support.synthetic_flow import running_flow
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

FLOW = "RA->RB"
WHOLE, CUT = 3, 7
_HEADERS = [("h", b"1"), ("h", None), ("\x1b[31m", b"red")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A copy that has gone on without two records."""

    pair: ClusterPair
    file: Path
    topic: str
    records: list[Content]

    def listed(self, *arguments: str) -> list[dict[str, Any]]:
        """Give what the list has."""
        answer = dlq("list", self.file, FLOW, "--topic", self.topic, "--json", *arguments)
        assert answer.code == 0, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def numbers(self) -> list[str]:
        """Give the numbers of both."""
        return [str(each["number"]) for each in self.listed()]

    def take(self, size_bytes: int) -> None:
        """Let the copy have larger records."""
        change_settings(self.pair.b, f"RA.{self.topic}", {"max.message.bytes": str(size_bytes)})


@pytest.fixture(scope="module")
def kept(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Kept:
    """Copy a topic with two records too large: one fits into the topic for dead letters."""
    a, b = kafka_pair
    topic = a.create_topic(f"dlq-{secrets.token_hex(4)}")
    b.create_topic(f"RA.{topic}", config={"max.message.bytes": "20000"})
    b.create_topic("kmirror-dlq.RA", config={"max.message.bytes": "100000"})
    records = numbered("dlq", range(10))
    records[WHOLE] = record(secrets.token_bytes(50_000), key=b"whole", headers=_HEADERS)
    records[CUT] = record(secrets.token_bytes(300_000), key=b"cut", headers=_HEADERS)
    write(a, topic, records)
    run = copy_flow(kafka_pair, FLOW, topic, KEEPS_SETTINGS, "kmirror.poison = dlq")
    return Kept(pair=kafka_pair, file=run.file, topic=topic, records=records)


def test_the_list_has_both(kept: Kept) -> None:
    """With their coordinates."""
    found = kept.listed()
    assert [each["offset"] for each in found] == [WHOLE, CUT]
    assert [each["truncated"] for each in found] == [False, True]
    assert {each["reason"] for each in found} == {"too_large"}
    assert {each["replayed"] for each in found} == {None}
    table = dlq("list", kept.file, FLOW, "--topic", kept.topic)
    assert table.text.count("too_large") == 2, table.text


def test_one_is_shown(kept: Kept, tmp_path: Path) -> None:
    """Nothing in it controls the terminal; its bytes go to a file."""
    number, _ = kept.numbers()
    raw = tmp_path / "value"
    answer = dlq("show", kept.file, FLOW, number, "--raw", str(raw))
    assert answer.code == 0, answer.text
    assert f"{kept.topic}-0 offset {WHOLE}" in answer.text
    assert "\x1b" not in answer.text
    assert "\\x1b[31m: red" in answer.text
    assert raw.read_bytes() == kept.records[WHOLE].value
    absent = dlq("show", kept.file, FLOW, "123456")
    assert absent.code == 1
    assert "there is no 123456" in absent.text


@pytest.fixture
def console(kept: Kept, tmp_path: Path) -> Iterator[RestClient]:
    """Serve a console of the flow, as its driver would."""
    flow = running_flow(Flow("RA", "RB"), topics=1, partitions=1)
    with serving_console(tmp_path, [flow], file=kept.file.read_text(encoding="utf-8")) as client:
        yield client


@pytest.fixture
def api(console: RestClient) -> ApiClient:
    """Give a client of it."""
    return ApiClient(console.base)


def test_the_console_has_both(kept: Kept, api: ApiClient) -> None:
    """With offsets and reason; what is kept of one is told as numbers where it is no text."""
    found = api.left_out(FLOW, topic=kept.topic)
    gaps = sorted((each.start, each.kind, each.reaction) for each in found.gaps)
    assert gaps == [(WHOLE, "too_large", "dlq"), (CUT, "too_large", "dlq")]
    assert sorted(str(each.letter) for each in found.gaps) == sorted(kept.numbers())
    letter = api.dead_letter(FLOW, int(kept.numbers()[0]))
    assert (letter.offset, letter.size_bytes > 50_000, letter.is_truncated) == (WHOLE, True, False)
    assert letter.value is not None
    assert (letter.value.form.value, letter.value.is_cut) == ("hex", False)
    assert [each.name for each in letter.headers] == ["h", "h", r"\x1b[31m"]
    tried = api.replay(ReplayRequest(reason="x", flow=FLOW, topic=kept.topic, dry_run=True))
    assert (tried.dry_run, len(tried.replays), tried.left) == (True, 2, 0)
    assert all("still takes 20,000 bytes" in each.problem for each in tried.replays)


@NEEDS_CHROMIUM
def test_a_button_replays(kept: Kept, console: RestClient) -> None:
    """The page lists both, shows one, and says what keeps the target from taking them."""
    number = kept.numbers()[0]
    with chromium() as browser, console_page(browser, console.base, FLOW) as tab:
        tab.shows(f"{tab.path}/dead-letters/{number}", f"{kept.topic}-0", r"\x1b[31m", "no text")
        tab.shows(f"{tab.path}/left-out?topic={kept.topic}", "2 gaps", "too_large", number)
        assert tab.replay("Replay all dead letters").count("still takes 20,000 bytes") == 2


def test_what_would_be_refused_is_not_tried(kept: Kept) -> None:
    """A dry run says the same, and changes nothing."""
    before = read(kept.pair.b, f"RA.{kept.topic}")
    for arguments in (("--dry-run",), ()):
        answer = dlq("replay", kept.file, FLOW, *kept.numbers(), *arguments)
        assert answer.code == 5, answer.text
        assert answer.text.count("still takes 20,000 bytes") == 2
    assert read(kept.pair.b, f"RA.{kept.topic}") == before
    assert all(each["replayed"] is None for each in kept.listed())


def test_a_replay_is_done_once(kept: Kept, api: ApiClient) -> None:
    """What was cut off is read from the source again; records stand behind the others."""
    kept.take(1_000_000)
    others = [r for n, r in enumerate(kept.records) if n not in {WHOLE, CUT}]
    whole, cut = kept.numbers()
    done = api.replay(ReplayRequest(reason="it fits now", flow=FLOW, numbers=(int(whole),)))
    assert [(each.records, each.problem) for each in done.replays] == [(1, "")]
    for arguments in (("--topic", kept.topic), (cut, whole)):
        answer = dlq("replay", kept.file, FLOW, *arguments)
        assert answer.code == 0, answer.text
    assert answer.text.count("was replayed at") == 2
    expected = [*others, kept.records[WHOLE], kept.records[CUT]]
    assert read(kept.pair.b, f"RA.{kept.topic}") == expected
    assert all(each["replayed"] for each in kept.listed())


def test_a_damaged_batch_is_read_again(own_pair: ClusterPair, copy_flow: FlowCopier) -> None:
    """As soon as the source has it in good order; until then that is said, and nothing written."""
    a, b = own_pair
    topic, sent = a.create_topic("damaged"), varied("damaged", 500)
    write_batches(a, topic, sent, 100)
    a.stop()
    damage(a, topic, 0, 61)
    a.start()
    run = copy_flow(own_pair, "A->B", topic, "kmirror.poison = dlq")
    answer = dlq("replay", run.file, "A->B", "--all")
    assert answer.code == 5, answer.text
    assert "the batch cannot be read from the source" in answer.text
    assert read(b, f"A.{topic}") == sent[:200] + sent[300:]
    a.stop()
    damage(a, topic, 0, 61)  # the same bit again: that mends it
    a.start()
    answer = dlq("replay", run.file, "A->B", "--all")
    assert answer.code == 0, answer.text
    assert "(100 records)" in answer.text
    assert read(b, f"A.{topic}") == sent[:200] + sent[300:] + sent[200:300]


def test_what_is_gone_is_not_replayed(kept: Kept, copy_flow: FlowCopier) -> None:
    """Of a record that was cut off only a part is kept; the source has to have the rest."""
    a, b = kept.pair
    topic = a.create_topic(f"dlq-gone-{secrets.token_hex(4)}")
    b.create_topic(f"RA.{topic}", config={"max.message.bytes": "20000"})
    write(a, topic, [kept.records[CUT], *numbered("gone", range(5))])
    run = copy_flow(kept.pair, FLOW, topic, KEEPS_SETTINGS, "kmirror.poison = dlq")
    change_settings(b, f"RA.{topic}", {"max.message.bytes": "1000000"})
    delete_before(a, topic, 1)
    before = read(b, f"RA.{topic}")
    answer = dlq("replay", run.file, FLOW, "--topic", topic)
    assert answer.code == 5, answer.text
    assert "is no longer on the source" in answer.text
    assert read(b, f"RA.{topic}") == before
