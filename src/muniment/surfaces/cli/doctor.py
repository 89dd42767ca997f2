"""`muniment doctor`: the health of the store, of the clients' settings and of the hooks, each with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from muniment.errors import InvalidInput, MunimentError
from muniment.settings import EXTERNAL
from muniment.surfaces.cli.call import Call, Command, opened
from muniment.surfaces.cli.screen import line
from muniment.text.counts import counted

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.insight.health import Finding
    from muniment.settings import Settings

# What is well but may be bettered has a sign of its own: a tick asks nobody to do anything.
HINT = ("→", "cyan")
SIGNS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}
EXIT_CODES = {"ok": 0, "warn": 1, "fail": 2}
LOG_DAYS = 7
LOG_LINES_SHOWN = 3


@click.command("doctor", cls=Command)
@click.option("--deep", is_flag=True, help="Also read every page of the store and try the embedder.")
@click.pass_obj
def command(call: Call, deep: bool) -> int:
    """Check the store and what depends on it, and say what to run where something is wrong.

    Exit codes: 0 all is well, 1 something wants attention, 2 something is broken.
    """
    from muniment.insight.health import Finding, Health, examine

    try:
        with opened(call) as context:
            found = list(examine(context, deep).findings)
            found += _outbound(call.settings(), context)
    except MunimentError as fault:
        found = [Finding("fail", fault.message, "", fault.do_next)]
    found += [*_misspelt(), *_clients(), *_hooks(), *_pauses()]
    health = Health(tuple(found))
    if call.as_json:
        call.answer({"level": health.level, "findings": found})
        return EXIT_CODES[health.level]
    for one in found:
        if one.level != "ok" or not call.quiet:
            _show(one)
    if not call.quiet:
        wrong = sum(one.level != "ok" for one in found)
        click.echo("All is well." if not wrong else f"{wrong} of {len(found)} {'wants' if wrong == 1 else 'want'} attention.")
    return EXIT_CODES[health.level]


def _show(one: Finding) -> None:
    sign, colour = HINT if one.level == "ok" and one.do_next else SIGNS[one.level]
    click.echo(f"{click.style(sign, fg=colour)} {line(one.what, 500)}")
    if one.why:
        click.echo(f"    {line(one.why, 500)}")
    if one.do_next:
        click.echo(f"    {line(one.do_next, 500)}")


def _fetches(settings: Settings, context: Context) -> bool:
    """Whether the server fetches from where a client says: only while people can log in there, and only for them."""
    from muniment.access import profiles

    if settings.read_only:
        return False  # nobody logs in then
    with context.store.read() as connection:
        known = any(one.ended_at is None for one in profiles.listing(connection))
    return known and settings.auth not in ("tokens", EXTERNAL) and settings.oauth_metadata_documents


def _outbound(settings: Settings, context: Context) -> Iterator[Finding]:
    """What leaves this machine: nothing, unless an endpoint, a database elsewhere or logins are configured."""
    from muniment.insight.health import Finding
    from muniment.store import generations

    with context.store.read() as connection:
        urls = [str(one.spec["url"]) for one in generations.wanted(connection) if one.spec.get("url")]
    fetches, external = _fetches(settings, context), settings.auth == EXTERNAL
    but = ", but for what `serve` fetches" if fetches or external else ""
    if urls and not context.engines.off:
        yield Finding("ok", f"Texts are sent to {', '.join(urls)}, as the embedder says.")
    elif context.store.path is None:
        yield Finding("ok", f"No connection is opened to anywhere but the database{but}: {context.store.where}")
    else:
        yield Finding("ok", f"No connection is opened to anywhere{but}.")
    if fetches:
        title = (
            "`serve` fetches the metadata of clients whose id is an https address, for who is logged in, and keys of clients."
        )
        yield Finding("ok", title, "", "Set oauth_metadata_documents to false if it is to fetch nothing.")
    if external:
        yield Finding("ok", f"`serve` fetches the keys of {settings.external_issuer}, whose tokens it takes (auth=external).")


def _misspelt() -> Iterator[Finding]:
    """Variables that somebody set for nothing: of the environment no unknown name is a fault, as it may be anybody's."""
    from muniment.insight.health import Finding
    from muniment.settings import misspelt

    for name, near in misspelt():
        yield Finding("warn", f"{line(name, 60)} is set, and no setting is called so.", "", f"Perhaps {near} was meant.")


def _clients() -> Iterator[Finding]:
    """Whether the clients on this machine start this Muniment."""
    from muniment.insight.health import Finding
    from muniment.surfaces.install import clients, detect, launch

    machine = detect.this_machine()
    connected = []
    for name in detect.installed(machine):
        client = clients.find(name)
        state = detect.state(client, machine, launch.executable(), "user")
        if state == "outdated path":
            advice = f"Run `muniment install {name}`; --print shows the change first."
            yield Finding("warn", f"{client.title} starts another Muniment, or misses a hook.", "", advice)
        elif state == "installed":
            connected.append(client.title)
    if connected:
        yield Finding("ok", f"Connected: {', '.join(connected)}.")


def _hooks() -> Iterator[Finding]:
    """What went wrong in hooks lately."""
    from muniment.insight.health import Finding
    from muniment.surfaces.hooklog import log_path, recent

    lines = recent(datetime.now(UTC) - timedelta(days=LOG_DAYS))
    if lines:
        advice = f"Read {log_path()}; delete it once it is settled."
        yield Finding(
            "warn",
            f"Hooks reported {counted(len(lines), 'fault')} in {LOG_DAYS} days.",
            " / ".join(lines[-LOG_LINES_SHOWN:]),
            advice,
        )


def _pauses() -> Iterator[Finding]:
    """Which folders are paused; a list that cannot be read stops the hooks."""
    from muniment.access import pauses
    from muniment.insight.health import Finding

    try:
        held = pauses.listed()
    except InvalidInput as fault:
        yield Finding("fail", fault.message, "Until then hooks keep nothing.", fault.do_next)
        return
    if held:
        yield Finding("ok", f"Paused: {', '.join(held)}.")
