"""Taking back one action or all of a run. What was taken back stays in the ledger, with what took it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, NotFound
from muniment.governance import asking, changes, confirmations, edits, ledger, merging
from muniment.governance.changes import Action
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.governing import GovernAnswer, GovernRequest, Undo
from muniment.model.records import Record
from muniment.model.times import Moment
from muniment.store import histories, records, workspaces
from muniment.store.connections import Connection
from muniment.text.counts import counted


def undo(context: Context, request: GovernRequest, do: Undo) -> GovernAnswer:
    """Take back an action or, newest first, every action of a run that still stands.

    A run is that of one workspace: the named one, or the current one. Answers the refs of the records concerned.
    """
    reason = asking.why(context, request)
    if (do.action is None) == (do.run is None):
        raise InvalidInput("undo takes an action or a run, one of both.", "List actions with `muniment review audit`.")
    with context.store.read() as connection:
        carried = _carried(context, connection, do)
    if carried is not None:
        return merging.undo(context, request, do, carried)
    with context.store.read() as connection:
        place, seen = _asked(context, connection, request, do)
        impact = _impact(_touched(context, connection, place, seen), seen)
    if "admin" not in context.grant.scopes and any("workspace" in one.targets and one.effects for one in seen):
        raise InsufficientScope("What was set of a workspace is taken back by who may manage workspaces.")
    ticket = confirmations.require(context, request, _seal(seen), impact)
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        place, actions = _asked(context, connection, request, do)
        if _seal(actions) != _seal(seen):
            raise InvalidInput("Somebody else undid or added to this at this moment.", "Ask again without confirm.")
        confirmations.spend(context, connection, ticket)
        changed = _touched(context, connection, place, actions)
        entered = changes.undo(context, connection, actions, reason=reason)
    counts = {"actions": len(actions), "records": len(changed)}
    return GovernAnswer("undo", f"a_{entered.uid}", tuple(one.ref for one in changed), counts=counts)


def _carried(context: Context, connection: Connection, do: Undo) -> Action | None:
    """The merge or move that is meant, which is taken back by carrying everything back."""
    parsed = ids.parse(do.action or "")
    action = changes.by_uid(connection, parsed[1]) if parsed and parsed[0] == "a" else None
    if action is None or action.kind not in changes.CARRYING:
        return None
    place = next(iter(workspaces.by_ids(connection, [action.workspace])), None)
    if place is None or not policy.visible(context.grant, place):
        return None
    if action.seq in ledger.blanked(connection, action.workspace):
        changes.undoable(action, {action.seq})
    return action


def _asked(context: Context, connection: Connection, request: GovernRequest, do: Undo) -> tuple[Workspace, Sequence[Action]]:
    """The actions that are meant, newest first. Raises NotFound alike for absent and foreign ones."""
    if do.run is not None:
        place = policy.current(context, connection, request.workspace)
        policy.changes(context, place)
        actions = changes.of_run(connection, place.id, do.run)
        if not actions:
            known = histories.page(connection, place.id, limit=1, run=do.run)
            advice = "All of it was undone, or cannot be." if known else "A run is undone in the workspace where it was made."
            raise NotFound(f"No action of the run {do.run!r} is left to undo in {place.slug}.", advice)
        return place, actions
    parsed = ids.parse(do.action or "")
    action = changes.by_uid(connection, parsed[1]) if parsed and parsed[0] == "a" else None
    read = policy.may_read(context, connection, action.workspace) if action else None
    if action is None or read is None:
        raise NotFound(f"There is no action {do.action!r}.", "List actions with `muniment review audit`.")
    changes.undoable(action, ledger.blanked(connection, action.workspace))
    policy.changes(context, read)
    return read, [action]


def _touched(context: Context, connection: Connection, place: Workspace, actions: Sequence[Action]) -> list[Record]:
    """The records whose standing or whose links the actions set, in order. Raises where one must not be changed."""
    numbers = changes.records_touched(connection, place.id, actions)
    held = records.by_id(connection, place.id, numbers)
    if numbers - held.keys():  # what was forgotten is named by no action that can be undone
        said = "This concerns a record that was moved to another workspace since."
        raise InvalidInput(said, "Undo the move first; `muniment review audit` lists it.")
    found = [held[number] for number in sorted(held)]
    for record in found:
        edits.guard(context, record, text=False, confirmed=True)
    return found


def _seal(actions: Sequence[Action]) -> list[str]:
    """What a confirmation of an undo is bound to: exactly these actions, none of them undone."""
    return [one.uid for one in actions]


def _impact(touched: Sequence[Record], actions: Sequence[Action]) -> str:
    kinds = Counter(one.kind for one in actions)
    told = ", ".join(f"{count} × {kind}" if count > 1 else kind for kind, count in kinds.items())
    newest = Moment(actions[0].at, 0).iso()
    quoted = asking.listed([asking.quoted(one) for one in touched]) or "nothing else"
    return (
        f"Undo {counted(len(actions), 'action')} ({told}; the newest of {newest}). It concerns "
        f"{counted(len(touched), 'record')}: {quoted}. They will be as if that had never been done; later changes stay."
    )
