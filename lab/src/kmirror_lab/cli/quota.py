"""`kmirror lab quota`: limit how much a client id may read and write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.terminal import refuse
from kmirror.errors import MirrorError
from kmirror_lab.cli.places import lab_place, net_place
from kmirror_lab.cluster.quota import remove_client_quota, set_client_quota
from kmirror_lab.cluster.state import load
from kmirror_lab.net import state as net_state
from kmirror_lab.net.link_units import bytes_s
from kmirror_lab.process.host import HERE, Host


def quota(
    cluster: Annotated[
        str, typer.Argument(help="A cluster of a lab, or host:port of any cluster.")
    ],
    client_id: Annotated[str, typer.Argument(help="The client.id to limit.")],
    *,
    produce: Annotated[
        str | None, typer.Option(help="Bytes per second it may write, such as 1MB.")
    ] = None,
    fetch: Annotated[
        str | None, typer.Option(help="Bytes per second it may read, such as 60kB.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove both limits.")] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the lab.", show_default="all")
    ] = None,
) -> None:
    """Limit a client id on each broker of a cluster, with the broker's own tool."""
    if remove == bool(produce or fetch):
        refuse("give --produce, --fetch or both, or --remove")
    try:
        produce_s, fetch_s = (text and bytes_s(text) for text in (produce, fetch))
        bootstrap, host = _find(cluster, folder)
        if remove:
            remove_client_quota(bootstrap, client_id, host=host)
        else:
            set_client_quota(
                bootstrap,
                client_id,
                produce_bytes_s=produce_s or None,
                fetch_bytes_s=fetch_s or None,
                host=host,
            )
    except (MirrorError, ValueError) as error:
        refuse(str(error))
    limits = [f"produce {produce}/s" if produce else "", f"fetch {fetch}/s" if fetch else ""]
    shown = "no limits" if remove else ", ".join(limit for limit in limits if limit)
    sys.stdout.write(f"{cluster}, {client_id}: {shown}\n")


def _find(cluster: str, folder: Path | None) -> tuple[str, Host]:
    """
    Return a cluster's address, and from where it is reached.

    Raises:
        ValueError: No lab has such a cluster.
    """
    if ":" in cluster:
        return cluster, HERE
    names = []
    plain = load(lab_place(folder))
    for found in plain.clusters if plain else ():
        names.append(found.name)
        if found.name == cluster:
            return found.bootstrap, HERE
    net = net_state.load(net_place(folder))
    for side in net.sides if net else ():
        names.append(side.name)
        if net is not None and side.name == cluster and side.cluster is not None:
            return side.cluster.bootstrap, net.host(cluster)
    known = f"there are {', '.join(names)}" if names else "there is no lab"
    raise ValueError(f"{cluster}: no such cluster; {known}")
