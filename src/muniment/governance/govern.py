"""Deciding and changing with authority: each verb has its function, in the module of the noun it is about."""

from __future__ import annotations

from importlib import import_module

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InsufficientScope
from muniment.model import governing
from muniment.model.governing import GovernAnswer, GovernRequest
from muniment.text import plain

# By name, since a verb loads only what it needs: reading statements by rule alone takes longer to load than most of them.
# Every function is `(context, request, do) -> GovernAnswer`; it opens its own transaction and asks for confirmation.
VERBS: dict[type, str] = {
    governing.Approve: "decisions:approve",
    governing.Reject: "decisions:reject",
    governing.SetRule: "decisions:set_rule",
    governing.Confirm: "standing:confirm",
    governing.Retire: "standing:retire",
    governing.Restore: "standing:restore",
    governing.Protect: "standing:protect",
    governing.ApplyStep: "resolution:apply_step",
    governing.Replan: "resolution:replan",
    governing.Resolve: "resolution:resolve",
    governing.ScanConflicts: "detect:scan_now",
    governing.Contain: "lineage:contain",
    governing.Undo: "undoing:undo",
    governing.SetEntity: "naming:set_entity",
    governing.DismissNotice: "notices:dismiss",
}


def govern(context: Context, request: GovernRequest) -> GovernAnswer:
    """Decide what waits and change what stands, with authority: approve or reject a proposal, confirm, retire, restore or
    protect a memory, carry out a judged conflict, contain what an untrusted record led to, undo an action or a run.

    What cannot be taken lightly first answers confirmation_required with its impact; show it to whoever decides, then repeat
    the call with the `confirm` value. Errors: confirmation_required, stale_version, stale_conflict, not_found,
    insufficient_scope.
    """
    policy.writes(context)
    if "govern" not in context.grant.scopes:
        raise InsufficientScope("This token may not govern.")
    request = plain.clean_all(request)
    module, _, name = VERBS[type(request.do)].partition(":")
    answer: GovernAnswer = getattr(import_module(f"muniment.governance.{module}"), name)(context, request, request.do)
    return answer
