"""What one generation of a flow works with."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.admin.ownership import Ownership
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery
from kmirror.ends.gap_topic import GapTopic
from kmirror.ends.left_out_journal import LeftOutJournal
from kmirror.ends.positions import Positions
from kmirror.flows.live_config import LiveConfig
from kmirror.flows.orders import FlowOrders
from kmirror.flows.planner import Planner
from kmirror.pipeline.desk import Desk
from kmirror.schedule.throttle import Throttle
from kmirror.state.meter import Meter
from kmirror.state.progress import Progress
from kmirror.state.status import StatusBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a generation works with; all of it belongs to the flow that starts it."""

    config: FlowConfig
    clients: FlowClients
    ownership: Ownership
    discovery: Discovery
    positions: Positions
    planner: Planner
    gaps: GapTopic
    left_out: LeftOutJournal
    orders: FlowOrders
    progress: Progress
    board: StatusBoard
    meter: Meter
    throttle: Throttle
    desk: Desk
    live: LiveConfig
    clock: Clock
