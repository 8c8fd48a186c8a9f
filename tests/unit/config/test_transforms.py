"""Connect's transforms: what becomes SQL and names, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.connectors import build_flows
from kmirror.config.flows import FlowConfig
from kmirror.errors import ConfigError, Problem
from kmirror.model import Flow
from tests.support.connect_files import CHECKPOINT, connector, worker
from tests.support.mirror_files import Load

PACKAGE = "org.apache.kafka.connect.transforms."
ROUTER = {"type": f"{PACKAGE}RegexRouter", "regex": r"A\.(.*)", "replacement": "$1"}


def lines(*transforms: dict[str, str], **predicates: dict[str, str]) -> dict[str, str]:
    """Give a connector's settings with transforms, called a, b and so on, and predicates."""
    names = "abcdefg"[: len(transforms)]
    found = {"transforms": ", ".join(names), "predicates": ", ".join(predicates)}
    for name, transform in zip(names, transforms, strict=True):
        found |= {f"transforms.{name}.{key}": text for key, text in transform.items()}
    for name, predicate in predicates.items():
        found |= {f"predicates.{name}.{key}": text for key, text in predicate.items()}
    return found


def build(folder: Path, settings: dict[str, str]) -> tuple[FlowConfig | None, list[Problem]]:
    """Give the flow of one connector with these settings, or what is wrong."""
    found = build_flows({"s": connector() | settings}, worker(folder))
    config = found.flows[0].config if found.flows else None
    return config, list(found.refused.get("s", ()))


def test_a_router_names_copies(tmp_path: Path) -> None:
    config, problems = build(tmp_path, lines(ROUTER))
    assert not problems
    assert config is not None
    assert config.topic_selection().remote_topic("orders") == "orders"
    assert config.topic_selection().remote_topic("heartbeats") == "A.heartbeats"
    assert config.topic_selection().remote_topic("C.heartbeats") == "A.C.heartbeats"
    assert config.policy.checkpoints_topic("A") == "A.checkpoints.internal"
    assert config.whole_batches, "names alone do not take batches apart"
    assert not config.policy.names_carry_source


def test_routers_follow_each_other_and_may_be_for_some_topics(tmp_path: Path) -> None:
    names = {"type": f"{PACKAGE}predicates.TopicNameMatches", "pattern": "orders.*"}
    other = {
        "type": "TimestampRouter",
        "topic.format": "dr-${topic}",
        "predicate": "p",
        "negate": "true",
    }
    config, problems = build(tmp_path, lines(ROUTER, other, p=names))
    assert not problems
    assert config is not None
    assert config.topic_selection().remote_topic("orders1") == "orders1"
    assert config.topic_selection().remote_topic("audit") == "dr-audit"


def test_filters_and_dropped_headers_are_sql(tmp_path: Path) -> None:
    settings = lines(
        {"type": "DropHeaders", "headers": "secret, it's"},
        {"type": f"{PACKAGE}Filter", "predicate": "h", "negate": "true"},
        {"type": f"{PACKAGE}Filter", "predicate": "t"},
        h={"type": f"{PACKAGE}predicates.HasHeaderKey", "name": "kind"},
        t={"type": f"{PACKAGE}predicates.RecordIsTombstone"},
    )
    config, problems = build(tmp_path, settings)
    assert not problems
    assert config is not None
    assert config.transforms.headers is not None
    headers = r"filter(headers, h -> h.key not in ('secret', 'it\'s'))"
    assert config.transforms.headers.sql == headers
    assert config.transforms.where is not None
    assert config.transforms.where.sql == (
        f"(not (not coalesce(exists({headers}, h -> h.key = 'kind'), false))) and "
        "(not (value is null))"
    )
    assert config.looks_inside_records
    assert config.drops_records
    assert config.granularity_text == "record by record (transforms look inside)"


@pytest.mark.parametrize(
    "name",
    [
        *("MaskField$Value", "MaskField$Key", "InsertField$Value", "ReplaceField$Key"),
        *("HeaderFrom$Value", "Cast$Value", "ExtractField$Value", "Flatten$Key", "ValueToKey"),
    ],
)
def test_what_needs_fields_is_refused(tmp_path: Path, name: str) -> None:
    """In Connect it fails at the first record: bytes have no fields."""
    config, problems = build(tmp_path, lines({"type": f"{PACKAGE}{name}", "fields": "f"}))
    assert config is None
    (problem,) = problems
    assert problem.key == "transforms.a.type"
    assert "works on fields, and MirrorMaker 2's records are bytes" in problem.expected


@pytest.mark.parametrize(
    ("settings", "key", "expected"),
    [
        (lines({"type": "com.x.Mine"}), "transforms.a.type", "Java classes cannot be loaded"),
        (lines({"type": "InsertHeader"}), "transforms.a.type", "a header of text"),
        (lines({"type": "HoistField$Value"}), "transforms.a.type", "makes a field"),
        (lines({"type": "SetSchemaMetadata$Key"}), "transforms.a.type", "works on schemas"),
        (lines({}), "transforms.a.type", "the class of a transform"),
        (lines({"type": "TimestampRouter"}), "transforms.a.type", "a topic for each day"),
        (
            lines({"type": "TimestampRouter", "topic.format": "${timestamp}"}),
            "transforms.a.topic.format",
            "without ${timestamp}",
        ),
        (lines({"type": "RegexRouter", "regex": "a"}), "transforms.a.replacement", "no default"),
        (lines({**ROUTER, "regex": "("}), "transforms.a.regex", "not closed"),
        (lines({**ROUTER, "regex": "(a)+"}), "transforms.a.regex", "repeated by +"),
        (lines({**ROUTER, "regex": "a(?=b)"}), "transforms.a.regex", "look-ahead"),
        (lines({**ROUTER, "regex": "\\Qa\\E"}), "transforms.a.regex", "\\Q"),
        (lines({**ROUTER, "replacement": "$2"}), "transforms.a.regex", "no group 2"),
        (lines({**ROUTER, "predicate": "p"}), "transforms.a.predicate", "predicates lists"),
        (lines({**ROUTER, "negate": "true"}), "transforms.a.negate", "beside it"),
        (
            lines({**ROUTER, "predicate": "p"}, p={"type": "RecordIsTombstone"}),
            "transforms.a.predicate",
            "about single records",
        ),
        (
            lines({"type": "Filter", "predicate": "p"}, p={"type": "com.x.Y"}),
            "predicates.p.type",
            "one of Connect's own predicates",
        ),
        (
            lines(
                {"type": "Filter", "predicate": "p"},
                p={"type": "TopicNameMatches", "pattern": "a++"},
            ),
            "predicates.p.pattern",
            "possessive",
        ),
        (
            lines({"type": "DropHeaders", "headers": "h"}) | {"kmirror.select.headers": "headers"},
            "kmirror.select.headers",
            "no DropHeaders beside it",
        ),
        (lines(ROUTER) | {"kmirror.acls": "exact"}, "kmirror.acls", "expected mm2 with transforms"),
        (
            lines(ROUTER) | {"kmirror.topic.deletion": "quarantine"},
            "kmirror.topic.deletion",
            "expected ignore with transforms",
        ),
    ],
)
def test_it_is_refused(tmp_path: Path, settings: dict[str, str], key: str, expected: str) -> None:
    config, problems = build(tmp_path, settings)
    assert config is None
    assert [problem.key for problem in problems] == [key]
    assert expected in problems[0].expected


def test_a_checkpoint_connector_has_no_transforms(tmp_path: Path) -> None:
    found = build_flows(
        {"s": connector(), "c": connector(CHECKPOINT) | lines(ROUTER)}, worker(tmp_path)
    )
    (problem,) = found.refused["c"]
    assert "only in a MirrorSourceConnector" in problem.expected


def test_circles_of_renamed_copies_are_refused(load_text: Load) -> None:
    flows = "B->A.enabled = true\n" + "".join(
        f"{flow}.transforms = t\n{flow}.transforms.t.type = RegexRouter\n"
        f"{flow}.transforms.t.regex = [AB].(.*)\n{flow}.transforms.t.replacement = $1\n"
        for flow in ("A->B", "B->A")
    )
    with pytest.raises(ConfigError, match="round and round"):
        load_text(flows)


def test_the_drivers_file_has_them_too(load_text: Load) -> None:
    text = "".join(
        f"A->B.{key} = {value}\n".replace("\\", "\\\\") for key, value in lines(ROUTER).items()
    )
    config = load_text(text)
    assert config.flow(Flow("A", "B")).topic_selection().remote_topic("t") == "t"
