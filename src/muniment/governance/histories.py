"""What was done and what was changed: versions, differences, the ledger, and what recall no longer shows. Reading only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound
from muniment.governance import asking, changes, difference, ledger
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.recalling import Meta
from muniment.model.records import Record
from muniment.model.reviewing import LIST_MAX, ActionSeen, Audit, Diff, Expired, History, RecordSeen, ReviewAnswer, VersionSeen
from muniment.model.times import Moment
from muniment.recall import relatives
from muniment.store import histories, numbers, proposals, records, workspaces
from muniment.store.connections import Connection
from muniment.text import excerpts, fence, terms

TEXT_SHOWN_MAX = 500
# So many retired records are looked through for words in one call; the cursor goes on from there.
EXPIRED_READ_MAX = 5000
PAGE = 200
# What is done to a proposal itself, by the one whom the ledger names.
FILING = ("propose",)
DECLINING = ("decline",)
# What was carried between two workspaces, in the ledgers of both; who does not reach the other one sees only these of it.
CARRIED = ("moved_out", "merged_out", "move_undone", "merge_undone")
SHOWN_HERE = ("records", "sessions", "workspace", "undone")
ELSEWHERE = "elsewhere"
# What a target of the ledger names, where it is no record.
LETTERS = {"workspace": "w", "undone": "a", "session": "s", "conflict": "c", "proposal": "p"}


def history(context: Context, connection: Connection, place: Workspace, do: History) -> ReviewAnswer:
    """Every version of a record with who wrote it and why, and what was done to it; newest first.

    At most LIST_MAX actions are shown; `audit` with the record's ref goes on.
    """
    record, home = asking.found(context, connection, do.ref)
    entries = histories.of_record(connection, record, limit=LIST_MAX + 1)
    reasons = _reasons(record, entries)
    versions = tuple(
        VersionSeen(
            one.version,
            fence.visible(one.text),
            _iso(one.at),
            one.by,
            one.version == record.version,
            one.reason or reasons.get(one.version),
            one.subject,
            one.labels,
            one.source_type,
            one.client,
        )
        for one in histories.versions(connection, record)
    )
    more = ("More was done to it than is shown; see `review audit` with its ref.",) if len(entries) > LIST_MAX else ()
    actions = _shown(context, connection, record.workspace, entries[:LIST_MAX])
    return ReviewAnswer(
        "history", home.slug, versions=versions, actions=actions, record=seen(connection, record), meta=Meta(warnings=more)
    )


def diff(context: Context, connection: Connection, place: Workspace, do: Diff) -> ReviewAnswer:
    """What changed from one version to another; by default from the one before the newest to the one in force.

    Lines that stayed begin with two spaces, what went with "- ", what came with "+ "; inside of a changed line the words
    that went stand in [-…-] and those that came in {+…+}.
    """
    record, home = asking.found(context, connection, do.ref)
    kept = {one.version: one for one in histories.versions(connection, record)}
    new = do.new if do.new is not None else record.version
    old = do.old if do.old is not None else max((number for number in kept if number < new), default=None)
    if old is None:
        heir = relatives.heir(connection, record)
        advice = f"{heir} took its place; read that one." if heir else "There is nothing to compare."
        raise InvalidInput(f"{record.ref} has no version before {new}.", advice)
    for number in (old, new):
        if number not in kept:
            raise NotFound(f"{record.ref} has no version {number}.", f"It has {_numbers(sorted(kept))}.")
    told = fence.visible(difference.tell(record.ref, kept[old], kept[new]))
    return ReviewAnswer("diff", home.slug, diff=told, record=seen(connection, record))


def audit(context: Context, connection: Connection, place: Workspace, do: Audit) -> ReviewAnswer:
    """The ledger, newest first; of one record or one run where that is asked for."""
    record, home = asking.found(context, connection, do.ref) if do.ref else (None, place)
    bound = ["audit", home.uid, do.ref, do.run]
    before = cursors.unseal(context, connection, do.cursor, bound)[0] if do.cursor else numbers.NEWEST
    if record is None:
        found = histories.page(connection, home.id, before=before, limit=do.limit + 1, run=do.run)
    else:
        found = histories.of_record(connection, record, before=before, limit=do.limit + 1, run=do.run)
    shown = found[: do.limit]
    cursor = cursors.seal(context, connection, [shown[-1].seq], bound) if len(found) > do.limit else None
    return ReviewAnswer("audit", home.slug, actions=_shown(context, connection, home.id, shown), cursor=cursor)


def expired(context: Context, connection: Connection, place: Workspace, do: Expired) -> ReviewAnswer:
    """Superseded, archived and rejected records, newest first; with a query those that hold all of its words."""
    wanted = set(terms.terms(do.query))
    bound = ["expired", place.uid, do.query, do.state]
    before = cursors.unseal(context, connection, do.cursor, bound)[0] if do.cursor else numbers.NEWEST
    retired = _retired(connection, place.id, do.state or "", before)
    found: list[Record] = []
    for record in islice(retired, EXPIRED_READ_MAX):
        before = record.id
        if wanted <= set(terms.terms(f"{record.subject or ''}\n{record.text}")):
            found.append(record)
        if len(found) == do.limit:
            break
    cursor = cursors.seal(context, connection, [before], bound) if next(retired, None) else None
    return ReviewAnswer("expired", place.slug, records=tuple(seen(connection, one) for one in found), cursor=cursor)


def _retired(connection: Connection, workspace: int, state: str, before: int) -> Iterator[Record]:
    """What recall no longer shows, newest first, read a page at a time."""
    values = {"workspace": workspace, "state": state, "limit": PAGE}
    while rows := connection.all("records_retired", values | {"before": before}):
        for row in rows:
            record = records.noun(row)
            before = record.id
            yield record


def seen(connection: Connection, record: Record) -> RecordSeen:
    """A record at a glance: the beginning of its text, and what took its place."""
    at = record.event.iso() if record.event else _iso(record.recorded_at)
    return RecordSeen(
        record.ref,
        record.kind,
        record.state,
        record.version,
        excerpts.cut(fence.visible(record.text), TEXT_SHOWN_MAX),
        at,
        relatives.heir(connection, record),
        record.supersede_why,
        record.taint,
    )


def _shown(
    context: Context, connection: Connection, workspace: int, entries: Sequence[histories.Entry]
) -> tuple[ActionSeen, ...]:
    hidden = {one.seq for one in entries if _across(context, connection, one)}
    entries = [replace(one, targets=_here(one), reason=None) if one.seq in hidden else one for one in entries]
    uids = {part for entry in entries for value in entry.targets.values() for part in _uids(value)}
    names = records.kinds_of(connection, workspace, uids)
    blanked = ledger.blanked(connection, workspace)
    deciders = [_decided(connection, one) for one in entries]
    return tuple(
        ActionSeen(
            f"a_{one.uid}",
            one.kind,
            _iso(one.at),
            by,
            {key: _named(key, value, names) for key, value in one.targets.items()},
            one.reason,
            one.run,
            one.client,
            undone=one.undone_by is not None,
            undoable=one.seq not in hidden
            and changes.hindrance(one.kind, one.effects, one.undone_by, forgotten=one.seq in blanked) is None,
            author=author,
        )
        for one, (by, author) in zip(entries, deciders, strict=True)
    )


def _across(context: Context, connection: Connection, one: histories.Entry | changes.Action) -> bool:
    """Whether an action carried something from or to a workspace that the caller does not reach."""
    if not policy.walled(context.grant):
        return False
    if one.kind == "undo":
        taken = (changes.by_uid(connection, uid) for uid in _uids(one.targets.get("undone", [])))
        return any(found is not None and _across(context, connection, found) for found in taken)
    other = one.targets.get("source", one.targets.get("into"))
    if one.kind in changes.CARRYING and not isinstance(other, str):
        return False  # names were merged, not workspaces
    if one.kind not in (*changes.CARRYING, *CARRIED):
        return False
    found = workspaces.by_uid(connection, other) if isinstance(other, str) else None
    return found is None or not policy.visible(context.grant, found)


def _here(one: histories.Entry) -> dict[str, Any]:
    """The targets of such an action, without all that belongs to the other workspace."""
    kept = {key: value for key, value in one.targets.items() if key in SHOWN_HERE}
    return kept if one.kind == "undo" else kept | {"other": ELSEWHERE}


def _decided(connection: Connection, one: histories.Entry) -> tuple[str, str | None]:
    """Who decided on an action, and who proposed what it carries out, where that is another.

    A proposal is applied by whoever comes to it; that says nothing about who wanted it.
    """
    uid = one.targets.get("proposal")
    found = proposals.by_uid(connection, uid) if isinstance(uid, str) and one.kind not in FILING else None
    if found is None:
        return str(one.targets.get("decider") or one.by), None
    by = one.by if one.kind in DECLINING else found.decider or one.by
    return by, found.by if found.by != by else None


def _uids(value: Any) -> list[str]:
    found = value if isinstance(value, list) else [value]
    return [part for part in found if isinstance(part, str) and len(part) == ids.UID_LENGTH]


def _named(key: str, value: Any, names: dict[str, str]) -> Any:
    """A target as an answer shows it: with the ref that opens it."""
    if isinstance(value, list):
        return [_named(key, part, names) for part in value]
    if isinstance(value, str) and value in names:
        return ids.ref(names[value], value)
    if key in LETTERS and isinstance(value, str) and len(value) == ids.UID_LENGTH:
        return f"{LETTERS[key]}_{value}"
    return value


def _reasons(record: Record, entries: Sequence[histories.Entry]) -> dict[int, str]:
    """By version: why it was written, as far as an action that names no version says it: the one that stored the first.

    An action that stored the heir of this record says nothing of its versions.
    """
    own = [one for one in entries if one.targets.get("record") == record.uid]
    stored = [one for one in own if one.kind in ("remember", "supersede") and one.reason and "from" not in one.targets]
    return {1: str(stored[-1].reason)} if stored and len(entries) <= LIST_MAX else {}


def _numbers(versions: Sequence[int]) -> str:
    return f"version {versions[0]}" if len(versions) == 1 else f"versions {', '.join(map(str, versions))}"


def _iso(ms: int) -> str:
    return Moment(ms, 0).iso()
