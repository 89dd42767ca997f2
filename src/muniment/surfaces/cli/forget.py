"""Destroying for good. It says first what it would destroy, and is the one command that nothing takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from muniment.surfaces.cli import deciding
from muniment.surfaces.cli.call import Call, Command, opened
from muniment.surfaces.cli.screen import safe
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.model.governing import ForgetAnswer

DERIVED_LISTED_MAX = 20


@click.command("forget", cls=Command)
@click.argument("ref", required=False)
@click.option("--session", metavar="REF", help="A whole session (s_…).")
@click.option("--principal", metavar="NAME", help="Everything that this principal wrote.")
@click.option("--dry-run", is_flag=True, help="Say what would be destroyed, destroy nothing.")
@deciding.why
@deciding.yes
@click.pass_obj
def command(
    call: Call, ref: str | None, session: str | None, principal: str | None, dry_run: bool, why: str | None, yes: bool
) -> int:
    """Destroy the record or session REF with every trace of it; --workspace alone destroys a whole workspace.

    It cannot be undone. Copies that `muniment backup` wrote still hold it.
    """
    named = [one for one in (ref, session, principal) if one]
    if len(named) > 1 or (not named and not call.workspace):
        raise click.UsageError("Name one of: a REF, --session, --principal, or a --workspace alone.")
    request = {"ref": ref or session, "principal": principal, "reason": why, "dry_run": dry_run or None}
    request["workspace"] = None if named else call.workspace
    with opened(call) as context:
        answer: ForgetAnswer = deciding.decided(call, context, "forget", request, agreed=yes)
    if call.as_json:
        call.answer(answer)
    else:
        _show(call, answer)
    return 0


def _show(call: Call, answer: ForgetAnswer) -> None:
    from muniment.surfaces.cli import listing

    click.echo("Would be destroyed:" if answer.dry_run else "Destroyed:")
    listing.counts({name: count for name, count in answer.counts.items() if count})
    if answer.derived:
        click.echo(f"Made from it and still there: {counted(len(answer.derived), 'record')}")
        for ref in answer.derived[:DERIVED_LISTED_MAX]:
            click.echo(f"  {ref}")
        if len(answer.derived) > DERIVED_LISTED_MAX:
            click.echo(f"  and {len(answer.derived) - DERIVED_LISTED_MAX} more")
    if answer.receipt:
        click.echo(f"Receipt: {answer.receipt}")
    if answer.cleaned:
        click.echo("The store's files hold nothing of it any more.")
    for warning in answer.meta.warnings:
        call.note(safe(warning))
