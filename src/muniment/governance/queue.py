"""Everything that waits for somebody's decision, counted and in one list. It only looks."""

from __future__ import annotations

from muniment.context import Context
from muniment.governance import conflicts as shown
from muniment.governance import decisions, detect
from muniment.model import ids, reviewing
from muniment.model.access import Workspace
from muniment.model.reviewing import ProposalSeen, ReviewAnswer
from muniment.model.times import Moment
from muniment.recall import proposed
from muniment.store import candidates, conflicts, notices, proposals
from muniment.store.connections import Connection, Row
from muniment.text import fence


def overview(context: Context, connection: Connection, place: Workspace, do: reviewing.Overview) -> ReviewAnswer:
    """How much waits, by sort: `proposals_queued`, `conflicts_open`, `candidates_conflict`, `notices_pending` and so on.
    `scan_required` is 1 when records changed since the last full scan for conflicts."""
    counts = {f"proposals_{state}": 0 for state in ("queued", "quarantined", "accepted")}
    if (own := proposed.principal_seen(context)) is None:
        rows = connection.all("queue_proposal_counts", {"workspace": place.id})
        counts |= {f"proposals_{state}": count for state, count in rows}
    else:
        for one in proposals.listed(connection, place.id, principal=own, limit=decisions.OWN_MOST):
            counts[f"proposals_{one.state}"] += 1
    held = conflicts.counts(connection, place.id)
    counts |= {f"conflicts_{state}": held.get(state, 0) for state in conflicts.WAITING}
    counts["candidates_deferred"] = 0
    for (sort, state), count in candidates.counts(connection, place.id).items():
        name = "candidates_deferred" if state == "deferred" else f"candidates_{sort}"
        counts[name] = counts.get(name, 0) + count
    counts["notices_pending"] = notices.pending(connection, place.id)
    counts["scan_required"] = int(detect.required(connection, place.id))
    return ReviewAnswer(do.verb, place.slug, counts=counts)


def queue(context: Context, connection: Connection, place: Workspace, do: reviewing.Queue) -> ReviewAnswer:
    """What waits, at most `limit` of each sort: proposals by how contaminated, conflicts, candidates by how certain."""
    waiting = conflicts.listed(connection, place.id, conflicts.WAITING, do.limit)
    likely = candidates.waiting(connection, place.id, do.limit)
    return ReviewAnswer(
        do.verb,
        place.slug,
        proposals=_waiting(context, connection, place, do.limit),
        conflicts=tuple(shown.seen(connection, one) for one in waiting),
        candidates=tuple(shown.candidate_seen(connection, one) for one in likely),
    )


def _waiting(context: Context, connection: Connection, place: Workspace, limit: int) -> tuple[ProposalSeen, ...]:
    """The most contaminated first. A caller who decides nothing sees the own ones alone."""
    if (own := proposed.principal_seen(context)) is None:
        rows = connection.all("queue_proposals", {"workspace": place.id, "limit": limit})
        return tuple(_proposal(row) for row in rows)
    found = proposals.listed(connection, place.id, principal=own, limit=limit)
    return tuple(decisions.seen(context, connection, one) for one in found)


def _proposal(row: Row) -> ProposalSeen:
    uid, state, op, text, by, at, taint, kind, target, other, supersedes, sort, reason = row
    return ProposalSeen(
        ref=f"p_{uid}",
        state=state,
        op=op,
        text=fence.visible(text) if text else text,
        by=by,
        at=Moment(at, 0).iso(),
        taint=taint,
        target=ids.ref(kind, target) if target else None,
        supersedes=ids.ref(other, supersedes) if supersedes else None,
        kind=sort,
        reason=reason,
    )
