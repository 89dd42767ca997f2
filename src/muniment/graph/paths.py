"""Paths of causes between two things, over claims that name a cause and links by which one record came of another.

All steps of a path go the same way, from effect to cause or from cause to effect: two effects of one cause explain nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from muniment.graph import backing, causes, resolve, seen, standing
from muniment.graph.resolve import Thing
from muniment.graph.standing import Fact, Moments
from muniment.model.knowing import ClaimSeen
from muniment.model.records import Link, Record
from muniment.model.times import Moment
from muniment.store import claims, entities, records
from muniment.store.claims import Seen
from muniment.store.connections import Connection

# From all the things of one step on, so many claims and links are followed, the newest first.
FAN_MOST = 150

Node = tuple[Literal["thing", "record"], int]


@dataclass(frozen=True, slots=True)
class Step:
    """One cause: a claim that names it, or a link between two records. `cause` and `effect` are what it joins."""

    effect: Node
    cause: Node
    confidence: float
    claim: Seen | None = None
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """Steps in the order of the question. `backwards`: they run from cause to effect."""

    steps: tuple[Step, ...]
    confidence: float
    backwards: bool

    @property
    def rank(self) -> tuple[int, float, bool]:
        return len(self.steps), -self.confidence, self.backwards


def find(connection: Connection, workspace: int, start: Thing, end: Thing, at: Moments, hops_max: int) -> Path | None:
    """The shortest path, then the surest one: from effect to cause if there is one as short, else the other way.

    The steps beside the end are looked at first: without one that leads there, no other is, and where one is met the walk is
    over. So a path of n steps costs n looks, and most questions without an answer cost one.
    """
    goal = _end(connection, workspace, end, at)
    if goal.whole and not goal.steps:
        return None
    begin = _end(connection, workspace, start, at)
    found: list[Path] = []
    for backwards in (False, True):
        least = min((len(path.steps) for path in found), default=hops_max)
        path = _walk(connection, workspace, begin, goal, at, least, backwards)
        found += [path] if path else []
    return min(found, key=lambda path: path.rank, default=None)


@dataclass(frozen=True, slots=True)
class _End:
    """An end of the asked path: the thing, with the linked records that are about it and all steps beside them.

    `whole`: no step was left out, so none that is not in `steps` leads there."""

    root: Node
    nodes: tuple[Node, ...]
    members: Mapping[int, tuple[int, ...]]
    steps: tuple[Step, ...]
    whole: bool


def _end(connection: Connection, workspace: int, thing: Thing, at: Moments) -> _End:
    root: Node = ("thing", thing.root)
    listed = claims.linked_about(connection, workspace, thing.members, FAN_MOST)
    nodes: tuple[Node, ...] = (root, *(("record", number) for number in listed))
    members = {thing.root: thing.members}
    steps = tuple(_steps(connection, workspace, nodes, members, at))
    whole = len(claims.causal(connection, workspace, thing.members, FAN_MOST)) < FAN_MOST
    whole = whole and sum(step.link is not None for step in steps) < FAN_MOST and len(listed) < FAN_MOST
    return _End(root, nodes, members, steps, whole)


@dataclass(slots=True)
class _Reached:
    """How a node was come to: the confidence of the best way there, and its last step."""

    confidence: float
    step: Step | None
    before: Node | None


def _walk(
    connection: Connection,
    workspace: int,
    start: _End,
    end: _End,
    at: Moments,
    hops_max: int,
    backwards: bool,
) -> Path | None:
    """The best path one way."""
    goals = set(end.nodes)
    if end.whole and not any((step.effect if backwards else step.cause) in goals for step in end.steps):
        return None
    reached: dict[Node, _Reached] = {}
    front: dict[Node, _Reached] = {
        node: _Reached(1.0, None, None if node == start.root else start.root) for node in start.nodes
    }
    members = dict(start.members)
    for hop in range(1, hops_max + 1):
        reached |= front
        steps: Iterable[Step] = end.steps
        if not end.whole:
            steps = (*end.steps, *(start.steps if hop == 1 else _steps(connection, workspace, front, members, at)))
        follow = _followed(steps, front, reached, backwards)
        if there := goals & follow.keys():
            return _traced(reached | follow, max(there, key=lambda node: (follow[node].confidence, node)), backwards)
        if hop == hops_max:
            return None
        if end.whole:
            follow = _followed(
                start.steps if hop == 1 else _steps(connection, workspace, front, members, at), front, reached, backwards
            )
        if not follow:
            return None
        front = _widened(connection, workspace, follow, reached, members)
    return None


def _followed(
    steps: Iterable[Step], front: Mapping[Node, _Reached], reached: Mapping[Node, _Reached], backwards: bool
) -> dict[Node, _Reached]:
    """What some steps lead to from the front that was not reached yet, each by its surest way."""
    follow: dict[Node, _Reached] = {}
    for step in steps:
        here, there = (step.cause, step.effect) if backwards else (step.effect, step.cause)
        if here in front and there not in reached:
            sure = front[here].confidence * step.confidence
            if there not in follow or sure > follow[there].confidence:
                follow[there] = _Reached(sure, step, here)
    return follow


def _widened(
    connection: Connection,
    workspace: int,
    follow: dict[Node, _Reached],
    reached: Mapping[Node, _Reached],
    members: dict[int, tuple[int, ...]],
) -> dict[Node, _Reached]:
    """The next front: what was reached, the things that reached records state causes of, and the records that state theirs."""
    front = dict(follow)
    things = [number for sort, number in follow if sort == "thing"]
    found = resolve.of_roots(connection, workspace, things)
    members |= {root: thing.members for root, thing in found.items()}
    listed = [number for sort, number in follow if sort == "record"]
    told = claims.seen(connection, workspace, claims.of_records(connection, workspace, listed)) if listed else []
    causal = [one for one in told if one.causal and one.object is not None]
    tops = resolve.roots(connection, workspace, {one.subject for one in causal})
    for one in causal:
        node: Node = ("thing", tops[one.subject])
        if node not in reached and node not in front:
            front[node] = _Reached(follow["record", one.record].confidence, None, ("record", one.record))
            members |= {root: thing.members for root, thing in resolve.of_roots(connection, workspace, [node[1]]).items()}
    return front


def _steps(
    connection: Connection, workspace: int, front: Iterable[Node], members: Mapping[int, tuple[int, ...]], at: Moments
) -> Iterator[Step]:
    nodes = tuple(front)
    things = [member for sort, number in nodes if sort == "thing" for member in members.get(number, ())]
    listed = [number for sort, number in nodes if sort == "record"]
    yield from _by_claims(connection, workspace, things, at)
    if listed:
        for link in claims.causal_links(connection, workspace, listed, at.known, FAN_MOST):
            yield Step(("record", link.src), ("record", link.dst), link.confidence, link=link)


def _by_claims(connection: Connection, workspace: int, things: Iterable[int], at: Moments) -> Iterable[Step]:
    slots = standing.slots(connection, workspace, claims.causal(connection, workspace, things, FAN_MOST))
    tops = slots.roots
    held = entities.by_id(connection, workspace, {*tops, *tops.values()})
    for fact in slots.facts(at):
        one = next((claim for claim in fact.claims if _named(claim, held, tops)), None)
        side = causes.side(one.said or one.attribute) if one else None
        if one is None or side is None or one.object is None:
            continue
        subject, value = ("thing", fact.subject), ("thing", tops[one.object])
        effect: Node = subject if side else value  # type: ignore[assignment]
        cause: Node = value if side else subject  # type: ignore[assignment]
        yield Step(effect, cause, one.confidence, claim=one)


def _named(claim: Seen, held: Mapping[int, entities.Entity], tops: Mapping[int, int]) -> bool:
    """Whether both ends of a claim have names that stand: a blocked one joins nothing, whatever it was merged into."""
    if claim.object is None:
        return False
    return not any(held[number].blocked for end in (claim.subject, claim.object) for number in (end, tops[end]))


def _traced(reached: Mapping[Node, _Reached], node: Node, backwards: bool) -> Path:
    steps: list[Step] = []
    confidence = reached[node].confidence
    at: Node | None = node
    while at is not None:
        here = reached[at]
        if here.step is not None:
            steps.append(here.step)
        at = here.before
    return Path(tuple(reversed(steps)), confidence, backwards)


def shown(connection: Connection, workspace: int, path: Path, at: Moments) -> tuple[ClaimSeen, ...]:
    """The steps of a path with their quotes."""
    numbers = {node[1] for step in path.steps for node in (step.effect, step.cause) if node[0] == "thing"}
    names = entities.by_id(connection, workspace, numbers)
    linked = {number for step in path.steps if step.link for number in (step.link.src, step.link.dst)}
    texts = records.by_id(connection, workspace, linked)
    return tuple(_shown(step, names, texts, at) for step in path.steps)


def _shown(step: Step, names: Mapping[int, entities.Entity], texts: Mapping[int, Record], at: Moments) -> ClaimSeen:
    if step.claim is not None:
        subject = step.effect if causes.side(step.claim.said or step.claim.attribute) else step.cause
        value = step.cause if subject == step.effect else step.effect
        return seen.claim(Fact(subject[1], value[1], (step.claim,)), names, at.known)
    assert step.link is not None, "a step is a claim or a link"
    later, earlier = texts[step.link.src], texts[step.link.dst]
    quotes = tuple(backing.opening(record) for record in (later, earlier))
    return ClaimSeen(
        ref=quotes[0].ref,
        subject=quotes[0].quote,
        attribute=step.link.relation,
        value=quotes[1].quote,
        evidence=quotes,
        recorded_at=Moment(step.link.recorded_at, 0).iso(),
        confidence=step.link.confidence,
        method=step.link.method,
        standing="current" if later.state == "active" else "past",
        taint=max(later.taint, earlier.taint),
    )
