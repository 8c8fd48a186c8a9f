"""Asks the driver of a file what it sees, where it serves metrics; without it, nothing is known."""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Mapping
from typing import Any

from kmirror.config.metrics import MetricsConfig
from kmirror.config.server import Listener
from kmirror.model import Flow
from kmirror.state import run_record
from kmirror.state.run_record import RunRecord
from kmirror.state.told import ToldFlow, from_json

_ANSWER_S_MAX = 2.0
_BYTES_MAX = 50 << 20
FLOWS_PATH = "/flows"
RUN_PATH = "/run"
# A driver that ends while it answers is none, either: that is http.client's own kind of error.
_NO_ANSWER = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)


def ask_driver(metrics: MetricsConfig) -> Mapping[Flow, ToldFlow]:
    """
    Return what the driver says of its flows; empty when none answers, or answers something else.

    Args:
        metrics: Where it serves them, as the file says.
    """
    try:
        found = from_json(_ask(metrics, FLOWS_PATH))
    except _NO_ANSWER:
        return {}
    return {each.flow: each for each in found}


def ask_run(metrics: MetricsConfig) -> RunRecord | None:
    """
    Return what the driver says of its run; `None` when none answers, or answers something else.

    Args:
        metrics: Where it serves it, as the file says.
    """
    try:
        return run_record.from_json(_ask(metrics, RUN_PATH))
    except _NO_ANSWER:
        return None


def _ask(metrics: MetricsConfig, path: str) -> Any:
    at = metrics.listener
    if at is None or at.port == 0:
        raise ValueError("it is served nowhere")
    local = Listener(scheme=at.scheme, host=at.host or "127.0.0.1", port=at.port)
    with urllib.request.urlopen(f"{local}{path}", timeout=_ANSWER_S_MAX) as answer:
        return json.loads(answer.read(_BYTES_MAX))
