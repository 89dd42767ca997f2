"""Workspaces: which there are, which one this folder has, and everything that is done to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from muniment.model.access import CLASSES, Isolation
from muniment.model.workspaces import WorkspaceKind
from muniment.surfaces.cli.call import Call, Family, opened
from muniment.surfaces.cli.deciding import decided, given, why, yes
from muniment.surfaces.cli.screen import line, safe
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.model.workspaces import WorkspacesAnswer, WorkspaceSeen

# What is counted where something moved, in the order it is told.
TOLD = (
    ("records", "record"),
    ("sessions", "session"),
    ("versions", "kept version"),
    ("links", "link"),
    ("claims", "claim"),
    ("conflicts", "conflict"),
    ("proposals", "proposal"),
)


def done(call: Call, do: dict[str, Any], *, reason: str | None = None, agreed: bool = False) -> int:
    """Carry out one verb and show what came of it, and how it is taken back."""
    with opened(call) as context:
        answer: WorkspacesAnswer = decided(call, context, "workspaces", {"do": do, "reason": reason}, agreed=agreed)
        if call.as_json:
            call.answer(answer)
        else:
            _show(call, context, answer)
    return 0


def _show(call: Call, context: Context, answer: WorkspacesAnswer) -> None:
    for one in answer.workspaces:
        click.echo(_told(context, one))
    if answer.counts:
        said = [counted(answer.counts[name], word) for name, word in TOLD if answer.counts.get(name)]
        click.echo(f"Moved {', '.join(said) or 'nothing'}.")
        if cut := answer.counts.get("links_cut"):
            click.echo(f"{counted(cut, 'link')} to what stays could not cross the wall.")
    for warning in answer.meta.warnings:
        call.note(safe(warning))
    if answer.reverse:
        call.note(f"{answer.reverse} takes it back.")


def _told(context: Context, one: WorkspaceSeen) -> str:
    name = "" if one.name == one.slug else f"  {line(one.name, 60)}"
    last = f"  last {one.last_at[:10]}" if one.last_at else ""
    walls = [part for part in (one.state, one.data_class, one.isolation) if part not in ("active", "internal", "none")]
    kept = f"{counted(one.records, 'record')} in {counted(one.sessions, 'session')}"
    mark = "*" if one.slug == context.workspace else " "
    return f"{mark} {one.slug}{name}  {one.kind}  {kept}{last}{'  ' + ', '.join(walls) if walls else ''}"


@click.group("workspace", cls=Family)
def command() -> None:
    """Look after workspaces. Each record belongs to exactly one."""


@command.command("list")
@click.option("--archived", is_flag=True, help="Those too that were archived.")
@click.pass_obj
def list_(call: Call, archived: bool) -> int:
    """List the workspaces, with how much each holds. * marks the current one."""
    return done(call, {"verb": "list", "archived": archived})


@command.command()
@click.argument("slug")
@click.pass_obj
def show(call: Call, slug: str) -> int:
    """Show SLUG: what it holds, the names that lead to it, and those it is kept apart from."""
    with opened(call) as context:
        answer: WorkspacesAnswer = decided(
            call, context, "workspaces", {"do": {"verb": "show", "workspace": slug}}, agreed=True
        )
        if call.as_json:
            call.answer(answer)
            return 0
        one = answer.workspaces[0]
        click.echo(_told(context, one))
        for label, value in (
            ("project", one.root),
            ("merged into", one.merged_into),
            ("also called", ", ".join(one.led_by)),
            ("is not", ", ".join(one.apart)),
            ("is like", ", ".join(answer.candidates)),
        ):
            if value:
                click.echo(f"  {label}: {line(value, 200)}")
    return 0


@command.command()
@click.argument("slug")
@click.option("--name", help="A name for people (default: the slug).")
@click.option(
    "--kind", type=click.Choice(get_args(WorkspaceKind)), default="project", show_default=True, help="What it is for."
)
@click.option("--data-class", type=click.Choice(CLASSES), default="internal", show_default=True, help="How confidential it is.")
@click.option("--isolation", type=click.Choice(get_args(Isolation)), help="Default: the setting isolation.")
@why
@click.pass_obj
def add(call: Call, /, slug: str, why: str | None, **options: Any) -> int:
    """Make the workspace SLUG: letters and digits, joined by hyphens."""
    done(call, {"verb": "add", "slug": slug} | given(**options), reason=why)
    if not call.as_json:
        call.note(f"Made {slug}. Write to it with --workspace {slug}.")
    return 0


@command.command()
@click.argument("slug")
@click.argument("new")
@click.option("--name", help="A new name for people.")
@why
@click.pass_obj
def rename(call: Call, slug: str, new: str, name: str | None, why: str | None) -> int:
    """Call SLUG by the name NEW. The old name goes on leading to it."""
    return done(call, {"verb": "rename", "workspace": slug, "to": new} | given(name=name), reason=why)


@command.command()
@click.argument("slug")
@click.argument("into")
@why
@yes
@click.pass_obj
def merge(call: Call, /, slug: str, into: str, why: str | None, yes: bool) -> int:
    """Move everything of SLUG into INTO. SLUG ends archived, and its name leads to INTO."""
    return done(call, {"verb": "merge", "workspace": slug, "into": into}, reason=why, agreed=yes)


@command.command()
@click.argument("refs", nargs=-1, metavar="REF...")
@click.option("--into", required=True, metavar="SLUG", help="The workspace that takes them in.")
@why
@yes
@click.pass_obj
def move(call: Call, /, refs: tuple[str, ...], into: str, why: str | None, yes: bool) -> int:
    """Move memories and documents (m_…, d_…), or one whole session (s_…), into another workspace."""
    if len(refs) == 1 and refs[0].startswith("s_"):
        do: dict[str, Any] = {"verb": "move", "into": into, "session": refs[0]}
    else:
        do = {"verb": "move", "into": into, "records": list(refs)}
    return done(call, do, reason=why, agreed=yes)


@command.command()
@click.argument("slug")
@why
@yes
@click.pass_obj
def archive(call: Call, slug: str, why: str | None, yes: bool) -> int:
    """Take SLUG out of every list and answer. Nothing is deleted."""
    from muniment.surfaces.cli.call import confirmed

    confirmed(f"{slug} will no longer be recalled or written to.", yes=yes)
    return done(call, {"verb": "archive", "workspace": slug}, reason=why)


@command.command()
@click.argument("slug")
@why
@click.pass_obj
def restore(call: Call, slug: str, why: str | None) -> int:
    """Bring SLUG back that was archived."""
    return done(call, {"verb": "restore", "workspace": slug}, reason=why)


@command.command("set")
@click.argument("slug")
@click.option("--data-class", type=click.Choice(CLASSES), help="Who lacks this class does not see that it is there.")
@click.option(
    "--isolation",
    type=click.Choice(get_args(Isolation)),
    help="none: questions cover it and global; weak: everything, it first; strict: it alone.",
)
@click.option("--admits-similar/--admits-none", default=None, help="Whether a strict one reads those of nearly its name.")
@why
@yes
@click.pass_obj
def set_(call: Call, /, slug: str, why: str | None, yes: bool, **options: Any) -> int:
    """Say who may see SLUG and what its questions cover. What opens it is confirmed."""
    return done(call, {"verb": "set", "workspace": slug} | given(**options), reason=why, agreed=yes)


@command.command()
@click.argument("slug")
@why
@click.pass_obj
def confirm(call: Call, slug: str, why: str | None) -> int:
    """Say that the new name SLUG is meant. One that waited is found by everybody from then on."""
    return done(call, {"verb": "confirm", "workspace": slug}, reason=why)


@command.command("keep-separate")
@click.argument("name")
@click.argument("slug")
@click.option("--no-longer", is_flag=True, help="Take that back.")
@why
@click.pass_obj
def keep_separate(call: Call, name: str, slug: str, no_longer: bool, why: str | None) -> int:
    """Remember that NAME is not another spelling of SLUG."""
    return done(call, {"verb": "keep_separate", "name": name, "workspace": slug, "no_longer": no_longer}, reason=why)


@command.command()
@click.argument("name")
@click.pass_obj
def candidates(call: Call, name: str) -> int:
    """List the workspaces that NAME may be a slip of."""
    with opened(call) as context:
        answer: WorkspacesAnswer = decided(
            call, context, "workspaces", {"do": {"verb": "candidates", "name": name}}, agreed=True
        )
        if call.as_json:
            call.answer(answer)
            return 0
        for one in answer.workspaces:
            click.echo(f"{name} is {one.slug}.")
        click.echo("\n".join(answer.candidates) if answer.candidates else "No other one is like it.")
    return 0


@command.command()
@click.pass_obj
def redirects(call: Call) -> int:
    """List the names that lead to a workspace, and those that are kept apart from one."""
    with opened(call) as context:
        answer: WorkspacesAnswer = decided(call, context, "workspaces", {"do": {"verb": "redirects"}}, agreed=True)
        if call.as_json:
            call.answer(answer)
            return 0
        for one in answer.redirects:
            click.echo(f"{one.name}  {'leads to' if one.decision == 'redirect' else 'is not'}  {one.workspace}")
        if not answer.redirects:
            click.echo("No name leads elsewhere.")
    return 0


@command.command()
@click.pass_obj
def here(call: Call) -> None:
    """Show which workspace this folder has, and why."""
    from pathlib import Path

    from muniment.access import folders, pauses

    root = folders.root_of(Path.cwd())
    paused = pauses.covers(pauses.listed(), Path.cwd())
    with opened(call) as context:
        slug = context.workspace
        held = folders.workspace_of(context.store, Path.cwd())
    if call.settings().workspace:
        why = "it is set by --workspace, MUNIMENT_WORKSPACE or the settings file"
    elif held:
        why = f"the project {root}"
    elif root:
        why = f"the project {root} has none yet; the first thing that is kept makes it"
    else:
        why = "this folder is in no git project"
    if call.as_json:
        call.answer({"workspace": slug, "why": why, "project": str(root) if root else None, "paused": paused})
        return
    click.echo(f"{slug}  ({why})")
    if paused:
        click.echo("Paused: nothing said here is kept until `muniment resume`.")
