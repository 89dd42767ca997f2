"""Opening what is kept: records, sessions, the turns around one. Nothing is ever clipped here."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import NotFound
from muniment.model.reading import Opened, ReadAnswer, SessionHead
from muniment.surfaces.cli.call import Call, Command, opened, run
from muniment.surfaces.cli.evidence import interval
from muniment.surfaces.cli.screen import console, day_and_time, line, safe, signed
from muniment.text.counts import counted

if TYPE_CHECKING:
    from rich.console import Console

TITLE_MAX = 80
SESSIONS_MAX = 500
INCLUDED = ("history", "spans", "lineage", "links", "claims", "evidence")


@click.command("read", cls=Command)
@click.argument("ref", required=False)
@click.option("--session", metavar="ID", help="A session: its ref or the client's id.")
@click.option("--before", type=int, metavar="N", help="Turns before REF.")
@click.option("--after", type=int, metavar="N", help="Turns after REF.")
@click.option("--limit", type=int, help="Turns of a session at once (default 50).")
@click.option("--cursor", help="Go on where the last answer ended.")
@click.option("--span", nargs=2, type=int, metavar="START END", help="Only these characters of the text.")
@click.option("--history", is_flag=True, help="Also earlier versions.")
@click.option("--spans", is_flag=True, help="Also what the text names.")
@click.option("--lineage", is_flag=True, help="Also what it was derived from and what from it.")
@click.option("--links", is_flag=True, help="Also its relations to other records.")
@click.option("--claims", is_flag=True, help="Also the facts that were read out of it.")
@click.option("--evidence", is_flag=True, help="Also the words that back it.")
@click.pass_obj
def command(call: Call, /, ref: str | None, **options: Any) -> int:
    """Open REF: a record (t_…, d_…, m_…) or a session (s_…)."""
    if (ref is None) == (options["session"] is None):
        raise click.UsageError("Name a REF, or a session with --session.")
    include = [name for name in INCLUDED if options.pop(name)]
    around = options["before"] is not None or options["after"] is not None
    request = options | {"ref": ref, "include": include or None, "around": around or None}
    with opened(call) as context:
        answer: ReadAnswer = run(call, context, "read", request)
    if call.as_json:
        call.answer(answer)
        return 0
    out = console()
    if answer.session:
        _show_session(out, answer.session)
    for place, record in enumerate(answer.records):
        if place or answer.session:
            out.print()
        _show_record(out, record, anchor=answer.anchor, alone=len(answer.records) == 1)
    if answer.cursor:
        call.note(f"More: repeat with --cursor {answer.cursor}")
    if not answer.records:
        raise NotFound("There is nothing in it.")
    return 0


@click.command(cls=Command)
@click.option("--limit", type=click.IntRange(1, SESSIONS_MAX), default=20, show_default=True, help="How many at most.")
@click.option("--today", is_flag=True, help="Only those in which something was said today.")
@click.pass_obj
def sessions(call: Call, limit: int, today: bool) -> int:
    """List the newest sessions of the workspace, newest first."""
    with opened(call) as context:
        request = {"workspace": call.asked, "sessions": SESSIONS_MAX if today else limit}
        found: list[SessionHead] = list(run(call, context, "stats", request).recent_sessions)
        now = context.now()
    if today:
        found = [one for one in found if one.last_at and _local_day(one.last_at) == _local_day(now)][:limit]
    if call.as_json:
        call.answer({"sessions": found})
    else:
        for one in found:
            at = day_and_time(one.last_at, zone_known=True)
            where = f"  {one.client}" if one.client else ""
            title = line(one.title or one.external_id, TITLE_MAX)
            click.echo(f"{at}  {counted(one.turns, 'turn'):>11}  {one.ref}{where}  {title}")
        if not found:
            click.echo("No session yet." if not today else "No session today.")
    return 0 if found else 1


def _local_day(at: str | int) -> str:
    moment = datetime.fromisoformat(at) if isinstance(at, str) else datetime.fromtimestamp(at / 1000).astimezone()
    return moment.astimezone().date().isoformat()


def _show_session(out: Console, head: SessionHead) -> None:
    out.print(safe(head.title or head.external_id), style="bold")
    facts = [head.ref, head.workspace, counted(head.turns, "turn"), head.client, head.cwd]
    out.print(" · ".join(line(str(fact), TITLE_MAX) for fact in facts if fact), style="dim")


def _show_record(out: Console, record: Opened, *, anchor: str | None, alone: bool) -> None:
    from rich.text import Text

    told = record.provenance
    at = day_and_time(told.at, zone_known=told.zone != "unknown")
    head = Text(f"{'> ' if record.ref == anchor and not alone else ''}{at}", style="bold" if record.ref == anchor else "")
    head.append(f" · {line(told.speaker or record.kind, TITLE_MAX)} · ")
    head.append(record.ref, style="cyan")
    if alone or record.kind != "turn":
        facts = [
            told.workspace,
            record.kind,
            record.state,
            f"version {record.version}",
            f"by {signed(record.by, told.client)}" if record.by else None,
            told.source_type,
            None if record.protection == "normal" else record.protection,
            told.url or told.source_ref,
        ]
        head.append(f"\n{' · '.join(line(str(fact), 200) for fact in facts if fact)}", style="dim")
    out.print(head)
    for mark in _marks(record):
        out.print(Text(mark, style="yellow"))
    if record.labels:
        out.print(Text(line(", ".join(record.labels), 500), style="dim"))
    if record.subject:
        out.print(Text(safe(record.subject), style="bold"))
    out.print(Text(safe(record.text)), soft_wrap=True)
    if record.span and record.span != (0, record.length):
        out.print(f"characters {record.span[0]:,} to {record.span[1]:,} of {record.length:,}", style="dim")
    for version in record.history:
        by = f", by {signed(version.by, version.client)}" if version.by else ""
        why = f" ({line(version.reason, 200)})" if version.reason else ""
        out.print(Text(f"\nversion {version.version}, {day_and_time(version.at, zone_known=True)}{by}{why}", style="dim"))
        out.print(Text(safe(version.text), style="dim"), soft_wrap=True)
    for row in _kin(record):
        out.print(Text(f"  {row}", style="dim"), soft_wrap=True)
    for span in record.spans:
        out.print(Text(f"  {span.start}-{span.end} {span.sort}: {line(span.surface, 200)}", style="dim"))


def _marks(record: Opened) -> list[str]:
    """What says that a record does not simply hold."""
    marks = []
    if record.superseded_by:
        why = {"correction": ", it was never so", "change": ", it has changed since"}.get(record.supersede_why or "", "")
        marks.append(f"replaced by {record.superseded_by}{why}")
    if held := interval(record.valid):
        marks.append(held)
    if record.taint > 1:
        marks.append("from an untrusted source")
    return marks


def _kin(record: Opened) -> list[str]:
    """Everything that hangs on a record, a line each."""
    kin = [f"derived from {one.ref} ({one.state}, {counted(one.steps, 'step')})" for one in record.sources]
    kin += [f"from it came {one.ref} ({one.state}, {counted(one.steps, 'step')})" for one in record.derived]
    for link in record.links:
        relation = link.relation.replace("_", " ")
        kin.append(f"{relation} {link.ref}" if link.direction == "out" else f"{link.ref} {relation} this")
    for claim in record.claims:
        negated = "not " if claim.negated else ""
        kin.append(f"states: {line(claim.subject, 80)} ─{negated}{line(claim.attribute, 80)}→ {line(claim.value, 200)}")
    kin += [f"backed by «{line(quote.quote, 200)}» {quote.ref}" for quote in record.evidence]
    return kin
