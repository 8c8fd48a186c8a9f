"""Whole files: customers' and ours, lines without effect, values that are never shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.cli.verbs import program
from kmirror.config.load import load, read_lines
from kmirror.errors import ConfigError
from kmirror.tune.advise import Question, advise
from kmirror.tune.finding import Level
from kmirror.tune.link import Measured
from kmirror.tune.scenarios import Scenario
from tests.support.tuned import SLOW, advice_for, applied, lines_of

ROOT = Path(__file__).parents[3]
CUSTOMER = ROOT / "tests" / "data" / "mm2" / "customer-mm2.properties"
EXAMPLES = sorted((ROOT / "examples").rglob("*.properties"))
SECRET = "do-not-tell"


def test_the_customers_file() -> None:
    """Two lines are dangerous, and the lines to add leave none."""
    lines = read_lines(CUSTOMER, environ={})
    advice = advise(Question(lines=lines, measured=dict.fromkeys(lines.flows, SLOW)))
    dangerous = {
        line.key: line.where
        for finding in advice.findings
        if finding.level is Level.DANGER
        for line in finding.lines[:1]
    }
    assert dangerous == {
        "us-east-2.producer.request.timeout.ms": f"{CUSTOMER}:27",
        "us-east-2.producer.retries": f"{CUSTOMER}:28",
    }
    better = advice_for(applied(advice), SLOW, base=CUSTOMER.read_text(encoding="utf-8"))
    assert not better.dangerous


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_are_not_dangerous(example: Path) -> None:
    """What is copied and run should be safe, on a slow link as well."""
    lines = read_lines(example, environ={})
    assert not advise(Question(lines=lines, measured=dict.fromkeys(lines.flows, SLOW))).dangerous


@pytest.mark.parametrize(
    "line",
    [
        "producer.request.timeout.ms = 500",
        "request.timeout.ms = 500",
        "A->B.producer.request.timeout.ms = 500",
        "C.producer.request.timeout.ms = 500",
    ],
)
def test_a_timeout_that_nobody_reads(line: str) -> None:
    """It changes nothing, and is told."""
    advice = advice_for(f"{line}\n")
    assert not advice.dangerous
    (note,) = [each for each in advice.findings if each.level is Level.NOTE]
    assert note.lines[0].key == line.partition(" ")[0]
    assert note.lines[0].where is not None
    assert note.scenario is Scenario.NO_EFFECT


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("A.producer.request.timeout.ms = 500", "no flow into A"),
        ("A.offset.storage.topic = mine", "no flow into A"),
        ("B.consumer.fetch.max.bytes = 1", "no flow out of B"),
    ],
)
def test_a_line_for_a_flow_that_is_off(line: str, why: str) -> None:
    """The other direction would read it."""
    advice = advice_for(f"{line}\n")
    assert not advice.dangerous
    (note,) = [each for each in advice.findings if each.level is Level.NOTE]
    assert why in note.says
    both = advice_for(f"{line}\nB->A.enabled = true\n")
    assert not [each for each in both.findings if why in each.says]


def test_a_flow_that_is_given_keeps_to_itself() -> None:
    """Advice is for the flows asked for; the others' lines stay."""
    base = (
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\nB->A.enabled = true\nA.producer.retries = 1\n"
    )
    lines = lines_of(base=base)
    here, back = lines.flows
    assert not advise(Question(lines=lines, measured={here: Measured()})).dangerous
    assert advise(Question(lines=lines, measured={back: Measured()})).dangerous


def test_a_file_that_only_mirrormaker_2_runs() -> None:
    """Transforms are refused by kmirror, and judged here all the same."""
    more = "A->B.transforms = x\nA->B.transforms.x.type = y\nB.producer.retries = 1\n"
    assert advice_for(more).dangerous


@pytest.mark.parametrize("text", ["", "clusters = A, B\n", "clusters = A, B\nA->B.enabled = x\n"])
def test_a_file_that_nobody_runs(text: str) -> None:
    """It has no clusters, or no flow: an error, not advice."""
    with pytest.raises(ConfigError):
        lines_of(base=text)


def test_secrets_are_never_shown() -> None:
    """Not where a line is idle, and not where a value comes from elsewhere."""
    more = (
        f"sasl.jaas.confg = {SECRET}\nproducer.ssl.keystore.password = {SECRET}\n"
        f"producer.sasl.jaas.config = {SECRET}\n"
        "config.providers = env\nconfig.providers.env.class = EnvVarConfigProvider\n"
        "config.providers.env.param.allowlist.pattern = X\n"
        "B.producer.request.timeout.ms = ${env:X}\nB.producer.retries = ${vault:a:b}\n"
    )
    lines = lines_of(more, environ={"X": "517"})
    advice = advise(Question(lines=lines, measured=dict.fromkeys(lines.flows, SLOW)))
    told = repr(advice)
    assert SECRET not in told
    assert "517" not in told
    assert "[hidden]" in told
    unjudged = {each.lines[0].key for each in advice.findings if "not judged" in each.says}
    assert unjudged == {"B.producer.request.timeout.ms", "B.producer.retries"}


def _run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(program(), ["tune", *map(str, arguments)])
    return done.exit_code, done.output


def test_the_command(tmp_path: Path) -> None:
    """Exit code 1 while something is dangerous, 0 with the lines it gives."""
    code, text = _run(CUSTOMER, "--for", "both")
    assert code == 1, text
    assert "slow-link-few-retries" in text
    link = ("--for", "both", "--rtt", "100ms", "--bandwidth", "1mbit")
    code, lines = _run(CUSTOMER, "--snippet", *link)
    assert code == 1
    better = tmp_path / "better.properties"
    better.write_text(CUSTOMER.read_text(encoding="utf-8") + lines, encoding="utf-8")
    code, text = _run(better, *link)
    assert code == 0, text
    assert load(better, environ={}).flows, "kmirror runs it, too"


def test_the_command_for_kmirror_alone() -> None:
    """What it does not apply is a note."""
    code, text = _run(CUSTOMER)
    assert code == 0, text
    assert "raised to 5000" in text
    assert "slow-link" not in text


@pytest.mark.parametrize("link", [(), ("--rtt", "100ms", "--bandwidth", "1mbit")], ids=str)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_nothing_about_mirrormaker_2_unless_asked(example: Path, link: tuple[str, ...]) -> None:
    """Whoever runs kmirror does not care what another program would do with the file."""
    _, text = _run(example, *link)
    assert not re.search("MirrorMaker|MM2|idempotence|offset.flush|shown by", text), text
    _, text = _run(example, *link, "--for", "mm2")
    assert re.search("MirrorMaker", text), "the other one's advice is there to be asked for"


def test_json() -> None:
    """Everything that is printed is there for programs."""
    code, text = _run(
        CUSTOMER,
        *("--json", "--rtt", "100ms", "--bandwidth", "1mbit", "--beside", "target"),
        *("--record-size", "200", "--partitions", "4", "--for", "both"),
    )
    assert code == 1, text
    found = json.loads(text)
    (flow,) = found["flows"]
    assert flow["flow"] == "us-west-2->us-east-2"
    assert flow["source"] == {"rtt_ms": 100.0, "bytes_per_s": 125000.0}
    assert flow["target"] == {"rtt_ms": 1.0, "bytes_per_s": None}
    assert (flow["record_bytes"], flow["partitions"]) == (200, 4)
    worst = found["findings"][0]
    assert worst["level"] == "danger"
    assert worst["lines"][0]["where"] == f"{CUSTOMER}:27"
    assert worst["scenario"] == "slow-link-many-partitions"
    assert {"key": "us-east-2.producer.retries", "value": "2147483647"}.items() <= next(
        each for each in found["settings"] if each["key"].endswith("retries")
    ).items()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rtt", "100"),
        ("--bandwidth", "fast"),
        ("--record-size", "0"),
        ("--partitions", "0"),
        ("--beside", "me"),
        ("--for", "them"),
        ("--measure", "--rtt", "100ms"),
        ("--flow", "A->X"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...]) -> None:
    """Exit code 2, before anything is asked."""
    code, text = _run(CUSTOMER, *arguments)
    assert code == 2, text


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """Exit code 2."""
    assert _run(tmp_path / "none.properties")[0] == 2


def test_kmirrors_refusals_are_notes(tmp_path: Path) -> None:
    """The file is MirrorMaker 2's; why kmirror would not start is told beside it."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\nA->B.transforms = x\n",
        encoding="utf-8",
    )
    code, text = _run(file)
    assert code == 0, text
    assert "kmirror does not start with this" in text
    assert _run(file, "--measure")[0] == 2
