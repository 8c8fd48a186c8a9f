"""
Signs a report, and checks one: ed25519 over every byte of the page before the last line.

The last line is a comment of HTML with the public key and the signature, both in base64. Whoever
has the public key from elsewhere knows who signed; without it, that nobody has changed the page
since it was signed with the key that is in it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from kmirror.errors import EnvironmentProblem

_SEAL = re.compile(
    rb"<!-- kmirror-audit ed25519 key=([A-Za-z0-9+/=]+) signature=([A-Za-z0-9+/=]+) -->\n\Z"
)
_KEY_BYTES_MAX = 16_384
_MAKE_KEY = "make one with `openssl genpkey -algorithm ed25519 -out key.pem`"
_SHOW_KEY = "`openssl pkey -in key.pem -pubout` gives the public key of a private one"

PrivateKey = Ed25519PrivateKey
"""What a report is signed with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """
    What a report's signature says.

    Args:
        public: The public key that is in the report, 32 bytes.
        is_valid: The page is the one that was signed with it.
    """

    public: bytes
    is_valid: bool

    @property
    def fingerprint(self) -> str:
        """The key in short, for people to compare."""
        return fingerprint(self.public)


def read_private_key(path: Path) -> PrivateKey:
    """
    Read a private key, PEM without a password.

    Raises:
        EnvironmentProblem: The file cannot be read, or is none.
    """
    try:
        key = load_pem_private_key(_key_file(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        # A TypeError is the library's word for a key with a password.
        why = "has a password" if isinstance(error, TypeError) else "is no private key"
        raise EnvironmentProblem(f"{path} {why}", hint=_MAKE_KEY) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise EnvironmentProblem(f"{path} is no key for ed25519", hint=_MAKE_KEY)
    return key


def read_public_key(path: Path) -> bytes:
    """
    Read a public key, PEM; gives its 32 bytes.

    Raises:
        EnvironmentProblem: The file cannot be read, or is none.
    """
    try:
        key = load_pem_public_key(_key_file(path))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise EnvironmentProblem(f"{path} is no public key", hint=_SHOW_KEY) from error
    if not isinstance(key, Ed25519PublicKey):
        raise EnvironmentProblem(f"{path} is no key for ed25519", hint=_MAKE_KEY)
    return _raw(key)


def public_bytes(key: PrivateKey) -> bytes:
    """Return the 32 bytes of a private key's public one."""
    return _raw(key.public_key())


def fingerprint(public: bytes) -> str:
    """Return a public key in short: `SHA256:` and base64, as OpenSSH writes those of its keys."""
    digest = base64.b64encode(hashlib.sha256(public).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


def sealed(page: bytes, key: PrivateKey) -> bytes:
    """Return a page with its signature."""
    public = base64.b64encode(_raw(key.public_key()))
    signature = base64.b64encode(key.sign(page))
    return (
        page
        + b"<!-- kmirror-audit ed25519 key="
        + public
        + (b" signature=" + signature + b" -->\n")
    )


def check_seal(page: bytes) -> Seal | None:
    """Look at a page's signature; `None` when it has none."""
    found = _SEAL.search(page)
    if found is None:
        return None
    try:
        public, signature = (base64.b64decode(part, validate=True) for part in found.groups())
        Ed25519PublicKey.from_public_bytes(public).verify(signature, page[: found.start()])
    except (binascii.Error, ValueError, InvalidSignature):
        return Seal(public=found[1], is_valid=False)
    return Seal(public=public, is_valid=True)


def _raw(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _key_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_KEY_BYTES_MAX)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be read: {error.strerror}", hint=_MAKE_KEY
        ) from error
