"""`kmirror`: mounts one module per verb."""

from __future__ import annotations

import typer

from kmirror.cli import check, demo, lab, move, offsets, run, status, tune, verify

app = typer.Typer(
    name="kmirror",
    help="Kafka cross-cluster replication: MirrorMaker 2's file, exactly once, through PySpark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run.run)
app.command()(status.status)
app.command()(verify.verify)
app.command()(tune.tune)
app.command()(move.failover)
app.command()(move.promote)
app.command()(move.failback)
app.command()(demo.demo)
app.add_typer(check.app, name="check")
app.add_typer(offsets.app, name="offsets")
app.add_typer(lab.app, name="lab")


def main() -> None:
    """Run the command line."""
    app()
