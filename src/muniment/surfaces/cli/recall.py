"""Asking memory: `recall` for people, `search` as chat connectors do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from muniment.model.records import KINDS, TIERS
from muniment.surfaces.cli.call import Call, Command, opened, run, several

if TYPE_CHECKING:
    from muniment.context import Context

NOTHING_FOUND = 1
# Passages without a vector that a command embeds before it answers: a fraction of what loading the model takes.
WAITING_MAX = 64


@click.command("recall", cls=Command)
@click.argument("question", default="")
@click.option("--limit", type=int, help="How many hits at most (default 8).")
@click.option("--max-tokens", type=int, help="Token budget for the texts.")
@click.option("--as-of", metavar="DATE", help="Answer from what held then.")
@click.option("--known-at", metavar="DATE", help="Answer from what memory held then.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    metavar="KIND",
    help="Only turn, document, fact, decision …; may be repeated.",
)
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    type=click.Choice(TIERS),
    metavar="TIER",
    help="Only preferences, project-context or conversations.",
)
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="Only what has this topic; may be repeated.")
@click.option("--person", "people", multiple=True, metavar="NAME", help="Only about or by this person; may be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only what has this tag; may be repeated.")
@click.option("--entity", metavar="NAME", help="Only what names this.")
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--after", metavar="DATE", help="Only what was said at or after.")
@click.option("--before", metavar="DATE", help="Only what was said before.")
@click.option("--superseded", is_flag=True, help="Only what was replaced by something newer.")
@click.option("--around", type=int, metavar="N", help="Show N turns before and after each hit.")
@click.option("--min-score", type=float, help="Leave out hits below this score.")
@click.option("--cursor", help="Go on where the last answer without a question ended.")
@click.option("--trace", is_flag=True, help="Show every stage of the ranking.")
@click.option("--fast", is_flag=True, help="Do not wait for the model; answer from words alone while it loads.")
@click.option("--text", "as_text", is_flag=True, help="The answer as text to paste into a prompt, fenced and cited.")
@click.pass_obj
def command(call: Call, /, question: str, fast: bool, as_text: bool, **options: Any) -> int:
    """Answer QUESTION with evidence, or say that memory does not hold the answer. Without one, list what is newest.

    Dates are ISO 8601, such as 2026-04-01. "In March" in the question itself works too.
    """
    from muniment.surfaces.cli import evidence

    with opened(call, wait=not fast) as context:
        if question and not fast:
            _hurry(call, context)
        answer = run(call, context, "recall", _request(call, question, options, as_text=as_text))
    if call.as_json:
        call.answer(answer)
    elif as_text:
        click.echo(answer.text or "")
    else:
        evidence.show(answer, quiet=call.quiet)
        if answer.trace:
            evidence.show_trace(answer.trace)
    return 0 if answer.results else NOTHING_FOUND


def _hurry(call: Call, context: Context) -> None:
    """What was kept a moment ago is found by its meaning too: a command has no later answer to do better with."""
    from muniment import worker
    from muniment.access import policy

    with context.store.read() as connection:
        places = [place.id for place in policy.asked(context, connection, call.asked)]
    worker.hurry(context, places, WAITING_MAX)


def _request(call: Call, question: str, options: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    """What the options ask for, in the words of the operation."""
    repeated = {"kinds": "kind", "tiers": "tier", "topics": "topics", "people": "people", "tags": "tags"}
    wanted: dict[str, Any] = {field: several(options[name]) for name, field in repeated.items()}
    wanted |= {name: options[name] for name in ("entity", "session", "after", "before")}
    wanted["state"] = ["superseded"] if options["superseded"] else None
    kept = {name: value for name, value in wanted.items() if value is not None}
    names = ("limit", "max_tokens", "as_of", "known_at", "around", "min_score", "cursor")
    request: dict[str, Any] = {name: options[name] for name in names}
    request |= {"query": question, "workspace": call.asked, "filter": kept or None, "trace": options["trace"] or None}
    return request | {"format": "text" if as_text else None}


@click.command(cls=Command)
@click.argument("query")
@click.pass_obj
def search(call: Call, query: str) -> int:
    """Search as a chat connector does: ids, titles and links for QUERY, without texts."""
    with opened(call) as context:
        answer = run(call, context, "search", {"query": query})
    if call.as_json:
        call.answer(answer)
    else:
        from muniment.surfaces.cli.screen import line

        for one in answer.results:
            click.echo(f"{one.id}  {line(one.title, 100)}\n    {one.url}")
        if not answer.results:
            click.echo("Nothing was found.")
    return 0 if answer.results else NOTHING_FOUND
