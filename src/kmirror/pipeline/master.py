"""Spark's master: where it is, and what executors on other machines need of the driver."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kmirror.errors import EnvironmentProblem

# The lanes' tasks never end; whatever else Spark does needs cores beside theirs.
SPARE_CORES = 2
_STANDALONE = "spark://"
_KUBERNETES = re.compile(r"k8s://(?:(?P<scheme>https?)://)?(?P<place>[^/]+)")
_PORTS = {"http": 80, "https": 443}
_LOCAL = re.compile(r"local(-cluster)?(\[.*\])?")
_CONNECT_S_MAX = 10.0
# Spark's own switches for what travels between driver and executors.
_ENCRYPTED = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled")
_AUTHENTICATED = "spark.authenticate"


class Address(NamedTuple):
    """A server's address."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Master:
    """
    A Spark master.

    Args:
        url: As Spark takes it, such as `local[4]` or `spark://host:7077`.
    """

    url: str

    @property
    def is_local(self) -> bool:
        """Whether everything runs on this machine."""
        return _LOCAL.fullmatch(self.url) is not None

    @property
    def is_one_process(self) -> bool:
        """Whether executors are threads of the driver."""
        return self.is_local and not self.url.startswith("local-cluster")

    @property
    def addresses(self) -> tuple[Address, ...]:
        """
        Where it listens, as far as its URL says: several where others stand by.

        Raises:
            EnvironmentProblem: No master can be called that.
        """
        if self.url.startswith(_STANDALONE):
            places = self.url.removeprefix(_STANDALONE).split(",")
            return tuple(self._address(place, None) for place in places)
        found = _KUBERNETES.match(self.url)
        if found is not None:
            return (self._address(found["place"], _PORTS[found["scheme"] or "https"]),)
        return ()

    def _address(self, place: str, default: int | None) -> Address:
        found = re.fullmatch(r"(\[[^\]]+\]|[^:\[\]]+)(?::(\d{1,5}))?", place)
        port = default if found is None or found[2] is None else int(found[2])
        if found is None or port is None:
            raise EnvironmentProblem(
                f"--master {self.url}: {place!r} is no address",
                hint="spark://host:7077; separate several host:port with commas",
            )
        return Address(found[1].strip("[]"), port)


def require_listener(master: Master) -> None:
    """
    Make sure that a standalone master is there: Spark itself would ask three times 20 s.

    Raises:
        EnvironmentProblem: Nobody listens at any of its addresses; each is named, with the cause.
    """
    causes = []
    for address in master.addresses if master.url.startswith(_STANDALONE) else ():
        try:
            socket.create_connection(address, timeout=_CONNECT_S_MAX).close()
        except OSError as error:
            causes.append(f"{address}: {error.strerror or error}")
        else:
            return
    if causes:
        raise EnvironmentProblem(
            f"the Spark master {master.url} cannot be reached: {'; '.join(causes)}",
            hint="is it running, and does this machine have a way to it?",
        )


def driver_host(master: Master) -> str | None:
    """
    Return this machine's address on the way to *master*, where executors should find the driver.

    Returns:
        The address; `None` when the master's URL does not say where it is.

    Raises:
        EnvironmentProblem: There is no way to any of its addresses.
    """
    causes = []
    for address in master.addresses:
        try:
            found = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, place = min(found)  # IPv4 before IPv6
            with socket.socket(family, kind, protocol) as way:
                way.connect(place)  # sends nothing: the kernel only looks for the way
                own: str = way.getsockname()[0]
        except OSError as error:
            causes.append(f"{address}: {error.strerror or error}")
        else:
            return f"[{own}]" if family == socket.AF_INET6 else own
    if causes:
        raise EnvironmentProblem(
            f"there is no way to the Spark master {master.url}: {'; '.join(causes)}",
            hint="look at its address; kmirror.spark.driver.host says where the driver is",
        )
    return None


def unprotected(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Name the settings that protect what travels between driver and executors, and are off."""
    off = []
    if not _is_on(settings, _AUTHENTICATED):
        off.append(_AUTHENTICATED)
    if not any(_is_on(settings, name) for name in _ENCRYPTED):
        off.append(_ENCRYPTED[0])
    return tuple(off)


def _is_on(settings: Mapping[str, str], name: str) -> bool:
    return settings.get(name, "").strip().lower() == "true"
