"""`muniment install`: put Muniment into a client, show what that would do, or take it out again.

One thing is always true: each file that was changed is named, with its backup and what to do next; `--print` writes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from muniment.errors import InvalidInput, MunimentError
from muniment.surfaces.cli.call import Call, Command
from muniment.surfaces.errors import shown
from muniment.surfaces.install import changes, clients, detect, launch
from muniment.surfaces.install.changes import Applied, Change
from muniment.surfaces.install.clients import Client, Machine
from muniment.surfaces.install.plan import Scope, plan

FAILED = 2
STORE = "MUNIMENT_STORE"
NAME_IT = "Name it in the settings file that `muniment where` shows; clients, hooks and commands all read it."


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of one call."""

    command: tuple[str, ...]
    machine: Machine
    scope: Scope
    url: str | None
    token_env: str | None
    env: Mapping[str, str]
    uninstall: bool
    hooks: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one client; `fault` is set instead of `applied` when it failed."""

    client: Client
    changes: tuple[Change, ...] = ()
    applied: tuple[Applied, ...] = ()
    fault: MunimentError | None = None


@click.command("install", cls=Command)
@click.argument("client", required=False)
@click.option("--all", "every", is_flag=True, help="Every client that is found on this machine.")
@click.option(
    "--list", "listing", is_flag=True, help="Show the clients, whether they are here and whether Muniment is in them."
)
@click.option("--print", "dry", is_flag=True, help="Show the change of each file and write nothing.")
@click.option("--uninstall", is_flag=True, help="Take Muniment out again.")
@click.option(
    "--scope", type=click.Choice(["user", "project"]), default="user", show_default=True, help="For you, or for this folder."
)
@click.option("--url", help="Use a Muniment server at this address instead of the memory of this machine.")
@click.option(
    "--token-env", metavar="NAME", help="The variable that holds the server's token; the token itself is not written."
)
@click.option(
    "--env", "pairs", metavar="NAME=VALUE", multiple=True, help="A variable for the server, such as MUNIMENT_TOOLSETS."
)
@click.option("--no-hooks", is_flag=True, help="Leave Claude Code's hooks alone.")
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), hidden=True)
@click.pass_obj
def command(
    call: Call,
    client: str | None,
    every: bool,
    listing: bool,
    dry: bool,
    uninstall: bool,
    scope: Scope,
    url: str | None,
    token_env: str | None,
    pairs: tuple[str, ...],
    no_hooks: bool,
    home: Path | None,
) -> int:
    """Put Muniment into CLIENT: claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, antigravity, zed,
    opencode, copilot, cline or kiro.

    Comments, order and other settings stay as they are, a backup is put beside each file, and a second call changes
    nothing.
    """
    if sum((client is not None, every, listing)) != 1:
        raise click.UsageError("Name one client, or use --all or --list.")
    _refuse_store(call)
    wish = Wish(
        command=tuple(launch.executable()),
        machine=detect.this_machine(home),
        scope=scope,
        url=url,
        token_env=token_env,
        env=_pairs(pairs),
        uninstall=uninstall,
        hooks=not no_hooks,
    )
    if listing:
        _show_list(call, wish)
        return 0
    chosen = _found(wish) if every else [clients.find(client or "")]
    outcomes = [_outcome(one, wish, dry=dry) for one in chosen]
    if call.as_json:
        call.answer({"clients": [_plain(outcome) for outcome in outcomes]})
    else:
        for outcome in outcomes:
            _show(outcome, wish, dry=dry)
    return FAILED if any(outcome.fault for outcome in outcomes) else 0


def _refuse_store(call: Call) -> None:
    """A store that only an entry names would be filled by no hook and asked by no command."""
    if call.store or call.workspace:
        raise InvalidInput("`muniment install` writes neither a store nor a workspace into a client.", NAME_IT)


def _refuse_two_stores(client: Client, wish: Wish) -> None:
    """Hooks get no variables, so what they keep would not be where the client asks."""
    if client.hooks and wish.hooks and not wish.uninstall and STORE in wish.env:
        raise InvalidInput(f"The hooks of {client.title} do not see {STORE}.", f"{NAME_IT} Or add --no-hooks.")


def _pairs(pairs: Sequence[str]) -> dict[str, str]:
    split = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    if any("=" not in pair for pair in pairs):
        raise InvalidInput("A variable needs a value.", "Write --env NAME=VALUE.")
    return split


def _found(wish: Wish) -> list[Client]:
    names = detect.installed(wish.machine)
    found = [clients.find(name) for name in names]
    usable = [one for one in found if wish.scope == "user" or one.project]
    if not usable:
        raise InvalidInput("No client was found on this machine.", "Name one: muniment install claude-code.")
    return usable


def _outcome(client: Client, wish: Wish, *, dry: bool) -> Outcome:
    planned: tuple[Change, ...] = ()
    try:
        _refuse_two_stores(client, wish)
        planned = plan(
            client,
            wish.machine,
            command=wish.command,
            scope=wish.scope,
            url=wish.url,
            token_env=wish.token_env,
            env=wish.env,
            uninstall=wish.uninstall,
            hooks=wish.hooks,
        )
        applied = () if dry else changes.apply(planned, datetime.now().astimezone())
    except MunimentError as fault:
        return Outcome(client, planned, fault=fault)
    return Outcome(client, planned, applied)


# Showing


def _show(outcome: Outcome, wish: Wish, *, dry: bool) -> None:
    console = Console(soft_wrap=True, highlight=False)
    title = escape(outcome.client.title)
    if outcome.fault:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"[red]{title}: {escape(str(outcome.fault))}[/red]")
        return
    if not outcome.changes:
        console.print(f"{title}: {'Muniment is not in it' if wish.uninstall else 'already as wanted'}; nothing was changed.")
        return
    if dry:
        for change in outcome.changes:
            click.echo(_difference(change), nl=False)
        return
    for done in outcome.applied:
        backup = f" (backup: {escape(done.backup.name)})" if done.backup else ""
        console.print(f"[green]✓[/green] {escape(done.what)}: {escape(str(done.path))}{backup}")
    if not wish.uninstall:
        console.print(f"Next: {escape(outcome.client.next_step)}")


def _difference(change: Change) -> str:
    """A unified diff, which patch understands."""
    before, after = (change.before or "").splitlines(keepends=True), (change.after or "").splitlines(keepends=True)
    old = "/dev/null" if change.before is None else str(change.path)
    new = "/dev/null" if change.after is None else str(change.path)
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _plain(outcome: Outcome) -> dict[str, Any]:
    answer: dict[str, Any] = {"client": outcome.client.name, "title": outcome.client.title}
    if outcome.fault:
        return answer | shown(outcome.fault)
    backups = {done.path: str(done.backup) if done.backup else None for done in outcome.applied}
    answer["written"] = bool(outcome.applied)
    answer["changes"] = [
        {"path": str(change.path), "what": change.what, "after": change.after, "backup": backups.get(change.path)}
        for change in outcome.changes
    ]
    return answer | {"next": outcome.client.next_step}


def _show_list(call: Call, wish: Wish) -> None:
    here = detect.installed(wish.machine)
    rows = [_row(client, wish, found=client.name in here) for client in clients.CLIENTS]
    if call.as_json:
        call.answer({"clients": rows})
        return
    table = Table("Client", "Name", "Found", "Muniment", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["title"], row["client"], "yes" if row["found"] else "no", row["state"])
    Console(highlight=False).print(table)


def _row(client: Client, wish: Wish, *, found: bool) -> dict[str, Any]:
    paths: Sequence[Any] = ()
    if wish.scope == "user" or client.project:
        paths = clients.files(client, wish.machine, wish.scope)
    return {
        "client": client.name,
        "title": client.title,
        "found": found,
        "state": detect.state(client, wish.machine, wish.command, wish.scope),
        "files": [str(path) for path in paths],
    }
