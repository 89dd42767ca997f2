"""Making everything derived again from the source texts. The answers are the same afterwards; only the time is spent."""

from __future__ import annotations

from collections.abc import Callable

from muniment.access import policy
from muniment.context import Context
from muniment.index import episodes, write
from muniment.model.access import Workspace
from muniment.model.records import FOUND_STATES
from muniment.store import generations as stored
from muniment.store import workspaces
from muniment.store.connections import Connection, Row

PAGE = 1000
DROPPED = (
    "postings_drop",
    "vocabulary_drop",
    "rosters_drop",
    "mentions_drop",
    "entities_drop",
    "episodes_drop",
    "passages_drop",
)


def rebuild(context: Context, workspace: Workspace, progress: Callable[[int], None] | None = None) -> int:
    """Rebuild one workspace's index in one transaction. Answers how many records were read; vectors follow by the worker."""
    policy.writable(context)
    done = 0
    with context.store.write() as connection:
        workspaces.take(connection, workspace.id)
        for name in DROPPED:
            connection.run(name, {"workspace": workspace.id})
        _drop_vectors(connection, workspace.id)
        after, first, last = 0, 0, -1
        while rows := connection.all("records_all", {"workspace": workspace.id, "after": after, "limit": PAGE}):
            entered = enter_page(connection, workspace.id, rows)
            if entered[1] >= entered[0]:
                first, last = first or entered[0], entered[1]
            after = rows[-1][0]
            done += len(rows)
            if progress:
                progress(len(rows))
        write.follow_up(connection, workspace.id, first, last, context.now())
    context.shelf.clear()
    return done


def enter_page(connection: Connection, workspace: int, rows: list[Row]) -> tuple[int, int]:
    """Enter a page of records; answers the first and last of their new ordinals, which no old one ever had.

    Every version is entered, for what is asked as of an earlier day; only the one in force is live.
    """
    entering: list[write.Entering] = []
    buried: list[int] = []
    said: dict[int, list[episodes.Said]] = {}
    versions = _versions(connection, workspace, rows)
    for number, kind, tier, state, version, text, subject, session, seq, speaker, event, recorded, _ in rows:
        if state not in FOUND_STATES:
            buried.append(number)
        entering += versions.get((number, version), ())
        analysed = write.analyse(text, kind, subject)
        one = write.Entering(number, version, kind, tier, session or 0, seq or 0, speaker or 0, event, recorded, analysed)
        entering.append(one)
        if session is not None:
            names = analysed.names
            said.setdefault(session, []).append(episodes.Said(seq, event, names))
    ordinals = write.enter(connection, workspace, entering)
    for record in buried:
        connection.run("passages_bury", {"workspace": workspace, "record": record})
    in_force = {row[0]: row[4] for row in rows}
    for record in {one.record for one in entering if one.version != in_force[one.record]}.difference(buried):
        named = {"workspace": workspace, "record": record}
        connection.run("passages_bury", named)
        connection.run("passages_revive", named | {"version": in_force[record]})
    for session, turns in said.items():
        episodes.append(connection, workspace, session, sorted(turns, key=lambda turn: turn.seq))
    return ordinals


def _versions(connection: Connection, workspace: int, rows: list[Row]) -> dict[tuple[int, int], list[write.Entering]]:
    """By record and the version in force: the other versions of what was ever edited, ready to be entered."""
    edited = {row[0]: (row[1], row[4]) for row in rows if row[12] > 1}
    out: dict[tuple[int, int], list[write.Entering]] = {}
    if not edited:
        return out
    between = {"workspace": workspace, "after": min(edited) - 1, "last": max(edited)}
    for record, version, text, subject, tier, event, at in connection.all("versions_between", between):
        kind, in_force = edited.get(record, ("", version))
        if version != in_force:
            analysed = write.analyse(text, kind, subject)
            one = write.Entering(record, version, kind, tier, 0, 0, 0, event, at, analysed)
            out.setdefault((record, in_force), []).append(one)
    return out


def _drop_vectors(connection: Connection, workspace: int) -> None:
    for generation in stored.wanted(connection):
        values = {"workspace": workspace, "generation": generation.id}
        for name in ("vectors_drop", "codes_drop", "space_drop"):
            connection.run(name, values)
