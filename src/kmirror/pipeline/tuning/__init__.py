"""
Every number by which the lanes decide, with its unit and its reason.

The plan carries them to the connector (`io.kmirror.tuning.Tuning`), which has no policy of its own.
They are not settings: each was chosen together with others. `python -m
kmirror.pipeline.tuning.page` writes docs/design/tuning.md from them.
"""
