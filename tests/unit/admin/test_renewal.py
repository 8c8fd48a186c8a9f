"""When a client is opened anew, and with what."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
from confluent_kafka import KafkaError, KafkaException

from kmirror.admin._errors import ConnectionCause
from kmirror.admin.renewal import Renewal
from kmirror.clock import ManualClock
from kmirror.config.stored_settings import StoredSettings
from kmirror.errors import ClusterError, ConfigError

_REFUSED = [
    KafkaError._SSL,
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
]
_LONG_S = 10.0


class _File:
    """What a client reads."""

    def __init__(self) -> None:
        self.trusts = "one"
        self.is_there = True

    def read(self) -> Mapping[str, str]:
        if not self.is_there:
            raise ConfigError(())
        return {"ssl.ca.pem": self.trusts}


def _opened(file: _File, clock: ManualClock) -> tuple[Renewal, ConnectionCause]:
    cause = ConnectionCause()
    config = StoredSettings(file.read)
    renewal = Renewal(
        config,
        {"log_level": 1},
        cause=cause,
        cluster="cluster A",
        doing="connect",
        clock=clock,
    )
    return renewal, cause


@pytest.mark.parametrize("code", _REFUSED)
def test_a_refused_client_is_opened_anew_after_a_while(code: int) -> None:
    """Not at once: another one would be refused like this one."""
    file, clock = _File(), ManualClock()
    renewal, cause = _opened(file, clock)
    assert renewal.settings()["ssl.ca.pem"] == "one"
    # The library tells once that all are down, whatever keeps them so.
    for each in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, code):
        cause.on_error(KafkaError(each))
    assert not renewal.is_due
    file.trusts = "other"
    clock.advance(_LONG_S)
    assert renewal.is_due
    settings = renewal.settings()
    assert (settings["ssl.ca.pem"], settings["log_level"]) == ("other", 1)
    clock.advance(_LONG_S)
    assert not renewal.is_due, "what refused the one before says nothing of this one"


@pytest.mark.parametrize(
    "codes",
    [
        [KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN],
        [KafkaError._RESOLVE, KafkaError._ALL_BROKERS_DOWN],
        # One of several.
        [KafkaError._SSL],
        [KafkaError._SSL, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN],
    ],
)
def test_a_client_that_some_broker_does_not_refuse_is_kept(codes: Sequence[int]) -> None:
    """It connects again by itself."""
    clock = ManualClock()
    renewal, cause = _opened(_File(), clock)
    for code in codes:
        cause.on_error(KafkaError(code))
    clock.advance(_LONG_S)
    assert not renewal.is_due


def test_a_file_that_is_being_replaced_changes_nothing() -> None:
    """A moment later it is read."""
    file, clock = _File(), ManualClock()
    renewal, _ = _opened(file, clock)
    file.is_there = False
    assert renewal.settings()["ssl.ca.pem"] == "one"
    file.trusts, file.is_there = "other", True
    assert renewal.settings()["ssl.ca.pem"] == "other"


def test_what_cannot_be_read_at_first_is_an_error() -> None:
    """Then there is nothing that could be kept."""
    file = _File()
    file.is_there = False
    with pytest.raises(ConfigError):
        StoredSettings(file.read)


def test_a_client_that_cannot_be_opened_is_told_of() -> None:
    """With the cluster, and what it was for."""

    def refuse(_settings: object) -> None:
        raise KafkaException(KafkaError(KafkaError._INVALID_ARG, "no such file"))

    renewal, _ = _opened(_File(), ManualClock())
    with pytest.raises(ClusterError, match="cluster A: could not connect: no such file"):
        renewal.open(refuse)


_NO_ROOM = """
import sys
from ctypes import CDLL, byref, c_uint
from importlib import import_module

from kmirror.errors import EnvironmentProblem

library, key = CDLL(None), c_uint()
module, name = sys.argv[1:]
client = getattr(import_module("kmirror.admin." + module), name)
while library.pthread_key_create(byref(key), None) == 0:
    pass
try:
    client({"bootstrap.servers": "127.0.0.1:1"}, cluster="cluster B")
except EnvironmentProblem as problem:
    print(problem)
"""


@pytest.mark.parametrize(
    "client", [("internal_writer", "InternalWriter"), ("reader", "RecordReader")]
)
def test_a_process_without_room_for_a_client_says_so(client: tuple[str, str]) -> None:
    """The C library gives a process a thousand thread keys, and each client takes one."""
    done = subprocess.run(
        [sys.executable, "-c", _NO_ROOM, *client],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "cluster B: no room for another client in this process" in done.stdout
    assert "--clusters" in done.stdout
