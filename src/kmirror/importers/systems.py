"""The systems whose files can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kmirror.importers.brooklin import import_brooklin
from kmirror.importers.connect import import_connect
from kmirror.importers.draft import Draft
from kmirror.importers.mirus import import_mirus
from kmirror.importers.mm1 import import_mm1
from kmirror.importers.mm2 import import_mm2
from kmirror.importers.options import ImportOptions
from kmirror.importers.replicator import import_replicator
from kmirror.importers.setting import SourceFile
from kmirror.importers.strimzi import import_strimzi
from kmirror.importers.ureplicator import import_ureplicator

Importer = Callable[[Sequence[SourceFile], ImportOptions], Draft]

# By the names of the command line.
IMPORTERS: dict[str, Importer] = {
    "mm1": import_mm1,
    "mm2": import_mm2,
    "connect": import_connect,
    "strimzi": import_strimzi,
    "replicator": import_replicator,
    "brooklin": import_brooklin,
    "ureplicator": import_ureplicator,
    "mirus": import_mirus,
}
