"""Workspaces: which there are, which one this folder has, and making and archiving them."""

from __future__ import annotations

import click

from muniment.model.reading import ProjectsAnswer
from muniment.surfaces.cli.call import Call, Family, confirmed, opened, run
from muniment.surfaces.cli.screen import line
from muniment.text.counts import counted

KINDS = ("project", "client", "shared")


@click.group("workspace", cls=Family)
def command() -> None:
    """List, make and archive workspaces. Each record belongs to exactly one."""


@command.command("list")
@click.pass_obj
def list_(call: Call) -> None:
    """List the workspaces, with how much each holds. * marks the current one."""
    with opened(call) as context:
        answer: ProjectsAnswer = run(call, context, "list_projects", {})
    if call.as_json:
        call.answer(answer)
        return
    for one in answer.projects:
        last = f"  last {one.last_at[:10]}" if one.last_at else ""
        name = "" if one.name == one.project_id else f"  {line(one.name, 60)}"
        mark = "*" if one.current else " "
        click.echo(
            f"{mark} {one.project_id}{name}  {one.kind}  "
            f"{counted(one.records, 'record')} in {counted(one.sessions, 'session')}{last}"
        )


@command.command()
@click.argument("slug")
@click.option("--name", help="A name for people (default: the slug).")
@click.option("--kind", type=click.Choice(KINDS), default="project", show_default=True, help="What it is for.")
@click.pass_obj
def add(call: Call, slug: str, name: str | None, kind: str) -> None:
    """Make the workspace SLUG: letters and digits, joined by hyphens."""
    from muniment.governance import workspaces

    with opened(call) as context:
        made = workspaces.add(context, slug, name=name, kind=kind)
    if call.as_json:
        call.answer({"workspace": made.slug, "name": made.name, "kind": made.kind})
        return
    click.echo(f"Made {made.slug}. Write to it with --workspace {made.slug}.")


@command.command()
@click.argument("slug")
@click.option("--why", help="The reason, kept with the change.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def archive(call: Call, slug: str, why: str | None, yes: bool) -> None:
    """Take SLUG out of every list and answer. Nothing is deleted."""
    from muniment.governance import workspaces

    with opened(call) as context:
        confirmed(f"{slug} will no longer be recalled or written to.", yes=yes)
        workspaces.archive(context, slug, reason=why)
    if call.as_json:
        call.answer({"archived": slug})
        return
    click.echo(f"Archived {slug}.")


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
