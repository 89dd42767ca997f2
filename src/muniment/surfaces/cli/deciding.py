"""Commands that change what is kept: the version they rest on, and the confirmation that some of them need.

A person at the terminal may leave a version out: what stands is read and shown, and the change is made on exactly that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from muniment.errors import ConfirmationRequired, InvalidInput
from muniment.surfaces.cli.call import Call, run
from muniment.surfaces.cli.screen import line, safe

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.model.reviewing import ConflictSeen

TEXT_SHOWN_MAX = 200
DECLINED = 1
Decorated = TypeVar("Decorated", bound=Callable[..., Any])

why = click.option("--why", metavar="TEXT", help="The reason, kept with the change.")
reason = click.option("--why", required=True, metavar="TEXT", help="The reason, kept with the change.")
run_name = click.option("--run", "run_", metavar="RUN", help="A name that groups changes, so that one undo takes all back.")
yes = click.option("--yes", is_flag=True, help="Do not ask.")
version = click.option("--expected-version", type=int, metavar="N", help="The version you have read (default: the newest).")
revision = click.option("--expected-revision", type=int, metavar="N", help="The revision you have read (default: the newest).")
step = click.option(
    "--step", "steps", multiple=True, metavar="REF=OP", help="What to do with a member, such as m_…=update_current_claim."
)


def decided(call: Call, context: Context, operation: str, values: dict[str, Any], *, agreed: bool) -> Any:
    """Run an operation; where it has to be confirmed, show its impact, ask, and run it again.

    Without somebody to ask and without --yes it ends with confirmation_required.
    """
    try:
        return run(call, context, operation, values)
    except ConfirmationRequired as asked:
        if not agreed and not sys.stdin.isatty():
            asked.do_next = "Nothing was changed. Repeat the command with --yes to go on."
            raise
        confirm = asked.confirm
        if not call.quiet or not agreed:
            click.echo(safe(asked.impact), err=True)
    if not agreed and not click.confirm("Go on?", default=False, err=True):
        call.note("Nothing was changed.")
        raise click.exceptions.Exit(DECLINED)
    return run(call, context, operation, values | {"confirm": confirm})


def newest(call: Call, context: Context, ref: str, expected: int | None, *, quiet: bool = False) -> int:
    """The version that a change rests on: the expected one, or what stands now, which is shown.

    `quiet` where the impact shows it anyway.
    """
    if expected is not None:
        return expected
    answer = run(call, context, "read", {"ref": ref})
    if len(answer.records) != 1 or answer.session:
        raise InvalidInput(f"{ref} is no record.", "Name one record (m_…).")
    record = answer.records[0]
    if not quiet:
        call.note(f"{record.ref} stands at version {record.version}, {record.state}: {line(record.text, TEXT_SHOWN_MAX)}")
    return int(record.version)


def conflict(call: Call, context: Context, ref: str) -> ConflictSeen:
    """A conflict as it is now. Raises InvalidInput for a ref of something else."""
    found: ConflictSeen | None = run(call, context, "review", {"do": {"verb": "conflict", "conflict": ref}}).conflict
    if found is None:
        raise InvalidInput(f"{ref} is no conflict.", "List them with `muniment review conflicts`.")
    return found


def plan(steps: tuple[str, ...]) -> list[dict[str, str]]:
    """`REF=OP` as the operation takes it."""
    planned = []
    for one in steps:
        ref, equals, op = one.partition("=")
        if not equals:
            raise click.UsageError(f"--step {one!r} is not of the form REF=OP.")
        planned.append({"ref": ref, "op": op})
    return planned


def given(**values: Any) -> dict[str, Any]:
    """Only what was given."""
    return {name: value for name, value in values.items() if value is not None}
