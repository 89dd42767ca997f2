"""Merging workspaces and moving records between them. Each is confirmed with its impact, and one undo carries all of it back.

Whoever had access to the one workspace gets none to the other by it: walls name numbers, and no wall is changed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from muniment.access import folders, policy
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound, ProtectedTarget, StaleVersion
from muniment.governance import altering, asking, carrying, changes, confirmations, edits, ledger, loads
from muniment.governance import workspaces as making
from muniment.governance.changes import Act, Action, Effect
from muniment.governance.loads import Load, Tie
from muniment.governance.registry import seen
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.governing import GovernAnswer, GovernRequest, Undo
from muniment.model.records import Record
from muniment.model.workspaces import MergeWorkspace, MoveRecords, WorkspacesAnswer, WorkspacesRequest
from muniment.store import records, sessions, workspaces
from muniment.store.connections import Connection
from muniment.text.counts import counted

RECORDS_MAX = 200_000
TOLD = (
    ("records", "record"), ("sessions", "conversation"), ("versions", "kept version"), ("links", "link"), ("claims", "claim"),
    ("conflicts", "conflict"), ("proposals", "proposal"),
)  # fmt: skip


def merge(context: Context, request: WorkspacesRequest, do: MergeWorkspace) -> WorkspacesAnswer:
    """Carry everything of a workspace into another one; it ends archived, and its name leads there."""
    with context.store.read() as connection:
        source, target = _two(context, connection, do.workspace, do.into)
        if source.slug in (policy.GLOBAL, policy.INBOX):
            raise InvalidInput(f"{source.slug!r} is part of every store.", "Move its records instead.")
        load = _whole(context, connection, source, target)
        impact = _impact(f"Merge {source.slug} into {target.slug}", load)
    impact += f" {source.slug} ends archived, and its name leads to {target.slug}; no token sees more than before."
    impact += " What is written to it until then goes along; the answer counts what went."
    ticket = confirmations.require(context, request, _places(load), impact)
    with context.store.write() as connection:
        _hold(connection, source, target)
        found = _whole(context, connection, altering.again(connection, source), altering.again(connection, target))
        _same(_places(load), _places(found))
        confirmations.spend(context, connection, ticket)
        given = carrying.carry(context, connection, found)
        reason = altering.why(context, request)
        ended = [Effect("workspace", source.id, "state", "archived"), Effect("workspace", source.id, "merged_into", target.id)]
        out = changes.make(
            context, connection, source.id, Act("merged_out", {"workspace": source.uid, "into": target.uid}, reason), ended
        )
        targets: dict[str, object] = {"source": source.uid, "out": out.uid, "as": given.told()}
        entered = ledger.enter(context, connection, target.id, "merge", targets=targets, reason=reason)
        now = seen(connection, altering.again(connection, target))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), f"a_{entered.uid}", found.counts, reverse=f"`muniment undo a_{entered.uid}`")


def move(context: Context, request: WorkspacesRequest, do: MoveRecords) -> WorkspacesAnswer:
    """Carry some memories and documents, or one session, into another workspace."""
    if bool(do.records) == bool(do.session):
        raise InvalidInput("move takes records or a session, one of both.", "Pass the refs of records, or a session's.")
    with context.store.read() as connection:
        load = _asked(context, connection, do)
        source, target = load.source, load.target
        impact = _impact(f"Move from {source.slug} to {target.slug}", load)
    ticket = confirmations.require(context, request, _seal(load), impact)
    with context.store.write() as connection:
        _hold(connection, source, target)
        found = _asked(context, connection, do)
        _same(_seal(load), _seal(found))
        confirmations.spend(context, connection, ticket)
        uids = [found.uids[number] for number in found.records] if do.records else []
        talk = [one.uid for one in found.found.sessions] if found.found and do.session else []
        given = carrying.carry(context, connection, found)
        reason = altering.why(context, request)
        gone = _named(uids, talk) | {"into": target.uid}
        out = ledger.enter(context, connection, source.id, "moved_out", targets=gone, reason=reason)
        told = {"source": source.uid, "out": out.uid, "as": given.told(), "cut": _cut(found), "heirs": found.cut.heirs}
        entered = ledger.enter(context, connection, target.id, "move", targets=_named(uids, talk) | told, reason=reason)
        now = seen(connection, altering.again(connection, target))
    context.shelf.clear()
    return WorkspacesAnswer(do.verb, (now,), f"a_{entered.uid}", found.counts, reverse=f"`muniment undo a_{entered.uid}`")


def undo(context: Context, request: GovernRequest, do: Undo, action: Action) -> GovernAnswer:
    """Carry back what a merge or a move carried, as it is by now, under its former numbers."""
    reason = asking.why(context, request)
    making.manages(context)
    with context.store.read() as connection:
        load = _returning(context, connection, action)
        impact = _impact(f"Undo the {action.kind}: move back from {load.source.slug} to {load.target.slug}", load)
    seal = _places if action.kind == "merge" else _seal
    ticket = confirmations.require(context, request, [action.uid, *seal(load)], f"{impact} Later changes stay.")
    with context.store.write() as connection:
        _hold(connection, load.source, load.target)
        found = _returning(context, connection, action)
        _same(seal(load), seal(found))
        confirmations.spend(context, connection, ticket)
        refs = [ids.ref(one.kind, one.uid) for one in found.found.records] if found.found else []
        carrying.carry(context, connection, found, carrying.back(action.targets["as"]))
        _tie_again(connection, found.target, action.targets)
        back = [
            Effect("workspace", found.target.id, "state", "active"),
            Effect("workspace", found.target.id, "merged_into", None),
        ]
        brought: dict[str, object] = {"workspace": found.target.uid, "source": found.source.uid}
        act = Act(f"{action.kind}_undone", brought, reason, request.run)
        changes.make(context, connection, found.target.id, act, back if action.kind == "merge" else [])
        targets: dict[str, object] = {"undone": [action.uid]}
        entered = ledger.enter(context, connection, action.workspace, "undo", targets=targets, reason=reason, run=request.run)
        connection.one("action_undone", {"workspace": action.workspace, "seq": action.seq, "by": entered.seq})
    context.shelf.clear()
    return GovernAnswer(do.verb, f"a_{entered.uid}", tuple(refs[: asking.LISTED_MAX]), counts=found.counts)


def _two(context: Context, connection: Connection, one: str, other: str) -> tuple[Workspace, Workspace]:
    source, target = altering.held(context, connection, one), altering.held(context, connection, other)
    if source.id == target.id:
        raise InvalidInput(f"{one!r} and {other!r} are one workspace.", "Name two.")
    if target.state != "active":
        raise InvalidInput(
            f"{target.slug!r} is {target.state}.", f"`muniment workspace confirm {target.slug}` makes it active."
        )
    return source, target


def _whole(context: Context, connection: Connection, source: Workspace, target: Workspace) -> Load:
    guarded: dict[str, int] = dict(connection.all("moving_protected", {"workspace": source.id}))
    if guarded and "govern" not in context.grant.scopes:
        raise ProtectedTarget(f"{counted(sum(guarded.values()), 'record')} of {source.slug} may only move with govern.")
    load = loads.everything(connection, source, target)
    if len(load.records) > RECORDS_MAX:
        advice = "Move its sessions one by one, or merge the smaller one into it."
        raise InvalidInput(f"{source.slug} holds more than {RECORDS_MAX:,} records.", advice)
    return load


def _asked(context: Context, connection: Connection, do: MoveRecords) -> Load:
    if do.session:
        parsed = ids.parse(do.session)
        talk = sessions.by_uid(connection, parsed[1]) if parsed and parsed[0] == "s" else None
        place = policy.may_read(context, connection, talk.workspace) if talk else None
        if talk is None or place is None:
            raise NotFound(f"There is no session {do.session!r}.")
        source, target = _two(context, connection, place.slug, do.into)
        rows = connection.all("session_record_ids", {"workspace": place.id, "session": talk.id})
        held = records.by_id(connection, place.id, [row[0] for row in rows])
        _guard(context, held.values())
        return loads.some(connection, source, target, held, [talk.id])
    found = [asking.found(context, connection, ref) for ref in dict.fromkeys(do.records)]
    places = {place.id: place for _, place in found}
    if len(places) > 1:
        raise InvalidInput("These records lie in several workspaces.", "Move those of one workspace at a time.")
    if turns := [record.ref for record, _ in found if record.kind == "turn"]:
        raise InvalidInput(f"{asking.listed(turns)}: a turn moves with its session only.", "Pass the session instead.")
    source, target = _two(context, connection, next(iter(places.values())).slug, do.into)
    _guard(context, (record for record, _ in found))
    return loads.some(connection, source, target, (record.id for record, _ in found))


def _guard(context: Context, wanted: Iterable[Record]) -> None:
    for record in wanted:
        edits.guard(context, record, text=False, confirmed=True)


def _returning(context: Context, connection: Connection, action: Action) -> Load:
    """What a merge or a move brought and is still there, on its way back; a session with the turns that it got since."""
    found = changes.by_uid(connection, action.uid)
    if found is None or found.undone_by is not None:
        raise InvalidInput(f"{action.ref} was undone already.", "Nothing was changed.")
    here = next(iter(workspaces.by_ids(connection, [action.workspace])), None)
    home = workspaces.by_uid(connection, str(action.targets["source"]))
    if here is None or home is None or not policy.visible(context.grant, home):
        raise NotFound(f"There is no action {action.ref!r}.", "List actions with `muniment review audit`.")
    for place in (here, home):
        policy.changes(context, place)
    if here.state == "archived":
        raise InvalidInput(f"{here.slug!r} was merged or archived since.", "Take that back first.")
    if home.slug.startswith(folders.FORGOTTEN):
        raise InvalidInput("Where this came from was forgotten since.", "Move the records to a workspace that is there.")
    if action.kind == "move" and home.state == "archived":
        raise InvalidInput(f"{home.slug!r} is archived.", f"`muniment workspace restore {home.slug}` first.")
    former = carrying.back(action.targets["as"])
    talks = sessions.by_id(connection, here.id, former.sessions)
    turns = {record for _, record in sessions.turns(connection, here.id, talks)}
    there = records.by_id(connection, here.id, former.records.keys() | turns)
    held = {number: one for number, one in there.items() if one.kind != "turn" or number in turns}
    _guard(context, held.values())
    return loads.some(connection, here, home, held, talks)


def _tie_again(connection: Connection, home: Workspace, targets: dict[str, Any]) -> None:
    """Links that a move had cut, and heirs; of links the reasons in words are gone."""
    for number, src, src_version, dst, dst_version, relation, confidence, method, at, live in targets.get("cut", ()):
        ends = [records.by_uid(connection, uid) for uid in (src, dst)]
        if any(one is None or one.workspace != home.id for one in ends):
            continue
        left, right = (one.id for one in ends if one is not None)
        if connection.one("link_known", {"workspace": home.id, "src": left, "dst": right, "relation": relation}) is not None:
            continue
        said = {"relation": relation, "confidence": confidence, "rationale": None, "method": method, "recorded_at": at}
        versions = {"src": left, "src_version": src_version, "dst": right, "dst_version": dst_version}
        connection.run("link_add", {"workspace": home.id, "id": number} | versions | said)
        connection.run("moving_link_set", {"workspace": home.id, "id": number, "live": live})
    for uid, heir_uid in targets.get("heirs", ()):
        one, heir = records.by_uid(connection, uid), records.by_uid(connection, heir_uid)
        if (
            one
            and heir
            and one.workspace == heir.workspace == home.id
            and one.superseded_by is None
            and one.state == "superseded"
        ):
            connection.run("moving_heir", {"workspace": home.id, "record": one.id, "heir": heir.id})


def _cut(load: Load) -> list[list[object]]:
    """The links that a wall cuts, as the ledger may hold them: who, how and when, and no word."""
    return [_told(load, one) for one in load.cut.links]


def _told(load: Load, one: Tie) -> list[object]:
    ends = [load.uids[one.src], one.src_version, load.uids[one.dst], one.dst_version]
    return [one.id, *ends, one.relation, one.confidence, one.method, one.recorded_at, one.live]


def _named(uids: Sequence[str], talks: Sequence[str]) -> dict[str, object]:
    told: dict[str, object] = {"records": list(uids)} if uids else {}
    return told | ({"sessions": list(talks)} if talks else {})


def _hold(connection: Connection, *places: Workspace) -> None:
    for number in sorted(place.id for place in places):  # in one order, so that two callers never wait for each other
        workspaces.hold(connection, number)


def _places(load: Load) -> list[object]:
    """What confirming a merge is bound to: both workspaces, as they are called and walled.

    Not what lies there: into a workspace in use something is written at any time, and all of it is meant.
    """
    return [[one.uid, one.slug, one.state, one.data_class, one.isolation] for one in (load.source, load.target)]


def _seal(load: Load) -> list[object]:
    """What confirming a move is bound to: the workspaces, and what goes."""
    versions = load.found.versions if load.found is not None else len(load.records)
    return [_places(load), load.counts, versions]


def _same(asked: list[object], found: list[object]) -> None:
    if asked != found:
        raise StaleVersion("What is to be moved changed just now.", "Repeat the call without confirm.")


def _impact(what: str, load: Load) -> str:
    counts = load.counts
    goes = ", ".join(counted(counts[name], word) for name, word in TOLD if counts.get(name))
    goes = goes or "there is nothing to move"
    said = [f"{what}: {goes}."]
    if load.cut.links:
        said.append(
            f"{counted(len(load.cut.links), 'link')} to what stays cannot cross the wall and will be cut; undo restores them."
        )
    if load.cut.heirs:
        said.append(f"{counted(len(load.cut.heirs), 'record')} will stand replaced with no heir beside it.")
    if altering.looser(load.target.data_class, load.source.data_class):
        said.append(
            f"What is {load.source.data_class} becomes {load.target.data_class}: every token that has this class will see it."
        )
    if load.source.isolation == "strict" and load.target.isolation != "strict":
        said.append("Questions about everything will find what only its own workspace found.")
    return " ".join(said)
