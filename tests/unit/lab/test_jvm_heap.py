"""What a JVM says of its heap."""

from __future__ import annotations

from kmirror_lab.process.jvm_heap import LiveHeap, read_histogram

_TEXT = """\
7:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:        106219       72977480  [B (java.base@17.0.15)
   2:          7959        3092864  [I (java.base@17.0.15)
   3:            11            264  example.BytesHeld
Total        114189       76070608
"""


def test_arrays_of_bytes_are_told_from_the_rest() -> None:
    assert read_histogram(_TEXT) == LiveHeap(all_bytes=76_070_608, array_bytes=72_977_480)
