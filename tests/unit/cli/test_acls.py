"""`kmirror acls`: a file's rights as commands, and who gets them."""

from __future__ import annotations

import json
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.cli.verbs import program

ROOT = Path(__file__).parents[3]
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
HEAD = """clusters = A, B
A.bootstrap.servers = a-1:9092,a-2:9092
B.bootstrap.servers = b-1:9092
A->B.enabled = true
A->B.topics = orders
emit.heartbeats.enabled = false
"""


def login(prefix: str, user: str) -> str:
    """Give the lines that log in as somebody."""
    return f"""{prefix}security.protocol = SASL_PLAINTEXT
{prefix}sasl.mechanism = PLAIN
{prefix}sasl.jaas.config = {PLAIN} username="{user}" password="S3CR3T";
"""


def acls(folder: Path, text: str, *options: str, code: int = 0) -> str:
    """Run it."""
    file = folder / "mm2.properties"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(program(), ["acls", str(file), *options])
    assert done.exit_code == code, done.output
    return done.output


def commands(script: str) -> list[list[str]]:
    """Give the words of each command."""
    lines = script.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line and not line.startswith("#")]


def test_commands_say_what_json_says(tmp_path: Path) -> None:
    """Both are the same grants."""
    text = HEAD + login("", "mirror")
    said: set[tuple[str, ...]] = set()
    for words in commands(acls(tmp_path, text)):
        assert words[0] == "kafka-acls.sh"
        options = list(pairwise(words))
        values = [pair for pair in options if pair[0].startswith("--") and pair[0] != "--add"]
        given: dict[str, list[str]] = {}
        for name, value in values:
            given.setdefault(name, []).append(value)
        kind = "prefixed" if "--resource-pattern-type" in given else "literal"
        for resource in ("topic", "group", "transactional-id"):
            for name in given.get(f"--{resource}", ()):
                place = (*given["--bootstrap-server"], *given["--allow-principal"], resource, kind)
                said |= {(*place, name, operation) for operation in given["--operation"]}
    report = json.loads(acls(tmp_path, text, "--json"))
    fields = ("bootstrap_servers", "principal", "resource", "pattern", "name")
    assert said == {
        (*(each[field] for field in fields), operation)
        for each in report["grants"]
        if not each["optional"]
        for operation in each["operations"]
    }
    assert not report["principals_to_replace"]


def test_passwords_are_not_shown(tmp_path: Path) -> None:
    """User names are, because ACLs are about them."""
    text = acls(tmp_path, HEAD + login("A.", "mirror-a") + login("B.", "mirror-b"))
    assert "User:mirror-a" in text
    assert "User:mirror-b" in text
    assert "S3CR3T" not in text


def test_each_client_gets_its_own(tmp_path: Path) -> None:
    """Lanes that log in as somebody else write; the control plane reads and creates."""
    text = HEAD + login("", "mirror") + login("B.producer.", "writer")
    found = json.loads(acls(tmp_path, text, "--json"))["grants"]
    on_copies = {
        each["principal"]: each["operations"]
        for each in found
        if each["name"] == "A.orders" and not each["optional"]
    }
    assert on_copies == {
        "User:mirror": ["Read", "Create", "Alter", "AlterConfigs"],
        "User:writer": ["Read", "Write"],
    }


@pytest.mark.parametrize(
    ("lines", "name", "why"),
    [
        ("", "User:NAME-ON-A", "User:ANONYMOUS"),
        (
            "security.protocol = SSL\nssl.keystore.type = PEM\nssl.keystore.key = x\n"
            "ssl.keystore.certificate.chain = y\n",
            "User:CERTIFICATE-FOR-A",
            "ssl.principal.mapping.rules",
        ),
    ],
)
def test_a_name_to_replace(tmp_path: Path, lines: str, name: str, why: str) -> None:
    """Where the file does not say who logs in, the script says so, and takes the name."""
    script = acls(tmp_path, HEAD + lines)
    assert f"# Replace {name}: " in script
    assert why in script
    script = acls(tmp_path, HEAD + lines, "--principal", "A=User:CN=mirror")
    assert name not in script
    assert "'User:CN=mirror'" in script or "User:CN=mirror" in script


def test_a_principal_of_no_cluster(tmp_path: Path) -> None:
    """It is refused, not ignored."""
    assert "no cluster C" in acls(tmp_path, HEAD, "--principal", "C=User:x", code=2)
    assert "expected A=User:name" in acls(tmp_path, HEAD, "--principal", "User", code=2)


def test_a_regex_that_acls_cannot_say(tmp_path: Path) -> None:
    """It is granted widely, and said."""
    script = acls(tmp_path, HEAD.replace("= orders", "= orders[0-9]+"))
    assert "(orders: more than the file's regex names" in script
    assert "--resource-pattern-type prefixed --topic orders" in script


def test_heartbeats_come_from_everywhere(tmp_path: Path) -> None:
    """A flow carries on the heartbeats that others brought to its source."""
    text = """clusters = A, B, C
A.bootstrap.servers = a:1
B.bootstrap.servers = b:1
C.bootstrap.servers = c:1
A->B.enabled = true
B->C.enabled = true
topics = orders
sync.topic.configs.enabled = false
"""
    found = json.loads(acls(tmp_path, text, "--json"))["grants"]

    def readable(alias: str) -> set[str]:
        return {
            each["name"]
            for each in found
            if each["cluster"] == alias and "DescribeConfigs" in each["operations"]
            if not each["optional"]
        }

    assert readable("A") == {"orders", "heartbeats"}
    assert readable("B") == {"orders", "heartbeats", "A.heartbeats"}
    assert readable("C") == set()


@pytest.mark.parametrize("file", sorted(ROOT.glob("examples/*/mm2.properties")), ids=str)
def test_every_example_has_its_rights(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alias topics, several flows, filters: every example is understood."""
    for name in ("A", "B"):
        monkeypatch.setenv(f"KAFKA_{name}_PASSWORD", "S3CR3T")
    done = CliRunner().invoke(program(), ["acls", str(file), "--moves"])
    assert done.exit_code == 0, done.output
    assert "S3CR3T" not in done.output
    assert commands(done.output)


def test_a_connect_worker(tmp_path: Path) -> None:
    """What it needs itself, and with connectors behind it what their flows need."""
    file = ROOT / "tests" / "data" / "connect" / "connect-distributed.properties"
    named = {"worker": "User:w", "A": "User:a", "B": "User:b"}
    principals = [each for pair in named.items() for each in ("--principal", "=".join(pair))]

    def granted(*arguments: str, code: int = 0) -> dict[tuple[str, str], set[str]]:
        done = CliRunner().invoke(program(), ["acls", str(file), *arguments, "--json"])
        assert done.exit_code == code, done.output
        found = json.loads(done.output)["grants"] if code == 0 else ()
        assert all(each["principal"] == named[each["cluster"]] for each in found)
        return {(each["cluster"], each["name"]): set(each["operations"]) for each in found}

    own = granted(*principals[:2])
    all_three = {"Create", "Read", "Write"}
    assert own == {
        ("worker", "connect-configs"): all_three,
        ("worker", "connect-offsets"): all_three,
        ("worker", "connect-status"): all_three,
        ("worker", "__kmirror-workers-connect-cluster"): all_three,
        ("worker", "connect-cluster-connect-cluster"): {"Write"},
        ("worker", "connect-cluster"): {"Read"},
    }
    with_source = granted(str(file.with_name("connect-source.json")), *principals)
    assert own.items() <= with_source.items()
    assert "Read" in with_source["A", "mirror-test-"]
    assert ("B", "__kmirror-A-B") in with_source
    granted("--moves", code=2)
    assert "go with a Connect worker's file" in acls(tmp_path, HEAD, str(file), code=2)
