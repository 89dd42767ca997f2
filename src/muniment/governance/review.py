"""Looking at what waits, what happened and what was changed: each verb has its function, in the module of its noun."""

from __future__ import annotations

from importlib import import_module

from muniment.access import policy
from muniment.context import Context
from muniment.model import reviewing
from muniment.model.reviewing import ReviewAnswer, ReviewRequest
from muniment.text import plain

# By name, since a verb loads only what it needs: reading statements by rule alone takes longer to load than most of them.
# Every function is `(context, connection, place, do) -> ReviewAnswer` and only reads.
VERBS: dict[type, str] = {
    reviewing.Overview: "queue:overview",
    reviewing.Queue: "queue:queue",
    reviewing.Conflicts: "conflicts:listed",
    reviewing.OneConflict: "conflicts:opened",
    reviewing.Proposals: "decisions:listed",
    reviewing.OneProposal: "decisions:opened",
    reviewing.History: "histories:history",
    reviewing.Diff: "histories:diff",
    reviewing.Audit: "histories:audit",
    reviewing.Expired: "histories:expired",
    reviewing.Lineage: "lineage:lineage",
    reviewing.Notices: "notices:listed",
    reviewing.Entities: "naming:listed",
}


def review(context: Context, request: ReviewRequest) -> ReviewAnswer:
    """Look at what waits for a decision and at what was done: conflicts, proposals, history, differences between versions,
    lineage, the ledger, notices, what recall no longer shows, entities. Changes nothing.

    Errors: not_found, forbidden_scope, invalid_cursor.
    """
    request = plain.clean_all(request)
    module, _, name = VERBS[type(request.do)].partition(":")
    with context.store.read() as connection:
        place = policy.current(context, connection, request.workspace)
        found = getattr(import_module(f"muniment.governance.{module}"), name)
        answer: ReviewAnswer = found(context, connection, place, request.do)
    return answer
