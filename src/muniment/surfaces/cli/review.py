"""Looking at what waits and what was done. Nothing here changes anything."""

from __future__ import annotations

from typing import Any, get_args

import click

from muniment.model.reviewing import BuriedState, ConflictStatus, NoticeState, ReviewAnswer
from muniment.surfaces.cli.call import Call, Family, opened, run
from muniment.surfaces.cli.deciding import given
from muniment.surfaces.cli.screen import safe

NOTHING_FOUND = 1
SCAN_REQUIRED = "scan_required"
limit = click.option("--limit", type=int, metavar="N", help="How many at most.")
notice_state = click.option("--state", type=click.Choice(get_args(NoticeState)), help="Default: pending and delivered.")
cursor = click.option("--cursor", help="Go on where the last answer ended.")


def asked(call: Call, verb: str, /, **fields: Any) -> ReviewAnswer:
    """The answer to one verb; as JSON it is shown at once."""
    with opened(call) as context:
        answer: ReviewAnswer = run(call, context, "review", {"do": {"verb": verb} | given(**fields)})
    if call.as_json:
        call.answer(answer)
    return answer


def ended(call: Call, answer: ReviewAnswer, found: object, nothing: str, *, empty: int = NOTHING_FOUND) -> int:
    """How a list ends: with the way to its next page, or with plain words that it is empty.

    `empty` is the exit code of an empty one: nothing found, or 0 where that nothing waits is good news.
    """
    if not found and not call.as_json:
        click.echo(nothing)
    if answer.cursor and not call.as_json:
        call.note(f"More: repeat with --cursor {answer.cursor}")
    return 0 if found else empty


@click.group("review", cls=Family)
def command() -> None:
    """Look at what waits for a decision, at what was done, and at what changed."""


@command.command()
@click.pass_obj
def overview(call: Call) -> int:
    """Count everything that waits for somebody."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "overview")
    waiting = {name: count for name, count in (answer.counts or {}).items() if count}
    if not call.as_json:
        listing.counts({name: count for name, count in waiting.items() if name != SCAN_REQUIRED})
        if SCAN_REQUIRED in waiting:
            click.echo("Not everything was looked through for conflicts yet: `muniment govern scan` does that.")
    return ended(call, answer, waiting, "Nothing waits.")


@command.command()
@limit
@click.pass_obj
def queue(call: Call, limit: int | None) -> int:
    """List everything that waits for a decision: proposals, conflicts and candidates."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "queue", limit=limit)
    found = answer.proposals or answer.conflicts or answer.candidates
    if not call.as_json:
        listing.waiting(answer)
    return ended(call, answer, found, "Nothing waits.")


@command.command()
@click.option("--status", type=click.Choice(get_args(ConflictStatus)), help="Default: open, applying.")
@limit
@cursor
@click.pass_obj
def conflicts(call: Call, /, **fields: Any) -> int:
    """List statements that cannot all be right."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "conflicts", **fields)
    if answer.conflicts and not call.as_json:
        listing.conflicts(answer.conflicts)
    return ended(call, answer, answer.conflicts, "No conflict waits.")


@command.command()
@click.argument("ref", metavar="CONFLICT")
@click.pass_obj
def conflict(call: Call, ref: str) -> int:
    """Show CONFLICT (c_…): who says what in which words, what was decided, and how far it was carried out."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "conflict", conflict=ref)
    if answer.conflict and not call.as_json:
        listing.conflict(answer.conflict)
    return 0


@command.command()
@click.argument("ref", metavar="PROPOSAL")
@click.pass_obj
def proposal(call: Call, ref: str) -> int:
    """Show PROPOSAL (p_…): what it would change, what it rests on, its taint, and what became of it."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "proposal", proposal=ref)
    if not call.as_json:
        listing.proposal(answer)
        for warning in answer.meta.warnings:
            call.note(f"It cannot be applied any more: {safe(warning)}")
    return 0


@command.command()
@click.argument("ref")
@click.pass_obj
def history(call: Call, ref: str) -> int:
    """Show every version of REF, and every action on it."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "history", ref=ref)
    if not call.as_json:
        listing.history(answer)
    return 0


@command.command()
@click.argument("ref")
@click.option("--old", type=int, metavar="N", help="Default: the version before the new one.")
@click.option("--new", type=int, metavar="N", help="Default: the one in force.")
@click.pass_obj
def diff(call: Call, ref: str, old: int | None, new: int | None) -> int:
    """Show what changed between two versions of REF."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "diff", ref=ref, old=old, new=new)
    if not call.as_json:
        listing.difference(answer.diff or "")
    return 0


@command.command()
@click.argument("ref")
@click.pass_obj
def lineage(call: Call, ref: str) -> int:
    """Show what REF was derived from, and everything that was derived from it."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "lineage", ref=ref)
    if not call.as_json:
        listing.lineage(answer)
    return 0


@command.command()
@click.argument("ref", required=False)
@click.option("--run", metavar="RUN", help="Only this run.")
@limit
@cursor
@click.pass_obj
def audit(call: Call, /, **fields: Any) -> int:
    """Show the ledger, newest first: all of it, or what concerns REF."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "audit", **fields)
    if answer.actions and not call.as_json:
        listing.actions(answer.actions)
    return ended(call, answer, answer.actions, "Nothing was done.")


@command.command()
@notice_state
@limit
@click.pass_obj
def notices(call: Call, /, **fields: Any) -> int:
    """List what somebody should be told."""
    return noticed(call, **fields)


def noticed(call: Call, **fields: Any) -> int:
    """The list of notices, for both commands that show it."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "notices", **fields)
    if answer.notices and not call.as_json:
        listing.notices(answer.notices)
    return ended(call, answer, answer.notices, "There is no notice.", empty=0)


@command.command()
@click.argument("query", default="")
@click.option("--state", type=click.Choice(get_args(BuriedState)), help="Default: all of them.")
@limit
@cursor
@click.pass_obj
def expired(call: Call, /, **fields: Any) -> int:
    """List what recall no longer shows: superseded, archived and rejected records that hold the words of QUERY."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "expired", **fields)
    if answer.records and not call.as_json:
        listing.records(answer.records)
    return ended(call, answer, answer.records, "Nothing was taken out of recall.")


@command.command()
@click.argument("query", default="")
@limit
@cursor
@click.pass_obj
def entities(call: Call, /, **fields: Any) -> int:
    """List the names that memory knows, or those with QUERY in them."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "entities", **fields)
    if answer.entities and not call.as_json:
        listing.entities(answer.entities)
    return ended(call, answer, answer.entities, "No name is known.")
