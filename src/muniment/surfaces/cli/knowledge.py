"""What is known around a name, and how two names are connected by causes: each statement with the words that say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from muniment.model.knowing import ClaimSeen, NearAnswer, WhyAnswer
from muniment.surfaces.cli.call import Call, Command, opened, run
from muniment.surfaces.cli.screen import console, line, safe
from muniment.text.counts import counted

if TYPE_CHECKING:
    from rich.text import Text

NOTHING_FOUND = 1
NAME_MAX = 80
as_of = click.option("--as-of", metavar="DATE", help="What held then.")
known_at = click.option("--known-at", metavar="DATE", help="What was known then.")


@click.command("near", cls=Command)
@click.argument("entity")
@as_of
@known_at
@click.option("--limit", type=int, metavar="N", help="Facts at most (default 20).")
@click.pass_obj
def near(call: Call, /, entity: str, **options: Any) -> int:
    """List what is known around ENTITY, each fact with the words that say it."""
    with opened(call) as context:
        answer: NearAnswer = run(call, context, "near", {"entity": entity, "workspace": call.asked} | options)
    if call.as_json:
        call.answer(answer)
    else:
        _show_near(call, entity, answer)
    return 0 if answer.facts else NOTHING_FOUND


@click.command("why", cls=Command)
@click.argument("from_", metavar="FROM")
@click.argument("to")
@as_of
@known_at
@click.option("--max-hops", type=int, metavar="N", help="Steps at most (default 4).")
@click.pass_obj
def why(call: Call, /, from_: str, to: str, **options: Any) -> int:
    """Explain how FROM and TO are connected by causes, each step quoted, or say that no path is known."""
    request = {"from": from_, "to": to, "workspace": call.asked} | options
    with opened(call) as context:
        answer: WhyAnswer = run(call, context, "why", request)
    if call.as_json:
        call.answer(answer)
        return 0 if answer.found else NOTHING_FOUND
    out = console()
    out.print(safe(answer.message), style="bold")
    for step in answer.path:
        out.print(_statement(step))
        _quotes(step)
    return 0 if answer.found else NOTHING_FOUND


def _show_near(call: Call, entity: str, answer: NearAnswer) -> None:
    from rich.text import Text

    out = console()
    if not answer.entity_resolved:
        out.print(f"Nobody here knows the name {line(entity, NAME_MAX)}. `muniment recall` searches every text for it.")
        return
    head = Text(line(answer.entity or entity, NAME_MAX), style="bold")
    head.append(f"  {counted(len(answer.facts), 'fact')}", style="not bold")
    others = [name for name in answer.names if name != answer.entity]
    if others:
        head.append(f"  also called {', '.join(line(name, NAME_MAX) for name in others)}", style="dim not bold")
    out.print(head)
    for fact in answer.facts:
        out.print(_statement(fact))
        _quotes(fact)
    if answer.total > len(answer.facts):
        call.note(f"{answer.total - len(answer.facts)} more; --limit shows them.")
    if answer.related:
        out.print(Text(f"related: {', '.join(line(name, NAME_MAX) for name in answer.related)}", style="dim"))


def _statement(claim: ClaimSeen) -> Text:
    """`booking service ─port→ 8081 (staging)`, and when it held."""
    from rich.text import Text

    past = claim.standing == "past"
    told = Text(f"  {line(claim.subject, NAME_MAX)} ", style="dim" if past else "")
    told.append(f"─{'not ' if claim.negated else ''}{line(claim.attribute, NAME_MAX)}→", style="cyan")
    told.append(f" {line(claim.value, NAME_MAX)}", style="" if past else "bold")
    if claim.qualifier:
        told.append(f" ({line(claim.qualifier, NAME_MAX)})")
    since, until = claim.valid
    if since:
        told.append(f"  since {since[:10]}", style="dim")
    if until:
        told.append(f"  until {until[:10]}", style="dim")
    if past:
        told.append("  no longer", style="yellow")
    if claim.taint:
        told.append(f"  taint {claim.taint}", style="red")
    if claim.conflicts:
        told.append(f"  in conflict: {', '.join(claim.conflicts)}", style="yellow")
    return told


def _quotes(claim: ClaimSeen) -> None:
    from rich.text import Text

    out = console()
    for quote in claim.evidence:
        at = f", {quote.at[:10]}" if quote.at else ""
        out.print(Text.assemble(f"     «{line(quote.quote, 300)}» ", (f"{quote.ref}{at}", "dim")), soft_wrap=True)
