"""Keys, certificates and the stores of Java that hold them, made with keytool."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kmirror.jvm import find_java

STORE_PASSWORD = "store-changeit"
_KEYTOOL_S_MAX = 60


def keytool(action: str, store: Path, *arguments: str, password: str = STORE_PASSWORD) -> str:
    """Do one thing with a store, and give what is printed."""
    command = [find_java().tool("keytool"), f"-{action}", "-noprompt", "-keystore", store]
    command += ["-storepass", password, *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=_KEYTOOL_S_MAX
    )
    return done.stdout


def make_key(store: Path, name: str, *arguments: str, kind: str = "PKCS12") -> Path:
    """Put a new key with its own certificate into a store."""
    made = ("-keyalg", "EC", "-dname", f"CN={name}", "-alias", name, "-storetype", kind)
    keytool("genkeypair", store, *made, *arguments)
    return store


def certificate_of(store: Path, name: str) -> Path:
    """Give the certificate of a store's key as a PEM file beside it."""
    file = store.with_name(f"{name}.pem")
    file.write_text(keytool("exportcert", store, "-rfc", "-alias", name))
    return file


def trust(store: Path, certificate: Path, *, kind: str = "PKCS12") -> Path:
    """Make a store that trusts one certificate."""
    named = ("-alias", certificate.stem, "-file", str(certificate), "-storetype", kind)
    keytool("importcert", store, *named)
    return store


def sign(signer: tuple[Path, str], signed: tuple[Path, str], *arguments: str) -> None:
    """Have one key's certificate issued by another one, and keep the chain with the key."""
    (issuers, issuer), (store, name) = signer, signed
    request, answer = store.with_name(f"{name}.csr"), store.with_name(f"{name}.chain")
    request.write_text(keytool("certreq", store, "-alias", name))
    issued = ("-alias", issuer, "-infile", str(request), "-rfc", *arguments)
    chain = keytool("list", issuers, "-rfc", "-alias", issuer)
    answer.write_text(keytool("gencert", issuers, *issued) + chain)
    keytool("importcert", store, "-alias", name, "-file", str(answer))
