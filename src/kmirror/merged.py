"""The name by which applications import `kmirror.apps.merged_reader`."""

from kmirror.apps.merged_reader import MergedReader, MergedRecord

__all__ = ["MergedReader", "MergedRecord"]
