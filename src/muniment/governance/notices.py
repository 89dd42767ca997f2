"""Notices: something waits for a decision, told once, on a later answer, to somebody who may see all of it.

A notice holds no words of memory. Before it is told it is checked again: what has changed meanwhile is stale.
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.access import policy
from muniment.context import Context
from muniment.errors import ForbiddenScope, NotFound, UnknownWorkspace
from muniment.governance import changes
from muniment.governance import statement as statements
from muniment.governance.changes import Act
from muniment.model import ids, reviewing
from muniment.model.access import Workspace
from muniment.model.governing import DismissNotice, GovernAnswer, GovernRequest
from muniment.model.reviewing import NoticeSeen, ReviewAnswer
from muniment.model.times import Moment
from muniment.store import conflicts, notices, records, workspaces
from muniment.store.connections import Connection
from muniment.store.notices import Notice


def listed(context: Context, connection: Connection, place: Workspace, do: reviewing.Notices) -> ReviewAnswer:
    """Notices of a workspace, newest first; by default those that nobody has dealt with."""
    states = (do.state, do.state) if do.state else notices.UNSETTLED
    found = notices.listed(connection, place.id, states, do.limit)
    return ReviewAnswer(do.verb, place.slug, notices=tuple(_seen(connection, one) for one in found))


def dismiss(context: Context, request: GovernRequest, do: DismissNotice) -> GovernAnswer:
    """Say that a notice need not be told, or was seen. What it is about stays as it is."""
    parsed = ids.parse(do.notice)
    with context.store.write() as connection:
        found = notices.by_uid(connection, parsed[1]) if parsed and parsed[0] == "n" else None
        place = policy.may_read(context, connection, found.workspace) if found else None
        if found is None or place is None:
            raise NotFound(f"There is no notice {do.notice!r}.", "List them with review notices.")
        policy.changes(context, place)
        workspaces.hold(connection, place.id)
        if not notices.move(connection, found, "dismissed", notices.UNSETTLED):
            raise NotFound(f"{found.ref} was dealt with already.", "Nothing was changed.")
        why = statements.reason(context, request.reason)
        act = Act("notice_dismiss", {"notice": found.uid}, why, request.run)
        entered = changes.make(context, connection, place.id, act, [])
    return GovernAnswer(do.verb, action=f"a_{entered.uid}")


def due(context: Context, asked: object) -> str | None:
    """What to tell with an answer to a request of this caller, or None: one question to the store when nothing waits.

    `asked` is what the request said of its workspace; nothing is told of a workspace that it is not about.
    """
    if context.read_only:
        return None
    with context.store.read() as connection:
        if not notices.waits(connection):
            return None
        named = asked if isinstance(asked, (str, tuple)) else None
        try:
            places = policy.asked(context, connection, named) if named else policy.home(context, connection)
        except (ForbiddenScope, UnknownWorkspace):
            return None
        if not any(notices.next_of(connection, place.id) for place in places):
            return None
    with context.store.write() as connection:
        return claim_one(context, connection, places)


def claim_one(context: Context, connection: Connection, places: Iterable[Workspace]) -> str | None:
    """Take the gravest, then oldest notice of some workspaces and mark it delivered; answers it in plain words.

    Only what the caller may read is taken. One whose members changed meanwhile becomes stale, and the next one is looked at.
    """
    may = {place.id for place in policy.reached(context, connection)}
    within = [place.id for place in places if place.id in may]
    for place in sorted(within):  # in one order, so that two callers never wait for each other
        workspaces.hold(connection, place)
    while True:
        waiting = [one for place in within if (one := notices.next_of(connection, place)) is not None]
        if not waiting:
            return None
        first = min(waiting, key=lambda one: (-one.severity, one.at, one.workspace, one.id))
        text = _text(connection, first)
        state = "stale" if text is None else "delivered"
        if notices.move(connection, first, state, notices.PENDING, None if text is None else context.now()) and text:
            return text


def _text(connection: Connection, notice: Notice) -> str | None:
    """A notice in plain words, without a word of memory; None for what is no longer so."""
    parsed = ids.parse(notice.about)
    if parsed and parsed[0] == "w":
        return _new_name(connection, notice)
    found = conflicts.by_uid(connection, parsed[1]) if parsed else None
    if found is None or found.workspace != notice.workspace or found.status not in conflicts.WAITING:
        return None
    members = conflicts.members(connection, found)
    held = records.by_id(connection, found.workspace, {member.record for member in members})
    for member in members:
        record = held.get(member.record)
        # While a plan is carried out its members change, and that is no reason to keep silent about it.
        if record is None or (found.status == "open" and (record.state != "active" or record.version != member.version)):
            return None
    count = len({member.record for member in members})
    return f"{found.ref}: {count} records state different values of one thing. Open it with review conflict, then judge it."


def _new_name(connection: Connection, notice: Notice) -> str | None:
    place = next(iter(workspaces.by_ids(connection, [notice.workspace])), None)
    if place is None or place.state == "archived":
        return None
    if place.state == "pending":
        return (
            f"The workspace {place.slug!r} is new and waits: it is found by its name alone until "
            f"`muniment workspace confirm {place.slug}`. If another one was meant: "
            f"`muniment workspace merge {place.slug} INTO`."
        )
    return (
        f"The workspace {place.slug!r} is new. Was another one meant? Then `muniment workspace merge {place.slug} INTO`; "
        f"else `muniment workspace confirm {place.slug}`."
    )


def _seen(connection: Connection, notice: Notice) -> NoticeSeen:
    text = _text(connection, notice) if notice.state in notices.UNSETTLED else None
    return NoticeSeen(notice.ref, notice.sort, notice.about, notice.state, Moment(notice.at, 0).iso(), text)
