"""Saying what took the place of a memory: a new statement, or one that is kept already."""

from __future__ import annotations

from typing import Any

import click

from muniment.model.writing import RememberAnswer
from muniment.surfaces import detached
from muniment.surfaces.cli import deciding, governing
from muniment.surfaces.cli.call import Call, Command, opened, run
from muniment.surfaces.cli.remember import piped, told


@click.command("supersede", cls=Command)
@click.argument("old")
@click.argument("text", required=False)
@click.option("--by", "heir", metavar="REF", help="A memory that is kept already takes its place.")
@click.option("--correction", is_flag=True, help="The old one was never so; without this, the world has changed.")
@click.option("--at", metavar="DATE", help="Since when the new one holds (default: now).")
@deciding.version
@deciding.why
@deciding.run_name
@deciding.yes
@click.pass_obj
def command(
    call: Call, /, old: str, text: str | None, heir: str | None, correction: bool, at: str | None, **options: Any
) -> int:
    """Put TEXT in the place of the memory OLD; - reads it from a pipe.

    What was before is kept, and found when the past is asked for.
    """
    if (text is None) == (heir is None):
        raise click.UsageError("Give the new TEXT, or the memory that says it with --by.")
    if heir is not None:
        if at is not None:
            raise click.UsageError("--at goes with TEXT; a memory that is kept has its own time.")
        if options["why"] is None:
            raise click.UsageError("Say why with --why.")
        do = {"verb": "retire", "target": old, "heir": heir, "how": "correction" if correction else "change"}
        return governing.done(call, do, options, resting="target")
    request = {"op": "supersede", "target": old, "text": piped() if text == "-" else text, "why": options["why"]}
    with opened(call) as context:
        expected = deciding.newest(call, context, old, options["expected_version"])
        request |= {"expected_version": expected, "correction": correction or None, "valid_from": at}
        answer: RememberAnswer = run(call, context, "remember", request)
        detached.start_worker(context)
    if call.as_json:
        call.answer(answer)
    else:
        told(call, "supersede", answer)
    return 0
