"""Authorities that certify a broker, one after the other, and whom its clients trust."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.certificates import STORE_PASSWORD, certificate_of, make_key, sign, trust

_SAN = ("-ext", "san=ip:127.0.0.1")


@dataclass(frozen=True, slots=True)
class Authorities:
    """Keep keys and certificates in a folder."""

    folder: Path

    @property
    def trusted_pem(self) -> Path:
        """Whom clients trust, as librdkafka reads it."""
        return self.folder / "trusted.pem"

    @property
    def trusted_store(self) -> Path:
        """The same in a store of Java's."""
        return self.folder / "trusted.p12"

    @property
    def broker(self) -> dict[str, str]:
        """What a broker is told of its certificate."""
        return {
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(self._signed),
            "ssl.keystore.password": STORE_PASSWORD,
        }

    @property
    def _signed(self) -> Path:
        return self.folder / "broker.p12"

    def certify(self, authority: str, *arguments: str) -> None:
        """Give the broker a new certificate, from its next start on."""
        signer = self.folder / f"{authority}.p12"
        if not signer.exists():
            make_key(signer, authority, "-ext", "bc:c")
        self._signed.unlink(missing_ok=True)
        make_key(self._signed, "broker")
        sign((signer, authority), (self._signed, "broker"), *_SAN, *arguments)

    def trust(self, authority: str) -> None:
        """Have clients trust an authority, and no other one."""
        certificate = certificate_of(self.folder / f"{authority}.p12", authority)
        trust(self.folder / "new", certificate).rename(self.trusted_store)
        certificate.rename(self.trusted_pem)
