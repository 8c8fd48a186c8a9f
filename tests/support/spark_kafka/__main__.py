"""`python -m tests.support.spark_kafka` writes the digests anew, after a change of `ivy.xml`."""

from __future__ import annotations

from kmirror.jvm.jars import write_digests
from tests.support.spark_kafka import SPARK_KAFKA

write_digests([SPARK_KAFKA])
