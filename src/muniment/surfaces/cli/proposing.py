"""Proposing a change, and deciding what was proposed. Nothing that is recalled changes before a proposal is accepted."""

from __future__ import annotations

from typing import Any, get_args

import click

from muniment.model.governing import ProposalOp, ProposeAnswer
from muniment.model.records import MemoryKind
from muniment.model.reviewing import ProposalState
from muniment.surfaces.cli import governing, review
from muniment.surfaces.cli.call import Call, Command, Family, opened, run
from muniment.surfaces.cli.deciding import given
from muniment.surfaces.cli.remember import piped
from muniment.surfaces.cli.review import asked, cursor, ended, limit
from muniment.surfaces.cli.screen import safe


@click.command("propose", cls=Command)
@click.argument("text", required=False)
@click.option(
    "--op", type=click.Choice(get_args(ProposalOp)), default="add_fact", show_default=True, help="What should be done."
)
@click.option("--kind", type=click.Choice(get_args(MemoryKind)), help="What sort of statement it is (default fact).")
@click.option("--target", metavar="REF", help="The memory it concerns.")
@click.option("--supersedes", metavar="REF", help="The memory that it replaces.")
@click.option("--evidence", "refs", multiple=True, metavar="REF", help="A record that it rests on; may be repeated.")
@click.option(
    "--quote", "quotes", multiple=True, metavar="TEXT", help="Words from elsewhere that it rests on; may be repeated."
)
@click.option("--untrusted", is_flag=True, help="Do not believe the evidence further than an untrusted source.")
@click.option("--request-id", metavar="ID", help="Your own id of this proposal; the same one again changes nothing.")
@click.pass_obj
def command(
    call: Call,
    /,
    text: str | None,
    op: str,
    refs: tuple[str, ...],
    quotes: tuple[str, ...],
    untrusted: bool,
    request_id: str | None,
    **options: Any,
) -> int:
    """Propose TEXT, or another change; - reads it from a pipe. Somebody decides with `muniment proposals`."""
    text = piped() if text == "-" else text
    trust = {"trust": "untrusted"} if untrusted else {}
    evidence = [{"ref": ref} | trust for ref in refs] + [{"text": quote} | trust for quote in quotes]
    with opened(call, writing=True) as context:
        request: dict[str, Any] = {
            "project_id": context.workspace,
            "request_id": request_id or context.uid(),
            "evidence": evidence,
        }
        request["change"] = {"op": op} | given(text=text, **options)
        answer: ProposeAnswer = run(call, context, "propose_memory", request)
    if call.as_json:
        call.answer(answer)
    else:
        before = " before" if answer.status == "rejected" else ""
        click.echo(f"{answer.status.capitalize()}{before}: {answer.proposal_id} (taint {answer.taint})")
        for warning in answer.meta.warnings:
            call.note(safe(warning))
        call.note(f"`muniment proposals show {answer.proposal_id}` shows what became of it.")
    return 0


@click.group("proposals", cls=Family)
def proposals() -> None:
    """List what was proposed, and decide it."""


@proposals.command("list")
@click.option("--state", type=click.Choice(get_args(ProposalState)), help="Default: those that wait.")
@click.option("--mine", is_flag=True, help="Only my own.")
@limit
@cursor
@click.pass_obj
def list_(call: Call, /, mine: bool, **fields: Any) -> int:
    """List the proposals that wait, or those in one state."""
    from muniment.surfaces.cli import listing

    answer = asked(call, "proposals", mine=mine or None, **fields)
    if answer.proposals and not call.as_json:
        listing.proposals(answer.proposals)
    nothing = "No proposal waits." if fields["state"] is None else "There is none."
    return ended(call, answer, answer.proposals, nothing, empty=0)


# The same commands as in their own families, where somebody looks for them beside the list.
proposals.add_command(review.proposal, "show")
proposals.add_command(governing.approve)
proposals.add_command(governing.reject)
