"""Looking at what waits, what happened and what was changed: each verb has its function, in the module of its noun."""

from __future__ import annotations

from importlib import import_module

from muniment.access import policy
from muniment.context import Context
from muniment.model import governing
from muniment.model.governing import ReviewAnswer, ReviewRequest
from muniment.text import plain

# By name, since a verb loads only what it needs: reading statements by rule alone takes longer to load than most of them.
# Every function is `(context, connection, place, do) -> ReviewAnswer` and only reads.
VERBS: dict[type, str] = {
    governing.Overview: "queue:overview",
    governing.Queue: "queue:queue",
    governing.Conflicts: "conflicts:listed",
    governing.OneConflict: "conflicts:opened",
    governing.Proposals: "decisions:listed",
    governing.OneProposal: "decisions:opened",
    governing.History: "histories:history",
    governing.Diff: "histories:diff",
    governing.Audit: "histories:audit",
    governing.Expired: "histories:expired",
    governing.Lineage: "lineage:lineage",
    governing.Notices: "notices:listed",
    governing.Entities: "naming:listed",
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
