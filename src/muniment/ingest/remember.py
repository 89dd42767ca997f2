"""Keeping one statement, and changing it: every earlier version stays, and every change names its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muniment.access import policy
from muniment.access.zones import SUSPECT
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput
from muniment.governance import asking, changes, edits, replays
from muniment.governance import statement as statements
from muniment.governance.changes import Act, Effect
from muniment.governance.statement import Statement
from muniment.graph import claims
from muniment.index import similar, write
from muniment.ingest import filing, resting
from muniment.model.access import Workspace
from muniment.model.recalling import Meta
from muniment.model.records import PROTECTED_KINDS, Record
from muniment.model.writing import SIMILAR_SHOWN_MAX, ClaimIn, RememberAnswer, RememberRequest, Similar
from muniment.store import records, workspaces
from muniment.store.connections import Connection
from muniment.text import plain

# Stands for a text that an update leaves as it is.
UNCHANGED = "unchanged"
STATE_OF = {"archive": "archived", "restore": "active", "reject": "rejected", "close_thread": "archived"}


def remember(context: Context, request: RememberRequest) -> RememberAnswer:
    """Keep one durable statement, or change one: a fact, decision, preference, procedure, open thread and so on.

    op add keeps `text`; the same text again confirms it (`duplicate`), what resembles it is listed as `similar`. update
    replaces the text of `target`, or only what is given beside it; supersede makes `text` its heir (the world changed;
    with correction=true it was never so); reject: it was wrong; archive, restore: out of recall, and back. All but add need
    the `expected_version` you read. What you may only propose waits: `queued`, and ref is the proposal's. Secrets are masked.
    Errors: invalid_input, stale_version, protected_target, not_found, insufficient_scope, request_mismatch.
    """
    request = plain.clean_all(request)
    proposing = filing.wanted(context, request)
    if context.read_only or not proposing:
        policy.writes(context)
    if request.op in filing.ADDING:
        if request.target is not None or request.expected_version is not None:
            raise InvalidInput(f"op {request.op} takes no target and no expected_version.", "Use op update or supersede.")
        return filing.file(context, request) if proposing or filing.waits(context, request) else _add(context, request)
    if not request.target:
        raise InvalidInput(f"{request.op} needs a target.", "Pass the memory's ref (m_…) as target.")
    if request.expected_version is None:
        raise InvalidInput(f"{request.op} needs expected_version.", "Read the memory first and pass its version.")
    if proposing or filing.walled(context, request) or filing.waits(context, request):
        return filing.file(context, request)
    match request.op:
        case "update":
            return _update(context, request)
        case "supersede":
            return _supersede(context, request)
        case _:
            return _move(context, request)


def _add(context: Context, request: RememberRequest) -> RememberAnswer:
    with context.store.read() as connection:
        place = policy.target(context, connection, request.workspace)
        if again := _replayed(context, connection, request):
            return again
        sources = resting.sources(context, connection, request)
    kind = "thread" if request.op == "open_thread" else request.kind
    if kind in PROTECTED_KINDS and not context.grant.scopes & {"write", "govern"}:
        raise InsufficientScope(f"A {kind} binds everybody; this token may only add what does not.", "Ask the owner for it.")
    statement = _statement(context, request, kind)
    analysed = write.analyse(statement.text, kind, statement.subject)
    with context.store.read() as connection:
        alike = similar.find(connection, place.id, analysed)
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if again := _replayed(context, connection, request):
            return again
        known = records.known_as(connection, place.id, statement.fingerprint)
        if known:
            _corroborate(context, connection, place, known, statement)
            belief = resting.standing(context, connection, sources, request.links)
            answer = _again(context, connection, place, known, statement, belief)
        else:
            belief = resting.belief(context, connection, statement, sources, request.links)
            record, effects = edits.add(context, connection, place, kind, statement, belief, analysed, tier=request.tier)
            effects += resting.linked(context, connection, record, sources, request.links or ())
            act = Act("remember", {"record": record.uid}, statement.why, after=[statement.text])
            answer = _made(context, connection, place, record, act, effects, statement, alike, told=request.claims)
        _note(context, connection, request, answer)
    return answer


def _update(context: Context, request: RememberRequest) -> RememberAnswer:
    with context.store.read() as connection:
        record, _ = asking.memory(context, connection, request.target)
        if again := _replayed(context, connection, request):
            return again
    edits.guard(context, record)
    edits.fresh(record, request.expected_version)
    # Read outside of the write; the version that it rests on is checked again inside.
    statement = _statement(context, request, record.kind) if request.text is not None else _beside(context, request, record)
    analysed = write.analyse(statement.text, record.kind, statement.subject or record.subject)
    with context.store.write() as connection:
        record, place = edits.target(context, connection, request.target)
        if again := _replayed(context, connection, request):
            return again
        edits.guard(context, record)
        edits.fresh(record, request.expected_version)
        if record.state != "active":
            raise InvalidInput(f"The memory is {record.state}.", "Restore it before you change it.")
        if request.text is not None:
            statements.alone(connection, record, statement)
        sources = resting.sources(context, connection, request)
        belief = resting.belief(context, connection, statement, sources, request.links)
        if request.text is None:
            belief = edits.Belief(record.source_type, record.trust, max(belief.taint, record.taint))
        version, effects = edits.edit(context, connection, record, statement, belief, analysed, tier=request.tier)
        effects += resting.linked(context, connection, record, sources, request.links or ())
        targets: dict[str, object] = {"record": record.uid, "version": version, "from": record.version}
        act = Act("update", targets, statement.why, before=[record.text], after=[statement.text])
        answer = _made(context, connection, place, record, act, effects, statement, [], told=request.claims)
        _note(context, connection, request, answer)
    return answer


def _supersede(context: Context, request: RememberRequest) -> RememberAnswer:
    """Keep the text as the heir of the target, or make an active memory that says exactly this its heir."""
    with context.store.read() as connection:
        old, _ = asking.memory(context, connection, request.target)
        if again := _replayed(context, connection, request):
            return again
    kind = request.kind if request.kind != "fact" or old.kind in ("turn", "document") else old.kind
    statement = _statement(context, request, kind)
    analysed = write.analyse(statement.text, kind, statement.subject)
    with context.store.write() as connection:
        old, place = edits.target(context, connection, request.target)
        if again := _replayed(context, connection, request):
            return again
        edits.guard(context, old, text=False)
        edits.fresh(old, request.expected_version)
        sources = resting.sources(context, connection, request)
        known = records.known_as(connection, place.id, statement.fingerprint)
        effects: list[Effect] = []
        # What was retired before holds again as a memory of its own: its own past stays what it was.
        if known is not None and known.state == "active":
            heir = records.by_id(connection, place.id, [known.id])[known.id]
            if resting.standing(context, connection, sources, request.links).taint > heir.taint:
                said = f"{heir.ref} says exactly this and is less tainted than the evidence."
                raise InvalidInput(said, "Leave the evidence out, or update that memory with it first.")
        else:
            belief = resting.belief(context, connection, statement, sources, request.links, replaced=(old,))
            heir, effects = edits.add(
                context, connection, place, kind, statement, belief, analysed, tier=request.tier or old.tier
            )
        how = "correction" if request.correction else "change"
        effects += edits.superseded(context, connection, old, heir, how=how, rationale=statement.why)
        effects += resting.linked(context, connection, heir, sources, request.links or ())
        targets: dict[str, object] = {"record": heir.uid, "replaced": old.uid, "how": how}
        act = Act("supersede", targets, statement.why, before=[old.text], after=[statement.text])
        replaced = old.ref
        answer = _made(context, connection, place, heir, act, effects, statement, [], superseded=replaced, told=request.claims)
        _note(context, connection, request, answer)
    return answer


def _move(context: Context, request: RememberRequest) -> RememberAnswer:
    """archive, restore, reject and close_thread: in and out of recall, with nothing lost."""
    why = statements.reason(context, request.why)
    if request.text is not None:
        raise InvalidInput(f"op {request.op} takes no text.", "Give the reason as why.")
    with context.store.write() as connection:
        record, place = edits.target(context, connection, request.target)
        if again := _replayed(context, connection, request):
            return again
        edits.guard(context, record)
        edits.fresh(record, request.expected_version)
        if request.op == "restore" and record.taint >= SUSPECT and "govern" not in context.grant.scopes:
            raise InsufficientScope("It looks like instructions, and only who governs may bring it back.", "Ask the owner.")
        if request.op == "close_thread" and record.kind != "thread":
            raise InvalidInput(f"A {record.kind} is no open thread.", "Use op archive or reject.")
        effects = edits.moved(record, STATE_OF[request.op])
        act = Act(request.op, {"record": record.uid}, why)
        answer = _made(context, connection, place, record, act, effects, None, [])
        _note(context, connection, request, answer)
    return answer


def _beside(context: Context, request: RememberRequest, record: Record) -> Statement:
    """The text that a memory has, with other things beside it: labels, a subject, times, a source."""
    given = (request.subject, request.labels, request.tier, request.event_time, request.valid_from, request.valid_to)
    if all(one is None for one in (*given, request.source_ref, request.evidence, request.links)):
        raise InvalidInput("There is nothing to change.", "Pass a text, or what should stand beside it.")
    beside = _statement(context, replace(request, text=UNCHANGED), record.kind)
    return replace(beside, text=record.text, fingerprint=record.fingerprint)


def _made(
    context: Context,
    connection: Connection,
    place: Workspace,
    record: Record,
    act: Act,
    effects: Sequence[Effect],
    statement: Statement | None,
    alike: list[similar.Alike],
    *,
    superseded: str | None = None,
    told: Sequence[ClaimIn] | None = None,
) -> RememberAnswer:
    """Write the action and answer with the record as it is afterwards."""
    entered = changes.make(context, connection, place.id, act, effects)
    now = records.by_uid(connection, record.uid)
    assert now is not None, "nothing was forgotten here"
    read = claims.enter(context, connection, place.id, claims.source(now), told) if statement else claims.Entered()
    write.look_for_conflicts(connection, place.id, now.id, context.now())
    return RememberAnswer(
        "applied",
        now.ref,
        now.version,
        place.slug,
        action=f"a_{entered.uid}",
        superseded=superseded,
        taint=now.taint,
        masked=statement.masked if statement else 0,
        claims=read.kept,
        dropped=read.dropped,
        similar=similar.shown(alike),
    )


def _statement(context: Context, request: RememberRequest, kind: str) -> Statement:
    return statements.prepare(
        context,
        kind,
        request.text,
        subject=request.subject,
        labels=request.labels,
        why=request.why,
        source_ref=request.source_ref,
        event_time=request.event_time,
        valid_from=request.valid_from,
        valid_to=request.valid_to,
    )


def _corroborate(
    context: Context, connection: Connection, place: Workspace, known: records.Known, statement: Statement
) -> None:
    """Count one confirmation for each principal and source; the same one again changes nothing."""
    values = {
        "workspace": place.id,
        "record": known.id,
        "at": context.now(),
        "principal": context.grant.principal,
        "source_ref": statement.source_ref or "",
    }
    if connection.one("corroborate", values):
        act = Act("corroborate", {"record": known.uid}, statement.why)
        changes.make(context, connection, place.id, act, [])


def _again(
    context: Context,
    connection: Connection,
    place: Workspace,
    known: records.Known,
    statement: Statement,
    belief: edits.Belief,
) -> RememberAnswer:
    """What was kept before and is said again: confirmed once more, or brought back where only its keeping was undone."""
    record = records.by_id(connection, place.id, [known.id])[known.id]
    ref = record.ref
    if record.state == "active":
        return RememberAnswer("duplicate", ref, record.version, place.slug)
    if not _may_return(context, connection, record, replace(belief, taint=max(belief.taint, statement.taint))):
        return RememberAnswer("duplicate", ref, record.version, place.slug, meta=Meta(warnings=(_retired(connection, record),)))
    act = Act("restore", {"record": record.uid}, statement.why)
    answer = _made(context, connection, place, record, act, edits.moved(record, "active"), None, [])
    said = "It was kept before and that was undone; it is kept again."
    return replace(answer, outcome="duplicate", meta=Meta(warnings=(said,)))


def _may_return(context: Context, connection: Connection, record: Record, belief: edits.Belief) -> bool:
    """Whether saying it again is enough: nothing but the undoing of its keeping took it out of recall, it is not protected
    from the caller, and it would not be believed more than the caller is."""
    if record.state != "archived" or not changes.never_set(connection, record.workspace, "record", record.id, "state"):
        return False
    governs = "govern" in context.grant.scopes
    if record.taint >= SUSPECT and not governs:
        return False
    person = context.personal and governs
    return (person or record.protection == "normal") and belief.trust >= record.trust and belief.taint <= record.taint


def _retired(connection: Connection, record: Record) -> str:
    """What was retired stays retired when it is said again; this says what took its place, and the call that changes it."""
    heir = edits.heir(connection, record) if record.state == "superseded" else None
    if heir is not None:
        ref = heir.ref
        return (
            f"It was kept before and {ref} took its place; it stays retired. If it holds again, "
            f'remember(op="supersede", target="{ref}", expected_version={heir.version}, text=…) says so; '
            f"at the command line `muniment supersede {ref} TEXT`."
        )
    ref = record.ref
    return (
        f"It was kept before and is {record.state}; it stays out of recall. "
        f'remember(op="restore", target="{ref}", expected_version={record.version}) brings it back; '
        f"at the command line `muniment remember --restore {ref}`."
    )


def _replayed(context: Context, connection: Connection, request: RememberRequest) -> RememberAnswer | None:
    held = replays.find(context, connection, request.request_id, request)
    if held is None:
        return None
    alike = [(one, records.by_uid(connection, uid), share) for one, uid, share in held.pop("similar")]
    shown = tuple(Similar(ref, record.text[:SIMILAR_SHOWN_MAX], share) for ref, record, share in alike if record)
    return RememberAnswer(**held, similar=shown, replayed=True)


def _note(context: Context, connection: Connection, request: RememberRequest, answer: RememberAnswer) -> None:
    """Keep the answer for a repeated request. Texts are not kept twice, only their refs."""
    held = {
        "outcome": answer.outcome,
        "ref": answer.ref,
        "version": answer.version,
        "workspace": answer.workspace,
        "action": answer.action,
        "proposal_id": answer.proposal_id,
        "superseded": answer.superseded,
        "taint": answer.taint,
        "masked": answer.masked,
        "claims": answer.claims,
        "dropped": answer.dropped,
        "similar": [(one.ref, one.ref[2:], one.similarity) for one in answer.similar],
    }
    replays.keep(context, connection, request.request_id, request, held)
