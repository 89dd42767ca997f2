"""Keeping one statement, and changing it: every earlier version stays, and every change names its reason."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import asdict, dataclass

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, LimitExceeded, NotFound, RequestMismatch, StaleVersion, StoreBusy
from muniment.governance import ledger
from muniment.index import similar, write
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.recalling import Meta
from muniment.model.records import TRUST, Label, Record, tier_of
from muniment.model.times import Moment
from muniment.model.writing import (
    LABEL_LENGTH_MAX,
    SIMILAR_SHOWN_MAX,
    TEXT_LENGTH_MAX,
    Labels,
    RememberAnswer,
    RememberRequest,
    Similar,
)
from muniment.store import records, workspaces
from muniment.store.connections import Connection
from muniment.text import dates, fence, plain, redact
from muniment.text.labels import norm


@dataclass(frozen=True, slots=True)
class _Statement:
    """A text that may be stored, with what is stored beside it; all of it masked."""

    text: str
    subject: str | None
    labels: tuple[Label, ...] | None
    why: str | None
    source_ref: str | None
    masked: int
    event: Moment | None
    fingerprint: str


def remember(context: Context, request: RememberRequest) -> RememberAnswer:
    """Keep one durable statement: a fact, decision, preference, open thread, method and so on.

    op add (default) keeps `text`; the same text again counts as confirmation (`duplicate`), a nearly equal one is kept and
    what it resembles is listed as `similar`. op update replaces the text of `target` at `expected_version` and keeps the
    earlier version; archive takes `target` out of recall, restore brings it back. Secrets are masked before storage.
    Errors: invalid_input, stale_version, not_found, insufficient_scope, request_mismatch.
    """
    request = plain.clean_all(request)
    policy.writes(context)
    match request.op:
        case "add":
            return _add(context, request)
        case "update":
            return _update(context, request)
        case _:
            return _move(context, request)


def _add(context: Context, request: RememberRequest) -> RememberAnswer:
    if request.target is not None or request.expected_version is not None:
        raise InvalidInput("op add takes no target and no expected_version.", "Use op update to change a memory.")
    with context.store.read() as connection:
        place = policy.target(context, connection, request.workspace)
        if again := _replay(context, connection, request):
            return again
    statement = _statement(context, request, request.kind)
    analysed = write.analyse(statement.text, request.kind, statement.subject)
    with context.store.read() as connection:
        alike = similar.find(connection, place.id, analysed)
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if again := _replay(context, connection, request):
            return again
        known = records.known(connection, place.id, [statement.fingerprint]).get(statement.fingerprint)
        if known:
            _corroborate(context, connection, place, known, statement)
            answer = RememberAnswer(
                "duplicate", ids.ref(request.kind, known.uid), known.version, place.slug, meta=_retired(known.state)
            )
        else:
            uid = _insert(context, connection, place, request, statement, analysed)
            answer = RememberAnswer(
                "applied", ids.ref(request.kind, uid), 1, place.slug, masked=statement.masked, similar=_shown(alike)
            )
        _note(context, connection, request, answer)
    return answer


def _insert(
    context: Context,
    connection: Connection,
    place: Workspace,
    request: RememberRequest,
    statement: _Statement,
    analysed: write.Analysed,
) -> str:
    now, uid = context.now(), context.uid()
    number = workspaces.take(connection, place.id, records=1).records
    tier = request.tier or tier_of(request.kind)
    connection.run(
        "record_add",
        {
            "workspace": place.id,
            "id": number,
            "uid": uid,
            "kind": request.kind,
            "tier": tier,
            "subject": statement.subject,
            "text": statement.text,
            "session": None,
            "seq": None,
            "speaker": None,
            "event_at": statement.event.ms if statement.event else None,
            "event_zone": statement.event.zone if statement.event else None,
            "recorded_at": now,
            "fingerprint": statement.fingerprint,
            "external_id": None,
            "source_type": context.source_type,
            "source_ref": statement.source_ref,
            "url": None,
            "origin": "own",
            "trust": TRUST[context.source_type],
            "taint": 0,
            "principal": context.grant.principal,
            "client": context.grant.client,
        },
    )
    _label(connection, place.id, number, statement.labels or ())
    event = statement.event.ms if statement.event else None
    entering = write.Entering(number, 1, request.kind, tier, 0, 0, 0, event, now, analysed)
    first, last = write.enter(connection, place.id, [entering])
    write.follow_up(connection, place.id, first, last, now)
    after = ledger.content_hash([statement.text])
    ledger.enter(context, connection, place.id, "remember", targets={"record": uid}, after=after, reason=statement.why)
    return uid


def _update(context: Context, request: RememberRequest) -> RememberAnswer:
    if request.expected_version is None:
        raise InvalidInput("update needs expected_version.", "Read the memory first and pass its version.")
    with context.store.read() as connection:
        record, _ = _target(context, connection, request)
        if again := _replay(context, connection, request):
            return again
    # Read outside of the write; the version that it rests on is checked inside.
    statement = _statement(context, request, record.kind)
    analysed = write.analyse(statement.text, record.kind, statement.subject or record.subject)
    with context.store.write() as connection:
        record, place = _target(context, connection, request)
        workspaces.hold(connection, place.id)
        record = _held(connection, record)
        if again := _replay(context, connection, request):
            return again
        if record.version != request.expected_version:
            raise _stale(record, request.expected_version)
        if record.state != "active":
            raise InvalidInput(f"The memory is {record.state}.", "Restore it before you change it.")
        twin = records.known(connection, place.id, [statement.fingerprint]).get(statement.fingerprint)
        if twin and twin.id != record.id:
            raise InvalidInput(
                f"{ids.ref(record.kind, twin.uid)} says exactly this already.", "Archive one of the two instead."
            )
        version = _change(context, connection, record, request, statement)
        _enter_again(context, connection, record, version, request.tier or record.tier, statement, analysed)
        answer = RememberAnswer("applied", ids.ref(record.kind, record.uid), version, place.slug, masked=statement.masked)
        _note(context, connection, request, answer)
    return answer


def _stale(record: Record, expected: int) -> StaleVersion:
    return StaleVersion(f"The memory is at version {record.version}, not {expected}.")


def _enter_again(
    context: Context,
    connection: Connection,
    record: Record,
    version: int,
    tier: str,
    statement: _Statement,
    analysed: write.Analysed,
) -> None:
    """Take the earlier version out of the index, and put the new one in."""
    connection.run("passages_bury", {"workspace": record.workspace, "record": record.id})
    event = statement.event or record.event
    at = event.ms if event else None
    entering = write.Entering(record.id, version, record.kind, tier, 0, 0, 0, at, context.now(), analysed)
    first, last = write.enter(connection, record.workspace, [entering])
    write.follow_up(connection, record.workspace, first, last, context.now())


def _change(context: Context, connection: Connection, record: Record, request: RememberRequest, statement: _Statement) -> int:
    """Keep the old version, write the new one. It has the provenance of who wrote it: changing a text is no confirmation."""
    before = ledger.content_hash([record.text])
    labels = records.labels(connection, record.workspace, record.id)
    connection.run(
        "version_add",
        {
            "workspace": record.workspace,
            "record": record.id,
            "version": record.version,
            "subject": record.subject,
            "text": record.text,
            "labels": json.dumps([[label.sort, label.value] for label in labels], ensure_ascii=False),
            "content_hash": before,
            "reason": statement.why,
            "principal": record.principal,
            "at": record.recorded_at,
        },
    )
    event = statement.event or record.event
    row = connection.one(
        "record_change",
        {
            "workspace": record.workspace,
            "id": record.id,
            "version": record.version,
            "text": statement.text,
            "subject": statement.subject or record.subject,
            "tier": request.tier or record.tier,
            "fingerprint": statement.fingerprint,
            "now": context.now(),
            "event_at": event.ms if event else None,
            "event_zone": event.zone if event else None,
            "source_type": context.source_type,
            "source_ref": statement.source_ref or record.source_ref,
            "trust": TRUST[context.source_type],
            "principal": context.grant.principal,
            "client": context.grant.client,
        },
    )
    if row is None:
        raise _stale(record, record.version)
    if statement.labels is not None:
        connection.run("labels_drop", {"workspace": record.workspace, "record": record.id})
        _label(connection, record.workspace, record.id, statement.labels)
    ledger.enter(
        context,
        connection,
        record.workspace,
        "update",
        targets={"record": record.uid, "version": record.version},
        before=before,
        after=ledger.content_hash([statement.text]),
        inverse={"op": "update", "to": record.version},
        reason=statement.why,
    )
    return int(row[0])


def _move(context: Context, request: RememberRequest) -> RememberAnswer:
    """archive and restore: in and out of recall, with nothing lost."""
    away = request.op == "archive"
    why = _hidden(context, request.why)
    with context.store.write() as connection:
        record, place = _target(context, connection, request)
        workspaces.hold(connection, place.id)
        record = _held(connection, record)
        if again := _replay(context, connection, request):
            return again
        if request.expected_version not in (None, record.version):
            raise _stale(record, request.expected_version or 0)
        state = {"workspace": place.id, "id": record.id, "from": "active" if away else "archived"}
        if connection.one("record_state", state | {"state": "archived" if away else "active"}) is None:
            raise InvalidInput(f"The memory is {record.state} already.", f"There is nothing to {request.op}.")
        if away:
            connection.run("passages_bury", {"workspace": place.id, "record": record.id})
        else:
            write.revive(connection, place.id, record.id, record.version, context.now())
        inverse: dict[str, object] = {"op": "restore" if away else "archive"}
        ledger.enter(context, connection, place.id, request.op, targets={"record": record.uid}, inverse=inverse, reason=why)
        answer = RememberAnswer("applied", ids.ref(record.kind, record.uid), record.version, place.slug)
        _note(context, connection, request, answer)
    return answer


def _target(context: Context, connection: Connection, request: RememberRequest) -> tuple[Record, Workspace]:
    """The memory to change and its workspace, if the caller may change it."""
    if "write" not in context.grant.scopes:
        raise InsufficientScope("This token may add memories but not change them.")
    parsed = ids.parse(request.target or "")
    if parsed is None:
        raise InvalidInput(f"{request.op} needs a target.", "Pass the memory's ref (m_…) as target.")
    record = records.by_uid(connection, parsed[1])
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None:
        raise NotFound(f"There is no memory {request.target!r}.")
    if record.kind in ("turn", "document"):
        raise InvalidInput(f"A {record.kind} is never edited.", "Remember a statement of your own instead.")
    return record, policy.target(context, connection, place.slug)


def _held(connection: Connection, record: Record) -> Record:
    """The record as it is now that nobody else can change it."""
    held = records.by_uid(connection, record.uid)
    assert held is not None, "a record is never removed"
    return held


def _statement(context: Context, request: RememberRequest, kind: str) -> _Statement:
    text = fence.strip(request.text or "").strip()
    if plain.blank(text):
        raise InvalidInput("There is no text to remember.", "Pass the statement as text, complete in itself.")
    if len(text) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The text has {len(text):,} characters; {TEXT_LENGTH_MAX:,} are the most.")
    subject, masked = (request.subject or "").strip() or None, 0
    labels = None if request.labels is None else _labels(request.labels)
    source_ref = request.source_ref
    if context.redact:
        text, masked = redact.mask(text)
        (subject, source_ref), more = redact.mask_each(subject, source_ref)
        masked += more
        if labels:
            values, more = redact.mask_each(*(label.value for label in labels))
            labels = tuple(Label(label.sort, value or "") for label, value in zip(labels, values, strict=True))
            masked += more
    event = dates.parse(request.event_time) if request.event_time else None
    why = _hidden(context, request.why)
    return _Statement(text, subject, labels, why, source_ref, masked, event, fingerprint(kind, text))


def _hidden(context: Context, why: str | None) -> str | None:
    """A reason as the ledger may hold it."""
    return redact.mask(why)[0] if why and context.redact else why


def _labels(labels: Labels) -> tuple[Label, ...]:
    found = [Label("topic", value.strip()) for value in labels.topics]
    found += [Label("tag", value.strip()) for value in labels.tags] + [
        Label("person", value.strip()) for value in labels.people
    ]
    if any(len(label.value) > LABEL_LENGTH_MAX for label in found):
        raise LimitExceeded(f"A label is longer than {LABEL_LENGTH_MAX} characters.", "Put it into the text instead.")
    return tuple(label for label in found if label.value)


def fingerprint(kind: str, text: str) -> str:
    """Equal for texts that differ only in width, case and white space."""
    same = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return hashlib.blake2b(f"{kind}\x1f{same}".encode(), digest_size=16).hexdigest()


def _corroborate(
    context: Context, connection: Connection, place: Workspace, known: records.Known, statement: _Statement
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
        targets: dict[str, object] = {"record": known.uid}
        ledger.enter(context, connection, place.id, "corroborate", targets=targets, reason=statement.why)


def _retired(state: str) -> Meta:
    return Meta() if state == "active" else Meta(warnings=(f"It was kept before and is {state}; restore it to bring it back.",))


def _label(connection: Connection, workspace: int, record: int, labels: tuple[Label, ...]) -> None:
    connection.many(
        "label_add",
        (
            {"workspace": workspace, "record": record, "sort": one.sort, "norm": norm(one.value), "value": one.value}
            for one in labels
        ),
    )


def _shown(alike: list[similar.Alike]) -> tuple[Similar, ...]:
    return tuple(Similar(ids.ref(one.kind, one.uid), one.text[:SIMILAR_SHOWN_MAX], one.similarity) for one in alike)


def _payload(request: RememberRequest) -> str:
    return hashlib.sha256(json.dumps(asdict(request), sort_keys=True, default=str).encode()).hexdigest()


def _replay(context: Context, connection: Connection, request: RememberRequest) -> RememberAnswer | None:
    if not request.request_id:
        return None
    row = connection.one("request_get", {"principal": context.grant.principal, "request_id": request.request_id})
    if row is None:
        return None
    if row[0] != _payload(request):
        raise RequestMismatch(f"request_id {request.request_id!r} came with another request before.")
    held = json.loads(row[1])
    alike = [(one, records.by_uid(connection, uid), share) for one, uid, share in held.pop("similar")]
    shown = tuple(Similar(ref, record.text[:SIMILAR_SHOWN_MAX], share) for ref, record, share in alike if record)
    return RememberAnswer(**held, similar=shown, replayed=True)


def _note(context: Context, connection: Connection, request: RememberRequest, answer: RememberAnswer) -> None:
    """Keep the answer for a repeated request, in the transaction of its effect. Texts are not kept twice, only their refs."""
    if not request.request_id:
        return
    held = {
        "outcome": answer.outcome,
        "ref": answer.ref,
        "version": answer.version,
        "workspace": answer.workspace,
        "masked": answer.masked,
        "similar": [(one.ref, one.ref[2:], one.similarity) for one in answer.similar],
    }
    row = connection.one(
        "request_put",
        {
            "principal": context.grant.principal,
            "request_id": request.request_id,
            "payload_hash": _payload(request),
            "answer": json.dumps(held),
            "at": context.now(),
        },
    )
    if row is None:
        raise StoreBusy(f"request_id {request.request_id!r} is being stored in another workspace at this moment.")
