"""Changes that can be taken back in any order.

An action lists what it set, field by field. A field is what the last action set that nobody took back, or, where all were
taken back, what it was before the first. So undoing in any order lands where never acting would have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.context import Context
from muniment.errors import InvalidInput
from muniment.governance import ledger
from muniment.index import write
from muniment.model.records import FOUND_STATES, Label
from muniment.store import records
from muniment.store.connections import Connection

Sort = Literal["record", "link", "alias", "block", "entity", "claim", "workspace"]
Value = str | int | None
Hindrance = Literal["destroyed", "undone", "final"]
# Of each sort of thing: the statement that reads its fields, the one that sets them, and their names.
GOVERNED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "record": (
        "record_governed",
        "record_govern",
        ("state", "protection", "valid_from", "valid_to", "retired_at", "superseded_by", "supersede_why"),
    ),
    "link": ("link_live", "link_set_live", ("live",)),
    "alias": ("alias_live", "alias_set_live", ("live",)),
    "block": ("block_live", "block_set_live", ("live",)),
    "entity": ("entity_governed", "entity_govern", ("merged_into", "type")),
    "claim": ("claim_live", "claim_set_live", ("live",)),
    "workspace": (
        "workspace_governed",
        "workspace_govern",
        ("state", "data_class", "isolation", "admits_similar", "merged_into"),
    ),
}
UNSET: Any = object()
# What is taken back by carrying everything back, and not by effects.
CARRYING = ("merge", "move")
DIGEST = "sha256:"
# Where a row of the ledger holds the digest of its effects.
DIGEST_AT = ledger.CHAINED.index("inverse")
# What of an effect its action's digest covers, in this order.
DIGESTED = ("number", "sort", "target", "field", "before", "after")


@dataclass(frozen=True, slots=True)
class Effect:
    """One field of one thing as an action sets it. `before` is given only for what did not exist before."""

    sort: Sort
    target: int
    field: str
    value: Value
    before: Value = UNSET


@dataclass(frozen=True, slots=True)
class Act:
    """What the ledger says of an action. `targets` holds refs and numbers, never words; `reason` may be forgotten."""

    kind: str
    targets: dict[str, object]
    reason: str | None = None
    run: str | None = None
    before: Sequence[str] | None = None  # texts, of which the ledger keeps a salted hash
    after: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """An action as the ledger has it."""

    workspace: int
    seq: int
    uid: str
    kind: str
    targets: dict[str, Any] = field(default_factory=dict)
    effects: str | None = None
    reason: str | None = None
    principal: int = 0
    client: str | None = None
    at: int = 0
    run: str | None = None
    undone_by: int | None = None

    @property
    def ref(self) -> str:
        return f"a_{self.uid}"


def make(context: Context, connection: Connection, workspace: int, act: Act, effects: Sequence[Effect]) -> ledger.Entered:
    """Write an action with its effects and let them take effect. The caller holds the workspace.

    New rows (a version, a link) are inserted by the caller beforehand, not in force; an effect puts them in force.
    """
    rows = []
    for number, one in enumerate(effects, 1):
        before = _now(connection, workspace, one.sort, one.target)[one.field] if one.before is UNSET else one.before
        values = {"number": number, "sort": one.sort, "target": one.target, "field": one.field}
        rows.append(values | {"before": json.dumps(before), "after": json.dumps(one.value)})
    entered = ledger.enter(
        context,
        connection,
        workspace,
        act.kind,
        targets=act.targets,
        before=act.before,
        after=act.after,
        effects=digest(rows) if rows else None,
        reason=act.reason,
        run=act.run,
    )
    connection.many("effect_add", ({"workspace": workspace, "action": entered.seq} | row for row in rows))
    _apply(context, connection, workspace, [(one.sort, one.target, one.field, one.value) for one in effects])
    return entered


def undo(context: Context, connection: Connection, actions: Sequence[Action], *, reason: str | None = None) -> ledger.Entered:
    """Take actions of one workspace back, newest first. Raises InvalidInput for what was or cannot be taken back.

    The caller holds the workspace and has checked the caller's right.
    """
    if not actions:
        raise InvalidInput("There is nothing to undo.", "List actions with `muniment review audit`.")
    workspace = actions[0].workspace
    blanked = ledger.blanked(connection, workspace)
    for one in actions:
        undoable(one, blanked)
    targets: dict[str, object] = {"undone": [one.uid for one in actions]}
    entered = ledger.enter(context, connection, workspace, "undo", targets=targets, reason=reason)
    touched: dict[tuple[Sort, int, str], None] = {}
    for one in sorted(actions, key=lambda action: -action.seq):
        connection.one("action_undone", {"workspace": workspace, "seq": one.seq, "by": entered.seq})
        rows = connection.all("effects_of", {"workspace": workspace, "action": one.seq})
        touched |= {(sort, target, name): None for _, sort, target, name, _, _ in rows}
    _apply(context, connection, workspace, [(*place, _folded(connection, workspace, *place)) for place in touched])
    return entered


def undoable(action: Action, blanked: Container[int] = ()) -> None:
    """Raise InvalidInput for an action that was taken back already, or never can be.

    `blanked` are the numbers of those that concerned something forgotten since.
    """
    named = f"{action.ref} ({action.kind})"
    match hindrance(action.kind, action.effects, action.undone_by, forgotten=action.seq in blanked):
        case "destroyed":
            what = "destroyed it for good" if action.kind == "forget" else "concerned something that was forgotten since"
            raise InvalidInput(f"{named} cannot be undone: it {what}.", "Of what is still there, change each thing by itself.")
        case "undone":
            raise InvalidInput(f"{action.ref} was undone already.", "Nothing was changed.")
        case "final":
            raise InvalidInput(f"{named} cannot be undone.", "Make the opposite change, or forget what it added.")


def hindrance(kind: str, effects: str | None, undone_by: int | None, *, forgotten: bool) -> Hindrance | None:
    """Why an action cannot be taken back; None where it can. `forgotten`: something that it concerned was."""
    if kind == "forget" or forgotten:
        return "destroyed"
    if undone_by is not None:
        return "undone"
    if kind in CARRYING:
        return None
    # What changed nothing has no effects; the first Muniment wrote something else in their place.
    return None if kind != "undo" and (effects or "").startswith(DIGEST) else "final"


def records_touched(connection: Connection, workspace: int, actions: Sequence[Action]) -> set[int]:
    """The numbers of the records that actions concern: by what they set, or at an end of a link that they set."""
    found: set[int] = set()
    for one in actions:
        found |= {row[0] for row in connection.all("action_records", {"workspace": workspace, "action": one.seq})}
    return found


def never_set(connection: Connection, workspace: int, sort: Sort, target: int, name: str) -> bool:
    """Whether every action that set this field was taken back, so that it is as it was before the first."""
    values = {"workspace": workspace, "sort": sort, "target": target, "field": name}
    return connection.one("effect_last", values) is None


def by_uid(connection: Connection, uid: str) -> Action | None:
    row = connection.one("action_by_uid", {"uid": uid})
    return _noun(row) if row else None


def of_run(connection: Connection, workspace: int, run: str) -> list[Action]:
    """The actions of a run that stand and can be taken back, newest first."""
    return [_noun(row) for row in connection.all("actions_of_run", {"workspace": workspace, "run": run})]


def altered(connection: Connection, workspace: int) -> int | None:
    """The number of the first action whose effects are not those it was written with; or None.

    Where something was forgotten its effects are gone on purpose: the chain names those actions, and they are left out.
    """
    blanked = ledger.blanked(connection, workspace)
    after = 0
    while rows := connection.all("actions", {"workspace": workspace, "after": after, "limit": ledger.PAGE}):
        held: dict[int, list[dict[str, Any]]] = {}
        between = {"workspace": workspace, "first": after + 1, "last": rows[-1][0]}
        for action, *effect in connection.all("effects_between", between):
            held.setdefault(action, []).append(dict(zip(DIGESTED, effect, strict=True)))
        for row in rows:
            seq, said = row[0], row[DIGEST_AT]
            wanted = digest(held[seq]) if seq in held else None
            if seq not in blanked and wanted != (said if (said or "").startswith(DIGEST) else None):
                return int(seq)
        after = rows[-1][0]
    return None


def digest(rows: Iterable[dict[str, Any]]) -> str:
    """What the chain holds of an action's effects, so that none can be changed unseen."""
    listed = [[row[name] for name in DIGESTED] for row in rows]
    return DIGEST + hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _folded(connection: Connection, workspace: int, sort: Sort, target: int, name: str) -> Value:
    values = {"workspace": workspace, "sort": sort, "target": target, "field": name}
    row = connection.one("effect_last", values) or connection.one("effect_first", values)
    assert row is not None, "an effect was read a moment ago"
    found: Value = json.loads(row[0])
    return found


def _now(connection: Connection, workspace: int, sort: Sort, target: int) -> dict[str, Value]:
    held = governed(connection, workspace, sort, target)
    assert held is not None, "what an action changes is there"
    return held


def governed(connection: Connection, workspace: int, sort: Sort, target: int) -> dict[str, Value] | None:
    """The governed fields of one thing as its row holds them; None for what was forgotten."""
    reading, _, names = GOVERNED[sort]
    row = connection.one(reading, {"workspace": workspace, "target": target})
    if row is None:
        return None
    held: dict[str, Value] = dict(zip(names, row, strict=False))
    return held | {"version": row[len(names)]} if sort == "record" else held


def _apply(context: Context, connection: Connection, workspace: int, wanted: Sequence[tuple[Sort, int, str, Value]]) -> None:
    by_thing: dict[tuple[Sort, int], dict[str, Value]] = {}
    for sort, target, name, value in wanted:
        by_thing.setdefault((sort, target), {})[name] = value
    for (sort, target), fields in by_thing.items():
        held = governed(connection, workspace, sort, target)
        # What was forgotten stays forgotten, whatever is taken back.
        if held is None or all(held[name] == value for name, value in fields.items()):
            continue
        setting = {"workspace": workspace, "target": target} | held | fields
        if sort == "record":
            _govern(context, connection, workspace, target, held, setting)
        else:
            connection.run(GOVERNED[sort][1], setting)


def _govern(
    context: Context, connection: Connection, workspace: int, target: int, held: dict[str, Value], setting: dict[str, Any]
) -> None:
    version = setting.pop("version")
    connection.run("record_govern", setting)
    if version != held["version"]:
        connection.run("record_as_version", {"workspace": workspace, "target": target, "version": version})
        row = connection.one("version_labels", {"workspace": workspace, "record": target, "version": version})
        assert row is not None, "every version of a changed record is kept"
        records.relabel(connection, workspace, target, [Label(sort, value) for sort, value in json.loads(row[0])])
    found, was = setting["state"] in FOUND_STATES, held["state"] in FOUND_STATES
    if version != held["version"] or found != was:
        connection.run("passages_bury", {"workspace": workspace, "record": target})
        if found and not write.revive(connection, workspace, target, int(version), context.now()):
            _enter(context, connection, workspace, target)


def _enter(context: Context, connection: Connection, workspace: int, target: int) -> None:
    """Index a memory's version in force anew. Turns and documents have one version, whose passages every rebuild makes."""
    record = records.by_id(connection, workspace, [target])[target]
    analysed = write.analyse(record.text, record.kind, record.subject)
    event, recorded = record.event.ms if record.event else None, record.recorded_at
    entering = write.Entering(target, record.version, record.kind, record.tier, 0, 0, 0, event, recorded, analysed)
    write.follow_up(connection, workspace, *write.enter(connection, workspace, [entering]), context.now())


def _noun(row: Sequence[Any]) -> Action:
    workspace, seq, uid, kind, targets, effects, reason, principal, client, at, run, undone_by = row
    return Action(workspace, seq, uid, kind, json.loads(targets), effects, reason, principal, client, at, run, undone_by)
