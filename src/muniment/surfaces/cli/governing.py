"""Deciding and changing with authority: `govern` with its verbs, `judge` for conflicts, and `undo`.

Whatever may be taken back says at its end how.
"""

from __future__ import annotations

from typing import Any, get_args

import click

from muniment.model.governing import GovernAnswer, JudgeAnswer
from muniment.model.knowing import EntityType
from muniment.model.records import Protection
from muniment.model.reviewing import ConflictSeen
from muniment.surfaces.cli import deciding
from muniment.surfaces.cli.call import Call, Command, Family, opened, run
from muniment.surfaces.cli.deciding import given, reason, run_name, why, yes
from muniment.surfaces.cli.screen import line, safe
from muniment.text.counts import counted

CHANGED_LISTED_MAX = 20
TEXT_MAX = 200
TAKEN_BACK = "taken back at the command line"
UNDOABLE = ("approve", "confirm", "retire", "restore", "protect", "apply_step", "contain", "set_entity")


def done(call: Call, do: dict[str, Any], options: dict[str, Any], *, resting: str | None = None) -> int:
    """Carry out one verb and show what came of it. `resting`: the field that names what the change rests on."""
    with opened(call) as context:
        values: dict[str, Any] = {"do": do, "reason": options.get("why"), "run": options.get("run_")}
        if resting == "target":
            do["expected_version"] = deciding.newest(call, context, do["target"], options["expected_version"], quiet=True)
        elif resting == "conflict" and options["expected_revision"] is None:
            do["expected_revision"] = deciding.conflict(call, context, do["conflict"]).revision
        elif resting == "conflict":
            do["expected_revision"] = options["expected_revision"]
        answer: GovernAnswer = deciding.decided(call, context, "govern", values, agreed=options.get("yes", False))
    if call.as_json:
        call.answer(answer)
    else:
        show(call, answer)
    return 0


def show(call: Call, answer: GovernAnswer) -> None:
    """What was done, what it changed, and how to take it back."""
    from muniment.surfaces.cli import listing

    changed = f" {counted(len(answer.changed), 'record')} changed" if answer.changed else ""
    said = f"Done: {answer.verb.replace('_', ' ')}." if answer.rule is None else f"auto-accept-clean is {answer.rule}."
    click.echo(f"{said}{changed}")
    for ref in answer.changed[:CHANGED_LISTED_MAX]:
        click.echo(f"  {ref}")
    if len(answer.changed) > CHANGED_LISTED_MAX:
        click.echo(f"  and {len(answer.changed) - CHANGED_LISTED_MAX} more")
    if answer.counts:
        (listing.scanned if answer.verb == "scan" else listing.counts)(answer.counts)
    if answer.proposal:
        became = f", now {answer.proposal.result}" if answer.proposal.result else ""
        click.echo(f"  {answer.proposal.ref} is {answer.proposal.state}{became}")
    if answer.conflict:
        listing.conflict(answer.conflict)
        _tell_next(call, answer.conflict)
    for warning in answer.meta.warnings:
        call.note(safe(warning))
    if answer.action and answer.verb in UNDOABLE:
        call.note(f"`muniment undo {answer.action}` takes it back.")


@click.group("govern", cls=Family)
def command() -> None:
    """Decide what waits and change what stands."""


@command.command()
@click.argument("proposal")
@why
@run_name
@yes
@click.pass_obj
def approve(call: Call, /, proposal: str, **options: Any) -> int:
    """Accept PROPOSAL (p_…); it is applied at once."""
    return done(call, {"verb": "approve", "proposal": proposal}, options)


@command.command()
@click.argument("proposal")
@why
@run_name
@yes
@click.pass_obj
def reject(call: Call, /, proposal: str, **options: Any) -> int:
    """Refuse PROPOSAL (p_…); it is kept, so that it is not proposed again."""
    return done(call, {"verb": "reject", "proposal": proposal}, options)


@command.command()
@click.argument("target")
@deciding.version
@reason
@run_name
@yes
@click.pass_obj
def confirm(call: Call, /, target: str, **options: Any) -> int:
    """Say that TARGET is right: it counts as confirmed by a person and is locked."""
    return done(call, {"verb": "confirm", "target": target}, options, resting="target")


@command.command()
@click.argument("target")
@click.option("--heir", metavar="REF", help="What takes its place; without one it was wrong, or is archived.")
@click.option(
    "--how", type=click.Choice(("change", "correction", "wrong", "archive")), help="Default: change; wrong if no heir."
)
@deciding.version
@reason
@run_name
@yes
@click.pass_obj
def retire(call: Call, /, target: str, heir: str | None, how: str | None, **options: Any) -> int:
    """Take TARGET out of recall: replaced by an heir, as wrong, or archived."""
    do = {"verb": "retire", "target": target, "how": how or ("change" if heir else "wrong")}
    return done(call, do | given(heir=heir), options, resting="target")


@command.command()
@click.argument("target")
@deciding.version
@reason
@run_name
@yes
@click.pass_obj
def restore(call: Call, /, target: str, **options: Any) -> int:
    """Bring TARGET back into recall."""
    return done(call, {"verb": "restore", "target": target}, options, resting="target")


@command.command()
@click.argument("target")
@click.argument("level", type=click.Choice(get_args(Protection)))
@deciding.version
@reason
@run_name
@yes
@click.pass_obj
def protect(call: Call, /, target: str, level: str, **options: Any) -> int:
    """Say who may change TARGET from now on: everybody who may write, who governs, or only a person."""
    return done(call, {"verb": "protect", "target": target, "level": level}, options, resting="target")


@command.command("apply-step")
@click.argument("conflict")
@click.argument("number", type=int, metavar="STEP")
@click.option("--text", help="The new text, where the step edits.")
@deciding.revision
@reason
@run_name
@yes
@click.pass_obj
def apply_step(call: Call, /, conflict: str, number: int, text: str | None, **options: Any) -> int:
    """Do STEP of the plan of CONFLICT (c_…), which was judged before."""
    do = {"verb": "apply_step", "conflict": conflict, "step": number} | given(text=text)
    return done(call, do, options, resting="conflict")


@command.command()
@click.argument("conflict")
@deciding.step
@deciding.revision
@why
@run_name
@yes
@click.pass_obj
def replan(call: Call, /, conflict: str, steps: tuple[str, ...], **options: Any) -> int:
    """Give CONFLICT (c_…) another plan; the earlier one is kept."""
    return done(call, {"verb": "replan", "conflict": conflict, "plan": deciding.plan(steps)}, options, resting="conflict")


@command.command()
@click.argument("conflict")
@deciding.revision
@why
@run_name
@yes
@click.pass_obj
def resolve(call: Call, /, conflict: str, **options: Any) -> int:
    """Close CONFLICT (c_…). No member may still assert a losing value."""
    return done(call, {"verb": "resolve", "conflict": conflict}, options, resting="conflict")


@command.command()
@click.argument("target")
@reason
@run_name
@yes
@click.pass_obj
def contain(call: Call, /, target: str, **options: Any) -> int:
    """Archive TARGET and everything derived from it, in one action that one undo takes back."""
    return done(call, {"verb": "contain", "target": target}, options)


@command.command("set-entity")
@click.argument("name")
@click.option("--alias-of", metavar="NAME", help="It is another spelling of this.")
@click.option("--merge-into", metavar="NAME", help="It is the same as this.")
@click.option("--block/--unblock", default=None, help="It names nothing; or it does again.")
@click.option("--type", "type_", type=click.Choice(get_args(EntityType)), help="What it is.")
@why
@run_name
@yes
@click.pass_obj
def set_entity(
    call: Call,
    /,
    name: str,
    alias_of: str | None,
    merge_into: str | None,
    block: bool | None,
    type_: str | None,
    **options: Any,
) -> int:
    """Say what NAME means: another spelling, the same as another name, nothing at all, or of which type it is."""
    said = given(alias_of=alias_of, merge_into=merge_into, block=block, type=type_)
    if not said:
        raise click.UsageError("Say what it means: --alias-of, --merge-into, --block, --unblock or --type.")
    return done(call, {"verb": "set_entity", "entity": name} | said, options)


@command.command()
@click.argument("notice")
@click.pass_obj
def dismiss(call: Call, notice: str) -> int:
    """Take NOTICE (n_…) as read."""
    return done(call, {"verb": "dismiss", "notice": notice}, {})


@command.command()
@click.pass_obj
def scan(call: Call) -> int:
    """Look through everything for statements that cannot all be right."""
    return done(call, {"verb": "scan"}, {})


@command.command("auto-accept-clean")
@click.argument("switch", type=click.Choice(("on", "off")))
@why
@yes
@click.pass_obj
def auto_accept_clean(call: Call, /, switch: str, **options: Any) -> int:
    """Whether clean, unopposed proposals on unprotected targets are accepted without a person.

    What waits already is looked at once; later ones are applied by the worker, at once where it runs.
    """
    return done(call, {"verb": "auto_accept_clean", "on": switch == "on"}, options)


@click.command("undo", cls=Command)
@click.argument("action", required=False)
@click.option("--run", "taken", metavar="RUN", help="Every change of this run.")
@click.option("--why", default=TAKEN_BACK, metavar="TEXT", help="The reason, kept with the change.")
@yes
@click.pass_obj
def undo(call: Call, /, action: str | None, taken: str | None, **options: Any) -> int:
    """Take ACTION (a_…) back, or every change of a run. `muniment review audit` lists them."""
    if (action is None) == (taken is None):
        raise click.UsageError("Name an ACTION, or a run with --run.")
    return done(call, {"verb": "undo"} | given(action=action, run=taken), options)


@click.command("judge", cls=Command)
@click.argument("conflict")
@click.option("--choose", metavar="VALUE", help="This value holds.")
@click.option("--not-a-conflict", is_flag=True, help="All of them may hold at once.")
@click.option("--defer", is_flag=True, help="Decide later.")
@click.option(
    "--keep", "resolution", metavar="REF", help="With --choose: the record that states it and stays; it needs no --step."
)
@deciding.step
@deciding.revision
@click.option("--why", required=True, metavar="TEXT", help="The reason, kept with the decision.")
@click.pass_obj
def judge(
    call: Call,
    /,
    conflict: str,
    choose: str | None,
    not_a_conflict: bool,
    defer: bool,
    resolution: str | None,
    steps: tuple[str, ...],
    expected_revision: int | None,
    why: str,
) -> int:
    """Decide CONFLICT (c_…) or a candidate (l_…). It changes no record yet: `muniment govern apply-step` does that."""
    verdicts = [("choose", choose is not None), ("not_a_conflict", not_a_conflict), ("defer", defer)]
    named = [verdict for verdict, chosen in verdicts if chosen]
    if len(named) != 1:
        raise click.UsageError("Choose one of --choose, --not-a-conflict and --defer.")
    planned = deciding.plan(steps)
    request: dict[str, Any] = {"conflict": conflict, "verdict": named[0], "reason": why, "chosen_value": choose}
    with opened(call) as context:
        if expected_revision is None and conflict.startswith("c_"):
            expected_revision = deciding.conflict(call, context, conflict).revision
        request |= {"resolution": resolution, "plan": planned, "expected_revision": expected_revision}
        answer: JudgeAnswer = run(call, context, "judge", request)
    if call.as_json:
        call.answer(answer)
    else:
        _show_judged(call, answer)
    return 0


def _tell_next(call: Call, conflict: ConflictSeen) -> None:
    """The command that goes on with a plan, ready to be called as it stands."""
    if conflict.status != "applying":
        return
    left = [one for one in conflict.plan if one.state != "done"]
    if not left:
        call.note(f'Next: `muniment govern resolve {conflict.ref} --why "every step is done"`.')
    elif left[0].state == "waiting":
        call.note(f'Next: `muniment govern apply-step {conflict.ref} {left[0].number} --why "as judged"`.')


def _show_judged(call: Call, answer: JudgeAnswer) -> None:
    from muniment.surfaces.cli import listing

    if answer.conflict:
        listing.conflict(answer.conflict)
        _tell_next(call, answer.conflict)
    if answer.candidate:
        click.echo(f"{answer.candidate.ref} is {answer.candidate.state}.")
    for warning in answer.meta.warnings:
        call.note(line(warning, TEXT_MAX))
