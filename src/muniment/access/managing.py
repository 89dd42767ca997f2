"""Managing tokens, grants and profiles. Whoever manages sees, makes and ends only what lies within its own limits.

What lies beyond is answered as what is not there. It all stands in the whole store, which walls do not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from muniment.access import events, limits, policy, principals, profiles, showing, tokens, walls
from muniment.access.events import Event
from muniment.access.limits import Limits
from muniment.access.oauth import grants
from muniment.access.oauth.grants import Given
from muniment.access.profiles import NewProfile, Profile
from muniment.access.tokens import Maker, NewToken, Token
from muniment.access.walls import Wall
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, NotFound
from muniment.model import managing
from muniment.model.access import LEVEL_CLASSES, LEVEL_SCOPES, LOCAL, PROD
from muniment.model.managing import EVERY, TokensAnswer, TokensRequest
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text import dates, plain

MANAGING = frozenset({"share", "admin"})
UNLIMITED = Limits(LEVEL_SCOPES["admin"])


def manage(context: Context, request: TokensRequest) -> TokensAnswer:
    """Manage who may do what in your workspaces: list, make, rotate and revoke tokens; list and revoke what people granted to
    clients; list, set and end the profiles that people log in with; read who did any of this. You see and give only what you
    have yourself.

    A new token is in `token`, once. Errors: insufficient_scope, not_found, invalid_input.
    """
    if not context.grant.scopes & MANAGING:
        raise InsufficientScope("This token may not manage tokens: that needs the scope share or admin.")
    do = plain.clean_all(request).do
    if do.verb not in managing.READING:
        policy.writable(context)
    answer = VERBS[type(do)](context, do)
    return showing.veiled(answer, _seen(context)) if policy.walled(context.grant) else answer


def _seen(context: Context) -> frozenset[str]:
    """The workspaces that a caller may know the names of."""
    with context.system.read() as connection:
        return frozenset(one.slug for one in workspaces.all_of(connection) if policy.visible(context.grant, one))


def _list(context: Context, do: managing.ListTokens) -> TokensAnswer:
    with context.system.read() as connection:
        found = _tokens(context, connection)
    now = context.now()
    return TokensAnswer(do.verb, tokens=tuple(showing.token(one, now) for one in found if do.all or one.valid(now)))


def _create(context: Context, do: managing.CreateToken) -> TokensAnswer:
    most, uid, now = limits.of(context.grant), context.uid(), context.now()
    read, write = _walls(do.read, do.write, most.read, most.write)
    new = NewToken(
        do.name,
        do.level,
        do.principal,
        read,
        write,
        do.default_workspace,
        now + tokens.lifetime(do.expires) if do.expires else None,
        do.zone or most.zone,
        do.data_classes or LEVEL_CLASSES[do.level] & most.classes,
        do.write_mode,
    )
    _within(new.limits, most)
    with context.system.write() as connection:
        _there(context, connection, do.read, do.write, (do.default_workspace,) if do.default_workspace else None)
        _acts_as(context, connection, tokens.principal_named(new.label, new.principal))
        if context.ring == PROD and any(one.label == new.label and one.valid(now) for one in tokens.listing(connection)):
            raise InvalidInput(
                f"In the ring prod each token has a name of its own, and {new.label!r} is taken.", "Choose another name."
            )
        new = replace(new, expires_at=_ends(context, connection, new, now))
        by, actor = _maker(context, connection), events.actor(context)
        secret = tokens.add(connection, new, uid=uid, now=now, by=by, actor=actor, entropy=context.entropy)
        made = next(one for one in tokens.listing(connection) if one.ref == f"k_{uid}")
    return TokensAnswer(do.verb, token=secret, tokens=(showing.token(made, now),))


def _revoke(context: Context, do: managing.RevokeToken) -> TokensAnswer:
    with context.system.write() as connection:
        _managed(context, connection, do.token)
        tokens.revoke(connection, do.token, context.now(), actor=events.actor(context))
        ended = next(one for one in tokens.listing(connection) if one.ref == do.token)
    return TokensAnswer(do.verb, tokens=(showing.token(ended, context.now()),))


def _rotate(context: Context, do: managing.RotateToken) -> TokensAnswer:
    if context.grant.foreign_until is not None:
        raise InsufficientScope(
            "A client with a token of another issuer rotates none: the new secret would outlast what it shows for itself.",
            "Use `muniment token rotate`, or create a token.",
        )
    with context.system.write() as connection:
        held = _managed(context, connection, do.token)
        # Whoever holds a secret acts as its principal.
        _acts_as(context, connection, held.principal)
        by, actor = _maker(context, connection), events.actor(context)
        secret = tokens.rotate(connection, do.token, context.now(), by=by, actor=actor, entropy=context.entropy)
    return TokensAnswer(do.verb, token=secret, tokens=(showing.token(held, context.now()),))


def _grants(context: Context, do: managing.ListGrants) -> TokensAnswer:
    with context.system.read() as connection:
        found = _given(context, connection)
    return TokensAnswer(do.verb, grants=tuple(showing.grant(one) for one in found if do.all or one.revoked_at is None))


def _revoke_grant(context: Context, do: managing.RevokeGrant) -> TokensAnswer:
    with context.system.write() as connection:
        found = next((one for one in _given(context, connection) if one.ref == do.grant and one.revoked_at is None), None)
        if found is None:
            raise NotFound(f"There is no grant {do.grant!r} to revoke.", "List them with `muniment token grants`.")
        grants.revoke(connection, do.grant, context.now(), actor=events.actor(context))
    return TokensAnswer(do.verb, grants=(showing.grant(replace(found, revoked_at=context.now())),))


def _profiles(context: Context, do: managing.ListProfiles) -> TokensAnswer:
    with context.system.read() as connection:
        found = _known(context, connection)
    return TokensAnswer(do.verb, profiles=tuple(showing.profile(one) for one in found if do.all or one.ended_at is None))


def _set_profile(context: Context, do: managing.SetProfile) -> TokensAnswer:
    most, name = limits.of(context.grant), principals.named(do.name)
    lent = context.grant.oauth is not None or context.grant.foreign_until is not None
    if lent and (do.secret_hash is not None or do.subject is not None):
        raise InsufficientScope(
            "A client let in by a grant sets nobody's passphrase or subject: it would find its way back when that has ended.",
            "Use `muniment profile add` or `muniment profile passwd`, or a token.",
        )
    with context.system.write() as connection:
        profiles.hold(connection)
        held = next((one for one in profiles.listing(connection) if one.name == name), None)
        if held is not None and held.configured:
            raise InvalidInput(
                f"The profile {name!r} is configured at the server.", "Change it there, and start the server again."
            )
        _acts_as(context, connection, name)
        new = _changed(do, name, held, profiles.secret_of(connection, name), most)
        _within(new.limits, most)
        _there(context, connection, do.read, do.write)
        made = profiles.keep(connection, new, context.now(), actor=events.actor(context), entropy=context.entropy)
    return TokensAnswer(do.verb, profiles=(showing.profile(made),))


def _changed(do: managing.SetProfile, name: str, held: Profile | None, secret: str | None, most: Limits) -> NewProfile:
    """The profile as it is to be: what was asked for, else what it was, else what its level has."""
    level = do.level or (held.level if held else None)
    secret = do.secret_hash or (secret if held else None)
    subject = (do.subject or None) if do.subject is not None else (held.subject if held else None)
    if level is None or (held is None and secret is None and subject is None):
        raise InvalidInput(
            f"There is no profile {name!r} yet, and a new one needs a level, and a secret_hash or a subject.",
            f"`muniment profile add {name} --print` makes the hash of a passphrase.",
        )
    bounds = held.limits if held else most
    # What it may write follows what it may read, until somebody set the two apart.
    follows = do.read is not None and bounds.read == bounds.write
    read, write = _walls(do.read, do.write, bounds.read, most.write if follows else bounds.write)
    classes = do.data_classes or (
        held.classes if held and do.level in (None, held.level) else LEVEL_CLASSES[level] & most.classes
    )
    return NewProfile(
        name,
        level,
        secret,
        read,
        write,
        classes,
        do.zone or bounds.zone,
        do.write_mode or (held.write_mode if held else "direct"),
        subject,
    )


def _end_profile(context: Context, do: managing.EndProfile) -> TokensAnswer:
    with context.system.write() as connection:
        found = profiles.named(connection, do.name)
        if limits.beyond(found.limits, limits.of(context.grant)):
            raise NotFound(f"There is no profile {do.name!r}.", "`muniment profile list` shows them.")
        if found.configured:
            raise InvalidInput(
                f"The profile {do.name!r} is configured at the server.", "Take it out there, and start it again."
            )
        _acts_as(context, connection, found.name)
        ended = profiles.end(connection, do.name, context.now(), actor=events.actor(context))
    return TokensAnswer(do.verb, profiles=(showing.profile(ended),))


def _history(context: Context, do: managing.ListHistory) -> TokensAnswer:
    since = dates.parse(do.since).ms if do.since else 0
    with context.system.read() as connection:
        who = None if do.principal is None else principals.number(connection, principals.spelled(do.principal))
        if do.principal is not None and who is None:
            return TokensAnswer(do.verb)
        may, via = _may_read(context, connection)
        found: list[Event] = []
        before = do.before or managing.SEQ_MAX
        # One more than is shown tells whether there is more.
        while len(found) <= do.limit and (
            page := events.back(connection, before=before, since=since, who=who, limit=events.PAGE)
        ):
            found += [one for one in page if may(one)]
            before = page[-1].seq
    shown = tuple(showing.event(one, via) for one in found[: do.limit])
    return TokensAnswer(do.verb, events=shown, more=shown[-1].number if len(found) > do.limit else None)


def _may_read(context: Context, connection: Connection) -> tuple[Callable[[Event], bool], Callable[[str], bool]]:
    """Which events a caller may read, and which tokens and grants it may know: without limits all, else what it manages."""
    most = limits.of(context.grant)
    if not limits.beyond(UNLIMITED, most):
        return lambda one: True, lambda ref: True
    names = {one.name for one in _known(context, connection)}
    refs = {one.ref for one in _tokens(context, connection)} | {one.ref for one in _given(context, connection)}

    def may(one: Event) -> bool:
        asked = [held for held in (one.limits, one.before) if held is not None]
        if not asked or any(limits.beyond(held, most) for held in asked):
            return False
        # A profile that reaches further by now is none that the caller knows.
        return one.target is not None or one.principal in names

    return may, refs.__contains__


VERBS: dict[type, Callable[[Context, Any], TokensAnswer]] = {
    managing.ListTokens: _list,
    managing.CreateToken: _create,
    managing.RevokeToken: _revoke,
    managing.RotateToken: _rotate,
    managing.ListGrants: _grants,
    managing.RevokeGrant: _revoke_grant,
    managing.ListProfiles: _profiles,
    managing.SetProfile: _set_profile,
    managing.EndProfile: _end_profile,
    managing.ListHistory: _history,
}


def _within(asked: Limits, most: Limits) -> None:
    """Raise InsufficientScope for what goes beyond what the caller may itself."""
    if over := limits.beyond(asked, most):
        raise InsufficientScope(f"You cannot give what you have not: {'; '.join(over)}.", "Ask for less, or ask an admin.")


def _there(context: Context, connection: Connection, *some: Sequence[str] | None) -> None:
    """Raise UnknownWorkspace, alike for what is not there and what the caller does not reach, for a name among some."""
    named = {name for names in some if names and tuple(names) != (EVERY,) for name in names}
    reached = {place.slug for place in workspaces.by_slugs(connection, named) if policy.visible(context.grant, place)}
    if unreached := sorted(named - reached):
        raise walls.absent(unreached[0])


def _acts_as(context: Context, connection: Connection, name: str) -> None:
    """Raise InsufficientScope unless the caller may let somebody act under a name: its own, a new one, or that of somebody who
    lies within its limits and manages nothing. Who has no limits may use any."""
    most = limits.of(context.grant)
    if name == context.grant.principal_name or not limits.beyond(UNLIMITED, most):
        return
    if principals.number(connection, name) is None:
        return
    # Ended tokens count too: the name of who acted once is not free for somebody else.
    held = [one.limits for one in tokens.listing(connection) if one.principal == name]
    held += [one.limits for one in profiles.listing(connection) if one.name == name]
    managing_too = any(one.scopes & MANAGING for one in held)
    if name == LOCAL or not held or managing_too or any(limits.beyond(one, most) for one in held):
        raise InsufficientScope(f"You may not let anybody act as {name!r}.", "Choose another principal, or ask an admin.")


def _maker(context: Context, connection: Connection) -> Maker:
    """Whose is what is made now: with whom it ends."""
    if context.grant.foreign_until is not None:
        return Maker(context.grant.principal)
    return tokens.maker(connection, context.grant.token)


def _ends(context: Context, connection: Connection, new: NewToken, now: int) -> int | None:
    """When a new token ends: by itself no later than the token that makes it. Raises InsufficientScope for a later one."""
    row = connection.one("token_end", {"token": context.grant.token}) if context.grant.token is not None else None
    latest: int | None = row[0] if row else context.grant.foreign_until
    wanted = tokens.end_of(new.zone, now, new.expires_at)
    if latest is None:
        return wanted
    if new.expires_at is not None and new.expires_at > latest:
        raise InsufficientScope("A token cannot outlast the one that makes it.", "Let it end earlier, or ask an admin.")
    return latest if wanted is None else min(wanted, latest)


def _tokens(context: Context, connection: Connection) -> list[Token]:
    most = limits.of(context.grant)
    return [one for one in tokens.listing(connection) if not limits.beyond(one.limits, most)]


def _known(context: Context, connection: Connection) -> list[Profile]:
    most = limits.of(context.grant)
    return [one for one in profiles.listing(connection) if not limits.beyond(one.limits, most)]


def _managed(context: Context, connection: Connection, ref: str) -> Token:
    found = next((one for one in _tokens(context, connection) if one.ref == ref and one.valid(context.now())), None)
    if found is None:
        raise NotFound(f"There is no token {ref!r}.", "List them with `muniment token list`.")
    return found


def _given(context: Context, connection: Connection) -> list[Given]:
    """The grants that lie within the caller's limits, as far as their profiles let them reach."""
    most, found = limits.of(context.grant), []
    for one in grants.listing(connection):
        held = Limits(frozenset(one.scopes), one.read, one.write, one.classes)
        profile = profiles.profile(connection, one.principal)
        if not limits.beyond(limits.meet(held, profile.limits) if profile else held, most):
            found.append(one)
    return found


def _walls(read: Sequence[str] | None, write: Sequence[str] | None, reads: Wall, writes: Wall) -> tuple[Wall, Wall]:
    """What was named, or what stands already. Raises InvalidInput for a token that would write what it cannot read."""
    readable = reads if read is None else _wall(read)
    if write is None:
        return readable, walls.both(readable, writes)
    writable = _wall(write)
    if writable is None and readable is not None:
        raise InvalidInput("What may be written everywhere may be read everywhere.", f"Pass read as [{EVERY!r}] too.")
    return readable, writable


def _wall(named: Sequence[str]) -> Wall:
    return None if tuple(named) == (EVERY,) else frozenset(named)
