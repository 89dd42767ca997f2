"""Making, finding, copying and removing the store. Nothing is removed without the typed word."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import InvalidInput, StoreMissing
from muniment.surfaces.cli.call import Call, Command, confirmed, started

if TYPE_CHECKING:
    from muniment.settings import Settings
    from muniment.store.postgres_admin import Established

WORD = "delete"
STORE_ENDINGS = ("", "-wal", "-shm", "-journal")


@click.command(cls=Command)
@click.pass_obj
def init(call: Call) -> None:
    """Make the store, at the default place or at --store.

    Repeating it is harmless: what is kept in a store that is there stays as it is, and one that was left half made is
    completed. An older one is brought up to date as by `muniment upgrade`.
    A workspace that is named by --workspace or MUNIMENT_WORKSPACE is made too. On PostgreSQL, MUNIMENT_STORE_ADMIN names who
    makes the tables; the role of the store's own address is made when it is missing.
    """
    from muniment import app
    from muniment.governance import workspaces

    settings = call.settings()
    address = app.where(settings)
    path = None if address.startswith(app.SERVER_ADDRESS) else Path(address).expanduser()
    there = path is not None and path.exists() and path.stat().st_size > 0
    done = _established(call, settings) if app.administered(settings) else None
    if path is None:
        # Without an owner's address nothing of a server can be made, so what answers was there.
        there = done is None or done.there
    role = done.made if done else ""
    opened = app.open_app(settings) if app.administered(settings) else app.create_app(settings)
    try:
        made = workspaces.ensure(opened.context(), settings.workspace) if settings.workspace else False
        where = opened.store.where
    finally:
        opened.close()
    if call.as_json:
        answer = {"store": where, "made": not there, "workspace_made": settings.workspace if made else None}
        call.answer(answer | ({"role_made": role} if role else {}))
        return
    click.echo(f"{'The store is ready' if there else 'Made the store'}: {where}")
    if there:
        click.echo(_left(done))
    if made:
        click.echo(f"Made the workspace {settings.workspace}.")
    if not there:
        call.note('Next: `muniment ingest --sample`, or `muniment install claude-code`, or `muniment remember "…"`.')


@click.command(cls=Command)
@click.pass_obj
def upgrade(call: Call) -> None:
    """Bring an older store up to date. A copy of the store is kept beside it first."""
    from muniment import app

    settings = call.settings()
    done = list(_established(call, settings).applied) if app.administered(settings) else app.upgrade_app(settings)
    if call.as_json:
        call.answer({"applied": done})
        return
    click.echo(f"Applied {', '.join(done)}." if done else "The store is up to date; nothing was changed.")


def _left(done: Established | None) -> str:
    """What was done to a store that was there."""
    if done is None:
        return "It was there already, and nothing that it keeps was changed."
    tables = f"applied {', '.join(done.applied)}" if done.applied else "its tables were up to date"
    return f"It was there already, and nothing that it keeps was changed: {tables}, and roles and rights are as they should be."


def _established(call: Call, settings: Settings) -> Established:
    """Bring a PostgreSQL store up to date, and say which role was made for it."""
    from muniment import app

    done = app.establish(settings)
    if done.made and not call.as_json:
        click.echo(f"Made the role {done.made}, which owns nothing: the server logs in with it.")
        if not done.password:
            click.echo(f"It has no password: give it one in psql (\\password {done.made}), or let pg_hba.conf admit it.")
    return done


@click.command(cls=Command)
@click.argument("target", type=click.Path(path_type=Path))
@click.pass_obj
def backup(call: Call, target: Path) -> None:
    """Write a complete copy of the store to TARGET while others go on using it.

    An existing file is never overwritten. A PostgreSQL store is backed up with pg_dump.
    """
    with started(call) as app:
        if target.exists():
            raise InvalidInput(f"{target} is there already.", "Choose another name.")
        # The copy holds what the store holds, so it is as private; the name appears once it is whole. Nobody knows the first
        # name beforehand, so nobody who may write to the folder leads the copy elsewhere by a link of that name.
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent)
        os.close(handle)
        part = Path(name)
        try:
            app.store.backup(part)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    size = target.stat().st_size
    if call.as_json:
        call.answer({"backup": str(target.absolute()), "bytes": size})
        return
    click.echo(f"Wrote {target} ({size:,} bytes).")


@click.command(cls=Command)
@click.pass_obj
def where(call: Call) -> None:
    """Show where the store, the settings and the log lie, and what is set from where. Secrets are never shown."""
    from muniment import app
    from muniment import settings as known
    from muniment.access import pauses
    from muniment.surfaces.hooklog import log_path

    settings = call.settings()
    address = app.where(settings)
    path = None if address.startswith(app.SERVER_ADDRESS) else Path(address).expanduser().absolute()
    shown = known.shown(settings)
    if path is None:
        address = shown["store"]
    set_ = {name: {"value": shown[name], "from": _origin(call, name)} for name in sorted(settings.named)}
    config = Path(os.environ.get(f"{known.PREFIX}CONFIG") or known.config_path())
    answer: dict[str, Any] = {
        "store": str(path) if path else address,
        "store_there": path.exists() if path else None,
        "settings": str(config),
        "settings_there": config.exists(),
        "log": str(log_path()),
        "paused": pauses.listed(),
        "set": set_,
    }
    if call.as_json:
        call.answer(answer)
        return
    missing = "" if path is None or path.exists() else "  (not made yet: `muniment init`)"
    click.echo(f"store     {answer['store']}{missing}")
    click.echo(f"settings  {config}{'' if config.exists() else '  (not there; every setting has a default)'}")
    click.echo(f"log       {answer['log']}")
    for folder in answer["paused"]:
        click.echo(f"paused    {folder}")
    for name, one in set_.items():
        click.echo(f"set       {name} = {one['value']}  (from {one['from']})")


@click.command(cls=Command)
@click.option("--purge", is_flag=True, help="Also delete the store, the settings and the log.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def uninstall(call: Call, purge: bool, yes: bool) -> None:
    """Take Muniment out of every client on this machine. --purge also deletes what is remembered.

    Backups that you made stay where they are, and a PostgreSQL store is left to its database.
    """
    from muniment import app

    settings = call.settings()
    address = app.where(settings)
    doomed = _doomed(address) if purge else []
    if doomed:
        listed = "\n".join(f"  {path}" for path in doomed)
        confirmed(f"This deletes for good:\n{listed}\n", yes=yes, word=WORD)
    clients = _leave_clients()
    for path in doomed:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if call.as_json:
        call.answer({"clients": clients, "deleted": [str(path) for path in doomed]})
        return
    click.echo(f"Took Muniment out of {', '.join(clients)}." if clients else "Muniment was in no client.")
    for path in doomed:
        click.echo(f"Deleted {path}.")
    if purge and address.startswith(app.SERVER_ADDRESS):
        click.echo("The PostgreSQL store was left alone; drop its database to delete it.")
    call.note("The program itself goes with `pipx uninstall muniment` or `uv tool uninstall muniment`.")


def _doomed(address: str) -> list[Path]:
    """What a purge deletes, as far as it is there: never a file that another program made, nor a folder that holds more."""
    from muniment import app
    from muniment.access import pauses
    from muniment.settings import config_path
    from muniment.store.sqlite import belongs
    from muniment.surfaces.hooklog import log_path

    found: list[Path] = []
    if not address.startswith(app.SERVER_ADDRESS):
        store = Path(address).expanduser().absolute()
        try:
            belongs(store, create=False)
        except StoreMissing:
            pass
        else:
            found += [Path(f"{store}{ending}") for ending in STORE_ENDINGS]
    found += [config_path(), config_path().parent / pauses.NAME, log_path(), log_path().with_suffix(".log.1")]
    return [path for path in found if path.is_file()]


def _leave_clients() -> list[str]:
    """Take our entry out of every client that has one; answers their titles. The first that cannot be changed stops it."""
    from datetime import datetime

    from muniment.surfaces.install import changes, clients, detect, launch
    from muniment.surfaces.install.plan import plan

    machine = detect.this_machine()
    left = []
    for name in detect.installed(machine):
        client = clients.find(name)
        planned = plan(client, machine, command=tuple(launch.executable()), scope="user", uninstall=True)
        if planned:
            changes.apply(planned, datetime.now().astimezone())
            left.append(client.title)
    return left


def _origin(call: Call, name: str) -> str:
    """Where the value in force was set."""
    from muniment.settings import PREFIX

    if getattr(call, name, None):
        return "the command line"
    return f"{PREFIX}{name.upper()}" if os.environ.get(PREFIX + name.upper()) else "the settings file"
