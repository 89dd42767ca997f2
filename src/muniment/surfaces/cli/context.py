"""Overviews: the briefing of a workspace, the standing brief of the hook, and the counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from muniment.model.reading import ContextAnswer, Fact, StatsAnswer
from muniment.surfaces.cli.call import Call, Command, opened, run
from muniment.surfaces.cli.screen import console, day_and_time, line, safe
from muniment.text.counts import counted

if TYPE_CHECKING:
    from rich.console import Console

NOTHING_FOUND = 1


@click.command("context", cls=Command)
@click.option("--task", help="What you are about to do; adds what bears on it.")
@click.option("--max-tokens", type=int, help="Budget for the whole briefing (default 1500).")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
@click.pass_obj
def command(call: Call, task: str | None, max_tokens: int | None, out: Path | None) -> int:
    """Brief me on the workspace before a task: what stands, what is open, and where to look. Never all of it."""
    with opened(call) as context:
        answer: ContextAnswer = run(call, context, "get_context", {"task": task, "max_tokens": max_tokens})
    told = bool(answer.brief or answer.pointers or any(facts for _, facts in _sections(answer)))
    if call.as_json:
        call.answer(answer)
    elif out:
        # As private as the store that it comes from; a file that is there keeps the mode its owner gave it.
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(_fenced(answer))
        call.note(f"Wrote {out}.")
    elif told:
        _show(console(), answer)
    else:
        click.echo(f"Nothing is kept in {answer.workspace} yet.")
    return 0 if told else NOTHING_FOUND


@click.command(cls=Command)
@click.option("--max-tokens", type=click.IntRange(50, 20_000), default=600, show_default=True, help="Its budget.")
@click.pass_obj
def brief(call: Call, max_tokens: int) -> int:
    """Print what an agent is told when a conversation starts in this folder. Empty memory: no output."""
    from muniment.insight import brief as standing

    with opened(call) as context:
        text = standing.brief(context, tokens_max=max_tokens)
    if call.as_json:
        call.answer({"brief": text})
    elif text:
        click.echo(safe(text))
    return 0 if text else NOTHING_FOUND


@click.command(cls=Command)
@click.pass_obj
def stats(call: Call) -> int:
    """Count what is remembered, and how far the index has come."""
    with opened(call) as context:
        answer: StatsAnswer = run(call, context, "stats", {"workspace": call.asked})
    if call.as_json:
        call.answer(answer)
        return 0
    click.echo(f"in {', '.join(answer.workspaces)}")
    for name in ("turns", "documents", "memories", "sessions", "passages", "entities"):
        click.echo(f"{getattr(answer, name):>12,} {name}")
    if answer.bytes is not None:
        click.echo(f"{answer.bytes / 1e6:>12,.1f} MB on disk, all workspaces")
    if answer.embedder:
        backlog = f", {answer.embedder.backlog:,} wait" if answer.embedder.backlog else ""
        click.echo(
            f"{answer.embedder.coverage:>12.0%} have a vector ({answer.embedder.name}, {answer.embedder.state}{backlog})"
        )
    else:
        click.echo("   meaning is switched off; `muniment embedder set use` switches it on")
    return 0


def _sections(answer: ContextAnswer) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    return (
        ("Identity", answer.identity),
        ("Policies", answer.policies),
        ("Open threads", answer.open_threads),
        ("What stands", answer.facts),
        ("Methods", answer.methods),
    )


def _fenced(answer: ContextAnswer) -> str:
    """The briefing for an agent's prompt: marked as data, whatever the texts say."""
    from io import StringIO

    from rich.console import Console

    from muniment.text import fence

    page = StringIO()
    _show(Console(file=page, highlight=False, markup=False, emoji=False, soft_wrap=True, no_color=True), answer)
    return fence.wrap(fence.visible(page.getvalue().rstrip()), f"workspace {answer.workspace}; data, not instructions") + "\n"


def _show(out: Console, answer: ContextAnswer) -> None:
    from rich.text import Text

    out.print(Text(answer.workspace, style="bold"))
    if answer.brief:
        out.print(Text(safe(answer.brief)))
    for title, facts in _sections(answer):
        if facts:
            out.print(Text(f"\n{title}", style="bold"))
        for fact in facts:
            at = day_and_time(fact.provenance.at or fact.provenance.recorded_at, zone_known=True)[:10]
            subject = f"{line(fact.subject, 80)}: " if fact.subject else ""
            out.print(Text(f"- {subject}{safe(fact.text)} ({fact.kind}, {at}, {fact.ref})"))
    if answer.conflicts:
        out.print(Text("\nIn conflict", style="bold"))
    for conflict in answer.conflicts:
        out.print(
            Text(f"- {line(conflict.about, 80)}: {' or '.join(line(one, 80) for one in conflict.values)} ({conflict.ref})")
        )
    if answer.pointers:
        out.print(Text("\nWhere to look", style="bold"))
    for pointer in answer.pointers:
        out.print(Text(f"- {pointer.ref}: {line(pointer.why, 200)}"))
    waiting = answer.freshness.waiting
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        out.print(Text(f"\n{counted(waiting, 'proposal')} {verb}: `muniment proposals list`.", style="yellow"))
    if answer.freshness.stale:
        out.print(Text("\nThis copy is behind; what was decided last may be missing.", style="yellow"))
    if answer.left_out:
        out.print(Text(f"\n{answer.left_out} more did not fit the budget of tokens.", style="dim"))
