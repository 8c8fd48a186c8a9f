"""The kinds of rows that the tables of a flow's keys are made of."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import check_regexes
from kmirror.config.keys.key import Key, KeyType, Scope

flow_key = partial(Key, scope=Scope.FLOW)
flow_flag = partial(flow_key, type=KeyType.BOOLEAN)
# A negative interval switches the work off in MM2.
flow_seconds = partial(flow_key, type=KeyType.LONG, low=1, also=(-1,))
# -1 asks the brokers for their default, as it does in CreateTopics.
flow_replicas = partial(flow_key, type=KeyType.SHORT, low=1, also=(-1,))
flow_regexes = partial(flow_key, type=KeyType.REGEXES, check=check_regexes)
