"""The report of an audit: one page, and its signature."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from kmirror.audit.next_window import AuditFacts
from kmirror.audit.page import audit_page
from kmirror.audit.page_data import data_of
from kmirror.audit.seal import (
    check_seal,
    fingerprint,
    public_bytes,
    read_private_key,
    read_public_key,
    sealed,
)
from kmirror.audit.standing import FlowStanding, PartitionStanding
from kmirror.errors import EnvironmentProblem
from kmirror.model import Flow, TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.pages.html import html
from kmirror.pages.page import Bands, Chart, Notes, Page, Table
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow, Hashed
from kmirror.wire.audits import Audit

EVIL = TopicPartition("</script><b>&t", 0)


def standing(*verdicts: AuditVerdict) -> FlowStanding:
    """Give a flow with one partition that has a window for each verdict."""
    facts = AuditFacts(
        source=EVIL,
        target=TopicPartition("A.t", 0),
        topic_id="s",
        copy_id="c",
        log_start=0,
        copy_log_start=0,
        position=Pair(source=10 * len(verdicts) + 5, target=900),
        next=Pair(source=10 * len(verdicts), target=800),
    )
    audit = Audit(
        partition=EVIL,
        topic_id="s",
        copy_id="c",
        ranges=((0, 10),),
        at_ms=1_700_000_000_000,
        by="x",
    )
    windows = tuple(
        AuditWindow(
            partition=EVIL,
            target=facts.target,
            topic_id="s",
            copy_id="c",
            start=10 * number,
            end=10 * number + 10,
            copy_start=10 * number,
            copy_end=10 * number + 10,
            verdict=verdict,
            source=Hashed(records=10, bytes=100, hash="ab", content_hash="cd"),
            copy=Hashed(records=9, bytes=90, hash="ef", content_hash="01"),
            words="<i>words</i>",
            at_ms=1_700_000_000_000 + 1000 * number,
            by="x",
        )
        for number, verdict in enumerate(verdicts)
    )
    return FlowStanding(
        flow=Flow("A", "B"),
        read_ms=1_700_000_000_000,
        partitions=(PartitionStanding(facts=facts, audit=audit, safe=10),),
        windows=windows,
    )


def unwritten(*verdicts: AuditVerdict) -> Page:
    """Give the page of such a flow, before it is drawn."""
    return audit_page([standing(*verdicts)], at_ms=1_700_000_000_000, by="ann@host")


def page(*verdicts: AuditVerdict) -> bytes:
    """Give the page of such a flow."""
    return html(unwritten(*verdicts)).encode()


def test_the_page_says_it_first() -> None:
    assert b"Everything that was compared is identical" in page(AuditVerdict.IDENTICAL)
    assert b"5 copied offsets are not audited yet" in page(AuditVerdict.IDENTICAL)
    assert b"NOT identical: 1 window" in page(AuditVerdict.IDENTICAL, AuditVerdict.MISSING)
    assert b"1 window could not be decided" in page(AuditVerdict.UNDECIDABLE)
    assert unwritten(AuditVerdict.IDENTICAL).is_good
    assert not unwritten(AuditVerdict.EXTRA).is_good
    # What `verify --record` has found identical has no window.
    assert b"Everything that was compared is identical" in page()
    nobody = FlowStanding(flow=Flow("A", "B"), read_ms=1, partitions=(), windows=())
    nothing = audit_page([nobody], at_ms=1, by="ann@host")
    assert (nothing.verdict, nothing.is_good) == ("Nothing was audited yet.", False)


def test_what_the_page_shows() -> None:
    found = unwritten(*AuditVerdict)
    kinds = [type(part) for part in found.parts]
    assert kinds == [Notes, Bands, Chart, Table, Table, Notes]
    _, bands, course, windows, partitions, how = found.parts
    assert isinstance(bands, Bands)
    shown = [kind for kind, _, _ in bands.bands[0].spans]
    assert shown == ["not audited", "identical", "undecidable", "missing", "extra", "different"]
    assert isinstance(course, Chart)
    assert course.lines[0].points[-1] == (4.0, 50.0)
    assert isinstance(windows, Table)
    # Those that differ first.
    assert [row[5] for row in windows.rows] == ["missing", "extra", "different", "undecidable"]
    assert windows.bad == {0, 1, 2}
    assert isinstance(partitions, Table)
    assert partitions.rows[0][2:6] == ("55", "50", "5", "10")
    assert isinstance(how, Notes)
    assert "audit check" not in " ".join(how.words)


def test_the_page_needs_nothing_else_and_escapes_names() -> None:
    text = page(*AuditVerdict)
    assert b"</script><b>" not in text
    assert b"<i>words" not in text
    for outside in (b"http://", b"https://", b' src="/', b"@import", b"url("):
        assert outside not in text.replace(b"http://www.w3.org", b"")
    assert text == page(*AuditVerdict)


def test_the_data_is_in_the_page() -> None:
    data = data_of(page(*AuditVerdict))
    assert data is not None
    (flow,) = data["flows"]
    assert flow["flow"] == "A->B"
    assert [each["verdict"] for each in flow["windows"]] == [*map(str, AuditVerdict)]
    assert flow["partitions"][0]["source"] == str(EVIL)
    assert data_of(b"<html></html>") is None
    assert data_of(page().replace(b'{"version"', b"{version")) is None


def test_a_changed_page_is_seen() -> None:
    key = Ed25519PrivateKey.generate()
    signed = sealed(page(AuditVerdict.MISSING), key)
    seal = check_seal(signed)
    assert seal is not None
    assert (seal.is_valid, seal.public) == (True, public_bytes(key))
    assert seal.fingerprint == fingerprint(public_bytes(key)).strip()
    assert check_seal(page()) is None
    changed = check_seal(signed.replace(b"NOT identical", b"All identical"))
    assert changed is not None
    assert not changed.is_valid
    # What comes behind the signature is not signed: such a page has none.
    assert check_seal(signed + b"<p>more</p>") is None
    other = check_seal(sealed(signed, Ed25519PrivateKey.generate()))
    assert other is not None
    assert other.public != public_bytes(key)


def pem(folder: Path, key: object, protection: KeySerializationEncryption | None = None) -> Path:
    """Write a private key."""
    path = folder / "key.pem"
    assert hasattr(key, "private_bytes")
    path.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection or NoEncryption())
    )
    return path


def test_keys_are_read(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    assert public_bytes(read_private_key(pem(tmp_path, key))) == public_bytes(key)
    public = tmp_path / "public.pem"
    public.write_bytes(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    assert read_public_key(public) == public_bytes(key)


def test_what_is_no_key_is_told(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    with pytest.raises(EnvironmentProblem, match="has a password"):
        read_private_key(pem(tmp_path, key, BestAvailableEncryption(b"secret")))
    with pytest.raises(EnvironmentProblem, match="no key for ed25519"):
        read_private_key(pem(tmp_path, generate_private_key(65537, 2048)))
    with pytest.raises(EnvironmentProblem, match="is no public key"):
        read_public_key(pem(tmp_path, key))
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        read_private_key(tmp_path / "absent.pem")
