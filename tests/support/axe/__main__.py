"""`python -m tests.support.axe` writes the digest anew, after a change of `ivy.xml`."""

from __future__ import annotations

from kmirror.jvm.jars import write_digests
from tests.support.axe import AXE

write_digests([AXE])
