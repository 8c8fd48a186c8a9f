"""The name by which applications import `kmirror.apps.consume`."""

from kmirror.apps.consume import exactly, parts, subscription

__all__ = ["exactly", "parts", "subscription"]
