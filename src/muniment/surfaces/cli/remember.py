"""Keeping one statement, or changing one that is kept. A person says it, so it counts as confirmed."""

from __future__ import annotations

import sys
from typing import Any, get_args

import click

from muniment.errors import InvalidInput
from muniment.model.records import TIERS, MemoryKind
from muniment.model.writing import RememberAnswer
from muniment.surfaces import detached
from muniment.surfaces.cli.call import Call, Command, opened, run, several
from muniment.surfaces.cli.screen import line
from muniment.text.counts import counted

SIMILAR_SHOWN_MAX = 160


@click.command("remember", cls=Command)
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(get_args(MemoryKind)), help="What sort of statement it is (default fact).")
@click.option("--tier", type=click.Choice(TIERS), help="How prominently to keep it (default by kind).")
@click.option("--subject", help="What it is about, in a few words.")
@click.option("--topic", "topics", multiple=True, help="A topic; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="A free mark; may be repeated.")
@click.option("--person", "people", multiple=True, metavar="NAME", help="Whom it is about; may be repeated.")
@click.option("--event-time", metavar="DATE", help="When it was said or became true.")
@click.option("--source", "source_ref", metavar="TEXT", help="Where it comes from: a file, a ticket, a ref.")
@click.option("--why", metavar="TEXT", help="The reason, kept with the change.")
@click.option("--update", metavar="REF", help="Replace the text of this memory; earlier versions stay readable.")
@click.option("--expected-version", type=int, metavar="N", help="With --update: the version you have read.")
@click.option("--archive", metavar="REF", help="Take this memory out of recall.")
@click.option("--restore", metavar="REF", help="Bring an archived memory back.")
@click.option("--request-id", metavar="ID", help="Repeat a call safely: the same id returns the first answer.")
@click.pass_obj
def command(
    call: Call,
    /,
    text: str | None,
    update: str | None,
    archive: str | None,
    restore: str | None,
    topics: tuple[str, ...],
    tags: tuple[str, ...],
    people: tuple[str, ...],
    **options: Any,
) -> int:
    """Keep TEXT, one statement that is complete in itself; - reads it from a pipe.

    What resembles it is listed. --update, --archive and --restore change a memory that is kept.
    """
    changes = {"update": update, "archive": archive, "restore": restore}
    named = [op for op, ref in changes.items() if ref]
    if len(named) > 1:
        raise click.UsageError("Choose one of --update, --archive and --restore.")
    op = named[0] if named else "add"
    if text == "-":
        text = _piped()
    if op in ("add", "update") and not (text or "").strip():
        raise click.UsageError("There is no TEXT to remember.")
    if op in ("archive", "restore") and text:
        raise click.UsageError(f"--{op} takes no TEXT.")
    labels = {name: several(value) for name, value in (("topics", topics), ("tags", tags), ("people", people))}
    request = {"text": text, "op": op, "target": changes.get(op)} | options
    request["labels"] = {name: value for name, value in labels.items() if value}
    with opened(call, writing=op == "add") as context:
        answer: RememberAnswer = run(call, context, "remember", request)
        if answer.outcome == "applied" and op in ("add", "update"):
            detached.start_worker(context)
    if call.as_json:
        call.answer(answer)
    else:
        _show(call, op, answer)
    return 0


def _piped() -> str:
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        advice = "Nothing was stored. Convert it first, such as with `iconv -t UTF-8`."
        raise InvalidInput(f"What was piped in is not UTF-8 (byte {fault.start + 1:,}).", advice) from None


def _show(call: Call, op: str, answer: RememberAnswer) -> None:
    done = {"add": "Kept", "update": "Changed", "archive": "Archived", "restore": "Restored"}[op]
    if answer.outcome == "duplicate":
        done = "Known already, now confirmed once more"
    click.echo(f"{done}: {answer.ref} (version {answer.version}, in {answer.workspace})")
    if answer.masked:
        click.echo(f"  {counted(answer.masked, 'secret')} masked")
    for warning in answer.meta.warnings:
        call.note(warning)
    if answer.similar:
        call.note("It resembles:")
    for one in answer.similar:
        call.note(f"  {one.similarity:.0%}  {one.ref}  {line(one.text, SIMILAR_SHOWN_MAX)}")
