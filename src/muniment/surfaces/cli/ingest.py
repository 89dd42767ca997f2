"""Taking things in: JSON Lines, session files of clients, documents, folders of them, or what comes through a pipe.

What was counted as kept is stored. A line that cannot be used is reported with its number and reason; the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import InvalidInput
from muniment.surfaces.cli import sources
from muniment.surfaces.cli.call import Call, Command, opened
from muniment.surfaces.cli.progress import Advance, bar
from muniment.surfaces.cli.report import Report
from muniment.surfaces.cli.screen import line
from muniment.surfaces.cli.sources import Source
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.context import Context

REJECTED_SHOWN_MAX = 20
REASON_SHOWN_MAX = 300
CLIENTS = ("claude-code", "codex", "jsonl")
REJECTED, STOPPED = 1, 130


@click.command("ingest", cls=Command)
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--from", "--client", "client", type=click.Choice(CLIENTS), help="Whose files these are; without PATHS, all of them."
)
@click.option("--all", "every", is_flag=True, help="With --client: everything the client keeps in your home folder.")
@click.option("--sample", is_flag=True, help="The sample conversation that comes with Muniment.")
@click.option("--title", help="Title of a document.")
@click.option("--url", help="Where the document can be opened.")
@click.option("--glob", "pattern", metavar="PATTERN", help="In folders, only files like this, such as '*.md'.")
@click.option("--dry-run", is_flag=True, help="Say what would be kept and keep nothing.")
@click.option("--no-embed", is_flag=True, help="Leave the vectors to a later `muniment worker --drain`.")
@click.pass_obj
def command(call: Call, /, paths: tuple[str, ...], no_embed: bool, dry_run: bool, **options: Any) -> int:
    """Keep conversations and documents: files, folders, or - for JSON Lines from a pipe.

    A .jsonl file holds one turn a line (session, speaker, text, and optionally time, id, workspace), or is a session
    of Claude Code or Codex. Everything else is kept whole as a document: Markdown, HTML or text. The same turn or
    document is never kept twice, so a command can be repeated at any time.
    """
    found = sources.chosen(paths, pinned=bool(call.settings().workspace), **options)
    report = Report(dry_run=dry_run)
    with opened(call, writing=not dry_run) as context:
        stopped = _take_all(call, context, found, report)
        if not (stopped or dry_run or no_embed or context.engines.off) and report.added:
            stopped = _embed(call, context)
    if call.as_json:
        call.answer(report.plain())
    else:
        _show(call, report)
    if stopped:
        call.note(stopped)
        return STOPPED
    return REJECTED if report.rejected_total else 0


def _take_all(call: Call, context: Context, found: list[Source], report: Report) -> str:
    """Take in every source. Answers what to tell a person who stopped it; empty when it ran to its end."""
    total = sum(one.size for one in found)
    title = "Reading" if report.dry_run else "Keeping"
    try:
        with bar(call, title, total or None, bytes_=True) as advance:
            for one in found:
                _take(context, one, report, advance)
    except KeyboardInterrupt:
        return "Stopped. What is counted here is stored; the same command goes on where it was."
    return ""


def _take(context: Context, one: Source, report: Report, advance: Advance) -> None:
    """One source. A file that cannot be used is a reason in the report, not the end of the others."""
    report.files += 1
    try:
        match one.sort:
            case "document":
                _take_document(context, one, report)
                advance(one.size)
            case "jsonl":
                _take_turns(context, one, report, advance)
            case client:
                _take_history(context, one, client, report, advance)
    except InvalidInput as fault:
        report.reject(str(one.path or "-"), 0, fault.message)


def _take_turns(context: Context, one: Source, report: Report, advance: Advance) -> None:
    """JSON Lines, streamed: a line's own workspace counts, else the current one."""
    from muniment.ingest import turns

    kept = turns.Kept()
    where = str(one.path or "-")
    incoming = sources.placed(context, _noted(one, where, report, advance), dry_run=report.dry_run)
    for _ in turns.keep(context, incoming, source_type=context.source_type, dry_run=report.dry_run, kept=kept):
        report.take(where, kept)
    report.sessions |= kept.sessions


def _noted(one: Source, where: str, report: Report, advance: Advance) -> Iterator[Any]:
    """The turns of a source; its bad lines go to the report at once, so that a million of them take no room."""
    from muniment.model.turns import Rejected

    done = 0
    for value, position in sources.turns(one):
        if position - done >= sources.STEP_BYTES:
            advance(position - done)
            done = position
        if isinstance(value, Rejected):
            report.reject(where, value.line, value.why)
        else:
            yield value
    advance(max(one.size - done, 0))


def _take_history(context: Context, one: Source, client: str, report: Report, advance: Advance) -> None:
    """A client's session file: only what is new since it was last read."""
    from muniment.ingest import history

    assert one.path is not None, "only JSON Lines come through a pipe"
    done = 0

    def step(position: int) -> None:
        nonlocal done
        advance(position - done)
        done = position

    route = history.Route(workspace=context.workspace if one.pinned else None, paused=one.paused)
    found = history.import_file(context, one.path, client, route=route, dry_run=report.dry_run, progress=step)
    advance(max(one.size - done, 0))
    report.add(found)


def _take_document(context: Context, one: Source, report: Report) -> None:
    from muniment.ingest.ingest import ingest
    from muniment.model.writing import DocumentIn, IngestRequest

    assert one.path is not None, "only JSON Lines come through a pipe"
    document = DocumentIn(
        text=sources.text_of(one.path),
        title=one.title or (None if one.format == "html" else one.path.stem),
        url=one.url,
        format=one.format,
        source_ref=str(one.path.absolute()),
    )
    answer = ingest(context, IngestRequest(document=document, dry_run=report.dry_run))
    report.documents += answer.added
    report.added += answer.added
    report.duplicates += answer.duplicates
    report.masked += answer.masked
    report.workspaces |= set(answer.workspaces)


def _embed(call: Call, context: Context) -> str:
    from muniment.surfaces.cli.upkeep import drain

    call.note("Text is searchable already; now its vectors are made (Ctrl-C is safe).")
    try:
        drained = drain(call, context)
    except KeyboardInterrupt:
        return "Stopped. Everything is stored and found by its words; `muniment worker --drain` does the rest."
    if drained.left and drained.why:
        call.note(f"Not everything has its vector yet: {drained.why}")
    return ""


def _show(call: Call, report: Report) -> None:
    verb = "Would keep" if report.dry_run else "Kept"
    what = counted(report.added - report.documents, "turn")
    if report.documents:
        documents = counted(report.documents, "document")
        what = f"{what} and {documents}" if report.added > report.documents else documents
    places = f" in {', '.join(sorted(report.workspaces))}" if report.workspaces and report.added else ""
    talks = f" of {counted(len(report.sessions), 'session')}" if report.added > report.documents else ""
    click.echo(f"{verb} {what}{talks}{places}.")
    for count, words in (
        (report.duplicates, "known already"),
        (report.masked, "secrets masked"),
        (report.left_out, "turns of paused folders left out"),
        (report.unfinished, "files end in a half-written line, which is read once it is whole"),
        (report.rejected_total, "rejected"),
    ):
        if count:
            click.echo(f"  {count:,} {words}")
    for one in report.rejected[:REJECTED_SHOWN_MAX]:
        place = f"line {one.line}: " if one.line else ""
        click.echo(f"    {line(one.where, 200)}: {place}{line(one.why, REASON_SHOWN_MAX)}", err=True)
    if report.rejected_total > REJECTED_SHOWN_MAX:
        call.note(f"    … and {report.rejected_total - REJECTED_SHOWN_MAX:,} more; --json lists them.")
