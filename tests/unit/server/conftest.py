"""What the tests of the server share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.chromium import Watched, open_tab
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import RestClient, serving

CLASS = "org.apache.kafka.connect.mirror.MirrorSourceConnector"


@pytest.fixture(params=[1280, 360])
def tab(browser: Browser, served: RestClient, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Give a tab of a desk, and one of a telephone, of what the module serves."""
    yield from open_tab(browser, served.base, request.param)


@pytest.fixture
def herder() -> MemoryHerder:
    """Return a worker without flows."""
    return MemoryHerder()


@pytest.fixture
def client(herder: MemoryHerder) -> Iterator[RestClient]:
    """Serve it, and give a client."""
    with serving(herder) as client:
        yield client


@pytest.fixture
def config() -> dict[str, str]:
    """Return settings of a connector."""
    return {
        "connector.class": CLASS,
        "source.cluster.alias": "A",
        "target.cluster.alias": "B",
        "topics": "t.*",
        "tasks.max": "2",
    }
