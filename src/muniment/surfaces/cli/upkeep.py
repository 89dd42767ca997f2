"""Work that waits: vectors, merging, the rest of long histories, and making an index anew."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from muniment.surfaces.cli.call import Call, Command, opened
from muniment.surfaces.cli.progress import bar
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.worker import Drained

# How far a background worker stands back behind what a person does.
NICENESS = 10
LEFT = 1


@click.command(cls=Command)
@click.option("--drain", "draining", is_flag=True, help="End when nothing is left to do (else: go on until stopped).")
@click.option("--background", is_flag=True, hidden=True, help="Stand back behind everything else.")
@click.pass_obj
def worker(call: Call, draining: bool, background: bool) -> int:
    """Do what is waiting: vectors, merging, the rest of long histories. `stdio` and `serve` do it by themselves.

    One worker at a time works on a store; another one ends at once.
    """
    if background and sys.platform != "win32":
        os.nice(NICENESS)
    with opened(call) as context:
        read = _catch_up(call, context)
        if not draining:
            return _run(call, context)
        drained = drain(call, context)
    if call.as_json:
        call.answer({"done": drained.done, "left": drained.left, "why": drained.why, "turns": read})
    else:
        turns = f"{counted(read, 'turn')} read, " if read else ""
        click.echo(f"Done: {turns}{counted(drained.done, 'vector')} made.")
        if drained.left:
            why = drained.why or "Another worker is at work, or was killed within the last minute."
            click.echo(f"{counted(drained.left, 'job')} to do. {why}")
    return LEFT if drained.left and drained.why else 0


def drain(call: Call, context: Context) -> Drained:
    """Do the work that waits, with a bar. Ctrl-C is safe: each batch is stored when it is done."""
    from muniment import worker as work

    with context.store.read() as connection:
        waiting = {row[0]: row[2] for row in connection.all("jobs_waiting")}
    with bar(call, "Embedding", waiting.get("embed")) as advance:
        return work.drain(context, progress=advance)


def _catch_up(call: Call, context: Context) -> int:
    """Read on in the histories of which a hook left something."""
    from muniment.access import pauses
    from muniment.ingest import history

    held = pauses.listed()
    done = history.catch_up(context, paused=lambda folder: pauses.covers(held, folder))
    return sum(one.added for one in done)


def _run(call: Call, context: Context) -> int:
    import threading

    from muniment import worker as work

    call.note("Working; Ctrl-C ends it.")
    work.run(context, threading.Event())
    return 0


@click.command(cls=Command)
@click.option("--all", "every", is_flag=True, help="Every workspace, not only the current one.")
@click.option("--no-embed", is_flag=True, help="Leave the vectors to a later `muniment worker --drain`.")
@click.pass_obj
def rebuild(call: Call, every: bool, no_embed: bool) -> int:
    """Make the index of the workspace again from its records. No text is changed; answers stay the same."""
    from muniment.access import policy
    from muniment.graph import claims
    from muniment.index import rebuild as index

    done = 0
    with opened(call) as context:
        with context.store.read() as connection:
            wanted = policy.EVERYTHING if every else call.asked
            places = policy.asked(context, connection, wanted) if wanted else [policy.current(context, connection, None)]
        for place in places:
            with bar(call, f"Reading {place.slug}", None) as advance:
                done += index.rebuild(context, place, advance)
            claims.again(context, place.id)
        drained = None if no_embed else drain(call, context)
    if call.as_json:
        call.answer(
            {"records": done, "workspaces": [place.slug for place in places], "vectors": drained.done if drained else 0}
        )
        return 0
    click.echo(f"Rebuilt the index of {', '.join(place.slug for place in places)} from {counted(done, 'record')}.")
    if drained and drained.left and drained.why:
        call.note(f"Not everything has its vector yet: {drained.why}")
    return 0
