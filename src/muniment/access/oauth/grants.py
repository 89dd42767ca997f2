"""Grants: what a person gave a client. All codes, access tokens and refresh tokens of a grant are one family and end together.

A grant never reaches further than its profile, neither when it is given nor when a token of it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from muniment.access import events, limits, minting, profiles, walls
from muniment.access.browsers import Browser
from muniment.access.events import CLIENT, SYSTEM, Actor
from muniment.access.limits import Limits
from muniment.access.oauth import redirects
from muniment.access.oauth.asking import SCOPES, Ask
from muniment.access.policy import GLOBAL
from muniment.access.profiles import Profile
from muniment.access.walls import Names, Wall
from muniment.errors import NotFound
from muniment.model import ids
from muniment.model.access import DataClass, Grant, Workspace
from muniment.model.times import MINUTE_MS
from muniment.store import workspaces
from muniment.store.connections import Connection

CODE_PREFIX = "mcode_"
CODE_MS = MINUTE_MS
REF = "o"
BY_OWNER = "revoked by its owner"
BY_MANAGER = "revoked by a manager"
ENDED = "the grant of who made it ended"


@dataclass(frozen=True, slots=True)
class Given:
    """A grant as a person sees it. `read` and `write` None: all that the profile reaches. Times are Unix milliseconds.

    `current`: where its client works when it names no workspace, None: where the server does.
    """

    ref: str
    client_id: str
    client: str
    principal: int
    principal_name: str
    scopes: tuple[str, ...]
    read: Wall
    write: Wall
    classes: frozenset[DataClass]
    audience: str
    redirect: str
    created_at: int
    used_at: int | None
    revoked_at: int | None
    revoked_why: str | None
    current: str | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person leaves of a request. `workspaces` None: all that the profile reaches, and those to come. `current`: where
    the client works when it names no workspace. `torn`: all were chosen, and some were ticked as well."""

    scopes: frozenset[str]
    workspaces: Wall = None
    current: str | None = None
    torn: bool = False


def most(profile: Profile, ask: Ask) -> tuple[str, ...]:
    """The scopes that a request can be given at most: what it asks for of what the profile has."""
    return tuple(scope for scope in SCOPES if scope in profile.scopes and (not ask.scopes or scope in ask.scopes))


def settled(connection: Connection, profile: Profile, choice: Choice, home: str) -> Choice | None:
    """A choice with the workspace that its client works in; None for one at odds with itself: all and some were chosen, none is
    left to read, or it works where none is read.

    Unless one was named it is `home`, the server's own, where the client may read that, and else the first that it may write.
    """
    may = [one.slug for one in reachable(connection, profile) if walls.within(one.slug, choice.workspaces)]
    if choice.torn:
        return None  # a browser that hides no boxes shows both ways at once, and to give less than was meant is no cure
    if choice.workspaces is not None and not may:
        return None  # "only these", and then none: a slip, and the client would be connected and see nothing
    if choice.current is not None:
        return choice if choice.current in may else None
    unwalled = profile.read is None and choice.workspaces is None
    if unwalled and (home in may or workspaces.by_slug(connection, home) is None):
        return choice  # where the server works, today and later
    first = sorted(may, key=lambda slug: (slug != home, not walls.within(slug, profile.write), slug == GLOBAL))
    return replace(choice, current=first[0] if first else None)


def give(
    connection: Connection,
    ask: Ask,
    profile: Profile,
    choice: Choice,
    browser: Browser,
    now: int,
    entropy: Callable[[int], bytes],
) -> str:
    """Grant a request as far as it was chosen; answers the code. What was not asked for is left out of the choice."""
    asked = Limits(choice.scopes & frozenset(most(profile, ask)), choice.workspaces, choice.workspaces)
    left = limits.meet(profile.limits, asked)
    uid = ids.uid(now, entropy(10))
    current = choice.current if choice.current and walls.within(choice.current, left.read) else None
    numbers = walls.numbers(connection, walls.named(left.read, left.write, frozenset({current} if current else ())))
    connection.run(
        "oauth_grant_add",
        {
            "uid": uid,
            "client": ask.client,
            "principal": profile.principal,
            "scopes": _ordered(left.scopes),
            "read": walls.held(left.read, numbers),
            "write": walls.held(left.write, numbers),
            "current": numbers[current] if current else None,
            "classes": " ".join(sorted(left.classes)),
            "audience": ask.audience,
            "browser": browser.hash,
            "redirect": ask.redirect,
            "now": now,
        },
    )
    connection.run("oauth_client_used", {"id": ask.client, "now": now})
    row = connection.one("oauth_grant_id", {"uid": uid})
    assert row is not None, "it was made a moment ago"
    code = _code(connection, int(row[0]), ask, now, entropy)
    asked_more = frozenset(most(profile, ask)) - left.scopes
    events.enter(
        connection,
        Actor(profile.principal, "web"),
        "grant_given",
        events.grant(connection, int(row[0])),
        now,
        {"host": redirects.shown(ask.redirect), "withheld": _ordered(asked_more) or None},
        entropy=entropy,
    )
    return code


def again(connection: Connection, ask: Ask, profile: Profile, browser: Browser) -> Choice | None:
    """What the same browser chose before for the same client, redirect and scopes, so that it need not be asked again."""
    values = {"browser": browser.hash, "client": ask.client, "redirect": ask.redirect, "audience": ask.audience}
    row = connection.one("oauth_grant_before", values | {"principal": profile.principal})
    if row is None or row[0].split() != list(most(profile, ask)):
        return None
    names = Names(connection, row[1:3])
    return Choice(frozenset(row[0].split()), names.wall(row[1]), names.one(row[2]))


def listing(connection: Connection, principal: int | None = None) -> list[Given]:
    """The grants of a principal, or of all, oldest first. Those that no token ever came of are left out."""
    rows = [row for row in connection.all("oauth_grants") if row[13] is not None and principal in (None, row[4])]
    names = Names(connection, [held for row in rows for held in (*row[7:9], row[16])])
    return [
        Given(
            ref=f"{REF}_{row[1]}",
            client_id=row[2],
            client=row[3],
            principal=row[4],
            principal_name=row[5],
            scopes=tuple(row[6].split()),
            read=names.wall(row[7]),
            write=names.wall(row[8]),
            classes=frozenset(row[9].split()),
            audience=row[10],
            redirect=row[11],
            created_at=row[12],
            used_at=row[13],
            revoked_at=row[14],
            revoked_why=row[15],
            current=names.one(row[16]),
        )
        for row in rows
    ]


def revoke(
    connection: Connection,
    ref: str,
    now: int,
    *,
    principal: int | None = None,
    actor: Actor = SYSTEM,
) -> None:
    """End a grant with all its tokens at once. Raises NotFound for one that is not there, is somebody else's, or has ended.

    `principal` is who does so with a grant of their own, in a browser; else it is `actor`, and the owner is told where that was
    somebody else.
    """
    by = actor if principal is None else Actor(principal, "web")
    parsed = ids.parse(ref)
    row = connection.one("oauth_grant_of", {"uid": parsed[1]}) if parsed and parsed[0] == REF else None
    why = BY_OWNER if row is not None and by.principal == row[1] else BY_MANAGER
    if row is None or principal not in (None, row[1]) or not end(connection, int(row[0]), now, why, by):
        raise NotFound(f"There is no grant {ref!r} to revoke.", "The page of your connections lists them.")


def end(connection: Connection, number: int, now: int, why: str, by: Actor = CLIENT) -> bool:
    """End a family; whether it was alive. The grant's row is taken first, so a refresh comes before or after, not between."""
    ended = connection.one("oauth_grant_revoke", {"id": number, "now": now, "why": why}) is not None
    rows = connection.all("oauth_grant_tokens_end", {"id": number, "now": now})
    if ended:
        events.grants_ended(connection, by, (number,), now, why)
    events.tokens_ended(connection, by, sorted(uid for uid, grant in rows if grant is None), now, ENDED)
    return ended


def bound(connection: Connection, grant: Grant, audience: str) -> Grant | None:
    """The grant of a token with the family it belongs to; None for one that is good for another server only."""
    row = connection.one("oauth_token_bound", {"id": grant.token})
    if row is None or row[0] is None:
        return grant
    return replace(grant, oauth=row[0]) if row[1] == audience else None


def could_hold(connection: Connection, grant: Grant, scopes: frozenset[str]) -> bool:
    """Whether the person behind a token could grant it these scopes, so that asking for them makes sense."""
    profile = profiles.profile(connection, grant.principal)
    return profile is not None and scopes <= profile.scopes


def reachable(connection: Connection, profile: Profile, *, archived: bool = False) -> list[Workspace]:
    """The workspaces that a profile can open to a client, by slug; with those that were `archived`, all whose names it sees."""
    return [
        place
        for place in workspaces.all_of(connection)
        if (archived or place.state != "archived") and walls.reaches(profile.read, profile.classes, place)
    ]


def _code(connection: Connection, number: int, ask: Ask, now: int, entropy: Callable[[int], bytes]) -> str:
    code, key = minting.mint(CODE_PREFIX, entropy)
    values = {"hash": key, "grant": number, "redirect": ask.redirect, "redirect_given": int(ask.redirect_given)}
    connection.run("oauth_code_add", values | {"challenge": ask.challenge, "expires_at": now + CODE_MS})
    return code


def _ordered(scopes: frozenset[str]) -> str:
    return " ".join(scope for scope in SCOPES if scope in scopes)
