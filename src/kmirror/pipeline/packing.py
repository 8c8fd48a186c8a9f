"""Why a batch does not travel as it was fetched, for people (`io.kmirror.batch.Packing`)."""

from __future__ import annotations

REASONS = {
    "old_format": "its format is older than v2",
    "append_time": "its timestamps are the source broker's",
    "compacted": "compaction took records out of it",
    "partly": "only a part of it is to be copied",
    "refused": "the target refused it as a whole",
    "too_large": "it is larger than the target's max.message.bytes",
    "compressed_anew": "the producer's compression.type is not its codec",
    "too_slow": "the link is slow: it would be sent again before it arrives",
    "queued": "others of its partition wait, and go in one batch with it",
}
"""By the code that lanes report."""
