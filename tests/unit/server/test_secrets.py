"""Secrets are in no answer, and known again when they come back hidden."""

from __future__ import annotations

import pytest

from kmirror.control.caller import Caller, Role
from kmirror.server.connect.endpoints import connect_endpoints
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import RestClient

CANARY = "S3CR3T-CANARY"
SECRETS = {
    "source.cluster.sasl.jaas.config": f"login username=a password={CANARY};",
    "target.cluster.ssl.key.password": CANARY,
    "source.cluster.ssl.keystore.key": CANARY,
    "producer.override.sasl.jaas.config": CANARY,
    "some.api.key": CANARY,
    "transforms.x.token": CANARY,
    "kmirror.spark.hadoop.fs.key": CANARY,
    # Misspelt: its text says what it is.
    "source.cluster.sasl.jass.config": f'x.PlainLoginModule required password="{CANARY}";',
}
SERVERS = {
    "source.cluster.bootstrap.servers": "a:9092",
    "target.cluster.bootstrap.servers": "b:9092",
}
Config = dict[str, str]


@pytest.fixture
def made(client: RestClient, herder: MemoryHerder, config: Config) -> RestClient:
    """Make a connector with secrets, one of whose tasks fails and tells them."""
    sent = {"name": "c", "config": config | SECRETS | SERVERS}
    assert client.post("/connectors", sent).status == 201
    herder.fail_task("c", 0, f"refused: {SECRETS['source.cluster.sasl.jaas.config']}")
    return client


def kept(herder: MemoryHerder) -> dict[str, str]:
    """Give the secrets that the worker has."""
    found = herder.connector("c").config
    return {name: found[name] for name in SECRETS if name in found}


def test_no_route_shows_one(made: RestClient, herder: MemoryHerder, config: Config) -> None:
    """Every route, with the secrets in the body too, right or wrong."""
    bodies = (
        None,
        config | SECRETS,
        config | SECRETS | {"tasks.max": CANARY},
        {"name": "d", "config": config | SECRETS | {"tasks.max": CANARY}},
        {"name": CANARY, "config": [CANARY]},
        SECRETS,
        f'{{"a": {CANARY}',
        {"offsets": {"password": CANARY}},
    )
    for endpoint in connect_endpoints(herder):
        if endpoint.method == "DELETE":
            continue
        path = endpoint.path.replace("{task}", "0").replace("{connector}", "c")
        path = path.replace("{plugin}", "MirrorSource").replace("{logger}", "root")
        for query in ("", "?expand=status&expand=info&includeTasks=true&scope=cluster"):
            for body in bodies:
                answer = made.call(endpoint.method, path + query, body)
                assert CANARY not in answer.text, (endpoint.method, path, body)
                assert CANARY not in str(answer.headers)
        assert "[hidden]" in made.get("/connectors/c").text


def test_words_of_a_login_are_harmless_elsewhere(client: RestClient, config: Config) -> None:
    """A form writes back what a check shows: a topic may be called as a user is."""
    login = 'x.ScramLoginModule required username="orders" scope="true" password="geheim";'
    sent = config | {"source.cluster.sasl.jaas.config": login, "topics": "orders,payments"}
    path = "/connector-plugins/MirrorSourceConnector/config/validate"
    answer = client.put(path, sent)
    assert answer.status == 200
    values = {each["value"]["name"]: each["value"]["value"] for each in answer.json["configs"]}
    assert values["topics"] == "orders,payments"
    assert values["source.cluster.sasl.jaas.config"] == "[hidden]"
    assert [name for name, shown in values.items() if shown == "[hidden]"] == [
        "source.cluster.sasl.jaas.config"
    ]


def test_a_restart_shows_none(made: RestClient) -> None:
    """What has failed and does not restart keeps its trace in the answer."""
    answer = made.post("/connectors/c/restart?onlyFailed=true")
    assert (answer.status, answer.json["tasks"][0]["state"]) == (202, "FAILED")
    assert answer.json["tasks"][0]["trace"] == "refused: [hidden]"


def test_what_was_hidden_stays(made: RestClient, herder: MemoryHerder) -> None:
    """A form that writes back what it has read changes nothing."""
    read = made.get("/connectors/c/config").json
    assert {read[name] for name in SECRETS} == {"[hidden]"}
    assert made.put("/connectors/c/config", read | {"topics": "u"}).status == 200
    assert kept(herder) == SECRETS
    assert herder.connector("c").config["topics"] == "u"
    assert made.patch("/connectors/c/config", {"some.api.key": "[hidden]", "topics": "v"}).ok
    assert kept(herder) == SECRETS
    assert made.patch("/connectors/c/config", {"some.api.key": "new"}).ok
    assert kept(herder)["some.api.key"] == "new"
    assert made.patch("/connectors/c/config", {"some.api.key": None}).ok
    assert "some.api.key" not in kept(herder)


def test_hidden_without_an_earlier_value(made: RestClient, config: Config) -> None:
    """It would be the password `[hidden]`."""
    hidden = {"source.cluster.ssl.truststore.password": "[hidden]"}
    for refused in (
        made.post("/connectors", {"name": "d", "config": config | hidden}),
        made.put("/connectors/d/config", config | hidden),
        made.put("/connectors/c/config", config | hidden),
        made.patch("/connectors/c/config", hidden),
    ):
        assert refused.status == 400
        assert "stands for an earlier value, and there is none" in refused.json["message"]
    assert made.get("/connectors").json == ["c"]
    topics = made.put("/connectors/c/config", config | {"topics": "[hidden]"})
    assert topics.json["config"]["topics"] == "[hidden]"


@pytest.mark.parametrize(
    "moved",
    [
        {"source.cluster.bootstrap.servers": "evil:9092"},
        {"target.cluster.security.protocol": "SASL_PLAINTEXT"},
        {"source.cluster.ssl.truststore.location": "/evil"},
        {"source.cluster.ssl.endpoint.identification.algorithm": ""},
        {"source.cluster.sasl.oauthbearer.token.endpoint.url": "https://evil"},
    ],
)
def test_a_secret_goes_nowhere_else(
    made: RestClient, herder: MemoryHerder, config: Config, moved: dict[str, str]
) -> None:
    """Who may change settings and does not know a password cannot have it sent to himself."""
    read = made.get("/connectors/c/config").json
    for refused in (
        made.put("/connectors/c/config", read | moved),
        made.patch("/connectors/c/config", moved),
        made.patch("/connectors/c/config", moved | {"some.api.key": "[hidden]"}),
    ):
        assert refused.status == 400
        assert "may not change while" in refused.json["message"]
    assert made.patch("/connectors/c/config", moved | SECRETS).status == 200
    by = Caller(name="a", role=Role.ADMIN, address="b")
    herder.put_config("c", {**config, **SERVERS, "name": "c"}, by)
    assert made.patch("/connectors/c/config", moved).status == 200
