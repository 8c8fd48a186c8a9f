"""A host's JVM, launched: before what the host is made of is loaded."""

from __future__ import annotations

from kmirror.events.emit import emit
from kmirror.events.table import SPARK_STARTING
from kmirror.pipeline.launch import SparkLaunch
from kmirror.runtime.host_options import HostOptions


class HostLaunch:
    """
    The JVM on its way, and what the host is for.

    Args:
        options: What the host is for.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or nobody listens at the master.
    """

    def __init__(self, options: HostOptions) -> None:
        self.options = options
        emit(SPARK_STARTING, master=options.master or "in this process")
        self.spark = SparkLaunch(
            app=options.app,
            slots=options.slots,
            master=options.master,
            settings=options.spark,
            by_record=options.by_record,
        )
