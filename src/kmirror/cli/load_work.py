"""What each command of `kmirror load` does: opens clients, runs them under counters, tells."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import cluster_name
from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.load_options import Options
from kmirror.cli.load_view import Counters, plain, show, watch
from kmirror.cli.pages import check_page, write_page
from kmirror.cli.run import run_watched
from kmirror.cli.terminal import refuse, wide_console
from kmirror.clock import SystemClock
from kmirror.config.load import MirrorConfig
from kmirror.errors import ClusterError, MirrorError
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.load.consumer import ConsumeSpec, LoadConsumer
from kmirror.load.instants import Instants
from kmirror.load.page import load_page, verdict_words
from kmirror.load.producer import LoadProducer, ProduceSpec
from kmirror.load.result import Consumed, Produced, Verdict
from kmirror.plans.topics import NewTopic
from kmirror.units import moment

_TIMEOUT_S = 30.0
_BROKERS_DEFAULT = -1


class Side:
    """One cluster, with what it takes to speak to it."""

    def __init__(self, config: MirrorConfig, alias: str) -> None:
        try:
            admin = config.cluster(alias).admin
        except KeyError:
            there = ", ".join(each.alias for each in config.clusters)
            refuse(f"{config.path}: there is no cluster {alias}; there are: {there}", Exit.CONFIG)
        self.settings: Mapping[str, Any] = librdkafka_settings(admin)
        self.name = cluster_name(alias, self.settings)
        self.admin = KafkaAdmin(alias, self.settings, timeout_s=_TIMEOUT_S, clock=SystemClock())

    def partitions(self, topic: str, create: int | None) -> int:
        """Return how many partitions a topic has; create it if that is wanted and it is not."""
        there = self.admin.topic(topic)
        if there is not None:
            return there.partitions
        if create is None:
            raise ClusterError(
                f"{self.name}: there is no topic {topic}", hint="--create-partitions N creates it"
            )
        new = NewTopic(name=topic, partitions=create, replication_factor=_BROKERS_DEFAULT)
        for error in self.admin.create_topics([new]).values():
            raise error
        return create


class Work:
    """What one command does: begins clients, runs them under the counters, shows the end."""

    def __init__(self, words: str, options: Options) -> None:
        check_page(options.html)
        self._words = words
        self._options = options
        self.clock = SystemClock()
        self.instants = Instants(self.clock)
        self.stop = threading.Event()
        self.undo = ExitStack()

    def side(self, config: MirrorConfig, alias: str) -> Side:
        side = Side(config, alias)
        self.undo.callback(side.admin.close)
        return side

    def producer(self, side: Side, spec: ProduceSpec, more: Mapping[str, str]) -> LoadProducer:
        found = LoadProducer(
            {**side.settings, **more},
            spec,
            cluster=side.name,
            clock=self.clock,
            instants=self.instants,
        )
        return self.undo.enter_context(found)

    def consumer(self, side: Side, spec: ConsumeSpec, more: Mapping[str, str]) -> LoadConsumer:
        found = LoadConsumer(
            {**side.settings, **more},
            spec,
            side.admin,
            cluster=side.name,
            clock=self.clock,
            instants=self.instants,
        )
        return self.undo.enter_context(found)

    def run(
        self,
        work: Callable[[], tuple[Produced | None, Consumed | None, Verdict | None]],
        counters: Counters,
    ) -> Exit:
        """Run it in a thread, and show what came of it."""
        on_signal(lambda _: self.stop.set())

        def whole() -> Exit:
            try:
                found = work()
            except (MirrorError, OSError, ValueError) as error:
                print(error, file=sys.stderr)
                # A row that is wrong, or a file of rows that is no text.
                return Exit.CONFIG if isinstance(error, ValueError) else Exit.START_FAILED
            return self._show(*found)

        with self.undo:
            return run_watched(whole, lambda thread: watch(counters, thread), name="kmirror-load")

    def _show(
        self, produced: Produced | None, consumed: Consumed | None, verdict: Verdict | None
    ) -> Exit:
        options = self._options
        if options.html is not None:
            about = f"Made by `kmirror load {self._words}`, {moment(self.clock.wall_ms())}."
            page = load_page(
                f"kmirror load {self._words}",
                about,
                produced=produced,
                consumed=consumed,
                verdict=verdict,
            )
            write_page(page, options.html)
        if options.as_json:
            print(json.dumps(plain(produced, consumed, verdict)))
            runs = () if consumed is None else consumed.runs
            _, is_good = verdict_words(verdict, runs, produced)
        else:
            is_good = show(wide_console(), produced, consumed, verdict)
        return Exit.OK if is_good else Exit.DIFFERENT
