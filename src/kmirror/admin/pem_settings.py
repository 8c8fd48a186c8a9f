"""Certificates and keys among a client's settings: as text, or as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def pem_setting(settings: Mapping[str, Any], name: str) -> str:
    """
    Return what a client has as a certificate or a key; empty for nothing, or an unreadable file.

    Args:
        settings: librdkafka's.
        name: Of the setting, but for its end: `ssl.certificate`, `ssl.key` or `ssl.ca`.
    """
    if text := settings.get(f"{name}.pem"):
        return str(text)
    location = settings.get(f"{name}.location")
    try:
        return Path(location).read_text(encoding="utf-8") if location else ""
    except (OSError, UnicodeDecodeError):
        return ""
