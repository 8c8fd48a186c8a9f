"""
Java's key stores, read for librdkafka.

Unless told otherwise Kafka takes JKS, and any format that Java knows; librdkafka takes PEM only.
Java itself reads them, as it does for the lanes; what is in them stays in memory.
"""

from __future__ import annotations

import base64
import subprocess
from functools import lru_cache, partial
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entry
from kmirror.config.librdkafka import KeyStore, to_librdkafka
from kmirror.config.load import MirrorConfig
from kmirror.config.stored_settings import StoredSettings
from kmirror.errors import ConfigError, EnvironmentProblem, Problem
from kmirror.jvm.connector import connector_jar
from kmirror.jvm.java import find_java

_ANSWER_S_MAX = 60
_STORES_MAX = 256
# The JVM lives for a moment: what makes it fast later only makes it start later.
_FLAGS = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m")

PROBLEMS = {
    "no_such_file": "there is no such file",
    "access_denied": "the file may not be read",
    "wrong_password": "it has another password",
    "no_certificate": "no certificate in it can be read; is its password given?",
    "not_one_key": "expected one private key in it, found {0}",
    "no_key_password": "its key needs a password",
    "wrong_key_password": "its key has another password",
    "unreadable": "{0}",
}
"""By the code that `io.kmirror.KeyStores` prints, with what stands behind it in the line."""


def librdkafka_settings(properties: ClientProperties) -> StoredSettings:
    """
    Return all that a confluent-kafka client needs to connect.

    Args:
        properties: Of a Java client.

    Raises:
        ConfigError: A key store cannot be read.
        EnvironmentProblem: There is one, and no Java.
    """
    return StoredSettings(partial(_read_settings, properties))


def _read_settings(properties: ClientProperties) -> dict[str, str]:
    translated = to_librdkafka(properties)
    settings = dict(translated.settings)
    problems: list[Problem] = []
    for store in translated.stores:
        try:
            pem = pem_of(store)
        except ConfigError as error:
            problems += error.problems
            continue
        names = ("ssl.key.pem", "ssl.certificate.pem") if store.own else ("ssl.ca.pem",)
        settings |= dict.fromkeys(names, pem)
    if problems:
        raise ConfigError(tuple(problems))
    return settings


def check_key_stores(config: MirrorConfig) -> None:
    """
    Read every key store that the control plane needs, so that mistakes are known at the start.

    Args:
        config: The file.

    Raises:
        ConfigError: With all that cannot be read.
        EnvironmentProblem: There is one, and no Java.
    """
    clients = [cluster.admin for cluster in config.clusters]
    for flow in config.flows:
        clients += [flow.source_admin, flow.target_admin]
    problems: dict[Problem, None] = {}
    for properties in clients:
        try:
            librdkafka_settings(properties)
        except ConfigError as error:
            problems.update(dict.fromkeys(error.problems))
    if problems:
        raise ConfigError(tuple(problems))


def pem_of(store: KeyStore) -> str:
    """
    Return what a key store has, as PEM: the key with its certificates, or those that it trusts.

    Args:
        store: The store; it is read again when its file has changed.

    Raises:
        ConfigError: It cannot be read.
        EnvironmentProblem: There is no Java.
    """
    return _read(store, _stamp(store.location))


def _stamp(location: str) -> tuple[int, int] | None:
    """Return a value that changes when the file does."""
    try:
        found = Path(location).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=_STORES_MAX)
def _read(store: KeyStore, _stamp: tuple[int, int] | None) -> str:
    """Return the store as PEM."""
    given = (store.location, store.type, store.password, store.key_password)
    done = subprocess.run(
        [
            *(find_java().path, *_FLAGS, "-cp", connector_jar()),
            *("io.kmirror.KeyStores", "own" if store.own else "trusted"),
        ],
        input="".join(f"{_line(text)}\n" for text in given),
        capture_output=True,
        text=True,
        timeout=_ANSWER_S_MAX,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout
    # The JVM may have said something before. It ends with 1 by an exception, too.
    code, _, detail = done.stderr.strip().rpartition("\n")[2].partition(" ")
    if done.returncode != 1 or code not in PROBLEMS:
        raise EnvironmentProblem(f"Java cannot read {store.location}: {done.stderr.strip()}")
    raise ConfigError((_problem(store, PROBLEMS[code].format(detail)),))


def _line(text: str | None) -> str:
    return "" if text is None else f"={base64.b64encode(text.encode()).decode()}"


def _problem(store: KeyStore, why: str) -> Problem:
    entry = store.entry or Entry(key=store.name, text=store.location, where="properties")
    prefix = store.name.removesuffix(".location")
    return entry.problem(
        f"expected a {store.type} key store that {prefix}.password opens: {why} "
        f"(its format is {prefix}.type)"
    )
