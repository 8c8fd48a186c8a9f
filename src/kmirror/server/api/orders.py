"""What the console's API does for whoever orders."""

from __future__ import annotations

from kmirror.api.orders import ApplyPlan, Ordered, PauseRequest, ReloadFile, SeekRequest
from kmirror.console.console import Console
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of, body_of
from kmirror.server.endpoint import Call
from kmirror.wire.control_orders import PauseVerb


class Ordering:
    """
    The handlers of endpoints that give orders.

    Args:
        console: Gives them.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def pause(self, verb: PauseVerb, call: Call) -> Answer:
        """Order that something is copied, or not."""
        asked = body_of(PauseRequest, call)
        config = self._console.flow_config(call.path["flow"])
        done = self._console.orders.pause(config, verb, asked, call.caller)
        return self._done(done)

    def seek(self, verb: str, call: Call) -> Answer:
        """Order that partitions go on elsewhere."""
        asked = body_of(SeekRequest, call)
        config = self._console.flow_config(call.path["flow"])
        done = self._console.orders.seek(config, verb, asked, call.caller)
        return self._done(done)

    def reload(self, call: Call) -> Answer:
        """Order that the file is read again."""
        asked = body_of(ReloadFile, call)
        flows = self._console.figures.configs()
        return self._done(self._console.orders.reload(flows, asked, call.caller))

    def apply(self, call: Call) -> Answer:
        """Do what the plan of a flow says."""
        asked = body_of(ApplyPlan, call)
        config = self._console.flow_config(call.path["flow"])
        return self._done(self._console.orders.apply(config, asked, call.caller))

    def _done(self, done: Ordered) -> Answer:
        """Answer; whoever asks next sees what the order has changed."""
        self._console.look_anew()
        return answer_of(done)
