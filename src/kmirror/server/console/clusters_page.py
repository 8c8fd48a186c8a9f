"""What the page of the clusters shows."""

from __future__ import annotations

from kmirror.api.clusters import ClusterView
from kmirror.console.console import Console
from kmirror.server.console.page import Page
from kmirror.server.endpoint import Call

_SOON_DAYS = 30
_DAY_MS = 86_400_000


class ClustersPage:
    """
    Makes the page.

    Args:
        console: Watches the clusters.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, _call: Call, _is_part: bool) -> Page:
        """Show all clusters, those first with which something is wrong."""
        found = self._console.clusters.clusters()
        return Page(
            template="clusters.html",
            context={
                "clusters": sorted(found.clusters, key=lambda each: (_rank(each), each.alias)),
                "silent": [each.alias for each in found.clusters if each.answers is False],
                "soon_ms": found.now_ms + _SOON_DAYS * _DAY_MS,
                "processes": found.processes,
                "flows": self._console.flows().flows,
                "elsewhere": self._console.elsewhere(),
                "section": "clusters",
            },
            every_s=3.0,
        )


def _rank(cluster: ClusterView) -> int:
    if cluster.answers is not True:
        return 0 if cluster.answers is False else 1
    lacks = any(not each.is_optional for each in cluster.missing_rights or ())
    closed = any(each.unreachable for each in cluster.brokers)
    return 1 if lacks or closed else 2
