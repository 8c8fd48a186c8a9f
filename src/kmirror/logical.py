"""The name by which applications import `kmirror.apps.logical`."""

from kmirror.apps.logical import LogicalPlace, LogicalTopics

__all__ = ["LogicalPlace", "LogicalTopics"]
