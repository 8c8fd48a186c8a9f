"""The name by which applications import `kmirror.apps.client`."""

from kmirror.apps.client import MirrorClient

__all__ = ["MirrorClient"]
