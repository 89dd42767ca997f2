"""What may be done to a memory. Each function prepares one thing and answers its effects; `changes.make` puts them in force.

Every caller goes through `guard`: protection holds on whatever way a change comes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from muniment.access import policy, zones
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, NotFound, ProtectedTarget, StaleVersion
from muniment.governance import changes
from muniment.governance.changes import Effect
from muniment.governance.statement import Statement
from muniment.index import write
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.records import TRUST, Label, Record, tier_of
from muniment.store import numbers, records, workspaces
from muniment.store.connections import Connection

PERSON = "user_confirmed"
CHAIN_MOST = 1000
# What is so of every record that may take the place of another one.
STANDING = {"state": "active", "superseded_by": None, "supersede_why": None}


@dataclass(frozen=True, slots=True)
class Belief:
    """How far a new text is believed, and how contaminated it is. Taint never decreases, trust never increases.

    `confirms`: a person says that the text is right.
    """

    source_type: str
    trust: float
    taint: int = 0
    confirms: bool = False


def belief(context: Context, taint: int = 0) -> Belief:
    """What a text has that comes through the caller's own door, from the caller's zone."""
    return _within(context, context.source_type, taint)


def confirmed(context: Context, taint: int) -> Belief:
    """What a text has that a person confirmed, as far as the caller's zone lets anybody be believed."""
    return _within(context, PERSON, taint)


def _within(context: Context, source_type: str, taint: int) -> Belief:
    zone = zones.bounds(context.grant.zone)
    trust = min(TRUST[source_type], zone.ceiling)
    return Belief(source_type, trust, max(taint, zone.floor), confirms=source_type == PERSON)


def resting(belief: Belief, sources: Iterable[Record], replaced: Iterable[Record] = ()) -> Belief:
    """The standing of a text that rests on `sources` and takes the place of `replaced`, on whatever way it comes.

    It is as tainted as the worst of them, and believed no more than the least of its sources. A person who says it answers for
    it: then neither a source's trust nor the taint of what it replaces counts, but the taint of its sources does.
    """
    sources = tuple(sources)
    if belief.confirms:
        replaced = ()
    trust = belief.trust if belief.confirms else min((belief.trust, *(one.trust for one in sources)))
    return replace(belief, trust=trust, taint=max((belief.taint, *(one.taint for one in (*sources, *replaced)))))


def target(context: Context, connection: Connection, ref: str | None) -> tuple[Record, Workspace]:
    """The memory that a ref names and its workspace, held and as it is now. Raises NotFound alike for absent and foreign ones.

    From here to the end of the transaction nobody else can change it.
    """
    parsed = ids.parse(ref or "")
    if parsed is None:
        raise InvalidInput("This needs a target.", "Pass the memory's ref (m_…) as target.")
    record = records.by_uid(connection, parsed[1])
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None:
        raise NotFound(f"There is no memory {ref!r}.")
    policy.changes(context, place)
    workspaces.hold(connection, place.id)
    held = records.by_uid(connection, record.uid)
    if held is None:
        raise NotFound(f"There is no memory {ref!r}.")
    return held, place


def guard(context: Context, record: Record, *, text: bool = True, confirmed: bool = False) -> None:
    """Raise unless this caller may change this record: its `text`, or without that only its standing.

    normal: whoever may write. protected: whoever may govern. locked: who governs and is a person at the command line or the
    web, or has confirmed this very change (`confirmed`).
    """
    if text and record.kind in ("turn", "document"):
        raise InvalidInput(f"A {record.kind} is never edited.", "Remember a statement of your own instead.")
    shield(context, record, confirmed=confirmed)
    if not context.grant.scopes & {"govern", "write"}:
        raise InsufficientScope("This token may add memories but not change them.")


def shield(context: Context, record: Record, *, confirmed: bool = False) -> None:
    """Raise where the record's protection keeps this caller from changing anything about it."""
    governs = "govern" in context.grant.scopes
    ref = ids.ref(record.kind, record.uid)
    if record.protection == "locked" and not (governs and (confirmed or context.personal)):
        raise ProtectedTarget(f"{ref} is locked: a person confirmed it.")
    if record.protection == "protected" and not governs:
        raise ProtectedTarget(f"{ref} is protected.")


def fresh(record: Record, expected: int | None) -> None:
    """Raise StaleVersion unless the memory is at the version that the caller has read."""
    if expected is not None and record.version != expected:
        raise StaleVersion(f"The memory is at version {record.version}, not {expected}.")


def add(
    context: Context,
    connection: Connection,
    place: Workspace,
    kind: str,
    statement: Statement,
    belief: Belief,
    analysed: write.Analysed,
    *,
    tier: str | None = None,
) -> tuple[Record, list[Effect]]:
    """Store a new memory. Taking its action back archives it."""
    now = context.now()
    new = records.New(
        workspace=place.id,
        id=workspaces.take(connection, place.id, records=1).records,
        uid=context.uid(),
        kind=kind,
        tier=tier or tier_of(kind),
        text=statement.text,
        recorded_at=now,
        fingerprint=statement.fingerprint,
        source_type=belief.source_type,
        trust=belief.trust,
        principal=context.grant.principal,
        client=context.grant.client,
        subject=statement.subject,
        event=statement.event,
        source_ref=statement.source_ref,
        taint=max(belief.taint, statement.taint),
        protection="locked" if belief.source_type == PERSON else "normal",
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
    )
    records.add(connection, [new])
    records.label(connection, place.id, new.id, statement.labels or ())
    made = new.noun()
    _index(connection, made, analysed)
    return made, [Effect("record", new.id, "state", "active", before="archived")]


def edit(
    context: Context,
    connection: Connection,
    record: Record,
    statement: Statement,
    belief: Belief,
    analysed: write.Analysed,
    *,
    tier: str | None = None,
) -> tuple[int, list[Effect]]:
    """Write another version of a memory; answers its number. It has the provenance of who wrote it.

    What the statement leaves out stays as it is. Trust falls to that of the writer, and rises only where a person confirms.
    """
    labels = records.labels(connection, record.workspace, record.id)
    if record.versions == 1:
        connection.run("version_keep", _version(record, labels, None))
    row = connection.one("record_number_version", {"workspace": record.workspace, "id": record.id})
    assert row is not None, "a held record is there"
    version = int(row[0])
    changed = replace(
        record,
        version=version,
        recorded_at=context.now(),
        text=statement.text,
        subject=statement.subject or record.subject,
        tier=tier or record.tier,
        event=statement.event or record.event,
        source_type=belief.source_type,
        source_ref=statement.source_ref or record.source_ref,
        trust=belief.trust if belief.confirms else min(belief.trust, record.trust),
        taint=max(belief.taint, record.taint, statement.taint),
        principal=context.grant.principal,
        client=context.grant.client,
        fingerprint=statement.fingerprint,
    )
    kept = statement.labels if statement.labels is not None else labels
    connection.run("version_keep", _version(changed, kept, statement.why))
    _index(connection, changed, analysed)
    effects = [Effect("record", record.id, "version", version)]
    if belief.confirms and record.protection != "locked":
        effects.append(Effect("record", record.id, "protection", "locked"))
    return version, effects + _interval(record, statement)


def _interval(record: Record, statement: Statement) -> list[Effect]:
    told = {"valid_from": statement.valid_from, "valid_to": statement.valid_to}
    since = record.valid_from if statement.valid_from is None else statement.valid_from
    until = record.valid_to if statement.valid_to is None else statement.valid_to
    if since is not None and until is not None and since >= until:
        raise InvalidInput("It would hold until before it began to.", "Give both valid_from and valid_to.")
    return [Effect("record", record.id, name, value) for name, value in told.items() if value is not None]


def moved(record: Record, state: str) -> list[Effect]:
    """archive, restore and reject: in and out of recall, with nothing lost. A restored memory has no heir any more."""
    if record.state == state:
        raise InvalidInput(f"The memory is {record.state} already.", "There is nothing to change.")
    effects = [Effect("record", record.id, "state", state)]
    # An heir may have been forgotten since; the clock that it stopped goes on all the same.
    if state == "active" and record.supersede_why is not None:
        clock = "retired_at" if record.supersede_why == "correction" else "valid_to"
        effects += [Effect("record", record.id, name, None) for name in ("superseded_by", "supersede_why", clock)]
    return effects


def superseded(
    context: Context,
    connection: Connection,
    old: Record,
    heir: Record,
    *,
    how: str,
    at: int | None = None,
    rationale: str | None = None,
) -> list[Effect]:
    """`heir` takes the place of `old`: state, heir, link and clock together.

    change: the world moved, so what the old one says held until `at` (the heir's own time, else now). correction: it was
    never so, so it is no longer believed from now on. Raises InvalidInput for cycles, foreign and inactive heirs.
    """
    may_inherit(connection, old, heir)
    now = context.now()
    effects = [
        Effect("record", old.id, "state", "superseded"),
        Effect("record", old.id, "superseded_by", heir.id),
        Effect("record", old.id, "supersede_why", how),
    ]
    if how == "correction":
        effects.append(Effect("record", old.id, "retired_at", now))
    else:
        until = at if at is not None else heir.event.ms if heir.event else heir.valid_from or now
        since = old.valid_from if old.valid_from is not None else old.event.ms if old.event else None
        if since is not None and until <= since:
            raise InvalidInput(
                "The heir is not later than what it replaces.", "Give its event_time, or say that it is a correction."
            )
        effects.append(Effect("record", old.id, "valid_to", until))
    effects += _standing_again(connection, heir)
    return effects + linked(context, connection, heir, old, "supersedes", method="agent", rationale=rationale)


def _standing_again(connection: Connection, heir: Record) -> list[Effect]:
    """What an heir that was replaced once itself has to go on being, whatever of what brought it back is undone.

    Without this, undoing its return would leave it replaced by the very record that it now replaces, and neither would stand.
    """
    if changes.never_set(connection, heir.workspace, "record", heir.id, "superseded_by"):
        return []
    kept = [Effect("record", heir.id, name, value) for name, value in STANDING.items()]
    open_ended = (name for name in ("valid_to", "retired_at") if getattr(heir, name) is None)
    return kept + [Effect("record", heir.id, name, None) for name in open_ended]


def may_inherit(connection: Connection, old: Record, heir: Record) -> None:
    """Raise InvalidInput where `heir` cannot take the place of `old`."""
    ref = ids.ref(heir.kind, heir.uid)
    if heir.workspace != old.workspace:
        raise InvalidInput(f"{ref} is in another workspace.", "An heir stands in the workspace of what it replaces.")
    if heir.id == old.id or _leads_to(connection, heir, old.id):
        raise InvalidInput(
            "A memory cannot take the place of itself.", f"{ref} was replaced by what you would replace with it."
        )
    if heir.state != "active":
        raise InvalidInput(f"{ref} is {heir.state}.", "Name an active memory as the heir.")
    if old.state not in ("active", "archived"):
        raise InvalidInput(f"The memory is {old.state} already.", "Restore it before it is replaced by another one.")


def linked(
    context: Context,
    connection: Connection,
    src: Record,
    dst: Record,
    relation: str,
    *,
    method: str,
    confidence: float = 1.0,
    rationale: str | None = None,
) -> list[Effect]:
    """A typed relation from the later record to the earlier one. One that stands already has no further effect."""
    if src.workspace != dst.workspace or src.id == dst.id:
        raise InvalidInput("A link joins two different records of one workspace.", "Name another record.")
    between = {"workspace": src.workspace, "src": src.id, "dst": dst.id, "relation": relation}
    row = connection.one("link_known", between)
    if row is not None:
        return [] if row[1] else [Effect("link", row[0], "live", 1)]
    number = numbers.take(connection, src.workspace)
    versions = {"src_version": src.version, "dst_version": dst.version}
    said = {"confidence": confidence, "rationale": rationale, "method": method, "recorded_at": context.now()}
    connection.run("link_add", between | versions | said | {"id": number})
    return [Effect("link", number, "live", 1)]


def heir(connection: Connection, record: Record) -> Record | None:
    """What stands in the record's place: the end of its chain of heirs, or None where nothing took its place."""
    seen = {record.id}
    found: Record | None = None
    while record.superseded_by is not None and record.superseded_by not in seen and len(seen) < CHAIN_MOST:
        seen.add(record.superseded_by)
        following = records.by_id(connection, record.workspace, [record.superseded_by]).get(record.superseded_by)
        if following is None:
            break
        found = record = following
    return found


def _leads_to(connection: Connection, record: Record, wanted: int) -> bool:
    """Whether the chain of heirs from a record comes to another one."""
    seen: set[int] = set()
    while record.superseded_by is not None and record.id not in seen and len(seen) < CHAIN_MOST:
        if record.superseded_by == wanted:
            return True
        seen.add(record.id)
        found = records.by_id(connection, record.workspace, [record.superseded_by]).get(record.superseded_by)
        if found is None:
            return False
        record = found
    return False


def _version(record: Record, labels: tuple[Label, ...], why: str | None) -> dict[str, object]:
    return {
        "workspace": record.workspace,
        "record": record.id,
        "version": record.version,
        "subject": record.subject,
        "text": record.text,
        "labels": json.dumps([[label.sort, label.value] for label in labels], ensure_ascii=False),
        "reason": why,
        "principal": record.principal,
        "at": record.recorded_at,
        "tier": record.tier,
        "event_at": record.event.ms if record.event else None,
        "event_zone": record.event.zone if record.event else None,
        "source_type": record.source_type,
        "source_ref": record.source_ref,
        "trust": record.trust,
        "taint": record.taint,
        "client": record.client,
        "fingerprint": record.fingerprint,
    }


def _index(connection: Connection, record: Record, analysed: write.Analysed) -> None:
    """Enter a version of a memory; with the times of its row, so that a rebuilt index is the same."""
    event, at = record.event.ms if record.event else None, record.recorded_at
    entering = write.Entering(record.id, record.version, record.kind, record.tier, 0, 0, 0, event, at, analysed)
    first, last = write.enter(connection, record.workspace, [entering])
    write.follow_up(connection, record.workspace, first, last, at)
