"""Forgetting: destroying a record, a conversation, a workspace or all that a principal wrote, for good and without a trace.

One transaction takes everything away or nothing; afterwards the files are cleaned of the bytes that deleting leaves behind.
What stays is a row of the ledger with counts and no word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from muniment.access import policy, tokens
from muniment.context import Context
from muniment.errors import (
    ForbiddenScope,
    InsufficientScope,
    InvalidInput,
    NotFound,
    StaleVersion,
    StoreError,
    UnknownWorkspace,
)
from muniment.governance import confirmations, destroying, edits, marks, traces
from muniment.governance.destroying import Principal
from muniment.governance.traces import Traces
from muniment.index import erasure
from muniment.model import ids
from muniment.model.access import LOCAL, Workspace
from muniment.model.governing import ForgetAnswer, ForgetRequest
from muniment.model.recalling import Meta
from muniment.store import records, sessions, workspaces
from muniment.store.connections import Connection
from muniment.text import plain
from muniment.text.counts import counted

DERIVED_SHOWN_MAX = 1000
# In the order in which `workspace_held` counts them.
COUNTED_TABLES = (
    "record", "record_version", "label", "corroboration", "passage", "vector", "mention", "entity", "alias", "entity_block",
    "claim", "claim_evidence", "link", "conflict", "candidate", "notice", "proposal", "session", "speaker", "source_file",
)  # fmt: skip
WALLED = (
    "This grant reaches only the workspaces that it names: what was done elsewhere, the name and its tokens stay. "
    "An admin of the whole store forgets them with `muniment forget --principal`."
)
# How counts are told to whoever confirms.
TOLD = {
    "record": "record",
    "record_version": "kept version",
    "session": "conversation",
    "link": "link",
    "claim": "claim",
    "conflict": "conflict",
    "proposal": "proposal",
}


@dataclass(frozen=True, slots=True)
class Part:
    """What goes in one workspace. `sessions` were asked for as such; with `whole` the workspace is emptied."""

    place: Workspace
    found: Traces
    sessions: frozenset[int] = frozenset()
    whole: bool = False
    signed: tuple[int, ...] = ()  # what a forgotten principal did here


@dataclass(frozen=True, slots=True)
class Plan:
    """What one request means. `sort` is what it names; `principal` is who is forgotten.

    `walled`: the caller's grant names workspaces, so that only what a principal did in these goes, and not the principal.
    """

    sort: str
    parts: tuple[Part, ...]
    principal: Principal | None = None
    extra: dict[str, int] | None = None
    walled: bool = False

    @property
    def counts(self) -> dict[str, int]:
        total: dict[str, int] = dict(self.extra or {})
        for part in self.parts:
            for name, count in part.found.counts.items():
                total[name] = total.get(name, 0) + count
        return total

    @property
    def derived(self) -> tuple[str, ...]:
        return tuple(ref for part in self.parts for ref in part.found.derived)[:DERIVED_SHOWN_MAX]

    @property
    def versions(self) -> list[object]:
        return [[part.place.uid, part.found.versions or part.found.counts.get("record", 0)] for part in self.parts]


def forget(context: Context, request: ForgetRequest) -> ForgetAnswer:
    """Destroy a record, a session, a workspace or everything that a principal wrote: texts, versions, index, claims, links,
    and what quotes them. It cannot be undone. `dry_run` says what would go; what was derived from it is named and stays.

    Answers confirmation_required first; repeat the call with its `confirm`. A workspace and a principal need admin.
    Errors: confirmation_required, not_found, insufficient_scope, forbidden_scope, stale_version.
    """
    request = plain.clean_all(request)
    _may(context, request)
    with context.store.read() as connection:
        plan = _plan(context, connection, request)
    if request.dry_run:
        return ForgetAnswer(plan.counts, None, plan.derived, dry_run=True, meta=Meta(warnings=_left(plan)))
    ticket = confirmations.require(context, request, plan.versions, _impact(request, plan))
    with context.store.read() as connection:
        terms = [erasure.words(connection, one.place.id, () if one.whole else one.found.ordinals) for one in plan.parts]
    with context.store.write() as connection:
        for part in plan.parts:
            workspaces.hold(connection, part.place.id)
        confirmed, plan = plan.versions, _plan(context, connection, request)
        if plan.versions != confirmed:
            advice = (
                "Repeat the call without confirm; stop first who goes on writing: archive the workspace, revoke the tokens."
            )
            raise StaleVersion("What is to be forgotten changed just now.", advice)
        confirmations.spend(context, connection, ticket)
        receipt = _destroy(context, connection, plan, terms)
        connection.run("confirmations_drop")
        marks.unclean(connection, context.now())
    context.shelf.clear()
    cleaned = clean_up(context)
    return ForgetAnswer(
        plan.counts, receipt, plan.derived, cleaned, meta=Meta(warnings=(*_left(plan), *_unclean(context, cleaned)))
    )


def clean_up(context: Context) -> bool:
    """Clean the store's files of bytes of what was forgotten; whether nothing is left in them. Safe to repeat.

    May take as long as copying the store, and waits for others who read it at this moment.
    """
    policy.writable(context)
    try:
        cleaned = context.store.clean_up()
    except StoreError:
        return False  # forgotten it is; doctor goes on saying that the files are not clean
    if cleaned:
        with context.store.write() as connection:
            marks.unclean(connection, None)
    return cleaned


def backups(context: Context) -> list[str]:
    """Copies of the store beside it that still hold what was forgotten since they were made."""
    path = context.store.path
    return [] if path is None else sorted(str(one) for one in path.parent.glob(f"{path.name}.before-upgrade-*"))


def _may(context: Context, request: ForgetRequest) -> None:
    policy.writes(context)
    if "govern" not in context.grant.scopes:
        raise InsufficientScope("This token may not govern, and so may not forget.")
    named = [name for name in ("ref", "workspace", "principal") if getattr(request, name)]
    if len(named) != 1:
        raise InvalidInput("Name exactly one thing to forget.", "Pass ref, or workspace, or principal.")
    if named != ["ref"] and "admin" not in context.grant.scopes:
        raise InsufficientScope(f"Forgetting a {named[0]} needs the scope admin.")


def _plan(context: Context, connection: Connection, request: ForgetRequest) -> Plan:
    if request.workspace:
        return _workspace(context, connection, request.workspace)
    if request.principal:
        return _principal(context, connection, request.principal)
    parsed = ids.parse(request.ref or "")
    if parsed is None:
        raise InvalidInput(f"{request.ref!r} is no ref.", "Pass a record's or a session's ref.")
    if parsed[0] == "s":
        return _session(context, connection, request.ref or "", parsed[1])
    record = records.by_uid(connection, parsed[1])
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None or record.ref != (request.ref or "").strip().lower():
        raise NotFound(f"There is no record {request.ref!r}.")
    policy.changes(context, place)
    # Whoever governs and confirms may: the confirmation is asked for on every way to this.
    edits.guard(context, record, text=False, confirmed=True)
    return Plan("record", (Part(place, traces.of(connection, place.id, [record.id])),))


def _session(context: Context, connection: Connection, ref: str, uid: str) -> Plan:
    session = sessions.by_uid(connection, uid)
    place = policy.may_read(context, connection, session.workspace) if session else None
    if session is None or place is None:
        raise NotFound(f"There is no session {ref!r}.")
    policy.changes(context, place)
    rows = connection.all("session_record_ids", {"workspace": place.id, "session": session.id})
    asked = frozenset({session.id})
    return Plan("session", (Part(place, traces.of(connection, place.id, [row[0] for row in rows], sessions=asked), asked),))


def _workspace(context: Context, connection: Connection, name: str) -> Plan:
    slug = name.strip().lower()
    if context.grant.write is not None and slug not in context.grant.write:
        raise ForbiddenScope(f"There is no workspace {slug!r} for you to write to.")
    place = workspaces.by_slug(connection, slug)
    if place is None or not policy.visible(context.grant, place):
        if context.grant.write is not None:
            raise ForbiddenScope(f"There is no workspace {slug!r} for you to write to.")
        raise UnknownWorkspace(f"There is no workspace {slug!r}.")
    uids = {uid for (uid,) in connection.all("workspace_record_uids", {"workspace": place.id})}
    row = connection.one("workspace_held", {"workspace": place.id})
    assert row is not None, "a statement without FROM has one row"
    requests = traces.requests_naming(connection, uids, slug)
    counts = dict(zip(COUNTED_TABLES, row, strict=True)) | {"request": len(requests)}
    found = replace(
        traces.of(connection, place.id, []), requests=requests, counts={name: count for name, count in counts.items() if count}
    )
    return Plan("workspace", (Part(place, found, whole=True),))


def _principal(context: Context, connection: Connection, name: str) -> Plan:
    walled = policy.walled(context.grant)
    absent = NotFound(f"There is no principal {name!r}.", WALLED if walled else _whose(connection, name))
    row = connection.one("principal_by_name", {"name": name})
    if row is None:
        raise absent
    number, uid = row[0], row[1]
    instead = (
        "Forget records (`muniment forget m_…`), sessions (`--session s_…`) or workspaces (`--workspace NAME`) one by one."
    )
    if name == LOCAL:
        raise InvalidInput(f"{name!r} is the owner of this store, who is never forgotten as a whole.", instead)
    if number == context.grant.principal:
        advice = f"Run `muniment forget --principal {name}` at the command line of the store, or ask another owner."
        raise InvalidInput(f"{name!r} is you, and nobody forgets themselves.", advice)
    parts = []
    for place in workspaces.all_of(connection):
        if not policy.visible(context.grant, place) or not policy.may_change(context, place):
            continue
        rows = connection.all("principal_record_ids", {"workspace": place.id, "principal": number})
        found = traces.of(connection, place.id, [row[0] for row in rows], by=number)
        signed = tuple(_signed(connection, place.id, number))
        if found.counts or signed:
            whole = frozenset(one.id for one in found.sessions)
            parts.append(Part(place, found, whole, signed=signed))
    if walled:
        # Whether there is anybody of that name elsewhere is nothing that this caller may learn.
        if not parts:
            raise absent
        return Plan("principal", tuple(parts), Principal(number, uid, name), walled=True)
    held = connection.one("tokens_of", {"principal": number})
    requests = connection.one("requests_of", {"principal": number})
    named = sum(who == number for part in parts for who, _ in part.found.requests)
    extra = {"token": held[0] if held else 0, "request": requests[0] - named if requests else 0}
    return Plan(
        "principal", tuple(parts), Principal(number, uid, name), {what: count for what, count in extra.items() if count}
    )


def _whose(connection: Connection, name: str) -> str:
    """What to do about a name that is no principal's: it may be the label of a token that acts as another."""
    acting = {one.principal for one in tokens.listing(connection) if one.label == name}
    if LOCAL in acting:
        return (
            f"The token {name!r} acts as the owner, {LOCAL!r}: end it with `muniment token revoke {name}`, and forget what it "
            "wrote by record or session."
        )
    if acting:
        return f"The token {name!r} acts as {sorted(acting)[0]!r}: name that."
    return "`muniment token list --all` shows which principal each token acts as."


def _signed(connection: Connection, workspace: int, principal: int) -> list[int]:
    """The actions of a principal: their reasons are its words."""
    found: list[int] = []
    after = 0
    while rows := connection.all("actions_named", {"workspace": workspace, "after": after, "limit": traces.PAGE}):
        found += [seq for seq, _, who in rows if who == principal]
        after = rows[-1][0]
    return found


def _destroy(context: Context, connection: Connection, plan: Plan, terms: Sequence[list[str]]) -> str:
    refs = []
    for part, words in zip(plan.parts, terms, strict=True):
        actions = part.found.actions
        if part.whole:
            row = connection.one("actions_count", {"workspace": part.place.id})
            actions = tuple(range(1, (row[0] if row else 0) + 1))
            destroying.forget_requests(connection, part.found.requests)
            keeps = part.place.slug in (policy.GLOBAL, policy.INBOX)
            destroying.workspace(context, connection, part.place, actions, keeps_name=keeps)
        else:
            destroying.records(connection, part.found, words, whole=part.sessions)
        if plan.principal:
            destroying.unsign(connection, part.place.id, plan.principal, part.signed)
        counts = part.found.counts
        entered = destroying.receipt(context, connection, part.place.id, plan.sort, counts, actions, part.signed)
        refs.append(f"a_{entered.uid}")
    if plan.principal and not plan.walled:
        destroying.principal(context, connection, plan.principal)
        if not refs:
            place = policy.target(context, connection, None)
            workspaces.hold(connection, place.id)
            refs.append(f"a_{destroying.receipt(context, connection, place.id, plan.sort, plan.counts).uid}")
    return refs[0]


def _impact(request: ForgetRequest, plan: Plan) -> str:
    what = request.ref or (f"the workspace {request.workspace!r}" if request.workspace else f"all of {request.principal!r}")
    told = [counted(plan.counts[name], word) for name, word in TOLD.items() if plan.counts.get(name)]
    goes = ", ".join(told) or "nothing that is stored"
    stays = f" {counted(len(plan.derived), 'record')} derived from it will stay." if plan.derived else ""
    walled = f" {WALLED}" if plan.walled else ""
    return f"Forgetting {what} destroys {goes}, with all that the index holds of it. It cannot be undone.{stays}{walled}"


def _left(plan: Plan) -> tuple[str, ...]:
    """What the caller has to know of what stays."""
    said = [WALLED] if plan.walled else []
    turned = sum(len(part.found.turned) for part in plan.parts)
    if turned:
        said.append(
            f"{counted(turned, 'record')} replaced by what is forgotten will stay out of date, with no heir; "
            "`muniment govern restore` brings one back."
        )
    loose = sum(
        one.kind == "turn" and one.external_id is None and one.session not in part.sessions
        for part in plan.parts
        for one in part.found.records
    )
    if loose:
        said.append(
            f"{counted(loose, 'turn')} came without an id: reading the whole file again would bring them back. "
            "Forget the session, or delete the file."
        )
    return tuple(said)


def _unclean(context: Context, cleaned: bool) -> tuple[str, ...]:
    said = [f"{path} was made before and still holds it: delete it yourself." for path in backups(context)]
    if not cleaned and context.store.dialect == "sqlite":
        said.append(
            "Another program reads the store, so its files may still hold bytes of it. Run `muniment repair cleanup` when the "
            "others are closed; `muniment doctor` tells until then."
        )
    elif not cleaned:
        said.append(
            "The server's files (write-ahead log, archives, replicas) may still hold bytes of it. docs/howto/forget.md says "
            "what its administrator has to run; then run `muniment repair cleanup`. `muniment doctor` tells until then."
        )
    return tuple(said)
