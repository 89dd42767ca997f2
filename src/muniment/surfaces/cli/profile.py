"""Profiles: who may log in to a server. A passphrase is read from the terminal or from stdin, never from the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import InvalidInput
from muniment.model.access import LEVELS
from muniment.surfaces.cli.call import Call, Family, confirmed, opened
from muniment.surfaces.cli.screen import line, row
from muniment.surfaces.cli.token import NAME_MAX, given, limited, managed, narrowing, reach, wall

if TYPE_CHECKING:
    from muniment.model.managing import ProfileSeen

stdin = click.option("--passphrase-stdin", "piped", is_flag=True, help="Read the passphrase from stdin, one line.")


@click.group("profile", cls=Family)
def command() -> None:
    """Say who may log in to a server, and what their tokens and clients may do at most."""


@command.command()
@click.argument("name")
@click.option("--level", type=click.Choice(LEVELS), required=True, help="What it may do at most.")
@limited
@stdin
@click.option(
    "--subject", help="Whom the tokens of the configured issuer call it (auth=external); no passphrase is asked for then."
)
@click.option("--print", "only_print", is_flag=True, help="Store nothing; print the entry for a file of profiles.")
@click.pass_obj
def add(call: Call, /, name: str, piped: bool, subject: str | None, only_print: bool, **limits: Any) -> None:
    """Make the profile NAME with a passphrase of at least 12 characters, asked for twice.

    With --subject it is who logs in at another issuer; --passphrase-stdin gives it a passphrase too.

    --print shows the entry for the setting profiles_file instead, and with --json the one for the setting profiles.
    """
    from muniment.access import principals

    said = given(limits) | ({"subject": subject} if subject else {})
    if only_print:
        _print(call, name, said | _secret(piped, subject))
        return
    with opened(call) as context:
        for one in managed(call, context, "profiles", {}).profiles:
            if principals.key(one.name) == principals.key(name):
                advice = "Change it with `muniment profile set` or `passwd`, or choose another name."
                raise InvalidInput(f"There is a profile {one.name!r} already.", advice)
        (made,) = managed(call, context, "set_profile", {"name": name} | said | _secret(piped, subject)).profiles
    _told(call, made, "may log in now")


@command.command("list")
@click.option("--all", "every", is_flag=True, help="Also profiles that have ended.")
@click.pass_obj
def list_(call: Call, every: bool) -> None:
    """List who may log in, and what each may do at most."""
    with opened(call) as context:
        found = managed(call, context, "profiles", {"all": every}).profiles
    if call.as_json:
        call.answer({"profiles": found})
        return
    for one in found:
        click.echo(_line(one))
    if not found:
        click.echo("There is no profile.")


@command.command("set")
@click.argument("name")
@click.option("--level", type=click.Choice(LEVELS), help="What it may do at most.")
@limited
@click.option("--subject", help="Whom the tokens of the configured issuer call it (auth=external); '' for nobody.")
@click.pass_obj
def set_(call: Call, /, name: str, subject: str | None, **limits: Any) -> None:
    """Change what the profile NAME may do; its tokens and clients shrink with it at once. --read '*' means all."""
    said = given(limits) | ({"subject": subject} if subject is not None else {})
    if not said:
        raise click.UsageError("Say what is to change, such as --level or --read.")
    with opened(call) as context:
        _known(call, context, name)
        (made,) = managed(call, context, "set_profile", {"name": name} | said).profiles
    _told(call, made, "is changed")


@command.command()
@click.argument("name")
@stdin
@click.pass_obj
def passwd(call: Call, name: str, piped: bool) -> None:
    """Give the profile NAME another passphrase. Whoever is logged in with the old one has to log in again."""
    from muniment.access import passphrases

    with opened(call) as context:
        _known(call, context, name)
        secret = passphrases.hashed(passphrase(piped))
        (made,) = managed(call, context, "set_profile", {"name": name, "secret_hash": secret}).profiles
    _told(call, made, "has another passphrase")


@command.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def end(call: Call, name: str, yes: bool) -> None:
    """End the profile NAME at once, with all its tokens, grants and logins. What it wrote stays."""
    with opened(call) as context:
        _known(call, context, name)
        confirmed(f"All tokens and clients of {line(name, NAME_MAX)} end at once.", yes=yes)
        (ended,) = managed(call, context, "end_profile", {"name": name}).profiles
    _told(call, ended, "has ended")


def passphrase(piped: bool) -> str:
    """A passphrase from stdin, or asked for twice at the terminal. Raises InvalidInput where nobody can be asked."""
    if piped:
        return sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    if not sys.stdin.isatty():
        raise InvalidInput("There is no terminal to ask for the passphrase.", "Pass it on stdin with --passphrase-stdin.")
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True))


def _secret(piped: bool, subject: str | None) -> dict[str, str]:
    """The hash of a passphrase, which only who logs in elsewhere can do without."""
    from muniment.access import passphrases

    return {} if subject and not piped else {"secret_hash": passphrases.hashed(passphrase(piped))}


def _known(call: Call, context: Any, name: str) -> None:
    from muniment.errors import NotFound

    if not any(one.name == name for one in managed(call, context, "profiles", {}).profiles):
        raise NotFound(f"There is no profile {name!r}.", "`muniment profile list` shows them.")


def _print(call: Call, name: str, entry: dict[str, Any]) -> None:
    if call.as_json:
        call.answer({name: entry})
        return
    import tomlkit

    document = tomlkit.document()
    document[name] = entry
    click.echo(tomlkit.dumps(document).strip())
    call.note("Put this into the file that the setting profiles_file names; nothing was stored.")


def _told(call: Call, one: ProfileSeen, what: str) -> None:
    if call.as_json:
        call.answer(one)
        return
    walled = (f"reads {wall(one.read)}", f"writes {wall(one.write)}")
    may = ", ".join(part for part in (one.level, *walled, *narrowing(one, one.level), _subject(one)) if part)
    click.echo(f"{line(one.name, NAME_MAX)} {what} ({may}).")


def _subject(one: ProfileSeen) -> str:
    return f"subject {line(one.subject, NAME_MAX)}" if one.subject else ""


def _line(one: ProfileSeen) -> str:
    marks = ("configured" if one.configured else "", "" if one.valid else "ended", _subject(one))
    return row(line(one.name, NAME_MAX), one.level, *reach(one.read, one.write), *narrowing(one, one.level), *marks)
