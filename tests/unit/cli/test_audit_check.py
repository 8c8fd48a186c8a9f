"""`kmirror audit check`: a report that somebody has sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from typer.testing import CliRunner

from kmirror.audit.page import audit_page
from kmirror.audit.seal import fingerprint, public_bytes, sealed
from kmirror.audit.standing import FlowStanding
from kmirror.cli.verbs import program
from kmirror.model import Flow
from kmirror.pages.html import html

KEY = Ed25519PrivateKey.generate()
PAGE = html(
    audit_page(
        [FlowStanding(flow=Flow("A", "B"), read_ms=1, partitions=(), windows=())],
        at_ms=1_700_000_000_000,
        by="ann@host",
    )
).encode()


def checked(folder: Path, page: bytes, *arguments: str) -> tuple[int, str]:
    """Check a page; give the exit code and what was said."""
    report = folder / "report.html"
    report.write_bytes(page)
    done = CliRunner().invoke(program(), ["audit", "check", str(report), *arguments])
    return done.exit_code, done.output.replace("\n", " ")


def public_key(folder: Path, key: Ed25519PrivateKey) -> str:
    """Write the public key of one; give the file."""
    path = folder / "public.pem"
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return str(path)


def test_as_it_was_signed(tmp_path: Path) -> None:
    code, said = checked(tmp_path, sealed(PAGE, KEY))
    assert code == 0
    assert fingerprint(public_bytes(KEY)) in said
    assert "compare that with the key" in said
    assert "A->B: windows: none; 0 offsets left" in said
    code, said = checked(tmp_path, sealed(PAGE, KEY), "--key", public_key(tmp_path, KEY))
    assert code == 0
    assert "compare that with the key" not in said


def test_not_as_it_was_signed(tmp_path: Path) -> None:
    changed = sealed(PAGE, KEY).replace(b"Nothing was audited", b"All is identical, and audited")
    code, said = checked(tmp_path, changed)
    assert (code, "NOT as it was signed" in said) == (1, True)


def test_signed_by_somebody_else(tmp_path: Path) -> None:
    other = public_key(tmp_path, Ed25519PrivateKey.generate())
    code, said = checked(tmp_path, sealed(PAGE, KEY), "--key", other)
    assert (code, "not with SHA256:" in said) == (1, True)


@pytest.mark.parametrize(
    ("page", "words"), [(PAGE, "it is not signed"), (b"<html>", "no report of an audit")]
)
def test_nothing_to_check(tmp_path: Path, page: bytes, words: str) -> None:
    code, said = checked(tmp_path, page)
    assert (code, words in said) == (7, True), said


@pytest.mark.parametrize(
    ("whole", "instead"),
    [(b'"at_ms":1700000000000', b'"at_ms":9e99'), (b'"behind":0', b'"behind":"0"')],
)
def test_what_a_stranger_has_signed_is_no_report(
    tmp_path: Path, whole: bytes, instead: bytes
) -> None:
    assert whole in PAGE
    code, said = checked(tmp_path, sealed(PAGE.replace(whole, instead), KEY))
    assert (code, "no report of an audit" in said) == (7, True), said


def test_nothing_in_a_report_controls_the_terminal(tmp_path: Path) -> None:
    evil = PAGE.replace(b'"by":"ann@host"', b'"by":"\\u001b[2Jann\\nas it was signed"')
    assert evil != PAGE
    code, said = checked(tmp_path, sealed(evil, KEY))
    assert (code, "\x1b" in said) == (0, False)
    assert "\\x1b[2Jann\\nas it was signed" in said


def test_files_that_are_not_there(tmp_path: Path) -> None:
    code, said = checked(tmp_path, PAGE, "--key", str(tmp_path / "absent.pem"))
    assert (code, "cannot be read" in said) == (3, True), said
    done = CliRunner().invoke(program(), ["audit", "check", str(tmp_path / "absent.html")])
    assert done.exit_code == 3
