"""Why a topic is copied, or not, and its records: in a browser, whatever lies in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from kmirror.console.topic_questions import TopicQuestions
from tests.support import console_answers
from tests.support.chromium import NEEDS_CHROMIUM, Watched
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient

pytestmark = NEEDS_CHROMIUM
EXPLAIN = "/flows/A-%3EB/explain?topic=topic-0000"
RECORDS = "/flows/A-%3EB/records?topic=topic-0000&partition=0"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console whose clusters seem to answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TopicQuestions, "explain", lambda *_: console_answers.explanation())
        patch.setattr(TopicQuestions, "records", lambda *_: console_answers.records())
        patch.setattr(TopicQuestions, "settings", lambda *_: console_answers.topic_settings())
        with serving_console(tmp_path_factory.mktemp("console")) as client:
            yield client


def test_why_a_topic_is_copied(tab: Watched) -> None:
    """The verdict, its reasons with the file's line, and what to do."""
    tab.page.goto("/flows/A-%3EB/topics/topic-0000")
    tab.page.get_by_role("link", name="Explain").click()
    part = tab.page.locator("#explanation")
    expect(part).to_contain_text("partly mirrored")
    expect(part).to_contain_text("topic-.* in topics (mm2.properties:4) names it")
    expect(part).to_contain_text("kafka-acls.sh")
    expect(part.locator(".do code").first).to_have_text("kmirror resume")
    expect(part).to_contain_text("<img src=x onerror")
    tab.assert_fits()


def test_settings_of_both_sides(tab: Watched) -> None:
    """What would change first; those of the brokers when somebody asks for all."""
    tab.page.goto("/flows/A-%3EB/topics/topic-0000")
    tab.page.get_by_role("link", name="Settings").click()
    part = tab.page.locator("#topic-settings")
    expect(part).to_contain_text("1 setting differs")
    expect(part.locator("tbody tr")).to_have_count(3)
    expect(part.locator("tbody tr").first).to_contain_text("becomes 86400000")
    expect(part).to_contain_text("<img src=x onerror")
    tab.page.get_by_role("link", name="All 4 settings").click()
    expect(part.locator("tbody tr")).to_have_count(4)
    tab.assert_fits()


def test_a_record_of_no_year(served: RestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its producer said microseconds: the page shows the number."""
    found = console_answers.records()
    first, *others = found.records
    assert first.source is not None
    strange = replace(first, source=replace(first.source, at_ms=1_700_000_000_000_000))
    answer = replace(found, records=(strange, *others))
    monkeypatch.setattr(TopicQuestions, "records", lambda *_: answer)
    page = served.with_headers(X_Kmirror_Part="1").get(RECORDS)
    assert (page.status, ">1700000000000000</span>" in page.text) == (200, True)


def test_records_of_both_sides(tab: Watched) -> None:
    """Texts as texts, bytes as numbers, and nothing of them runs."""
    tab.page.goto(RECORDS)
    part = tab.page.locator("#records")
    expect(part.locator(".pair-of")).to_have_count(4)
    expect(part).to_contain_text("not copied yet")
    expect(part).to_contain_text("de ad be ef")
    expect(part).to_contain_text("1,048,576 bytes")
    part.locator("summary").first.click()
    expect(part.get_by_text("<img src=x onerror").first).to_be_visible()
    tab.assert_fits()
