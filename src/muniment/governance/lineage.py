"""Where a record came from and what came from it; and containing all of that at once, when it cannot be trusted.

Text flows along the links `derived_from` and `covers`. Containing is one action, so that one undo brings everything back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, LimitExceeded
from muniment.governance import asking, changes, confirmations, edits, histories
from muniment.governance.changes import Act, Effect
from muniment.model.access import Workspace
from muniment.model.governing import Contain, GovernAnswer, GovernRequest
from muniment.model.recalling import Meta
from muniment.model.records import FOUND_STATES, Record
from muniment.model.reviewing import LIST_MAX, Lineage, ReviewAnswer
from muniment.store import lineage as walks
from muniment.store import records
from muniment.store.connections import Connection
from muniment.text.counts import counted

CONTAIN_MAX = walks.LINEAGE_MAX


def lineage(context: Context, connection: Connection, place: Workspace, do: Lineage) -> ReviewAnswer:
    """What a record was derived from and everything derived from it, nearest first, at most LIST_MAX each way."""
    record, home = asking.found(context, connection, do.ref)
    sources, more = _walked(connection, record, "sources")
    derived, others = _walked(connection, record, "derived")
    warnings = (f"The lineage is longer than shown: {LIST_MAX} records each way are the most.",) if more or others else ()
    return ReviewAnswer(
        "lineage",
        home.slug,
        counts={"sources": len(sources), "derived": len(derived)},
        record=histories.seen(connection, record),
        sources=tuple(histories.seen(connection, one) for one in sources),
        derived=tuple(histories.seen(connection, one) for one in derived),
        meta=Meta(warnings=warnings),
    )


def contain(context: Context, request: GovernRequest, do: Contain) -> GovernAnswer:
    """Archive a record and everything derived from it, turns, documents and locked memories too, in one action.

    Raises LimitExceeded for more than CONTAIN_MAX derived records.
    """
    reason = asking.why(context, request)
    with context.store.read() as connection:
        root, home = asking.found(context, connection, do.target)
        seen = _contained(connection, root)
        _may(context, connection, seen)
        impact = _impact(connection, root, seen)
    ticket = confirmations.require(context, request, [asking.seal(one) for one in seen], impact)
    with context.store.write() as connection:
        root, home = edits.target(context, connection, do.target)
        held = _contained(connection, root)
        if [asking.seal(one) for one in held] != [asking.seal(one) for one in seen]:
            raise InvalidInput("The lineage changed at this moment.", "Ask again without confirm.")
        _may(context, connection, held)
        confirmations.spend(context, connection, ticket)
        effects = [Effect("record", one.id, "state", "archived") for one in held]
        act = Act("contain", {"record": root.uid, "count": len(held)}, reason, request.run)
        entered = changes.make(context, connection, home.id, act, effects)
    counts = {"archived": len(held), "derived": sum(one.id != root.id for one in held)}
    return GovernAnswer("contain", f"a_{entered.uid}", tuple(one.ref for one in held), counts=counts)


def _walked(connection: Connection, record: Record, way: walks.Way) -> tuple[list[Record], bool]:
    walk = walks.walk(connection, record.workspace, record.id, way, most=LIST_MAX)
    known = records.by_id(connection, record.workspace, walk.steps)
    return [known[number] for number, _ in sorted(walk.steps.items(), key=lambda step: (step[1], step[0]))], walk.more


def _contained(connection: Connection, root: Record) -> list[Record]:
    """The record and all that was derived from it, as far as recall still finds it; by number."""
    walk = walks.walk(connection, root.workspace, root.id, "derived", most=CONTAIN_MAX)
    if walk.more:
        raise LimitExceeded(f"More than {CONTAIN_MAX:,} records are derived from {root.ref}.", "Contain some of those first.")
    known = records.by_id(connection, root.workspace, [root.id, *walk.steps])
    held = [known[number] for number in sorted(known) if known[number].state in FOUND_STATES]
    if not held:
        raise InvalidInput(f"Nothing of the lineage of {root.ref} is recalled any more.", "There is nothing to do.")
    return held


def _may(context: Context, connection: Connection, held: Sequence[Record]) -> None:
    place = policy.may_read(context, connection, held[0].workspace)
    assert place is not None, "the root of the lineage was found in a workspace that may be read"
    policy.changes(context, place)
    for one in held:
        edits.guard(context, one, text=False, confirmed=True)


def _impact(connection: Connection, root: Record, held: Sequence[Record]) -> str:
    kinds = Counter("turn" if one.kind == "turn" else "document" if one.kind == "document" else "memory" for one in held)
    words = {"turn": "turns", "document": "documents", "memory": "memories"}
    told = ", ".join(f"{count} {kind if count == 1 else words[kind]}" for kind, count in sorted(kinds.items()))
    locked = sum(one.protection != "normal" for one in held)
    others = [one.ref for one in held if one.id != root.id]
    derived = f" Derived from it: {asking.listed(others)}." if others else " Nothing that is recalled was derived from it."
    guarded = f" {locked} of them are protected or locked." if locked else ""
    left = _left(connection, root, held)
    replaced = f" What they had replaced stays replaced until it is restored: {asking.listed(left)}." if left else ""
    return (
        f"Archive {asking.quoted(root)} and everything derived from it: {counted(len(held), 'record')} ({told}).{derived}"
        f"{guarded}{replaced} Nothing of it is found any more. One undo of this action brings all of it back."
    )


def _left(connection: Connection, root: Record, held: Sequence[Record]) -> list[str]:
    """What was superseded by something that goes now."""
    gone = {one.id for one in held}
    links = [link for link in records.links(connection, root.workspace, gone) if link.relation == "supersedes"]
    old = records.by_id(connection, root.workspace, {link.dst for link in links if link.src in gone} - gone)
    return [one.ref for one in old.values() if one.superseded_by in gone]
