"""What names mean: aliases, merges, blocks and types. Each is one action, and undoing it takes things apart as they were.

Nothing is ever moved from one entity to another: readers follow what was said here.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound
from muniment.governance import changes, confirmations, statement
from muniment.governance.changes import Act, Effect
from muniment.governance.confirmations import Ticket
from muniment.graph import resolve
from muniment.model.access import Workspace
from muniment.model.governing import GovernAnswer, GovernRequest, SetEntity
from muniment.model.reviewing import Entities, EntitySeen, ReviewAnswer
from muniment.store import entities, workspaces
from muniment.store.connections import Connection
from muniment.store.entities import Entity

UNSAID = "other"


@dataclass(frozen=True, slots=True)
class _Pair:
    """A name and the entity that it is to stand for. `held` is the entity written like the name, if there is one."""

    norm: str
    held: Entity | None
    other: Entity


def set_entity(context: Context, request: GovernRequest, do: SetEntity) -> GovernAnswer:
    """Say that a name is an alias of an entity, that two entities are one, that a name names nothing, or what an entity is.

    Raises InvalidInput for none or several of these at once, for what would go round in a circle or lead to an alias,
    NotFound for unknown entities, ConfirmationRequired before two of different types become one.
    """
    wanted = [name for name in ("alias_of", "merge_into", "block", "type") if getattr(do, name) is not None]
    if len(wanted) != 1:
        raise InvalidInput(
            "set_entity does one thing at a time.", "Pass exactly one of alias_of, merge_into, block and type with the entity."
        )
    if not resolve.norm(do.entity):
        raise InvalidInput(f"{do.entity!r} is no name.", "Pass the name as people write it.")
    with context.store.read() as connection:
        place = policy.target(context, connection, request.workspace)
        pair = _pair(connection, place, do)
    ticket = _confirmed(context, request, pair) if pair else None
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        act, effects = _act(context, connection, place, do, ticket)
        act = Act(act.kind, act.targets, statement.reason(context, request.reason), request.run)
        entered = changes.make(context, connection, place.id, act, effects)
        # What is seen through names has changed, so nothing kept from before may answer.
        workspaces.take(connection, place.id)
    return GovernAnswer("set_entity", f"a_{entered.uid}")


def _act(
    context: Context, connection: Connection, place: Workspace, do: SetEntity, ticket: Ticket | None
) -> tuple[Act, list[Effect]]:
    """What is to be done, read again now that nobody else writes here."""
    if do.block is not None:
        return _block(connection, place, do)
    if do.type is not None:
        entity = _written(connection, place, do.entity)
        if entity.type == do.type:
            raise InvalidInput(f"{entity.canonical} is of type {do.type} already.", "There is nothing to change.")
        return Act("entity_type", {"entity": entity.id}), [Effect("entity", entity.id, "type", do.type)]
    pair = _pair(connection, place, do)
    assert pair is not None, "an alias and a merge have two sides"
    if _differ(pair):
        if ticket is None:
            raise InvalidInput("The entities were changed at this moment.", "Repeat the call.")
        confirmations.spend(context, connection, ticket)
    return _alias(connection, place, do, pair) if do.alias_of is not None else _merge(connection, place, do, pair)


def _pair(connection: Connection, place: Workspace, do: SetEntity) -> _Pair | None:
    wanted = do.alias_of if do.alias_of is not None else do.merge_into
    if wanted is None:
        return None
    norm, other = resolve.norm(do.entity), _written(connection, place, wanted)
    meant = entities.meant(connection, place.id, [norm, other.norm])
    if norm == other.norm:
        raise InvalidInput(f"{do.entity!r} and {wanted!r} are one name already.", "Name two different ones.")
    if meant[other.norm].aliased and do.alias_of is not None:
        raise InvalidInput(
            f"{wanted!r} is an alias itself.", f"Name what it stands for: {_stands_for(connection, place, other)}."
        )
    if other.blocked or (norm in meant and meant[norm].blocked):
        raise InvalidInput("A blocked name stands for nothing.", "Lift the block first, with block=false.")
    own = meant[norm].own if norm in meant else None
    held = entities.by_id(connection, place.id, [own])[own] if own is not None else None
    return _Pair(norm, held, other)


def _differ(pair: _Pair) -> bool:
    held = pair.held.type if pair.held else UNSAID
    return UNSAID not in (held, pair.other.type) and held != pair.other.type


def _confirmed(context: Context, request: GovernRequest, pair: _Pair) -> Ticket | None:
    """A person and a tool are seldom one thing: whoever says so confirms it."""
    if not _differ(pair) or pair.held is None:
        return None
    versions = [(one.id, one.type, one.merged_into) for one in (pair.held, pair.other)]
    said = f"{pair.held.canonical} is of type {pair.held.type}, {pair.other.canonical} of type {pair.other.type}."
    return confirmations.require(context, request, versions, f"{said} Everything known of either will be known of both.")


def _alias(connection: Connection, place: Workspace, do: SetEntity, pair: _Pair) -> tuple[Act, list[Effect]]:
    if pair.held and entities.aliases(connection, place.id, [pair.held.id]):
        raise InvalidInput(f"{do.entity!r} has aliases of its own.", "Use merge_into: then they come along.")
    if pair.held and _top(connection, place, pair.other.id) == pair.held.id:
        raise InvalidInput(f"{do.alias_of!r} stands for {do.entity!r}.", "Undo that first, or say it the other way round.")
    number, live = entities.alias(connection, place.id, pair.other.id, pair.norm, do.entity.strip())
    if live:
        raise InvalidInput(f"{do.entity!r} is an alias of {do.alias_of!r} already.", "There is nothing to change.")
    return Act("alias", {"alias": number, "entity": pair.other.id}), [Effect("alias", number, "live", 1, before=0)]


def _merge(connection: Connection, place: Workspace, do: SetEntity, pair: _Pair) -> tuple[Act, list[Effect]]:
    if pair.held is None:
        raise NotFound(f"There is no entity {do.entity!r}.", "Use alias_of for a spelling that no text holds yet.")
    if _top(connection, place, pair.other.id) == _top(connection, place, pair.held.id):
        raise InvalidInput(
            f"{do.entity!r} and {do.merge_into!r} are one thing already.", "To turn it round, undo what joined them first."
        )
    if entities.meant(connection, place.id, [pair.norm])[pair.norm].aliased:
        raise InvalidInput(f"{do.entity!r} is an alias.", "Undo that first: an alias says already what the name stands for.")
    targets: dict[str, object] = {"entity": pair.held.id, "into": pair.other.id}
    return Act("merge", targets), [Effect("entity", pair.held.id, "merged_into", pair.other.id)]


def _block(connection: Connection, place: Workspace, do: SetEntity) -> tuple[Act, list[Effect]]:
    number, live = entities.block(connection, place.id, resolve.norm(do.entity))
    if live == do.block:
        said = "is blocked already" if live else "is not blocked"
        raise InvalidInput(f"{do.entity!r} {said}.", "There is nothing to change.")
    effect = Effect("block", number, "live", 1, before=0) if do.block else Effect("block", number, "live", 0)
    return Act("block" if do.block else "unblock", {"block": number}), [effect]


def _written(connection: Connection, place: Workspace, name: str) -> Entity:
    """The entity that is written so."""
    norm = resolve.norm(name)
    meant = entities.meant(connection, place.id, [norm]).get(norm) if norm else None
    if meant is not None and meant.own is not None:
        return entities.by_id(connection, place.id, [meant.own])[meant.own]
    if meant is not None and meant.aliased:
        top = entities.by_id(connection, place.id, meant.aliased)[meant.aliased[0]]
        raise InvalidInput(f"{name!r} is an alias itself.", f"Name what it stands for: {top.canonical}.")
    raise NotFound(f"There is no entity {name!r}.", "List names with `muniment review entities`.")


def _top(connection: Connection, place: Workspace, entity: int) -> int:
    return resolve.roots(connection, place.id, [entity])[entity]


def _stands_for(connection: Connection, place: Workspace, entity: Entity) -> str:
    top = _top(connection, place, entity.id)
    return entities.by_id(connection, place.id, [top])[top].canonical


def listed(context: Context, connection: Connection, place: Workspace, do: Entities) -> ReviewAnswer:
    """The names of things, in the order they were met, with what they stand for."""
    bound = ["entities", place.uid, do.query, do.limit]
    after = cursors.unseal(context, connection, do.cursor, bound)[0] if do.cursor else 0
    numbers = entities.listed(connection, place.id, resolve.norm(do.query), after, do.limit + 1)
    more, numbers = len(numbers) > do.limit, numbers[: do.limit]
    held = entities.by_id(connection, place.id, numbers)
    counted = entities.counted(connection, place.id, numbers)
    spelled: dict[int, list[str]] = {}
    for number, _, surface in entities.aliases(connection, place.id, numbers):
        spelled.setdefault(number, []).append(surface)
    tops = resolve.roots(connection, place.id, numbers)
    names = entities.by_id(connection, place.id, set(tops.values()))
    seen = tuple(
        EntitySeen(
            name=held[one].canonical,
            type=held[one].type,
            mentions=counted[one][0],
            claims=counted[one][1],
            aliases=tuple(spelled.get(one, ())),
            blocked=held[one].blocked,
            merged_into=names[tops[one]].canonical if tops[one] != one else None,
        )
        for one in numbers
    )
    cursor = cursors.seal(context, connection, [numbers[-1]], bound) if more else None
    return ReviewAnswer("entities", place.slug, entities=seen, cursor=cursor)
