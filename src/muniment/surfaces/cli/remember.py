"""Keeping one statement, or changing one that is kept. A person says it, so it counts as confirmed."""

from __future__ import annotations

import json
import sys
from typing import Any, get_args

import click

from muniment.errors import InvalidInput
from muniment.model.records import TIERS, MemoryKind
from muniment.model.writing import RememberAnswer
from muniment.surfaces import detached
from muniment.surfaces.cli import deciding
from muniment.surfaces.cli.call import Call, Command, opened, run, several
from muniment.surfaces.cli.screen import line, safe
from muniment.text.counts import counted

SIMILAR_SHOWN_MAX = 160
NOT_KEPT = 1
WITH_TEXT = ("add", "open_thread", "update", "supersede")
OF_TARGET = ("update", "supersede", "close_thread", "reject", "archive", "restore")
DONE = {
    "add": "Kept",
    "open_thread": "Opened",
    "update": "Changed",
    "supersede": "Kept",
    "close_thread": "Closed",
    "reject": "Rejected",
    "archive": "Archived",
    "restore": "Restored",
}


@click.command("remember", cls=Command)
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(get_args(MemoryKind)), help="What sort of statement it is (default fact).")
@click.option("--tier", type=click.Choice(TIERS), help="How prominently to keep it (default by kind).")
@click.option("--subject", help="What it is about, in a few words.")
@click.option("--topic", "topics", multiple=True, help="A topic; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="A free mark; may be repeated.")
@click.option("--person", "people", multiple=True, metavar="NAME", help="Whom it is about; may be repeated.")
@click.option("--event-time", metavar="DATE", help="When it was said or became true.")
@click.option("--valid-from", metavar="DATE", help="It holds from then on.")
@click.option("--valid-to", metavar="DATE", help="And until then.")
@click.option("--source", "source_ref", metavar="TEXT", help="Where it comes from: a file, a ticket, a ref.")
@click.option("--why", metavar="TEXT", help="The reason, kept with the change.")
@click.option("--evidence", multiple=True, metavar="REF", help="A record it is derived from; may be repeated.")
@click.option("--link", "links", multiple=True, metavar="RELATION=REF", help="How it relates to an earlier record.")
@click.option("--claim", "claims", multiple=True, metavar="JSON", help="What it states: subject, attribute, value, quote.")
@click.option("--open-thread", is_flag=True, help="Keep TEXT as an open thread.")
@click.option("--update", metavar="REF", help="Replace the text of this memory; earlier versions stay readable.")
@click.option("--supersede", metavar="REF", help="TEXT takes the place of this memory, because the world changed.")
@click.option("--correction", is_flag=True, help="With --supersede: because the old one was never so.")
@click.option("--close-thread", metavar="REF", help="This thread is no longer open.")
@click.option("--reject", metavar="REF", help="This memory was wrong.")
@click.option("--archive", metavar="REF", help="Take this memory out of recall.")
@click.option("--restore", metavar="REF", help="Bring a memory back into recall.")
@click.option("--expected-version", type=int, metavar="N", help="The version you have read (default: the newest).")
@click.option("--request-id", metavar="ID", help="Repeat a call safely: the same id returns the first answer.")
@click.pass_obj
def command(call: Call, /, text: str | None, **options: Any) -> int:
    """Keep TEXT, one statement that is complete in itself; - reads it from a pipe.

    What resembles it is listed. The options that take a memory's REF change that memory instead.
    """
    op, target = _op(options)
    text = piped() if text == "-" else text
    if op in WITH_TEXT and not (text or "").strip():
        raise click.UsageError("There is no TEXT to remember.")
    if op not in WITH_TEXT and text:
        raise click.UsageError(f"--{op.replace('_', '-')} takes no TEXT.")
    request = {"text": text, "op": op, "target": target} | _said(options)
    with opened(call, writing=target is None) as context:
        if target is not None and options["expected_version"] is None and options["request_id"] is None:
            request["expected_version"] = deciding.newest(call, context, target, None)
        answer: RememberAnswer = run(call, context, "remember", request)
        if answer.outcome == "applied" and op in WITH_TEXT:
            detached.start_worker(context)
    if call.as_json:
        call.answer(answer)
    else:
        told(call, op, answer)
    return 0 if kept(answer) else NOT_KEPT


def _op(options: dict[str, Any]) -> tuple[str, str | None]:
    """What to do, and with which memory."""
    named = [(op, options[op]) for op in OF_TARGET if options[op]] + [("open_thread", None)] * options["open_thread"]
    if len(named) > 1:
        chosen = " and ".join(f"--{op.replace('_', '-')}" for op, _ in named)
        raise click.UsageError(f"Choose one of {chosen}.")
    op, target = named[0] if named else ("add", None)
    if options["correction"] and op != "supersede":
        raise click.UsageError("--correction goes with --supersede.")
    return op, target


def _said(options: dict[str, Any]) -> dict[str, Any]:
    """What the options say of the statement, in the words of the operation."""
    names = ("kind", "tier", "subject", "event_time", "valid_from", "valid_to", "source_ref", "why", "expected_version")
    said = {name: options[name] for name in (*names, "request_id")}
    labels = {name: several(options[name]) for name in ("topics", "tags", "people")}
    said["labels"] = {name: value for name, value in labels.items() if value}
    said["evidence"] = several(options["evidence"])
    said["links"] = [_link(one) for one in options["links"]]
    said["claims"] = [_claim(one) for one in options["claims"]]
    return said | {"correction": options["correction"] or None}


def _link(text: str) -> dict[str, str]:
    relation, equals, ref = text.partition("=")
    if not equals:
        raise click.UsageError(f"--link {text!r} is not of the form RELATION=REF, such as supports=m_….")
    return {"relation": relation, "ref": ref}


def _claim(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise click.UsageError('--claim takes JSON: {"subject": "…", "attribute": "…", "value": "…"}.') from None


def piped() -> str:
    """What was piped in. Raises InvalidInput for what is not UTF-8."""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        advice = "Nothing was stored. Convert it first, such as with `iconv -t UTF-8`."
        raise InvalidInput(f"What was piped in is not UTF-8 (byte {fault.start + 1:,}).", advice) from None


def kept(answer: RememberAnswer) -> bool:
    """Whether it is in force now, or waits for a decision: what was retired before is not kept by saying it again."""
    return answer.outcome != "duplicate" or answer.action is not None or not answer.meta.warnings


def told(call: Call, op: str, answer: RememberAnswer) -> None:
    """What became of a statement, and how to take it back."""
    done = DONE[op]
    if answer.outcome == "duplicate":
        done = "Kept again" if answer.action else "Known already, now confirmed once more" if kept(answer) else "Not kept"
    if answer.outcome in ("queued", "quarantined"):
        click.echo(f"Proposed: {answer.ref} is {answer.outcome}.")
        call.note(f"`muniment proposals show {answer.ref}` shows what becomes of it.")
    else:
        version = f"version {answer.version}, " if answer.version else ""
        click.echo(f"{done}: {answer.ref} ({version}in {answer.workspace})")
    if answer.superseded:
        click.echo(f"  it takes the place of {answer.superseded}")
    if answer.masked:
        click.echo(f"  {counted(answer.masked, 'secret')} masked")
    if answer.dropped:
        click.echo(f"  {counted(answer.dropped, 'claim')} dropped: the quote is not in the text")
    for conflict in answer.conflicts:
        click.echo(f"  it speaks against something: `muniment review conflict {conflict}`")
    for warning in answer.meta.warnings:
        call.note(safe(warning))
    if answer.similar:
        call.note("It resembles:")
    for one in answer.similar:
        call.note(f"  {one.similarity:.0%}  {one.ref}  {line(one.text, SIMILAR_SHOWN_MAX)}")
    if answer.action and (op != "add" or answer.outcome == "duplicate"):
        call.note(f"`muniment undo {answer.action}` takes it back.")
