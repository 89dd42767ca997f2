"""`muniment bench`: measure how fast this machine is, on stores of invented conversations.

One thing is always true: the person's own store is never opened; what is measured is made for it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import click

from muniment.errors import InvalidInput
from muniment.evaluation import bench, peers
from muniment.evaluation.speed import Effort
from muniment.evaluation.stores import LAYOUTS
from muniment.surfaces.cli.call import Call, Command
from muniment.surfaces.cli.measuring import pass_call, progress, show


@click.command("bench", cls=Command)
@click.option("--sizes", "sizes", default="1k,10k,50k,200k", show_default=True, metavar="A,B", help="Turns in a store.")
@click.option(
    "--layout",
    type=click.Choice(["both", *LAYOUTS]),
    default="both",
    show_default=True,
    help="all: one workspace holds everything; share: one of many is asked.",
)
@click.option("--workspaces", type=click.IntRange(2, 1000), default=100, show_default=True, help="How many share has.")
@click.option(
    "--vectors",
    type=click.Choice(get_args(bench.VectorSort)),
    default="auto",
    show_default=True,
    help=f"auto: real up to {bench.REAL_MOST:,} turns, then synthetic ones.",
)
@click.option(
    "--embedder", type=click.Choice(["default", "none"]), default="default", show_default=True, help="none: words alone."
)
@click.option("--writers", type=click.IntRange(0, 64), default=8, show_default=True, help="Processes that write beside.")
@click.option("--postgres", metavar="DSN", help="Measure an empty PostgreSQL store, made by `init` (one size, one layout).")
@click.option(
    "--resume", type=click.Path(file_okay=False, path_type=Path), help="Keep stores and figures here, and go on there."
)
@click.option("--peers", type=click.Path(path_type=Path), default=peers.FOLDER, show_default=True, help="Where peers lie.")
@click.option("--smoke", is_flag=True, help="A small run of everything, which says nothing about time.")
@pass_call
def command(
    call: Call,
    sizes: str,
    layout: str,
    workspaces: int,
    vectors: bench.VectorSort,
    embedder: str,
    writers: int,
    postgres: str | None,
    resume: Path | None,
    peers: Path,
    smoke: bool,
) -> None:
    """Measure ingest, opening, recall, memory and size at several sizes, idle and beside writers, and how they grow.

    Temporary stores are measured unless --store names a new file (one size, one layout).
    """
    if sum(one is not None for one in (call.store, postgres, resume)) > 1:
        raise InvalidInput("Name one of --store, --postgres and --resume.")
    if call.store and Path(call.store).expanduser().exists():
        raise InvalidInput(f"{call.store} is there already.", "Bench fills a store of its own: name a new file.")
    here = peers if (peers / "fts5.py").is_file() else None
    wish = (
        bench.smoke(here)
        if smoke
        else bench.Wish(
            sizes=bench.sizes(sizes),
            layouts=LAYOUTS if layout == "both" else tuple(one for one in LAYOUTS if one == layout),
            workspaces=workspaces,
            vectors="none" if embedder == "none" else vectors,
            effort=Effort(writers=writers),
            address=postgres or call.store,
            resume=resume,
            peers=here,
        )
    )
    with progress(call) as step:
        found = list(bench.run(wish, step))
    if call.as_json:
        click.echo(json.dumps(bench.plain(found), indent=2))
        return
    held = bench.plain(found)
    head = [f"commit {held['commit']}; {held['machine']}; " + ", ".join(f"{n} {v}" for n, v in held["versions"].items())]
    show(bench.tables(found), head)
