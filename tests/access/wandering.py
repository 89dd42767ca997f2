"""A world of workspaces that must not see each other, and callers who try everything in it.

Every workspace has a word that stands in all that is kept there and nowhere else. Requests are drawn from the schemas of the
catalogue, so that a new operation is tried as soon as it is there. All of it follows from one seed.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.access import tokens
from muniment.context import Context
from muniment.errors import ConfirmationRequired, MunimentError
from muniment.model.access import DATA_CLASSES, DataClass, Grant, Workspace, WriteMode, Zone
from muniment.surfaces import errors, wire
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.offer import refusal, verb_of
from tests.governance.forgetting import sql
from tests.makers import DAY, HashedWords, Memory

CANARIES = ("zzalder", "zzbirch", "zzcedar", "zzdogwood")
CLASSES: tuple[DataClass, ...] = ("internal", "confidential", "internal", "restricted")
LEVELS = (
    "viewer",
    "agent",
    "agent",
    "curator",
    "operator",
    "operator",
    "operator",
    "owner",
    "owner",
    "owner",
    "admin",
    "admin",
)
ZONES: tuple[Zone, ...] = ("trusted", "shared", "untrusted")
MODES: tuple[WriteMode, ...] = ("direct", "direct", "propose", "add_only")
WORDS = "anchor berth crane diesel engine fog gate harbour island jetty keel ledger mast port quay rope sail tide".split()
NAMES = ("Carol Smith", "Holm Yard", "Storm Ada", "Bob", "Atlas")
DATES = ("2024-01-01", "2024-03-01T10:00:00Z", "2025-06-30", "2027-01-01")
REF = re.compile(r"\b[a-z]_[0-9a-hjkmnp-tv-z]{26}\b")
# What a field of a name takes: the first letters of its refs.
MEMORIES = "m"
REFS = {
    "ref": "mtds", "id": "mtd", "evidence": "mtd", "resolution": "m", "target": MEMORIES, "heir": MEMORIES,
    "supersedes": MEMORIES, "conflict": "cl", "proposal": "p", "notice": "n", "action": "a",
}  # fmt: skip
POOL_MAX = 300
MORE = 0.3  # of the optional fields of a request so many are there
LIKELY = {
    "text": 0.9, "op": 0.4, "workspace": 0.4, "target": 0.9, "expected_version": 0.4, "reason": 0.9, "ref": 0.9, "turns": 0.7,
    "jsonl": 0.5, "document": 0.5, "dry_run": 0.5, "expected_revision": 0.9, "chosen_value": 0.7,
}  # fmt: skip
STRANGE = 0.05
# Forgetting and containing would soon leave nothing to find.
RARE = {"forget": 0.15, "contain": 0.1}


@dataclass(frozen=True)
class Caller:
    """One token: what it may do, and whose it is."""

    grant: Grant
    secret: str


@dataclass
class World:
    """What one seed makes of a store. `seen` are the refs, cursors and confirmations that anybody was ever given."""

    memory: Memory
    dice: random.Random
    places: list[Workspace] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)
    seen: dict[str, list[str]] = field(default_factory=lambda: {"ref": [], "cursor": [], "confirm": []})
    asked: list[tuple[Operation, dict[str, Any]]] = field(default_factory=list)
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)

    def context(self, caller: Caller) -> Context:
        """What a server would give the bearer of the token."""
        made = self.memory.app.context(caller.grant, workspace=caller.grant.default_workspace)
        own = self.memory
        return replace(made, engines=own.engines, clock=own.clock, entropy=own.entropy)

    def hidden(self, caller: Caller) -> list[str]:
        """The words that a caller must never be shown."""
        grant = caller.grant
        return [
            canary
            for canary, place in zip(CANARIES, self.places, strict=True)
            if (grant.read is not None and place.slug not in grant.read) or place.data_class not in grant.classes
        ]

    def keep(self, sort: str, found: str) -> None:
        pool = self.seen[sort]
        if found not in pool:
            pool.append(found)
            if len(pool) > POOL_MAX:
                pool.pop(self.dice.randrange(len(pool)))


def made(memory: Memory, seed: int) -> World:
    """Workspaces of several classes, each with its conversations and memories, and callers of every level."""
    world = World(memory.embed_with(HashedWords()), random.Random(seed))
    for canary, sort in zip(CANARIES, CLASSES, strict=True):
        there = world.memory.in_(f"{canary}-project")
        classify(memory, there.workspace, sort)
        furnish(world, there, canary)
    world.memory.work()
    world.callers = [_caller(world, number) for number in range(len(LEVELS))]
    return world


def furnish(world: World, there: Memory, canary: str) -> None:
    """Something for every operation to find."""
    there.say(
        "standup",
        f"Carol Smith: The {canary} anchor chain broke because the storm came early.",
        f"Bob: The {canary} port is 8080.",
        time="2024-03-01T10:00:00Z",
    )
    world.keep("ref", there.keep(f"Holm Yard {canary} belongs to Carol Smith because of Storm Ada.", "decision"))
    there.keep(f"The {canary} port is 8081.", "fact")
    there.keep(f"Never close the {canary} gate in fog.", "policy")
    world.places.append(there.place())


def classify(memory: Memory, slug: str, sort: str) -> None:
    sql(memory, f"UPDATE workspace SET data_class = '{sort}' WHERE slug = '{slug}'")


def _caller(world: World, number: int) -> Caller:
    """A token with random walls."""
    dice = world.dice
    slugs = [place.slug for place in world.places]
    read = frozenset(dice.sample(slugs, dice.randint(1, len(slugs) - 1)))
    return admitted(
        world,
        f"caller {number}",
        level=LEVELS[number],
        read=read,
        write=frozenset(dice.sample(sorted(read), dice.randint(0, len(read)))),
        default_workspace=dice.choice(sorted(read)),
        zone=dice.choice(ZONES),
        classes=DATA_CLASSES if dice.random() < 0.6 else frozenset(dice.sample(sorted(DATA_CLASSES), 2)),
        write_mode=dice.choice(MODES),
    )


def admitted(world: World, label: str, **told: Any) -> Caller:
    """A token, through the table of tokens and back, as its bearer comes in."""
    memory = world.memory
    now = memory.clock.now
    with memory.app.store.write() as connection:
        new = tokens.NewToken(label=label, expires_at=now + 7 * DAY, **told)
        secret = tokens.add(connection, new, uid=memory.context.uid(), now=now, entropy=memory.entropy)
        grant = tokens.find(connection, secret, now)
    assert grant is not None
    return Caller(grant, secret)


def step(world: World) -> str | None:
    """One caller asks one thing. Answers what is wrong, if anything is."""
    dice = world.dice
    world.memory.clock.move(1000)
    caller = dice.choice(world.callers)
    operation, values = request(world, caller)
    if dice.random() > RARE.get(operation.name, 1.0):
        return None
    written = {place.id: place for place in world.places if not _writable(caller.grant, place)}
    before = _stamps(world, written)
    context = world.context(caller)
    code, answer = asked(context, operation, values)
    counts = world.outcomes.setdefault(operation.name, {})
    counts[code] = counts.get(code, 0) + 1
    told, said = json.dumps(answer, ensure_ascii=False).lower(), json.dumps(values, ensure_ascii=False).lower()
    learn(world, answer)
    for canary in world.hidden(caller):
        if canary in told and canary not in said:
            return f"{canary} is in the answer to {operation.name} {said} of {caller.grant}: {told}"
    if code == "unavailable":
        return f"{operation.name} {said} of {caller.grant} is a defect: {told}"
    if before != _stamps(world, written):
        return f"{operation.name} {said} of {caller.grant} changed a workspace that it does not reach"
    return None


def asked(context: Context, operation: Operation, values: dict[str, Any]) -> tuple[str, Any]:
    try:
        if refused := refusal(operation, context.grant.scopes, None, read_only=context.read_only, verb=verb_of(values)):
            raise refused
        return "ok", wire.call(context, operation, values)
    except MunimentError as fault:
        return fault.code, errors.shown(fault) | (_confirmed(context, operation, values, fault) or {})


def _confirmed(context: Context, operation: Operation, values: dict[str, Any], fault: MunimentError) -> dict[str, Any] | None:
    """Who is asked to confirm does so."""
    if not isinstance(fault, ConfirmationRequired):
        return None
    try:
        return {"confirmed": wire.call(context, operation, values | {"confirm": fault.confirm})}
    except MunimentError as again:
        return {"confirmed": errors.shown(again)}


def _writable(grant: Grant, place: Workspace) -> bool:
    """Whether anything at all may be filed there: a caller who reads may still propose."""
    return (grant.read is None or place.slug in grant.read) and place.data_class in grant.classes


def _stamps(world: World, places: dict[int, Workspace]) -> list[object]:
    with world.memory.app.store.read() as connection:
        return [connection.one("workspace_stamp", {"workspace": number}) for number in sorted(places)]


def learn(world: World, answer: Any) -> None:
    """Keep what an answer holds for later requests of anybody."""
    text = json.dumps(answer)
    for ref in REF.findall(text)[:20]:
        world.keep("ref", ref)
    for sort in ("cursor", "confirm"):
        for found in _under(answer, sort):
            world.keep(sort, found)


def _under(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key == name and isinstance(part, str):
                yield part
            yield from _under(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _under(part, name)


# --- requests -----------------------------------------------------------------------------------------------------


def request(world: World, caller: Caller) -> tuple[Operation, dict[str, Any]]:
    """Something new, or now and then what another caller asked before, with the cursor or confirmation it was given."""
    dice = world.dice
    if world.asked and dice.random() < 0.1:
        operation, values = dice.choice(world.asked)
        names = wire.adapted(operation.request).json_schema().get("properties", {})
        more = {name: dice.choice(world.seen[name]) for name in ("cursor", "confirm") if name in names and world.seen[name]}
        return operation, _marked(world, caller, values | more)
    operation = dice.choice(OPERATIONS)
    schema = wire.adapted(operation.request).json_schema()
    values = _Drawing(world, schema.get("$defs", {})).object(schema)
    values = _shaped(operation.name, values, dice)
    world.asked.append((operation, values))
    del world.asked[:-POOL_MAX]
    return operation, _marked(world, caller, values)


def _shaped(name: str, values: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Most of the time, only what goes together: otherwise hardly anything would ever be kept."""
    if dice.random() < STRANGE:
        return values
    shaped = dict(values)
    match name:
        case "remember":
            for claim in shaped.get("claims", ()):
                claim.pop("quote", None)
            if shaped.get("op", "add") in ("add", "open_thread"):
                _drop(shaped, "target", "expected_version", "correction")
            else:
                _drop(shaped, "kind", "tier", "claims", "links")
                shaped |= {"expected_version": shaped.get("expected_version", 1)}
            _drop(shaped, "valid_to", "evidence" if dice.random() < 0.5 else "valid_from")
        case "ingest":
            _one_of(shaped, dice, "turns", "jsonl", "document")
            if "turns" in shaped:
                shaped |= {"session": shaped.get("session", "retro")}
            else:
                _drop(shaped, "session", "title")
        case "read":
            _one_of(shaped, dice, "ref", "ref", "session", "cursor")
            _drop(shaped, "span")
        case "forget":
            _one_of(shaped, dice, "ref", "ref", "ref", "workspace", "principal")
        case "propose_memory":
            change = shaped["change"]
            _drop(change, *(("target", "supersedes") if change["op"] in ("add_fact", "open_thread") else ("supersedes",)))
            for evidence in shaped.get("evidence", ()):
                _one_of(evidence, dice, "ref", "text")
        case "recall" | "review" if dice.random() < 0.7:
            _drop(shaped, "cursor")
            _drop(shaped.get("do", {}), "cursor")
    return shaped


def _drop(values: dict[str, Any], *names: str) -> None:
    for name in names:
        values.pop(name, None)


def _one_of(values: dict[str, Any], dice: random.Random, *names: str) -> None:
    """Keep one of these fields at most."""
    there = [name for name in names if name in values]
    if there:
        kept = dice.choice(there)
        _drop(values, *(name for name in set(names) if name != kept))


class _Drawing:
    """Draws values from a JSON schema; what a field is called says which values are worth trying."""

    def __init__(self, world: World, known: dict[str, Any]) -> None:
        self._world = world
        self._dice = world.dice
        self._known = known

    def object(self, schema: dict[str, Any]) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        return {
            name: self.value(name, part)
            for name, part in schema.get("properties", {}).items()
            if name in needed or self._dice.random() < self._likely(name)
        }

    def _likely(self, name: str) -> float:
        return LIKELY.get(name, MORE)

    def value(self, name: str, schema: dict[str, Any]) -> Any:
        dice = self._dice
        if "$ref" in schema:
            return self.value(name, self._known[schema["$ref"].rpartition("/")[2]])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                choices = [part for part in schema[several] if part.get("type") != "null"]
                return self.value(name, dice.choice(choices))
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return dice.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                return self.object(schema)
            case "array" if "prefixItems" in schema:
                return sorted(self.value(name, part) for part in schema["prefixItems"])
            case "array":
                least = max(1, schema.get("minItems", 0))
                return [self.value(name, schema["items"]) for _ in range(dice.randint(least, least + 1))]
            case "integer":
                return dice.randint(schema.get("minimum", 0), min(schema.get("maximum", 3), schema.get("minimum", 0) + 3))
            case "number":
                return round(dice.random(), 2)
            case "boolean":
                return dice.random() < 0.5
        return self._text(name)

    def _text(self, name: str) -> str:
        dice, world = self._dice, self._world
        if dice.random() < STRANGE:
            return dice.choice(("*", "default", "global", "nosuch", "%", "' OR 1=1 --", "m_" + "0" * 26, "⁦x"))
        if name in ("workspace", "project_id", "into", "slug"):
            return dice.choice([place.slug for place in world.places])
        if name in REFS:
            known = [ref for ref in world.seen["ref"] if ref[0] in REFS[name]]
            return dice.choice(known or world.seen["ref"])
        if name in ("cursor", "confirm") and world.seen[name]:
            return dice.choice(world.seen[name])
        if name in ("entity", "subject", "from", "to", "alias_of", "merge_into", "speaker", "people", "value", "principal"):
            return dice.choice(NAMES)
        if name in ("after", "before", "as_of", "known_at", "time", "event_time", "valid_from", "valid_to"):
            return dice.choice(DATES)
        if name in ("session", "exclude_session"):
            return dice.choice(("standup", "retro", dice.choice(world.seen["ref"])))
        if name in ("request_id", "run"):
            return f"{name}-{dice.randrange(40)}"
        if name == "jsonl":
            turn = {"session": "retro", "speaker": dice.choice(NAMES), "text": self._sentence(), "time": dice.choice(DATES)}
            return json.dumps(turn)
        return self._sentence()

    def _sentence(self) -> str:
        dice = self._dice
        one, two = dice.choice(WORDS), dice.choice(WORDS)
        return dice.choice(
            (
                f"The {one} port is {dice.randrange(8080, 8084)}.",
                f"{dice.choice(NAMES)} repairs the {one}.",
                f"The {one} broke because the {two} was late.",
                f"We decided to use the {one} for the {two}.",
                f"{one} {two}",
                f"Where is the {one}?",
            )
        )


def _marked(world: World, caller: Caller, values: dict[str, Any]) -> dict[str, Any]:
    """Put the word of a workspace into everything that would be kept there. Questions hold none."""
    slug = _written(world, caller, values)
    canary = next((word for word in CANARIES if slug.startswith(word)), "")

    def marked(name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: marked(key, part) for key, part in value.items()}
        if isinstance(value, list):
            return [marked(name, part) for part in value]
        if name == "jsonl" and value.startswith("{"):
            return json.dumps(marked("", json.loads(value)))
        return f"{canary} {value}" if canary and name == "text" and isinstance(value, str) else value

    return {name: marked(name, value) for name, value in values.items()}


def _written(world: World, caller: Caller, values: dict[str, Any]) -> str:
    """The workspace in which a request would keep its texts: of what it changes, or the one it names, or the caller's own."""
    change = values.get("change", values)
    targets = [change.get(name) for name in ("target", "supersedes") if isinstance(change, dict) and change.get(name)]
    for ref in targets:
        if not REF.fullmatch(str(ref)):
            continue
        with world.memory.app.store.read() as connection:
            row = connection.one("record_by_uid", {"uid": str(ref)[2:]})
        if row is not None:
            return next((place.slug for place in world.places if place.id == row[0]), "")
    named = values.get("project_id") or values.get("workspace")
    if isinstance(named, str) and named in {place.slug for place in world.places}:
        return named
    return "" if named else caller.grant.default_workspace or ""
