"""Tokens: what proves who calls a server. A token is shown once, when it is made, and never again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from muniment.errors import InvalidInput, NotFound
from muniment.model.access import CLASSES, LEVEL_CLASSES, LEVELS, MODES, ZONES, level_of
from muniment.model.managing import HISTORY_MAX, HISTORY_PAGE
from muniment.surfaces.cli.call import Call, Family, opened, run, several
from muniment.surfaces.cli.screen import day_and_time, line, row

if TYPE_CHECKING:
    from collections.abc import Callable

    from muniment.context import Context
    from muniment.model.managing import Allowed, EventSeen, GrantSeen, ProfileSeen, TokensAnswer, TokenSeen, Walls

NAME_MAX = 60

LIMITS = (
    click.option("--read", multiple=True, metavar="SLUG", help="A workspace it may read (default: all); may be repeated."),
    click.option("--write", multiple=True, metavar="SLUG", help="A workspace it may write (default: as --read)."),
    click.option(
        "--data-class",
        "data_classes",
        multiple=True,
        type=click.Choice(CLASSES),
        help="A data class it sees (default: public and internal; owner and admin: all); may be repeated.",
    ),
    click.option("--zone", type=click.Choice(ZONES), help="How far its words are believed (default: trusted)."),
    click.option("--write-mode", type=click.Choice(MODES), help="Whether its changes wait (default: direct)."),
)


def limited(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that bound a token or a profile."""
    for option in reversed(LIMITS):
        command = option(command)
    return command


def given(limits: dict[str, Any]) -> dict[str, Any]:
    """What was said of the limits, as the operation takes it."""
    return {name: several(value) if isinstance(value, tuple) else value for name, value in limits.items() if value}


@click.group("token", cls=Family)
def command() -> None:
    """Give, list, rotate and revoke the tokens of a server, and what people granted to clients."""


@command.command()
@click.argument("name", required=False)
@click.option("--name", "label", hidden=True, help="The same as NAME.")
@click.option("--level", type=click.Choice(LEVELS), default="agent", show_default=True, help="What it may do.")
@click.option("--principal", metavar="NAME", help="Whom it acts as (default: NAME of the token); local is the owner.")
@limited
@click.option("--default-workspace", metavar="SLUG", help="Its current workspace when a call names none.")
@click.option(
    "--expires", metavar="30d", help="When it ends: a number and m, h, d or w (default: never; shared 90d, untrusted 30d)."
)
@click.pass_obj
def add(call: Call, /, name: str | None, label: str | None, level: str, **limits: Any) -> None:
    """Make a token for NAME, a person or a machine, and print it once.

    viewer reads; agent also adds; operator also changes; curator reads and curates; owner and admin also manage.
    """
    name = name or label
    if not name:
        raise click.UsageError("Name whom the token is for.")
    with opened(call) as context:
        twice = any(one.name == name for one in managed(call, context, "list", {}).tokens)
        answer = managed(call, context, "create", {"name": name, "level": level} | given(limits))
    (made,) = answer.tokens
    if call.as_json:
        call.answer({"token": answer.token, "level": level} | _plain(made))
        return
    click.echo(answer.token)
    told = f"It is the token of {line(made.principal, NAME_MAX)} ({level}{_of(made)})"
    call.note(f"This is shown once. {told}; `muniment token revoke {made.ref}` ends it.")
    if twice:
        shown = line(name, NAME_MAX)
        call.note(f"Another token is named {shown} too. A server of the ring prod starts only when one of them has ended.")


@command.command("list")
@click.option("--all", "every", is_flag=True, help="Also tokens that have ended.")
@click.pass_obj
def list_(call: Call, every: bool) -> None:
    """List the tokens: their name, whom they act as, their level and what narrows it. Never the tokens themselves.

    One that has the scopes of no level is shown with its scopes.
    """
    with opened(call) as context:
        found = managed(call, context, "list", {"all": every}).tokens
    if call.as_json:
        call.answer({"tokens": [_plain(one) for one in found]})
        return
    for one in found:
        level = level_of(one.scopes)
        ends = day_and_time(one.expires_at, zone_known=True) if one.expires_at else ""
        click.echo(
            row(
                one.ref,
                line(one.name, NAME_MAX),
                line(f"as {one.principal}", NAME_MAX),
                level or " ".join(one.scopes),
                *reach(one.read, one.write),
                *narrowing(one, level),
                f"used {one.used_at[:10]}" if one.used_at else "",
                f"until {ends}" if ends else "",
                "" if one.valid else "ended",
            )
        )
    if not found:
        click.echo("There is no token.")


@command.command()
@click.argument("token")
@click.pass_obj
def revoke(call: Call, token: str) -> None:
    """End TOKEN (its ref k_…, or its name when only one has it) at once."""
    with opened(call) as context:
        ref = _ref(call, context, token)
        managed(call, context, "revoke", {"token": ref})
    if call.as_json:
        call.answer({"revoked": ref})
        return
    click.echo(f"Revoked {ref}.")


@command.command()
@click.argument("token")
@click.pass_obj
def rotate(call: Call, token: str) -> None:
    """Give TOKEN (its ref k_…, or its name) another secret and print it once. The one before ends at once."""
    with opened(call) as context:
        answer = managed(call, context, "rotate", {"token": _ref(call, context, token)})
    (made,) = answer.tokens
    if call.as_json:
        call.answer({"token": answer.token} | _plain(made))
        return
    click.echo(answer.token)
    call.note(f"This is shown once. {made.ref} may do what it did; its secret of before has ended.")


@command.command()
@click.option("--all", "every", is_flag=True, help="Also grants that have ended.")
@click.pass_obj
def grants(call: Call, every: bool) -> None:
    """List what people granted to clients that log in with OAuth."""
    with opened(call) as context:
        found = managed(call, context, "grants", {"all": every}).grants
    if call.as_json:
        call.answer({"grants": found})
        return
    for one in found:
        click.echo(_granted(one))
    if not found:
        click.echo("Nobody has granted anything to a client.")


@command.command("revoke-grant")
@click.argument("grant")
@click.pass_obj
def revoke_grant(call: Call, grant: str) -> None:
    """End GRANT (its ref o_…) with all of its tokens at once."""
    with opened(call) as context:
        managed(call, context, "revoke_grant", {"grant": grant})
    if call.as_json:
        call.answer({"revoked": grant})
        return
    click.echo(f"Revoked {grant}.")


@command.command()
@click.option("--principal", metavar="NAME", help="Only what this principal did, or what was theirs.")
@click.option("--since", metavar="TIME", help="Not before this date or time.")
@click.option("--before", type=int, metavar="NUMBER", help="Only events with a smaller number.")
@click.option("--limit", type=click.IntRange(1, HISTORY_MAX), default=HISTORY_PAGE, show_default=True, help="How many.")
@click.pass_obj
def history(call: Call, /, **wish: Any) -> None:
    """Say who made, changed and ended tokens, profiles, grants and clients, and by which door; newest first."""
    with opened(call) as context:
        answer = managed(call, context, "history", wish)
    if call.as_json:
        call.answer({"events": answer.events, "more": answer.more})
        return
    for one in answer.events:
        click.echo(_happened(one))
    if not answer.events:
        click.echo("The access log holds nothing of that." if _asked(wish) else "The access log is empty.")
    if answer.more:
        again = " ".join(("muniment token history", *_asked(wish), f"--before {answer.more}"))
        call.note(f"There is more: `{again}`.")


def _asked(wish: dict[str, Any]) -> list[str]:
    """What a history was narrowed to, as it is asked for once more on the next page."""
    names = [name for name in ("principal", "since") if wish[name]]
    if wish["limit"] != HISTORY_PAGE:
        names.append("limit")
    return [f"--{name} {shlex.quote(str(wish[name]))}" for name in names]


def managed(call: Call, context: Context, verb: str, values: dict[str, Any]) -> TokensAnswer:
    """One verb of the operation `tokens`. Options that were not given are left out."""
    given = {name: value for name, value in values.items() if value not in (None, False)}
    answer: TokensAnswer = run(call, context, "tokens", {"do": {"verb": verb} | given})
    return answer


def reach(read: str | Walls, write: str | Walls) -> tuple[str, ...]:
    """`reads all`; or `reads alpha,beta` and `writes alpha`."""
    reads = f"reads {wall(read)}"
    return (reads,) if write == read else (reads, f"writes {wall(write)}")


def wall(named: str | Walls) -> str:
    """`all`, `alpha,beta`, or `nowhere`."""
    return "all" if isinstance(named, str) else ",".join(named) or "nowhere"


def _ref(call: Call, context: Context, token: str) -> str:
    """The ref of a token that was named by its ref or its label."""
    named = [one for one in managed(call, context, "list", {}).tokens if one.name == token]
    if len(named) > 1:
        raise InvalidInput(f"{len(named)} tokens are named {token!r}.", "Use a ref from `muniment token list`.")
    if not named and not token.startswith("k_"):
        raise NotFound(f"There is no token {token!r}.", "`muniment token list` shows them.")
    return named[0].ref if named else token


def _plain(one: TokenSeen) -> dict[str, object]:
    names = ("ref", "name", "principal", "scopes", "read", "write", "data_classes", "zone", "write_mode", "valid")
    times = ("default_workspace", "created_at", "expires_at", "used_at")
    return {name: getattr(one, name) for name in (*names, *times)}


def _granted(one: GrantSeen) -> str:
    return row(
        one.ref,
        line(one.client, NAME_MAX),
        line(f"by {one.principal}", NAME_MAX),
        " ".join(one.scopes),
        *reach(one.read, one.write),
        f"used {one.used_at[:10]}" if one.used_at else "",
        "" if one.valid else "ended",
    )


def narrowing(one: TokenSeen | ProfileSeen | Allowed, level: str | None) -> tuple[str, ...]:
    """The data classes of a token or profile where they are not those of its level, and what else narrows it."""
    usual = level is not None and frozenset(one.data_classes) == LEVEL_CLASSES[level]
    classes = "" if usual else f"sees {','.join(one.data_classes) or 'no class'}"
    return classes, *bounds(one)


def bounds(one: TokenSeen | ProfileSeen | Allowed) -> tuple[str, ...]:
    """The zone and the write mode, where they are not as usual."""
    zone = "" if one.zone == "trusted" else f"zone {one.zone}"
    return zone, "" if one.write_mode == "direct" else one.write_mode


def _happened(one: EventSeen) -> str:
    """`#7  2026-11-30 17:20  token made  k_…  scout  of scout  by local (cli)  viewer  reads alpha`."""
    nobody = "the settings of the server" if one.door == "settings" else "nobody in particular"
    by = line(one.by, NAME_MAX) if one.by else nobody
    return row(
        f"#{one.number}",
        day_and_time(one.at, zone_known=True),
        one.kind.replace("_", " "),
        one.target or "",
        line(one.name, NAME_MAX) if one.name else "",
        f"of {line(one.principal, NAME_MAX)}" if one.principal else "",
        f"by {by} ({one.door}{f' via {one.via}' if one.via else ''})",
        *(_may(one.given) if one.given else ()),
        *(("before:", *_may(one.before)) if one.before else ()),
        f"until {day_and_time(one.expires_at, zone_known=True)}" if one.expires_at else "",
        f"client {line(one.client_id, NAME_MAX)}" if one.client_id else "",
        f"why: {one.why}" if one.why else "",
        *(line(told, NAME_MAX) for told in one.told),
    )


def _may(one: Allowed) -> tuple[str, ...]:
    level = level_of(one.scopes)
    return level or " ".join(one.scopes), *reach(one.read, one.write), *narrowing(one, level)


def _of(one: TokenSeen) -> str:
    ends = f"until {day_and_time(one.expires_at, zone_known=True)}" if one.expires_at else ""
    return "".join(f", {part}" for part in (*bounds(one), ends) if part)
