"""Changes that wait for a decision. A proposal is kept as it was filed, whatever becomes of it, and changes nothing itself.

Authority comes from the token alone: what a caller says of the trust of its evidence can only lower it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from muniment.access import policy, zones
from muniment.context import Context
from muniment.errors import (
    InsufficientScope,
    InvalidInput,
    LimitExceeded,
    NotFound,
    ProtectedTarget,
    RequestMismatch,
    StoreBusy,
)
from muniment.governance import ledger, oppositions, replays
from muniment.governance import statement as statements
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.governing import Change, EvidenceIn, ProposeAnswer, ProposeRequest
from muniment.model.recalling import Meta
from muniment.model.records import PROTECTED_KINDS, TRUST, Record
from muniment.model.reviewing import ProposalState
from muniment.model.times import DAY_MS, MINUTE_MS
from muniment.store import numbers, proposals, records, workspaces
from muniment.store.connections import Connection
from muniment.store.proposals import Source
from muniment.text import plain
from muniment.text.counts import counted

TEXT_LENGTH_MAX = 20_000
EVIDENCE_LENGTH_MAX = 100_000
WAITING_MOST = 200
EXPIRES_MS = 30 * DAY_MS
# More than so many of one principal in this time are a burst; so are changes of so many trusted records. Of who is not
# trusted, what it wrote by itself counts as well.
BURST_MS = 10 * MINUTE_MS
BURST_MOST = 20
AIMED_MOST = 5
# One statement that says otherwise than so many trusted records is an attack, or an error that somebody should see.
OUTDATED_MOST = 3
UNTRUSTED = 0.4
SOURCE_TYPE = "agent_generated"
REPEATED = "rule:rejected_before"
WITH_TEXT = frozenset({"add_fact", "update_fact", "open_thread"})
STATING = frozenset({"add_fact", "update_fact"})
WITH_TARGET = frozenset({"update_fact", "close_thread", "reject"})
JOB = "consolidate"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a request names, as the store has it."""

    place: Workspace
    target: Record | None
    supersedes: Record | None
    sources: tuple[Record | None, ...]  # one for each piece of evidence; None for words


@dataclass(frozen=True, slots=True)
class _Draft:
    """A proposal that may be filed: masked, measured, and not yet told how the caller behaved lately."""

    kind: str
    text: str | None
    idea: str
    sources: tuple[Source, ...]
    taint: int
    trust: float
    masked: int
    outdated: int  # trusted records that it says otherwise about


def propose(context: Context, request: ProposeRequest) -> ProposeAnswer:
    """Propose a change of a project's memory; somebody with authority decides, and nothing changes until then.

    change.op: add_fact (`text`, `kind`; `supersedes` names what it replaces), update_fact (`target`, `text`), open_thread
    (`text`), close_thread and reject (`target`; `text` says why). evidence: refs, or words from elsewhere; `trust` can only
    lower what a source has. status queued waits for review; quarantined rests on something untrusted or looks like an attack;
    rejected: the same was refused before, the reason is in meta.warnings. read(ref=proposal_id) tells what became of it.
    Errors: forbidden_scope, insufficient_scope, protected_target, not_found, request_mismatch, limit_exceeded.
    """
    request = plain.clean_all(request)
    _may(context)
    _shape(request.change)
    with context.store.read() as connection:
        place = policy.current(context, connection, request.project_id)
        if again := _replayed(context, connection, request):
            return again
        draft = _draft(context, connection, request, _look(context, connection, place, request))
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if again := _replayed(context, connection, request):
            return again
        seen = _look(context, connection, place, request)
        expire(context, connection, place)
        return _file(context, connection, request, seen, draft)


def protected(record: Record) -> bool:
    """Whether no proposal may touch a record, whoever agrees with it."""
    return record.kind in PROTECTED_KINDS or record.protection != "normal"


def expire(context: Context, connection: Connection, place: Workspace) -> int:
    """Close what nobody decided in time; the caller holds the workspace."""
    values = {"workspace": place.id, "before": context.now() - EXPIRES_MS, "now": context.now()}
    reason = f"Nobody decided within {EXPIRES_MS // DAY_MS} days."
    uids = [row[0] for row in connection.all("proposals_expire", values | {"reason": reason})]
    if uids:
        ledger.enter(context, connection, place.id, "expire", targets={"proposals": uids})
    return len(uids)


def _may(context: Context) -> None:
    policy.writable(context)
    if "propose" not in context.grant.scopes:
        raise InsufficientScope("This token may not propose.")


def _shape(change: Change) -> None:
    """Raise InvalidInput unless the change has what its op needs, and nothing else."""
    op, text = change.op, change.text or ""
    if op in WITH_TEXT and not text.strip():
        raise InvalidInput(f"{op} needs a text.", "Pass the statement, complete in itself.")
    if len(text) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The text has {len(text):,} characters; {TEXT_LENGTH_MAX:,} are the most of a proposal.")
    if op in WITH_TARGET and not change.target:
        raise InvalidInput(f"{op} needs a target.", "Pass the memory's ref (m_…) as target.")
    if op not in WITH_TARGET and change.target:
        raise InvalidInput(f"{op} takes no target.", "Use update_fact, or say what it replaces as supersedes.")
    if op != "add_fact" and change.supersedes:
        raise InvalidInput(f"{op} takes no supersedes.", "Use add_fact with supersedes.")
    if op == "add_fact" and change.kind in PROTECTED_KINDS:
        raise ProtectedTarget(f"A {change.kind} is never proposed.", "Do not retry. Tell the owner, who can remember it.")


def _look(context: Context, connection: Connection, place: Workspace, request: ProposeRequest) -> _Seen:
    """The records that a request names. Raises NotFound alike for absent and foreign ones."""
    change = request.change
    target = _named(connection, place, change.target)
    supersedes = _named(connection, place, change.supersedes)
    for one in (target, supersedes):
        if one is not None:
            _touchable(one, change)
    return _Seen(place, target, supersedes, tuple(_evidence(context, connection, one) for one in request.evidence))


def _named(connection: Connection, place: Workspace, ref: str | None) -> Record | None:
    if not ref:
        return None
    parsed = ids.parse(ref)
    record = records.by_uid(connection, parsed[1]) if parsed else None
    if record is None or record.workspace != place.id:
        raise NotFound(f"There is no memory {ref!r} in this project.")
    return record


def _touchable(record: Record, change: Change) -> None:
    ref = ids.ref(record.kind, record.uid)
    if protected(record):
        raise ProtectedTarget(
            f"{ref} is {record.protection if record.protection != 'normal' else 'protected'}; no proposal may touch it."
        )
    if change.op == "update_fact" and record.kind in ("turn", "document"):
        raise InvalidInput(f"A {record.kind} is never edited.", "Propose add_fact with a statement of your own instead.")
    if change.op == "close_thread" and record.kind != "thread":
        raise InvalidInput(f"{ref} is a {record.kind} and no open thread.", "Use op reject.")
    if record.state != "active":
        raise InvalidInput(f"{ref} is {record.state}.", "Read it again; propose a change of what is active.")


def _evidence(context: Context, connection: Connection, one: EvidenceIn) -> Record | None:
    if (one.ref is None) == (one.text is None):
        raise InvalidInput("A piece of evidence is either a ref or a text.", "Pass one of the two.")
    if one.ref is None:
        return None
    parsed = ids.parse(one.ref)
    record = records.by_uid(connection, parsed[1]) if parsed else None
    if record is None or policy.may_read(context, connection, record.workspace) is None:
        raise NotFound(f"There is no record {one.ref!r} to rest on.")
    return record


def _draft(context: Context, connection: Connection, request: ProposeRequest, seen: _Seen) -> _Draft:
    change = request.change
    if sum(len(one.text or "") for one in request.evidence) > EVIDENCE_LENGTH_MAX:
        raise LimitExceeded(f"The evidence has more than {EVIDENCE_LENGTH_MAX:,} characters.", "Name records by their refs.")
    kind = seen.target.kind if seen.target else "thread" if change.op == "open_thread" else change.kind
    text, masked, taint, mark = _stated(context, change, kind)
    told = [statements.masked(context, one.text) for one in request.evidence]
    sources = tuple(
        _source(one, record, words) for one, record, (words, _) in zip(request.evidence, seen.sources, told, strict=True)
    )
    suspicion = statements.suspicion(*(words for words, _ in told))
    doubted = any(one.trust == "untrusted" for one in request.evidence)
    bounds = zones.bounds(context.grant.zone)
    named = [one for one in (seen.target, seen.supersedes, *seen.sources) if one is not None]
    return _Draft(
        kind=kind,
        text=text,
        idea=_idea(change.op, seen, mark),
        sources=sources,
        taint=max(bounds.floor, taint, suspicion, zones.QUARANTINED_FROM if doubted else 0, *(one.taint for one in named), 0),
        trust=min(
            bounds.ceiling,
            TRUST[SOURCE_TYPE],
            UNTRUSTED if doubted else 1.0,
            *(one.trust for one in seen.sources if one is not None),
        ),
        masked=masked + sum(count for _, count in told),
        outdated=_outdated(context, connection, change, seen, kind, text),
    )


def _outdated(context: Context, connection: Connection, change: Change, seen: _Seen, kind: str, text: str | None) -> int:
    if change.op not in STATING or not text:
        return 0
    named = frozenset(one.id for one in (seen.target, seen.supersedes) if one is not None)
    return len(oppositions.outdated(context, connection, seen.place, text, kind, but=named)) + len(named)


def _stated(context: Context, change: Change, kind: str) -> tuple[str | None, int, int, str]:
    """The text as it may be stored, its masked secrets, its own taint, and a mark equal for equal statements."""
    if change.op in WITH_TEXT:
        statement = statements.prepare(context, kind, change.text)
        return statement.text, statement.masked, statement.taint, statement.fingerprint
    reason, masked = statements.masked(context, change.text)
    return reason, masked, statements.suspicion(reason), ""


def _source(one: EvidenceIn, record: Record | None, words: str | None) -> Source:
    if record is None:
        return Source(one.trust, text=words)
    return Source(one.trust, ids.ref(record.kind, record.uid), record.workspace, record.id, record.version)


def _idea(op: str, seen: _Seen, mark: str) -> str:
    named = [one.id if one else 0 for one in (seen.target, seen.supersedes)]
    return hashlib.blake2b(json.dumps([op, *named, mark]).encode(), digest_size=16).hexdigest()


def _file(context: Context, connection: Connection, request: ProposeRequest, seen: _Seen, draft: _Draft) -> ProposeAnswer:
    """Store the proposal in the state that it deserves, as one action."""
    now, uid, place = context.now(), context.uid(), seen.place
    state, reason = _deserved(context, connection, seen, draft)
    decider = REPEATED if state == "rejected" else None
    warnings: tuple[str, ...] = (f"{counted(draft.masked, 'secret')} masked.",) if draft.masked else ()
    if decider and reason:
        warnings += (reason,)
    answer = ProposeAnswer(f"p_{uid}", state, draft.taint, meta=Meta(warnings=warnings, next=(f'read(ref="p_{uid}")',)))
    values: dict[str, Any] = {
        "workspace": place.id,
        "id": numbers.take(connection, place.id),
        "uid": uid,
        "principal": context.grant.principal,
        "client": context.grant.client,
        "request_id": request.request_id,
        "payload_hash": replays.payload(request),
        "op": request.change.op,
        "zone": context.grant.zone,
        "state": state,
        "reason": reason,
        "decider": decider,
        "at": now,
        "decided_at": now if decider else None,
        "answer": json.dumps({"status": state, "taint": draft.taint, "warnings": list(warnings)}, ensure_ascii=False),
    }
    values |= {name: getattr(draft, name) for name in ("kind", "text", "idea", "taint", "trust")}
    values |= _versions(seen)
    if not proposals.add(connection, values, draft.sources):
        raise StoreBusy(f"request_id {request.request_id!r} is being used in another project at this moment.")
    ledger.enter(context, connection, place.id, "propose", targets={"proposal": uid}, after=[draft.text or ""])
    if state == "queued" and ruled(connection, place):
        ask_for_work(context, connection, place, int(values["id"]))
    return answer


def _deserved(context: Context, connection: Connection, seen: _Seen, draft: _Draft) -> tuple[ProposalState, str | None]:
    """The state that a proposal begins in, and why, where it is not simply queued. Raises LimitExceeded for one too many."""
    refused = proposals.refused(connection, seen.place.id, draft.idea)
    if refused is not None:
        return "rejected", f"The same was refused before (p_{refused[0]}): {refused[1] or 'no reason was given'}"
    _room(context, connection, seen.place)
    causes = _causes(context, connection, seen, draft)
    return ("quarantined", "; ".join(causes)) if causes else ("queued", None)


def _versions(seen: _Seen) -> dict[str, int | None]:
    return {
        "target": seen.target.id if seen.target else None,
        "target_version": seen.target.version if seen.target else None,
        "supersedes": seen.supersedes.id if seen.supersedes else None,
        "supersedes_version": seen.supersedes.version if seen.supersedes else None,
    }


def _room(context: Context, connection: Connection, place: Workspace) -> None:
    if proposals.waiting(connection, place.id, context.grant.principal) >= WAITING_MOST:
        raise LimitExceeded(f"{WAITING_MOST} of your proposals wait already.", "Wait until somebody has decided on them.")


def _causes(context: Context, connection: Connection, seen: _Seen, draft: _Draft) -> list[str]:
    """Why a proposal is put aside for a closer look."""
    causes = []
    if draft.taint >= zones.SUSPECT:
        causes.append("it looks like instructions, or rests on something that does")
    elif draft.taint >= zones.QUARANTINED_FROM:
        causes.append("it rests on something untrusted")
    named = [one for one in (seen.target, seen.supersedes) if one is not None]
    return causes + bursts(context, connection, seen.place, named, draft.outdated)


def bursts(context: Context, connection: Connection, place: Workspace, named: Sequence[Record], outdated: int) -> list[str]:
    """What is too much at once about a change of `named` that says otherwise than so many trusted records."""
    causes = []
    if outdated >= OUTDATED_MOST:
        causes.append(f"it says otherwise than {outdated} trusted records")
    principal, since = context.grant.principal, context.now() - BURST_MS
    row = connection.one("proposals_filed", {"principal": principal, "since": since})
    filed = int(row[0]) if row else 0
    written = (
        None if context.grant.zone == "trusted" else connection.one("writes_made", {"principal": principal, "since": since})
    )
    made, changed = (int(written[0]), int(written[1])) if written else (0, 0)
    if filed + made >= BURST_MOST:
        causes.append(f"more than {BURST_MOST} writes came within {BURST_MS // MINUTE_MS} minutes")
    lately = {"workspace": place.id, "principal": principal, "since": since, "trust": oppositions.TRUSTED_FROM}
    trusted = {one.id for one in named if one.kind != "thread" and oppositions.trusted(one)}
    aimed = len({row[0] for row in connection.all("proposals_aimed", lately)} | trusted) + changed
    if trusted and aimed >= AIMED_MOST:
        causes.append(f"within {BURST_MS // MINUTE_MS} minutes {aimed} trusted records would change")
    return causes


def too_much(
    context: Context, connection: Connection, place: Workspace, named: Sequence[Record], text: str | None, kind: str
) -> list[str]:
    """Why a change that its caller may make by itself has to wait all the same. Nothing a trusted caller does is too much."""
    if context.grant.zone == "trusted":
        return []
    but = frozenset(one.id for one in named)
    other = len(oppositions.outdated(context, connection, place, text, kind, but=but)) + len(named) if text else 0
    return bursts(context, connection, place, named, other)


def ruled(connection: Connection, place: Workspace) -> bool:
    """Whether clean proposals are accepted by rule here."""
    row = connection.one("rule_get", {"workspace": place.id})
    return bool(row and row[0])


def ask_for_work(context: Context, connection: Connection, place: Workspace, number: int) -> None:
    """Leave a job for the worker, in the transaction of what it is about."""
    values = {"workspace": place.id, "job": JOB, "first": number, "last": number, "not_before": context.now()}
    connection.run("job_add", values)


def _replayed(context: Context, connection: Connection, request: ProposeRequest) -> ProposeAnswer | None:
    """The first answer to this request id, word for word. Raises RequestMismatch for another payload."""
    held = proposals.asked(connection, context.grant.principal, request.request_id)
    if held is None:
        return None
    if held.payload != replays.payload(request):
        raise RequestMismatch(f"request_id {request.request_id!r} came with another proposal before.")
    meta = Meta(warnings=tuple(held.answer["warnings"]), next=(f'read(ref="p_{held.uid}")',))
    return ProposeAnswer(f"p_{held.uid}", held.answer["status"], held.answer["taint"], replayed=True, meta=meta)
