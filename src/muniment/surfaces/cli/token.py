"""Tokens: what proves who calls a server. A token is shown once, when it is made, and never again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from muniment.errors import InvalidInput, NotFound
from muniment.model.times import Moment
from muniment.surfaces.cli.call import Call, Family, opened
from muniment.surfaces.cli.screen import line

if TYPE_CHECKING:
    from muniment.access.tokens import Token
    from muniment.model.access import Zone

ZONES = ("trusted", "shared", "untrusted")
LEVELS = ("viewer", "agent", "operator", "owner", "admin")
UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
LIFETIME_DAYS_MAX = 3650


@click.group("token", cls=Family)
def command() -> None:
    """Give, list and revoke the tokens of a server."""


@command.command()
@click.argument("name", required=False)
@click.option("--name", "label", hidden=True, help="The same as NAME.")
@click.option("--level", type=click.Choice(LEVELS), default="agent", show_default=True, help="What it may do.")
@click.option("--principal", metavar="NAME", help="Whom it acts as (default: NAME of the token); local is the owner.")
@click.option("--read", multiple=True, metavar="SLUG", help="A workspace it may read (default: all); may be repeated.")
@click.option("--write", multiple=True, metavar="SLUG", help="A workspace it may write (default: as --read); may be repeated.")
@click.option("--default-workspace", metavar="SLUG", help="Its current workspace when a call names none.")
@click.option("--zone", type=click.Choice(ZONES), default="trusted", show_default=True, help="How far its words are believed.")
@click.option(
    "--expires", metavar="30d", help="When it ends: a number and m, h, d or w (default: never; shared 90d, untrusted 30d)."
)
@click.pass_obj
def add(
    call: Call,
    name: str | None,
    label: str | None,
    level: str,
    principal: str | None,
    read: tuple[str, ...],
    write: tuple[str, ...],
    default_workspace: str | None,
    zone: Zone,
    expires: str | None,
) -> None:
    """Make a token for NAME, a person or a machine, and print it once.

    viewer reads; agent also adds; operator also changes; owner and admin also manage.
    """
    from muniment.access import tokens

    name = name or label
    if not name:
        raise click.UsageError("Name whom the token is for.")
    with opened(call) as context:
        now = context.now()
        ends = now + lifetime(expires) if expires else None
        uid = context.uid()
        with context.store.write() as connection:
            secret = tokens.add(
                connection,
                tokens.NewToken(name, level, principal, read or None, write or None, default_workspace, ends, zone),
                uid=uid,
                now=now,
            )
            made = next(one for one in tokens.listing(connection) if one.ref == f"k_{uid}")
    if call.as_json:
        call.answer(
            {
                "token": secret,
                "ref": f"k_{uid}",
                "name": name,
                "principal": made.principal,
                "level": level,
                "zone": zone,
                "expires_at": _day(made.expires_at),
            }
        )
        return
    click.echo(secret)
    whose = line(made.principal, 60)
    call.note(f"This is shown once. It is the token of {whose} ({level}{_of(made)}); `muniment token revoke k_{uid}` ends it.")


@command.command("list")
@click.option("--all", "every", is_flag=True, help="Also tokens that have ended.")
@click.pass_obj
def list_(call: Call, every: bool) -> None:
    """List the tokens: their label, whom they act as, what they may do and see. Never the tokens themselves."""
    from muniment.access import tokens

    with opened(call) as context:
        now = context.now()
        with context.store.read() as connection:
            found = [one for one in tokens.listing(connection) if every or one.valid(now)]
    if call.as_json:
        call.answer({"tokens": [_plain(one, now) for one in found]})
        return
    for one in found:
        state = "" if one.valid(now) else "  ended"
        ends = f"  until {_day(one.expires_at)}" if one.expires_at else ""
        whose = line(f"by {one.principal}", 60)
        zone = "" if one.zone == "trusted" else f"  zone {one.zone}"
        reads = "all" if one.read is None else ",".join(sorted(one.read))
        writes = "" if one.write == one.read else f"  writes {'all' if one.write is None else ','.join(sorted(one.write))}"
        scopes = " ".join(sorted(one.scopes))
        click.echo(f"{one.ref}  {line(one.label, 60)}  {whose}  {scopes}  reads {reads}{writes}{zone}{ends}{state}")
    if not found:
        click.echo("There is no token.")


@command.command()
@click.argument("token")
@click.pass_obj
def revoke(call: Call, token: str) -> None:
    """End TOKEN (its ref k_…, or its name when only one has it) at once."""
    from muniment.access import tokens

    with opened(call) as context:
        with context.store.read() as connection:
            named = [one for one in tokens.listing(connection) if one.label == token and one.valid(context.now())]
        if len(named) > 1:
            raise InvalidInput(f"{len(named)} tokens are named {token!r}.", "Use a ref from `muniment token list`.")
        ref = named[0].ref if named else token
        if not named and not token.startswith("k_"):
            raise NotFound(f"There is no token {token!r}.", "`muniment token list` shows them.")
        with context.store.write() as connection:
            tokens.revoke(connection, ref, context.now())
    if call.as_json:
        call.answer({"revoked": ref})
        return
    click.echo(f"Revoked {ref}.")


def lifetime(text: str) -> int:
    """`30d` in milliseconds. Raises InvalidInput."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip().lower())
    span = int(match[1]) * UNITS_MS[match[2]] if match else 0
    if not 0 < span <= LIFETIME_DAYS_MAX * UNITS_MS["d"]:
        raise InvalidInput(f"{text!r} is no lifetime.", "Write a number and m, h, d or w, such as 30d; ten years are the most.")
    return span


def _plain(one: Token, now: int) -> dict[str, object]:
    return {
        "ref": one.ref,
        "name": one.label,
        "principal": one.principal,
        "scopes": sorted(one.scopes),
        "read": sorted(one.read) if one.read is not None else "*",
        "write": sorted(one.write) if one.write is not None else "*",
        "default_workspace": one.default_workspace,
        "zone": one.zone,
        "expires_at": _day(one.expires_at),
        "valid": one.valid(now),
    }


def _of(one: Token) -> str:
    zone = "" if one.zone == "trusted" else f", zone {one.zone}"
    return zone + (f", until {_day(one.expires_at)}" if one.expires_at else "")


def _day(ms: int | None) -> str | None:
    return Moment(ms, 0).iso() if ms is not None else None
