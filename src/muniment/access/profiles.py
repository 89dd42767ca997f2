"""Profiles: principals that may log in, here or at another issuer. What one allows is the most that a token of it may do.

It is looked up for every request, so that a profile that was narrowed or ended is so at once.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from muniment.access import events, limits, passphrases, principals, walls
from muniment.access.events import SYSTEM, Actor, Subject
from muniment.access.limits import Limits
from muniment.access.walls import Names, Wall
from muniment.errors import InvalidInput, NotFound
from muniment.model.access import LEVEL_SCOPES, LOCAL, DataClass, Level, WriteMode, Zone
from muniment.store.connections import Connection, Row, Store

ENDED = "the profile ended"
SUBJECT_LENGTH_MAX = 255
_SUBJECT = re.compile(rf"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{{1,{SUBJECT_LENGTH_MAX}}}")


@dataclass(frozen=True, slots=True)
class Profile:
    """Who may log in. `read` and `write` name workspaces (None: all); times are Unix milliseconds. Never its passphrase.

    `subject` is whom a configured issuer's tokens call it; `passphrase`: whether it has one to log in with here.
    """

    principal: int
    name: str
    level: Level
    read: Wall
    write: Wall
    classes: frozenset[DataClass]
    zone: Zone
    write_mode: WriteMode
    configured: bool
    created_at: int
    ended_at: int | None
    subject: str | None
    passphrase: bool

    @property
    def scopes(self) -> frozenset[str]:
        return LEVEL_SCOPES[self.level]

    @property
    def limits(self) -> Limits:
        return Limits(self.scopes, self.read, self.write, self.classes, self.zone, self.write_mode)


@dataclass(frozen=True, slots=True)
class NewProfile:
    """A profile to keep. Without `classes` it sees those of its level; without `write` it writes where it reads.

    It has the hash of a passphrase, a subject at the configured issuer, or both.
    """

    name: str
    level: str
    secret_hash: str | None = None
    read: Iterable[str] | None = None
    write: Iterable[str] | None = None
    classes: Iterable[DataClass] | None = None
    zone: Zone = "trusted"
    write_mode: WriteMode = "direct"
    subject: str | None = None

    @property
    def limits(self) -> Limits:
        """What it allows. Raises InvalidInput for a level or anything else that is none."""
        return limits.of_level(self.level, self.read, self.write, self.classes, self.zone, self.write_mode)


def login(store: Store, name: str, passphrase: str, now: int) -> Profile | None:
    """The profile of that name, if this is its passphrase. An unknown name, an ended one and a wrong passphrase cost the same.

    Counts no failures: that is for the doors, which have one budget together. Takes some 50 ms and 64 MiB.
    """
    with store.read() as connection:
        row = connection.one("profile_by_name", {"name": principals.spelled(name)})
    held = str(row[12]) if row and row[12] is not None and _may_log_in(row) else None
    if not passphrases.matches(held, passphrase) or row is None or held is None:
        return None
    # What a file says stays as the file says; it is read again at the next start.
    if passphrases.outdated(held) and not row[9]:
        fresh = passphrases.hashed(passphrase)
        with store.write() as connection:
            connection.run("profile_rehash", {"principal": row[0], "hash": fresh, "before": held})
    with store.read() as connection:
        return profile(connection, int(row[0]))


def profile(connection: Connection, principal: int) -> Profile | None:
    """What a principal that may log in is allowed now; None for one that may not, or not any more."""
    row = connection.one("profile_by_id", {"principal": principal})
    return _profile(row, Names(connection, row[5:7])) if row and _may_log_in(row) else None


def named(connection: Connection, name: str) -> Profile:
    """The profile of that name, ended or not. Raises NotFound."""
    row = connection.one("profile_by_name", {"name": name})
    if row is None or not _is_profile(row):
        raise NotFound(f"There is no profile {name!r}.", "`muniment profile list` shows them.")
    return _profile(row, Names(connection, row[5:7]))


def of_subject(connection: Connection, subject: str) -> Profile | None:
    """The profile that a configured issuer's tokens call by this subject, ended or not."""
    row = connection.one("profile_by_subject", {"subject": subject})
    return _profile(row, Names(connection, row[5:7])) if row else None


def listing(connection: Connection) -> list[Profile]:
    """Every profile, oldest first, ended ones too."""
    rows = connection.all("profiles")
    names = Names(connection, [held for row in rows for held in row[5:7]])
    return [_profile(row, names) for row in rows]


def secret_of(connection: Connection, name: str) -> str | None:
    """The hash that a profile logs in with; None where there is no such profile."""
    row = connection.one("profile_by_name", {"name": name})
    return row[12] if row else None


def keep(
    connection: Connection,
    new: NewProfile,
    now: int,
    *,
    configured: bool = False,
    actor: Actor = SYSTEM,
    entropy: Callable[[int], bytes] = os.urandom,
) -> Profile:
    """Make a profile, or make the one of that name this: its tokens and grants shrink with it at once.

    Another passphrase ends the browsers that are logged in. A subject that an ended profile had becomes this one's; raises
    InvalidInput for that of another one, and for whatever else is wrong, or UnknownWorkspace.
    """
    name = sound(new)
    asked = new.limits
    hold(connection)
    if new.subject is not None:
        _free(connection, new.subject, name)
    numbers = walls.numbers(connection, walls.named(asked.read, asked.write))
    principal = principals.made(connection, name, new.level, now, kind="person", entropy=entropy)
    before = profile(connection, principal)
    changed = not hmac.compare_digest(secret_of(connection, name) or "", new.secret_hash or "")
    if changed:
        connection.run("profile_browsers_end", {"principal": principal})
    connection.run(
        "profile_set",
        {
            "principal": principal,
            "level": new.level,
            "kind": "person",
            "zone": asked.zone,
            "read": walls.held(asked.read, numbers),
            "write": walls.held(asked.write, numbers),
            "classes": " ".join(sorted(asked.classes)),
            "mode": asked.write_mode,
            "configured": int(configured),
            "hash": new.secret_hash,
            "subject": new.subject,
        },
    )
    made = named(connection, name)
    _noted(connection, actor, before, made, now, changed=changed)
    return made


def _noted(connection: Connection, actor: Actor, before: Profile | None, made: Profile, now: int, *, changed: bool) -> None:
    """Log what was done to a profile. `changed`: it has another passphrase, which is an event of its own."""
    told = {"level": made.level, "configured": made.configured or None, "subject": _rebound(before, made)}
    if before is None:
        events.enter(connection, actor, "profile_made", as_subject(made), now, told)
        return
    otherwise = replace(before, passphrase=made.passphrase)
    if otherwise != made:
        events.enter(connection, actor, "profile_changed", as_subject(made), now, told, before=before.limits)
    if changed:
        left = {"passphrase": None if made.passphrase else "taken off"}
        events.enter(connection, actor, "passphrase_set", as_subject(made), now, left)


def _rebound(before: Profile | None, made: Profile) -> str | None:
    """What became of the subject that lets it in from the configured issuer; never the subject, which is a person's."""
    had = before.subject if before else None
    if had == made.subject:
        return None
    return "given" if had is None else "changed" if made.subject else "taken off"


def as_subject(one: Profile) -> Subject:
    """A profile as events tell of it."""
    return Subject(one.principal, limits=one.limits)


def hold(connection: Connection) -> None:
    """Keep others from setting or ending a profile until this transaction ends. Who reads them to decide holds first."""
    connection.run("profiles_hold", {"local": LOCAL})


def release(connection: Connection, names: Iterable[str]) -> None:
    """Take the subjects off some profiles that are kept anew in the same write, so that they may change among them."""
    for name in names:
        row = connection.one("profile_by_name", {"name": name})
        if row is not None:
            connection.run("profile_subject_drop", {"principal": row[0]})


def sound(new: NewProfile) -> str:
    """The name of a profile that may be kept. Raises InvalidInput for what is wrong with it."""
    name = principals.named(new.name)
    if name == LOCAL:
        raise InvalidInput(f"{LOCAL!r} is the principal of this machine, and needs no passphrase.", "Choose another name.")
    limits.known(new.level, new.zone, new.write_mode, new.classes)
    if new.secret_hash is not None:
        passphrases.checked(new.secret_hash)
    if new.subject is not None and not is_subject(new.subject):
        raise InvalidInput(
            f"A subject has 1 to {SUBJECT_LENGTH_MAX} characters of one line, and no space at its ends.",
            "Copy it as the issuer writes it into its tokens.",
        )
    if new.secret_hash is None and new.subject is None:
        raise InvalidInput(
            f"The profile {name!r} could not log in: it has neither a passphrase nor a subject at an issuer.",
            "Give it one of them; `muniment profile end` ends a profile.",
        )
    return name


def is_subject(text: str) -> bool:
    """Whether a text can be a subject; no other one is ever looked up."""
    return _SUBJECT.fullmatch(text) is not None and text == text.strip()


def _free(connection: Connection, subject: str, name: str) -> None:
    """Make a subject free for the profile of a name. Raises InvalidInput where it is that of another one."""
    other = of_subject(connection, subject)
    if other is None or other.name == name:
        return
    if other.ended_at is None:
        raise InvalidInput(
            f"That subject is the profile {other.name!r} already.", "One subject is one profile: change that one."
        )
    connection.run("profile_subject_drop", {"principal": other.principal})


def end(connection: Connection, name: str, now: int, *, actor: Actor = SYSTEM) -> Profile:
    """End a profile at once, with its tokens, grants and browsers. Raises NotFound for one that is not there or has ended."""
    return end_all(connection, (name,), now, actor=actor)[0]


def end_all(connection: Connection, names: Iterable[str], now: int, *, actor: Actor = SYSTEM) -> list[Profile]:
    """End some profiles, like `end`. What they had ends before the first event is written: whoever ends a token of theirs at
    this moment has its row and waits for the log."""
    hold(connection)
    ended = []
    for name in names:
        found = named(connection, name)
        if found.ended_at is not None:
            raise NotFound(f"The profile {name!r} has ended.", "`muniment profile list` shows them.")
        connection.run("profile_end", {"principal": found.principal, "now": now})
        ended.append((found, *disarm(connection, found.principal, now, ENDED)))
    for found, tokens, grants in ended:
        events.enter(connection, actor, "profile_ended", as_subject(found), now)
        events.tokens_ended(connection, actor, tokens, now, ENDED)
        events.grants_ended(connection, actor, grants, now, ENDED)
    return [named(connection, found.name) for found, _, _ in ended]


def disarm(connection: Connection, principal: int, now: int, why: str) -> tuple[list[str], list[int]]:
    """End a principal's tokens, grants and browsers; answers the uids of tokens made by hand and the numbers of grants that
    ended with that, for the log."""
    rows = connection.all("profile_tokens_end", {"principal": principal, "now": now})
    ended = connection.all("profile_grants_end", {"principal": principal, "now": now, "why": why})
    connection.run("profile_browsers_end", {"principal": principal})
    return sorted(uid for uid, grant in rows if grant is None), sorted(int(number) for (number,) in ended)


def anybody(connection: Connection) -> bool:
    """Whether there is a profile that may log in."""
    return connection.one("oauth_profile_any") is not None


def _is_profile(row: Row) -> bool:
    """Whether a principal is a profile: it has a passphrase, or a subject at the configured issuer."""
    return row[12] is not None or row[13] is not None


def _may_log_in(row: Row) -> bool:
    return _is_profile(row) and row[11] is None


def _profile(row: Row, names: Names) -> Profile:
    return Profile(
        principal=row[0],
        name=row[1],
        level=row[3],
        read=names.wall(row[5]),
        write=names.wall(row[6]),
        classes=frozenset(row[7].split()),
        zone=row[4],
        write_mode=row[8],
        configured=bool(row[9]),
        created_at=row[10],
        ended_at=row[11],
        subject=row[13],
        passphrase=row[12] is not None,
    )
