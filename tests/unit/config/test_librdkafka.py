"""Java client properties in librdkafka's words, and what cannot be said in them."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient

from kmirror.config.client_properties import ClientProperties
from kmirror.config.client_settings import ADMIN
from kmirror.config.jaas import JaasProblem, read_jaas
from kmirror.config.keys.key import KeyType
from kmirror.config.librdkafka import to_librdkafka

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required "
PLAIN += 'username="u" password="p\\"w";'
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required username=u password=p;"
OAUTH = (
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
    "clientId='c' clientSecret='s' scope='x';"
)


def settings(**java: str) -> dict[str, str]:
    result = to_librdkafka(ClientProperties({k.replace("_", "."): v for k, v in java.items()}))
    assert not result.untranslated
    return result.settings


def refused(**java: str) -> list[tuple[str, bool]]:
    result = to_librdkafka(ClientProperties({k.replace("_", "."): v for k, v in java.items()}))
    return [(unknown.name, unknown.fatal) for unknown in result.untranslated]


def test_plaintext() -> None:
    assert settings(bootstrap_servers="a:1") == {
        "bootstrap.servers": "a:1",
        "security.protocol": "plaintext",
    }


def test_time_outs_and_buffers_keep_to_librdkafkas_limits() -> None:
    found = settings(
        request_timeout_ms="999999",
        socket_connection_setup_timeout_ms="10",
        send_buffer_bytes="-1",
        metadata_max_age_ms="1000",
    )
    assert found["socket.timeout.ms"] == "300000"
    assert found["socket.connection.setup.timeout.ms"] == "1000"
    assert found["socket.send.buffer.bytes"] == "0"
    assert found["metadata.max.age.ms"] == "1000"


@pytest.mark.parametrize("number", [-1, 0, 1, 5_000, 10**9, (1 << 63) - 1])
def test_numbers_that_java_takes_are_brought_within_librdkafkas_limits(number: int) -> None:
    """A file is not refused for what MirrorMaker 2 takes."""
    numbers = [key for key in ADMIN.values() if key.type in {KeyType.INT, KeyType.LONG}]
    java = {key.name: str(max(number, int(key.low or -1))) for key in numbers}
    found = to_librdkafka(ClientProperties(java)).settings
    assert AdminClient(found | {"log_level": "0"}) is not None


@pytest.mark.parametrize(
    "java", [{"": "50"}, {".max": "50"}, {"": "20000"}, {"": "9", ".max": "8"}]
)
def test_the_longest_pause_is_not_shorter_than_the_first(java: dict[str, str]) -> None:
    given = {f"reconnect.backoff{which}.ms": text for which, text in java.items()}
    found = to_librdkafka(ClientProperties(given)).settings
    assert AdminClient(found | {"log_level": "0"}) is not None


def test_settings_of_the_data_path_are_left_to_the_data_path() -> None:
    assert "max.poll.records" not in settings(max_poll_records="1")


@pytest.mark.parametrize(
    ("given", "expected"), [({}, "https"), ({"ssl_endpoint_identification_algorithm": ""}, "none")]
)
def test_host_names_are_checked_unless_switched_off(given: dict[str, str], expected: str) -> None:
    found = settings(security_protocol="SSL", **given)
    assert found["ssl.endpoint.identification.algorithm"] == expected


def test_pem_files_and_texts() -> None:
    found = settings(
        security_protocol="SSL",
        ssl_truststore_type="PEM",
        ssl_truststore_location="/ca.pem",
        ssl_keystore_type="PEM",
        ssl_keystore_location="/me.pem",
        ssl_key_password="k",
    )
    assert found["ssl.ca.location"] == "/ca.pem"
    assert found["ssl.key.location"] == found["ssl.certificate.location"] == "/me.pem"
    assert found["ssl.key.password"] == "k"
    found = settings(
        security_protocol="SSL",
        ssl_truststore_certificates="CA",
        ssl_keystore_certificate_chain="CHAIN",
        ssl_keystore_key="KEY",
    )
    assert (found["ssl.ca.pem"], found["ssl.certificate.pem"], found["ssl.key.pem"]) == (
        "CA",
        "CHAIN",
        "KEY",
    )


def test_key_stores_of_java_are_left_to_java() -> None:
    given = ClientProperties(
        {
            "security.protocol": "SSL",
            "ssl.truststore.location": "/t.jks",
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": "/k.p12",
            "ssl.keystore.password": "store-pw",
            "ssl.key.password": "key-pw",
        }
    )
    found = to_librdkafka(given)
    assert not found.untranslated
    assert not {name for name in found.settings if "store" in name or "location" in name}
    trusted, own = found.stores
    assert (trusted.location, trusted.type, trusted.password) == ("/t.jks", "JKS", None)
    assert (own.location, own.type, own.own) == ("/k.p12", "PKCS12", True)
    assert (own.password, own.key_password) == ("store-pw", "key-pw")
    assert "-pw" not in repr(found)


@pytest.mark.parametrize(
    ("mechanism", "jaas", "password"), [("PLAIN", PLAIN, 'p"w'), ("SCRAM-SHA-512", SCRAM, "p")]
)
def test_user_and_password(mechanism: str, jaas: str, password: str) -> None:
    found = settings(security_protocol="SASL_SSL", sasl_mechanism=mechanism, sasl_jaas_config=jaas)
    assert found["sasl.mechanism"] == mechanism
    assert (found["sasl.username"], found["sasl.password"]) == ("u", password)
    assert found["security.protocol"] == "sasl_ssl"


def test_oauth() -> None:
    found = settings(
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="OAUTHBEARER",
        sasl_jaas_config=OAUTH,
        sasl_oauthbearer_token_endpoint_url="https://idp/token",
        sasl_login_callback_handler_class="org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    )
    assert found["sasl.oauthbearer.method"] == "oidc"
    assert found["sasl.oauthbearer.client.id"] == "c"
    assert found["sasl.oauthbearer.client.secret"] == "s"
    assert found["sasl.oauthbearer.token.endpoint.url"] == "https://idp/token"


@pytest.mark.parametrize(
    ("java", "name", "fatal"),
    [
        ({"security_protocol": "SSL", "ssl_cipher_suites": "X"}, "ssl.cipher.suites", False),
        (
            {"security_protocol": "SSL", "ssl_engine_factory_class": "X"},
            "ssl.engine.factory.class",
            True,
        ),
        ({"security_protocol": "SASL_SSL"}, "sasl.mechanism", True),
        ({"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN"}, "sasl.jaas.config", True),
        (
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN", "sasl_jaas_config": OAUTH},
            "sasl.jaas.config",
            True,
        ),
        (
            {
                "security_protocol": "SASL_SSL",
                "sasl_mechanism": "AWS_MSK_IAM",
                "sasl_jaas_config": "x",
            },
            "sasl.mechanism",
            True,
        ),
    ],
)
def test_what_cannot_be_said_is_named(java: dict[str, str], name: str, fatal: bool) -> None:
    assert refused(**java) == [(name, fatal)]


@pytest.mark.parametrize(
    "text", ["", "x", "M required", "M required a;", 'M required a="b;', "M often a=b;"]
)
def test_broken_login_configurations_are_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(JaasProblem) as caught:
        read_jaas(text)
    assert "M" not in str(caught.value)


def test_nothing_secret_is_in_a_repr() -> None:
    given = ClientProperties(
        {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN}
    )
    assert "p" + '"w' not in repr(to_librdkafka(given))
    assert "username" not in repr(read_jaas(PLAIN))


def test_librdkafka_knows_every_name_that_is_written() -> None:
    """An unknown or impossible setting would be refused by the constructor."""
    found = settings(
        bootstrap_servers="127.0.0.1:1",
        client_id="c",
        client_dns_lookup="use_all_dns_ips",
        connections_max_idle_ms="540000",
        metadata_max_age_ms="300000",
        reconnect_backoff_ms="50",
        reconnect_backoff_max_ms="1000",
        retry_backoff_ms="100",
        retry_backoff_max_ms="1000",
        request_timeout_ms="30000",
        socket_connection_setup_timeout_ms="10000",
        send_buffer_bytes="131072",
        receive_buffer_bytes="-1",
        security_protocol="SASL_SSL",
        sasl_mechanism="SCRAM-SHA-256",
        sasl_jaas_config=SCRAM,
    )
    assert AdminClient(found | {"log_level": "0"}) is not None
