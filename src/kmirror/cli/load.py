"""`kmirror load`: write records to be looked for, read them, and say what became of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kmirror.cli.app import App
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flow_or_exit, load_or_exit
from kmirror.cli.load_options import (
    AbortEvery,
    Codec,
    CreatePartitions,
    HeaderFields,
    Headers,
    Html,
    Input,
    InputFormat,
    Json,
    KeyField,
    Keys,
    Loop,
    Options,
    Property,
    Rate,
    Records,
    Seconds,
    Seed,
    Size,
    Topic,
    TransactionRecords,
    ValueField,
    properties_of,
    run_name,
    source_of,
)
from kmirror.cli.load_work import Work
from kmirror.cli.terminal import check_folder, refuse
from kmirror.errors import MirrorError
from kmirror.load.consumer import ConsumeSpec
from kmirror.load.producer import ProduceSpec
from kmirror.load.result import Consumed, Produced, Verdict
from kmirror.load.roundtrip import round_trip
from kmirror.load.run_file import read_run, save_run

app = App(
    no_args_is_help=True,
    help="Write records to be looked for, read them, and say what became of them.",
)

_Cluster = Annotated[str, typer.Option("--cluster", help="The cluster, by its alias in FILE.")]


def _spec(topic: str, partitions: int, options: Options, *, contents_end: bool) -> ProduceSpec:
    if options.records is None and options.seconds is None and not contents_end:
        print("writing until Ctrl-C: neither --records nor --seconds is given", file=sys.stderr)
    return ProduceSpec(
        run=options.run,
        topic=topic,
        partitions=partitions,
        records=options.records,
        seconds=options.seconds,
        rate_per_s=options.rate,
        transaction_records=options.transaction_records,
        abort_every=options.abort_every,
    )


@app.command()
def produce(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    cluster: _Cluster,
    topic: Topic,
    records: Records = None,
    seconds: Seconds = None,
    rate: Rate = 0.0,
    size: Size = "100",
    keys: Keys = 0,
    header: Headers = None,
    seed: Seed = 0,
    input_file: Input = None,
    input_format: InputFormat = None,
    key_field: KeyField = None,
    value_field: ValueField = None,
    header_field: HeaderFields = None,
    loop: Loop = False,
    codec: Codec = None,
    transaction_records: TransactionRecords = 0,
    abort_every: AbortEvery = 0,
    property_: Property = None,
    create_partitions: CreatePartitions = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write down what was sent, for `kmirror load consume --against`."),
    ] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """
    Write stamped records to a topic, and measure until they are acknowledged.

    Each record has a header with its number in its partition and the time of its sending. Values
    are random capital letters, or rows of a file. Exit codes: 0 all is acknowledged, 1 something
    is not, 2 FILE or the input is wrong, 3 the cluster does not answer or refuses.
    """
    options = Options(**_given(locals()))
    check_folder(save)
    contents, ends = source_of(options)
    config = load_or_exit(file)
    work = Work(f"produce {file} --cluster {cluster} --topic {topic}", options)
    side = work.side(config, cluster)
    more = properties_of(options)
    try:
        partitions = side.partitions(topic, create_partitions)
        producer = work.producer(side, _spec(topic, partitions, options, contents_end=ends), more)
    except MirrorError as error:
        refuse(str(error), Exit.START_FAILED)

    def run() -> tuple[Produced, None, None]:
        produced = producer.run(contents, work.stop)
        if save is not None:
            save_run(produced.written, save)
        return produced, None, None

    counters = [("written", lambda: producer.acknowledged, lambda: producer.course)]
    raise SystemExit(work.run(run, counters))


@app.command()
def consume(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    cluster: _Cluster,
    topic: Topic,
    records: Records = None,
    seconds: Seconds = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on behind what is there now, until Ctrl-C.")
    ] = False,
    from_now: Annotated[
        bool, typer.Option("--from-now", help="Leave out what is there; implies --follow.")
    ] = False,
    run: Annotated[
        str | None, typer.Option(help="Only records of this run. Default: of all runs.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Compare with what `kmirror load produce --save` wrote down."),
    ] = None,
    uncommitted: Annotated[
        bool,
        typer.Option("--read-uncommitted", help="Read what transactions have not committed, too."),
    ] = False,
    property_: Property = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """
    Read a topic, and look at the numbers in its stamps: lost, duplicated, out of order, how late.

    It reads up to the present end. Without --against it cannot know of records behind the last
    one that came. Latencies of records that another machine wrote are as good as both clocks.
    Exit codes: 0 each record is there once and in order, 1 it is not, 2 FILE is wrong, 3 the
    cluster does not answer or refuses.
    """
    options = Options(html=html, as_json=as_json, properties=tuple(property_ or ()))
    written = None
    if against is not None:
        try:
            written = read_run(against)
        except (OSError, ValueError) as error:
            refuse(str(error), Exit.CONFIG)
    config = load_or_exit(file)
    work = Work(f"consume {file} --cluster {cluster} --topic {topic}", options)
    side = work.side(config, cluster)
    spec = ConsumeSpec(
        topic=topic,
        from_beginning=not from_now,
        follow=follow or from_now,
        records=records,
        seconds=seconds,
        run=written.run if written is not None else run,
        whole_run=written is not None,
        isolation="read_uncommitted" if uncommitted else "read_committed",
    )
    try:
        consumer = work.consumer(side, spec, properties_of(options))
    except MirrorError as error:
        refuse(str(error), Exit.START_FAILED)

    def read() -> tuple[None, Consumed, Verdict | None]:
        consumer.begin()
        consumed = consumer.run(work.stop)
        verdict = None if written is None else consumer.audits.verdict(written)
        return None, consumed, verdict

    counters = [("read", lambda: consumer.records, lambda: consumer.course)]
    raise SystemExit(work.run(read, counters))


@app.command()
def roundtrip(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    topic: Topic,
    flow: OneFlow = None,
    records: Records = None,
    seconds: Seconds = None,
    rate: Rate = 0.0,
    size: Size = "100",
    keys: Keys = 0,
    header: Headers = None,
    seed: Seed = 0,
    input_file: Input = None,
    input_format: InputFormat = None,
    key_field: KeyField = None,
    value_field: ValueField = None,
    header_field: HeaderFields = None,
    loop: Loop = False,
    codec: Codec = None,
    transaction_records: TransactionRecords = 0,
    abort_every: AbortEvery = 0,
    property_: Property = None,
    create_partitions: CreatePartitions = None,
    patience: Annotated[
        float,
        typer.Option(min=1, help="Seconds without a new record after which the rest is lost."),
    ] = 60.0,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """
    Write stamped records to a topic of a flow's source, and read its copy on the target.

    The flow runs elsewhere, whatever copies it: kmirror, or MirrorMaker 2. Exit codes: 0 all
    records came once and in order, 1 they did not, 2 FILE or the input is wrong, 3 a cluster does
    not answer or refuses.
    """
    options = Options(**_given(locals()))
    contents, ends = source_of(options)
    config = load_or_exit(file)
    chosen = flow_or_exit(file, config, flow)
    selection = chosen.topic_selection()
    if (why := selection.refusal(topic)) is not None:
        refuse(f"{chosen.flow} does not copy {topic}: {why}", Exit.CONFIG)
    work = Work(f"roundtrip {file} --flow {chosen.flow} --topic {topic}", options)
    source, target = (
        work.side(config, alias) for alias in (chosen.flow.source, chosen.flow.target)
    )
    more = properties_of(options)
    copy = _copy_spec(selection.remote_topic(topic), options.run)
    try:
        partitions = source.partitions(topic, create_partitions)
        producer = work.producer(source, _spec(topic, partitions, options, contents_end=ends), more)
        consumer = work.consumer(target, copy, {})
        consumer.begin()
    except MirrorError as error:
        refuse(str(error), Exit.START_FAILED)

    def both() -> tuple[Produced, Consumed, Verdict]:
        found = round_trip(
            producer, consumer, contents, work.stop, patience_s=patience, clock=work.clock
        )
        return found.produced, found.consumed, found.verdict

    counters = [
        ("written", lambda: producer.acknowledged, lambda: producer.course),
        ("read", lambda: consumer.records, lambda: consumer.course),
    ]
    raise SystemExit(work.run(both, counters))


def _copy_spec(topic: str, run: str) -> ConsumeSpec:
    # The run begins behind what is there: from its first record on nothing may be missing.
    return ConsumeSpec(topic=topic, from_beginning=False, follow=True, run=run, whole_run=True)


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take what both writing commands have."""
    names = (
        *("records", "seconds", "rate", "size", "keys", "seed", "input_file", "input_format"),
        *("key_field", "value_field", "loop", "codec", "transaction_records", "abort_every"),
        *("html", "as_json"),
    )
    return {name: arguments[name] for name in names} | {
        "headers": tuple(arguments["header"] or ()),
        "header_fields": tuple(arguments["header_field"] or ()),
        "properties": tuple(arguments["property_"] or ()),
        "run": run_name(),
    }
