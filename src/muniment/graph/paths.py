"""Paths of causes between two things, over claims that name a cause and links by which one record came of another.

All steps of a path go the same way, from effect to cause or from cause to effect: two effects of one cause explain nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """The shortest path, then the surest one: from effect to cause if there is one as short, else the other way."""
    ways = [_walk(connection, workspace, start, end, at, hops_max, backwards) for backwards in (False, True)]
    return min((way for way in ways if way), key=lambda way: way.rank, default=None)


@dataclass(slots=True)
class _Reached:
    """How a node was come to: the confidence of the best way there, and its last step."""

    confidence: float
    step: Step | None
    before: Node | None


def _walk(
    connection: Connection, workspace: int, start: Thing, end: Thing, at: Moments, hops_max: int, backwards: bool
) -> Path | None:
    reached: dict[Node, _Reached] = {}
    goal_records = set(claims.linked_about(connection, workspace, end.members, FAN_MOST))
    front: dict[Node, _Reached] = {("thing", start.root): _Reached(1.0, None, None)}
    for record in claims.linked_about(connection, workspace, start.members, FAN_MOST):
        front["record", record] = _Reached(1.0, None, ("thing", start.root))
    members = {start.root: start.members}
    for hop in range(1, hops_max + 1):
        reached |= front
        follow: dict[Node, _Reached] = {}
        for step in _steps(connection, workspace, front, members, at):
            here, there = (step.cause, step.effect) if backwards else (step.effect, step.cause)
            if here in front and there not in reached:
                sure = front[here].confidence * step.confidence
                if there not in follow or sure > follow[there].confidence:
                    follow[there] = _Reached(sure, step, here)
        goals = [node for node in follow if node == ("thing", end.root) or (node[0] == "record" and node[1] in goal_records)]
        if goals:
            return _traced(reached | follow, max(goals, key=lambda node: (follow[node].confidence, node)), backwards)
        if not follow or hop == hops_max:
            return None
        front = _widened(connection, workspace, follow, reached, members)
    return None


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
    connection: Connection, workspace: int, front: Mapping[Node, _Reached], members: Mapping[int, tuple[int, ...]], at: Moments
) -> Iterable[Step]:
    things = [member for sort, number in front if sort == "thing" for member in members.get(number, ())]
    listed = [number for sort, number in front if sort == "record"]
    yield from _by_claims(connection, workspace, things, at)
    if listed:
        for link in claims.causal_links(connection, workspace, listed, at.known, FAN_MOST):
            yield Step(("record", link.src), ("record", link.dst), link.confidence, link=link)


def _by_claims(connection: Connection, workspace: int, things: Iterable[int], at: Moments) -> Iterable[Step]:
    told = standing.told(connection, workspace, claims.causal(connection, workspace, things, FAN_MOST))
    tops = told.roots
    held = entities.by_id(connection, workspace, {*tops, *tops.values()})
    for fact in told.facts(at):
        one = fact.newest
        side = causes.side(one.said or one.attribute)
        if side is None or one.object is None or held[fact.subject].blocked or held[tops[one.object]].blocked:
            continue
        subject, value = ("thing", fact.subject), ("thing", tops[one.object])
        effect: Node = subject if side else value  # type: ignore[assignment]
        cause: Node = value if side else subject  # type: ignore[assignment]
        yield Step(effect, cause, one.confidence, claim=one)


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
