"""What a record counts for: confirmed, retired, restored, protected. Each is confirmed first and names its reason.

Nothing here destroys anything; every one of these actions can be undone.
"""

from __future__ import annotations

from collections.abc import Callable

from muniment.context import Context
from muniment.errors import InvalidInput, ProtectedTarget
from muniment.governance import asking, changes, confirmations, edits
from muniment.governance.changes import Act, Effect
from muniment.governance.statement import Statement
from muniment.index import write
from muniment.model.governing import Confirm, GovernAnswer, GovernRequest, Protect, Restore, Retire
from muniment.model.records import Record
from muniment.store.connections import Connection

STATE_OF = {"wrong": "rejected", "archive": "archived"}
FOLLOWS = {
    "normal": "Whoever may write can change it from then on.",
    "protected": "Only who governs can change it from then on.",
    "locked": "Only who governs and confirms each change can change it from then on.",
}
CONFIRM_AT = "Let an owner run `muniment govern confirm` at the command line of the store; do not retry here."
Change = Callable[[Connection, Record], tuple[list[Effect], Act]]


def confirm(context: Context, request: GovernRequest, do: Confirm) -> GovernAnswer:
    """Say that a memory is right: a new version of the same text, confirmed by a person, and locked.

    Raises ProtectedTarget where no person stands at the door: what a program says never counts as a person's word.
    """
    reason = asking.why(context, request)
    if not context.personal:
        said = f"Whether {do.target} is right is for a person to say, and over this connection a program speaks."
        raise ProtectedTarget(said, CONFIRM_AT)
    with context.store.read() as connection:
        seen = asking.looked_at(context, connection, do.target, do.expected_version, text=True)
        _active(seen)
        if seen.source_type == edits.PERSON and seen.protection == "locked":
            raise InvalidInput(f"{seen.ref} is confirmed and locked already.", "There is nothing to change.")
        impact = f"Confirm {asking.quoted(seen)}. It counts as confirmed by a person and is locked. {FOLLOWS['locked']}"
    analysed = write.analyse(seen.text, seen.kind, seen.subject)

    def change(connection: Connection, record: Record) -> tuple[list[Effect], Act]:
        same = Statement(record.text, None, None, reason, None, 0, None, record.fingerprint)
        belief = edits.confirmed(context, record.taint)
        version, effects = edits.edit(context, connection, record, same, belief, analysed)
        targets: dict[str, object] = {"record": record.uid, "version": version, "from": record.version}
        return effects, Act("confirm", targets, reason, request.run, after=[record.text])

    return _done(context, request, seen, impact, change, text=True)


def retire(context: Context, request: GovernRequest, do: Retire) -> GovernAnswer:
    """Take a record out of recall: with an heir (change, correction), as wrong, or into the archive."""
    reason = asking.why(context, request)
    if (do.how in STATE_OF) == (do.heir is not None):
        raise InvalidInput(f"how={do.how} {'takes no' if do.heir else 'needs an'} heir.", "change and correction need one.")
    with context.store.read() as connection:
        seen = asking.looked_at(context, connection, do.target, do.expected_version)
        impact = f"Retire {asking.quoted(seen)}. {_outcome(context, connection, seen, do)} {asking.ties(connection, seen)}"

    def change(connection: Connection, record: Record) -> tuple[list[Effect], Act]:
        targets: dict[str, object] = {"record": record.uid, "how": do.how}
        if do.heir is None:
            effects = edits.moved(record, STATE_OF[do.how])
        else:
            heir, _ = asking.found(context, connection, do.heir)
            effects = edits.superseded(context, connection, record, heir, how=do.how, rationale=reason)
            targets["heir"] = heir.uid
        return effects, Act("retire", targets, reason, request.run)

    return _done(context, request, seen, impact, change)


def restore(context: Context, request: GovernRequest, do: Restore) -> GovernAnswer:
    """Bring a record back into recall; what took its place no longer does."""
    reason = asking.why(context, request)
    with context.store.read() as connection:
        seen = asking.looked_at(context, connection, do.target, do.expected_version)
        edits.moved(seen, "active")
        heir = edits.heir(connection, seen)
        beside = f" {asking.quoted(heir)} no longer counts as its heir, and both stand side by side." if heir else ""
        impact = f"Restore {asking.quoted(seen)}. It stands again and is found.{beside} {asking.ties(connection, seen)}"

    def change(connection: Connection, record: Record) -> tuple[list[Effect], Act]:
        return edits.moved(record, "active"), Act("restore", {"record": record.uid}, reason, request.run)

    return _done(context, request, seen, impact, change)


def protect(context: Context, request: GovernRequest, do: Protect) -> GovernAnswer:
    """Set who may change a record from now on."""
    reason = asking.why(context, request)
    with context.store.read() as connection:
        seen = asking.looked_at(context, connection, do.target, do.expected_version)
        if seen.protection == do.level:
            raise InvalidInput(f"{seen.ref} is {do.level} already.", "There is nothing to change.")
        impact = f"Make {asking.quoted(seen)} {do.level}; it is {seen.protection} now. {FOLLOWS[do.level]}"

    def change(connection: Connection, record: Record) -> tuple[list[Effect], Act]:
        targets: dict[str, object] = {"record": record.uid, "level": do.level}
        return [Effect("record", record.id, "protection", do.level)], Act("protect", targets, reason, request.run)

    return _done(context, request, seen, impact, change)


def _done(
    context: Context, request: GovernRequest, seen: Record, impact: str, change: Change, *, text: bool = False
) -> GovernAnswer:
    """Ask for confirmation, or with it change what was seen, in one transaction."""
    ticket = confirmations.require(context, request, asking.seal(seen), impact)
    with context.store.write() as connection:
        record, place = edits.target(context, connection, seen.ref)
        edits.guard(context, record, text=text, confirmed=True)
        asking.unchanged(record, seen)
        confirmations.spend(context, connection, ticket)
        effects, act = change(connection, record)
        entered = changes.make(context, connection, place.id, act, effects)
    return GovernAnswer(request.do.verb, f"a_{entered.uid}", (seen.ref,))


def _active(record: Record) -> None:
    if record.state != "active":
        raise InvalidInput(f"{record.ref} is {record.state}.", "Restore it before you confirm it.")


def _outcome(context: Context, connection: Connection, seen: Record, do: Retire) -> str:
    """What a retirement leads to, in words. Raises InvalidInput where it cannot be."""
    if do.heir is None:
        edits.moved(seen, STATE_OF[do.how])
        return "It was wrong and is not found any more." if do.how == "wrong" else "It is kept, but not found any more."
    heir, _ = asking.found(context, connection, do.heir)
    edits.may_inherit(connection, seen, heir)
    how = "it was never so" if do.how == "correction" else "the world has changed"
    return f"{asking.quoted(heir)} takes its place, since {how}."
