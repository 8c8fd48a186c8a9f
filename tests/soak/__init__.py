"""
Many faults at random, for minutes or hours, against flows of both granularities.

`make soak HOURS=2 SEED=7` runs it. Clusters, drivers and producers are real; the seed decides which
faults come, in which order and for how long. At the end everything is compared, and a page says
what happened.
"""
