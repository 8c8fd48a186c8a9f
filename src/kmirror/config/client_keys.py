"""Settings of Kafka's Java clients: those a cluster's clients inherit, and the names of all."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import check_servers
from kmirror.config.key import Key, KeyType, Scope

_client = partial(Key, scope=Scope.CLUSTER)
_text = partial(Key, scope=Scope.CLUSTER, type=KeyType.STRING)
_password = partial(Key, scope=Scope.CLUSTER, type=KeyType.PASSWORD, secret=True)

_TLS = "TLS, as in Kafka's Java clients."
_LOGIN = "Login, as in Kafka's Java clients."
_KERBEROS = "Kerberos, as in Kafka's Java clients."
_OAUTH = "OAuth, as in Kafka's Java clients."

CONNECTION_KEYS = (
    _client(
        name="bootstrap.servers",
        type=KeyType.LIST,
        check=check_servers,
        doc="Where the cluster is found: `host:port`, with commas between several.",
    ),
    _text(
        name="security.protocol",
        default="PLAINTEXT",
        choices=("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
        any_case=True,
        doc="How the brokers are spoken to.",
    ),
)

TLS_KEYS = (
    _text(
        name="ssl.endpoint.identification.algorithm",
        default="https",
        doc="`https` compares the broker's certificate with its host name; empty does not.",
    ),
    *(
        _text(name=f"ssl.{name}", doc=_TLS)
        for name in (
            "cipher.suites",
            "enabled.protocols",
            "engine.factory.class",
            "keymanager.algorithm",
            "keystore.location",
            "keystore.type",
            "protocol",
            "provider",
            "secure.random.implementation",
            "trustmanager.algorithm",
            "truststore.location",
            "truststore.type",
        )
    ),
    *(
        _password(name=f"ssl.{name}", doc=_TLS)
        for name in (
            "key.password",
            "keystore.certificate.chain",
            "keystore.key",
            "keystore.password",
            "truststore.certificates",
            "truststore.password",
        )
    ),
)

SASL_KEYS = (
    _text(name="sasl.mechanism", default="GSSAPI", doc="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, …"),
    _password(name="sasl.jaas.config", doc="The login module with its user name and password."),
    *(
        _text(name=f"sasl.{name}", doc=_LOGIN)
        for name in ("client.callback.handler.class", "login.callback.handler.class", "login.class")
    ),
    *(
        _text(name=f"sasl.kerberos.{name}", doc=_KERBEROS)
        for name in (
            "kinit.cmd",
            "min.time.before.relogin",
            "service.name",
            "ticket.renew.jitter",
            "ticket.renew.window.factor",
        )
    ),
    *(
        _client(name=f"sasl.login.{name}", type=type_, low=0, doc=_LOGIN)
        for name, type_ in (
            ("connect.timeout.ms", KeyType.INT),
            ("read.timeout.ms", KeyType.INT),
            ("refresh.buffer.seconds", KeyType.SHORT),
            ("refresh.min.period.seconds", KeyType.SHORT),
            ("refresh.window.factor", KeyType.DOUBLE),
            ("refresh.window.jitter", KeyType.DOUBLE),
            ("retry.backoff.max.ms", KeyType.LONG),
            ("retry.backoff.ms", KeyType.LONG),
        )
    ),
    *(
        _text(name=f"sasl.oauthbearer.{name}", doc=_OAUTH)
        for name in (
            "allow.unverified.audience",
            "allow.unverified.issuer",
            "assertion.algorithm",
            "assertion.claim.aud",
            "assertion.claim.exp.seconds",
            "assertion.claim.iss",
            "assertion.claim.jti.include",
            "assertion.claim.nbf.seconds",
            "assertion.claim.sub",
            "assertion.file",
            "assertion.private.key.file",
            "assertion.template.file",
            "client.credentials.client.id",
            "clock.skew.seconds",
            "expected.audience",
            "expected.issuer",
            "header.urlencode",
            "jwks.endpoint.refresh.ms",
            "jwks.endpoint.retry.backoff.max.ms",
            "jwks.endpoint.retry.backoff.ms",
            "jwks.endpoint.url",
            "jwt.retriever.class",
            "jwt.validator.class",
            "scope",
            "scope.claim.name",
            "sub.claim.name",
            "token.endpoint.url",
        )
    ),
    *(
        _password(name=f"sasl.oauthbearer.{name}", doc=_OAUTH)
        for name in ("assertion.private.key.passphrase", "client.credentials.client.secret")
    ),
)

CLIENT_KEYS = CONNECTION_KEYS + TLS_KEYS + SASL_KEYS

# Of ProducerConfig, ConsumerConfig and AdminClientConfig, version 4.3.1. Kafka reads these values.
_COMMON = """
    client.dns.lookup client.id config.providers connections.max.idle.ms
    default.api.timeout.ms enable.metrics.push metadata.max.age.ms
    metadata.recovery.rebootstrap.trigger.ms metadata.recovery.strategy metric.reporters
    metrics.num.samples metrics.recording.level metrics.sample.window.ms receive.buffer.bytes
    reconnect.backoff.max.ms reconnect.backoff.ms request.timeout.ms retries
    retry.backoff.max.ms retry.backoff.ms security.providers send.buffer.bytes
    socket.connection.setup.timeout.max.ms socket.connection.setup.timeout.ms
"""
_PRODUCER = """
    acks batch.size buffer.memory compression.gzip.level compression.lz4.level
    compression.type compression.zstd.level delivery.timeout.ms enable.idempotence
    interceptor.classes key.serializer linger.ms max.block.ms
    max.in.flight.requests.per.connection max.request.size metadata.max.idle.ms
    partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
    partitioner.class partitioner.ignore.keys transaction.timeout.ms
    transaction.two.phase.commit.enable transactional.id value.serializer
"""
_CONSUMER = """
    allow.auto.create.topics auto.commit.interval.ms auto.offset.reset check.crcs client.rack
    enable.auto.commit exclude.internal.topics fetch.max.bytes fetch.max.wait.ms
    fetch.min.bytes group.id group.instance.id group.protocol group.remote.assignor
    heartbeat.interval.ms interceptor.classes isolation.level key.deserializer
    max.partition.fetch.bytes max.poll.interval.ms max.poll.records
    partition.assignment.strategy session.timeout.ms share.acknowledgement.mode
    share.acquire.mode value.deserializer
"""
COMMON_CLIENT_NAMES = frozenset(_COMMON.split())
PRODUCER_NAMES = COMMON_CLIENT_NAMES | set(_PRODUCER.split())
CONSUMER_NAMES = COMMON_CLIENT_NAMES | set(_CONSUMER.split())
ADMIN_NAMES = COMMON_CLIENT_NAMES | {"bootstrap.controllers"}
NAMES_OF_ROLE = {"producer": PRODUCER_NAMES, "consumer": CONSUMER_NAMES, "admin": ADMIN_NAMES}
