"""Walking the graph of claims: what is known around one thing, and which causes lead from one thing to another.

Every workspace is walked by itself, so no fact and no path ever crosses from one to another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from muniment.access import policy
from muniment.context import Context
from muniment.graph import belief, outdated, paths, phrases, resolve, seen, standing
from muniment.graph.outdated import Judged, Said
from muniment.graph.resolve import Thing
from muniment.graph.standing import Fact, Moments
from muniment.model.access import Workspace
from muniment.model.knowing import ClaimSeen, NearAnswer, NearRequest, WhyAnswer, WhyRequest
from muniment.model.recalling import Meta
from muniment.store import claims, entities
from muniment.store.connections import Connection
from muniment.store.entities import Entity
from muniment.text import dates, plain

# Of a thing that everything names, so many claims are looked at on either side, the newest first.
CLAIMS_MOST = 400
NAMES_MOST = 50
RELATED_MOST = 20

# Whether the thing is the subject, and the attribute.
Group = tuple[bool, str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A fact, or with `said` what a newer text says in its place, with what it takes to show it. `rank`: the surest first."""

    group: Group
    rank: tuple[bool, ...]
    fact: Fact
    names: Mapping[int, Entity]
    conflicts: seen.Conflicts
    how: seen.Standing = "current"
    until: int | None = None
    said: Said | None = None

    def shown(self, known: int) -> ClaimSeen:
        if self.said:
            return seen.instead(self.said, self.fact, self.names, self.conflicts)
        return seen.claim(self.fact, self.names, known, self.how, over=self.until, conflicts=self.conflicts)


@dataclass(frozen=True, slots=True)
class _Around:
    """What one workspace knows of a thing."""

    name: str
    names: tuple[str, ...]
    facts: tuple[_Found, ...]
    related: tuple[str, ...]
    cut: bool


def near(context: Context, request: NearRequest) -> NearAnswer:
    """What is known around one entity: each fact with the words that say it and since when it holds.

    Current facts; as_of and known_at as in recall. Aliases and merges are followed. entity_resolved false: nobody knows it.
    Limits: newest first within each attribute, in both directions; an untrusted value replaces none, and stands after it.
    Errors: forbidden_scope, invalid_input.
    """
    request = plain.clean_all(request)
    at = moments(context, request.as_of, request.known_at)
    now = Moments(context.now(), context.now()) if request.as_of or request.known_at else None
    found: list[_Around] = []
    several: list[str] = []
    with context.store.read() as connection:
        for place in policy.asked(context, connection, request.workspace):
            meant = phrases.one(connection, place.id, request.entity)
            several += _names(connection, place, meant.resolved.candidates)
            around = _around(context, connection, place, meant, at, now)
            found += [around] if around else []
    if not found:
        return NearAnswer(None, False, (), related=tuple(several), meta=_open(request.entity, several))
    listed = _ordered([one for around in found for one in around.facts])
    warnings = ("Only the newest claims about it were looked at.",) if any(one.cut for one in found) else ()
    return NearAnswer(
        entity=found[0].name,
        entity_resolved=True,
        facts=tuple(one.shown(at.known) for one in listed[: request.limit]),
        names=tuple(dict.fromkeys(name for one in found for name in one.names))[:NAMES_MOST],
        related=tuple(dict.fromkeys(name for one in found for name in one.related))[:RELATED_MOST],
        total=len(listed),
        meta=Meta(warnings=warnings),
    )


def why(context: Context, request: WhyRequest) -> WhyAnswer:
    """How one entity comes of another by causes: the shortest, then the surest path, each step quoted.

    Only words for causes count, not being mentioned together. Without a path found is false and message says what is missing.
    Limits: claims and links that name a cause (caused by, depends on, derived from, replaced).
    Errors: forbidden_scope, invalid_input.
    """
    request = plain.clean_all(request)
    at = moments(context, request.as_of, request.known_at)
    unknown = {request.from_: True, request.to: True}
    best: tuple[paths.Path, tuple[ClaimSeen, ...]] | None = None
    with context.store.read() as connection:
        for place in policy.asked(context, connection, request.workspace):
            ends = [resolve.one(connection, place.id, name).thing for name in (request.from_, request.to)]
            for name, thing in zip((request.from_, request.to), ends, strict=True):
                unknown[name] = unknown[name] and thing is None
            if ends[0] is None or ends[1] is None or ends[0].root == ends[1].root:
                continue
            path = paths.find(connection, place.id, ends[0], ends[1], at, request.max_hops)
            if path and (best is None or path.rank < best[0].rank):
                best = path, paths.shown(connection, place.id, path, at)
    missing = tuple(name for name, absent in unknown.items() if absent)
    if best is None:
        return WhyAnswer(False, (), _no_path(request, missing), missing)
    cause = request.to if best[0].backwards is False else request.from_
    return WhyAnswer(True, best[1], f"{_steps(len(best[1]))} from {request.from_} to {request.to}; {cause} is the cause.")


def moments(context: Context, as_of: str | None, known_at: str | None) -> Moments:
    """The moments a request asks for. What was known at a moment is, unless more is said, what held then too."""
    known = dates.until(known_at).ms if known_at else context.now()
    return Moments(dates.until(as_of).ms if as_of else known, known, told=bool(as_of))


def _steps(count: int) -> str:
    return "One step" if count == 1 else f"{count} steps"


def _no_path(request: WhyRequest, missing: Sequence[str]) -> str:
    if missing:
        return f"No path: nothing is known by the name of {' or '.join(missing)}."
    return f"No path: no cause within {request.max_hops} steps connects {request.from_} and {request.to}."


def _open(name: str, several: Sequence[str]) -> Meta:
    """What to do about a name that means nothing, or several things."""
    if several:
        return Meta(warnings=(f"{name!r} may be {' or '.join(several)}; ask for one of them.",))
    return Meta(next=(f"recall(query={json.dumps(name, ensure_ascii=False)})",))


def _names(connection: Connection, place: Workspace, numbers: Iterable[int]) -> list[str]:
    held = entities.by_id(connection, place.id, numbers)
    return [held[number].canonical for number in sorted(held) if not held[number].blocked]


def _around(
    context: Context, connection: Connection, place: Workspace, meant: phrases.Meant, at: Moments, now: Moments | None
) -> _Around | None:
    """What one workspace knows of what a name means; None where that is nothing."""
    thing = meant.thing
    if thing is None:
        return None
    if meant.attribute is None:
        about = claims.about(connection, place.id, thing.members, CLAIMS_MOST)
        naming = claims.naming(connection, place.id, thing.members, CLAIMS_MOST)
    else:
        about, naming = claims.of_property(connection, place.id, thing.members, meant.attribute, CLAIMS_MOST), []
    slots = standing.slots(connection, place.id, {*about, *naming})
    facts = [fact for fact in slots.facts(at) if _wanted(fact, thing, meant.attribute)]
    if meant.attribute and not facts:
        return None
    others = {number for fact in facts for number in (fact.subject, fact.object) if number is not None}
    held = entities.by_id(connection, place.id, {*others, *thing.members})
    spelled = [surface for _, _, surface in entities.aliases(connection, place.id, thing.members)]
    names = tuple(dict.fromkeys((held[thing.root].canonical, *(held[one].canonical for one in thing.members), *spelled)))
    facts = sorted((fact for fact in facts if not held[fact.subject].blocked), key=lambda one: one.subject != thing.root)
    name = _property(held[thing.root].canonical, facts[0]) if meant.attribute and facts else held[thing.root].canonical
    judged = outdated.judge(context, connection, place.id, names, slots, facts, at)
    return _Around(
        name=name,
        names=names if meant.attribute is None else (name,),
        facts=tuple(_shown(connection, place, thing, slots, judged, held, now)),
        related=tuple(held[one].canonical for one in sorted(others - {thing.root}) if not held[one].blocked),
        cut=CLAIMS_MOST in (len(about), len(naming)),
    )


def _wanted(fact: Fact, thing: Thing, attribute: str | None) -> bool:
    if attribute is not None:
        return fact.subject == thing.root and fact.newest.attribute == attribute
    return thing.root in (fact.subject, fact.object)


def _property(owner: str, fact: Fact) -> str:
    said = fact.newest.said or fact.newest.attribute
    return said if owner == phrases.OURS else f"{owner} {said}"


def _shown(
    connection: Connection,
    place: Workspace,
    thing: Thing,
    slots: standing.Slots,
    judged: Sequence[Judged],
    names: Mapping[int, Entity],
    now: Moments | None,
) -> Iterator[_Found]:
    """`now` is given where another moment was asked for: what held then may be past."""
    current = {one.id for fact in slots.facts(now) for one in fact.claims} if now else None
    numbers = {one.record for each in judged for one in each.fact.claims}
    numbers |= {said.record.id for each in judged for said in each.instead}
    conflicts = seen.conflicts(connection, place.id, numbers)
    for each in judged:
        fact = each.fact
        stands = each.until is None and (current is None or fact.newest.id in current)
        group = (fact.subject == thing.root, fact.newest.attribute)
        doubted, unguarded = min(belief.rank(one) for one in fact.claims)
        rank = (not stands, doubted, unguarded and not fact.newest.many)  # of many values none contradicts another
        how: seen.Standing = "current" if stands else "past"
        yield _Found(group, rank, fact, names, conflicts, how, each.until)
        for said in each.instead:
            yield _Found(group, (False, *belief.rank(said.record)), fact, names, conflicts, said=said)


def _ordered(listed: Sequence[_Found]) -> list[_Found]:
    """Attribute by attribute in the order of their newest facts, and what is said of the thing before what names it.

    Of one attribute what is trusted comes first, and what holds no more last.
    """
    groups: dict[Group, list[_Found]] = {}
    for one in listed:
        groups.setdefault(one.group, []).append(one)
    ordered = sorted(groups.items(), key=lambda item: not item[0][0])
    return [one for _, group in ordered for one in sorted(group, key=lambda one: one.rank)]
