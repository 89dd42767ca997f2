"""A harness for the second lock: real operations are played, and each statement that they run is run again without one of its
walls.

Two stores are filled alike, and the second one holds a foreign workspace besides: the same words under the same numbers. What a
walled caller is answered has to be the same in both, whatever a statement forgot to ask for. Nothing here knows which store it
is; what a store has of its own comes with a `Lock`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from muniment.errors import ConfirmationRequired
from muniment.governance.forget import forget
from muniment.graph.walk import near, why
from muniment.ingest.ingest import ingest
from muniment.ingest.remember import remember
from muniment.insight.overview import list_projects, stats
from muniment.model import governing, reviewing
from muniment.model.governing import ForgetRequest
from muniment.model.knowing import NearRequest, WhyRequest
from muniment.model.reading import ContextRequest, ProjectsRequest, ReadRequest, StatsRequest
from muniment.model.recalling import FetchRequest, Filter, SearchRequest
from muniment.model.writing import ClaimIn, DocumentIn, IngestRequest, Labels, LinkIn, RememberRequest
from muniment.recall.bundle import get_context
from muniment.recall.connect import fetch, search
from muniment.recall.read import read
from muniment.store import queries
from muniment.store.connections import Connection, Reach, Row, Values
from muniment.store.walls import CLOSED
from tests.governance.disagreeing import Bench
from tests.governance.proposing import agent, ask
from tests.makers import Clock, Entropy, HashedWords, Memory

OWN, FOREIGN = "alpha", "beta"
# Stands in every text of the foreign workspace, and nowhere else.
CANARY = "zzforeign"
VALUES_MAX = 6
# One wall of a statement. Left out: the numbers of the rows an INSERT brings, which are tried as such.
_WALL = re.compile(
    r"(?<![\w.])(?:\w+\.)?(?:workspace (?:= (?::workspace|\w+\.(?:workspace|id))|IN \([^()]*\([^()]*\)[^()]*\))"
    r"|id = (?::workspace|\w+\.workspace))(?!\w)"
)
_OF_THE_SYSTEM = re.compile(rf"\b(?:{'|'.join(sorted(CLOSED))})\b")


MUTATED_MIN = 1000
# Of the reading statements so many do show a foreign row on a store without the lock.
SHOWN_MIN = 150
# A name for a statement, its text, and what to ask it with.
Question = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True)
class Lock:
    """What the harness needs of a store. `teach` makes a walled statement of a text, and `foreign` reads inside a walled
    transaction what lies beyond its walls; `errors` are those that a driver raises inside a block."""

    teach: Callable[[Any, str, str], None]
    foreign: Callable[[Connection, Reach], object]
    errors: tuple[type[Exception], ...]


@dataclass
class Notebook:
    """What each statement was asked with."""

    asked: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def note(self, name: str, values: Values | None) -> None:
        held = self.asked.setdefault(name, [])
        if values is not None and len(held) < VALUES_MAX and values not in held:
            held.append(dict(values))

    def values(self, name: str, wanted: Iterable[str]) -> list[dict[str, Any]]:
        """What to run a statement with: as it was asked, or with what others of the same name were."""
        if self.asked.get(name):
            return self.asked[name]
        known: dict[str, Any] = {}
        for values in itertools.chain.from_iterable(self.asked.values()):
            for key, value in values.items():
                if known.get(key) is None:
                    known[key] = value
        return [{key: known.get(key, 1) for key in wanted}]


class Recording:
    """A store that notes what it is asked."""

    def __init__(self, store: Any, notebook: Notebook) -> None:
        self._store = store
        self._notebook = notebook

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._store.read() as connection:
            yield _Noting(connection, self._notebook)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._store.write() as connection:
            yield _Noting(connection, self._notebook)


class _Noting:
    def __init__(self, connection: Connection, notebook: Notebook) -> None:
        self._connection = connection
        self._notebook = notebook

    def run(self, name: str, values: Values | None = None) -> None:
        self._notebook.note(name, values)
        self._connection.run(name, values)

    def many(self, name: str, rows: Iterable[Values]) -> None:
        listed = list(rows)
        for values in listed:
            self._notebook.note(name, values)
        self._connection.many(name, listed)

    def one(self, name: str, values: Values | None = None) -> Row | None:
        self._notebook.note(name, values)
        return self._connection.one(name, values)

    def all(self, name: str, values: Values | None = None) -> list[Row]:
        self._notebook.note(name, values)
        return self._connection.all(name, values)


def mutations(sql: str) -> list[str]:
    """The statement without each of its walls in turn."""
    return [f"{sql[: wall.start()]}1 = 1{sql[wall.end() :]}" for wall in _WALL.finditer(sql)]


def walled_statements(statements: dict[str, str]) -> dict[str, str]:
    """The statements that a walled caller may run at all."""
    return {name: sql for name, sql in statements.items() if not _OF_THE_SYSTEM.search(sql)}


def rows(answer: Iterable[Row]) -> list[str]:
    """Rows that can be compared in whatever order they came."""
    return sorted(repr(tuple(bytes(one) if isinstance(one, memoryview) else one for one in row)) for row in answer)


class _TakenBack(Exception):
    pass


def tried(store: Any, name: str, values: Values, after: Callable[[Connection], None]) -> list[str] | str:
    """What a statement answers inside of a write that is taken back; `after` looks at what it did."""
    answer: list[Row] = []
    try:
        with store.write() as connection:
            answer = connection.all(name, values)
            after(connection)
            raise _TakenBack
    except _TakenBack:
        return rows(answer)


def looked(store: Any, name: str, values: Values) -> list[str]:
    with store.read() as connection:
        return rows(connection.all(name, values))


@dataclass
class Pair:
    """The same workspace in two stores: alone, and beside a foreign one. `own` and `other` are their numbers."""

    alone: Memory
    beside: Memory
    notebook: Notebook
    own: int
    other: int

    @property
    def reach(self) -> Reach:
        return Reach(frozenset({self.own}), frozenset({self.own}))


def pair_of(alone: Memory, beside: Memory) -> Pair:
    """Fill two stores that have nothing but their furniture."""
    play(memory_of(alone, OWN))
    own, notebook = noted(memory_of(beside, OWN))
    play(own)
    other = memory_of(beside, FOREIGN)
    play(other, CANARY)
    return Pair(alone, beside, notebook, own.place().id, other.place().id)


def compared(pair: Pair, lock: Lock, name: str, sql: str, values: dict[str, Any]) -> str | None:
    """What is wrong with what a text does behind the wall, if anything is."""
    answers: list[Any] = []
    for memory in (pair.alone, pair.beside):
        store = memory.app.store.within(pair.reach)
        lock.teach(memory.app.store, name, sql)
        before: list[object] = []
        try:
            if reads(sql):
                answers.append(looked(store, name, values))
            else:
                with store.write() as connection:
                    before.append(lock.foreign(connection, pair.reach))
                look = partial(_look, lock, pair.reach, before)
                answers.append(tried(store, name, values, look))
        except lock.errors as fault:
            if reads(sql) or CANARY in str(fault):
                return f"it fails: {fault}"
            answers.append(None)
        if before and before[0] != before[-1]:
            return "it changed a foreign row"
    if answers[1] is not None and answers[0] != answers[1]:
        return f"it answers {answers[1]} beside a foreign workspace and {answers[0]} alone"
    return None


def faults(pair: Pair, lock: Lock, asked: Iterable[Question]) -> list[tuple[str, dict[str, Any], str]]:
    """Which statements, asked with what, showed or changed a foreign row, and how."""
    found = ((name, values, compared(pair, lock, name, sql, values)) for name, sql, values in asked)
    return [(name, values, fault) for name, values, fault in found if fault]


def shown_without_the_lock(pair: Pair, lock: Lock, asked: Iterable[Question]) -> set[str]:
    """The reading statements that do show a foreign row on the whole store: otherwise nothing would be proven."""
    stores = [memory.app.store for memory in (pair.alone, pair.beside)]
    shown = set()
    for name, sql, values in asked:
        if reads(sql):
            for store in stores:
                lock.teach(store, name, sql)
            alone, beside = (looked(store, name, values) for store in stores)
            if alone != beside:
                shown.add(name)
    return shown


def _look(lock: Lock, reach: Reach, found: list[object], connection: Connection) -> None:
    found.append(lock.foreign(connection, reach))


def without_walls(pair: Pair, dialect: str) -> Iterator[Question]:
    """Each statement without each of its walls: a name for it, its text, and what to ask it with."""
    for name, sql in walled_statements(queries.load(dialect)).items():
        for number, text in enumerate(mutations(sql)):
            for values in pair.notebook.values(name, queries.parameters(sql)):
                yield f"{name}_without_{number}", text, values


def strangers(pair: Pair, dialect: str) -> Iterator[Question]:
    """Each statement as it stands, asked for the foreign workspace by its number."""
    for name, sql in walled_statements(queries.load(dialect)).items():
        names = queries.parameters(sql)
        if "workspace" in names:
            for values in pair.notebook.values(name, names):
                yield f"{name}_abroad", sql, values | {"workspace": pair.other}


def reads(sql: str) -> bool:
    return sql.startswith(("SELECT", "WITH"))


# --- what is played -----------------------------------------------------------------------------------------------


def memory_of(memory: Memory, slug: str) -> Memory:
    """A workspace with a clock and an entropy of its own, so that it is the same in every store."""
    there = replace(memory, clock=Clock(), entropy=Entropy(), numbers=itertools.count())
    there.entropy._numbers = itertools.count(1_000_000 * len(slug) + sum(slug.encode()))
    return there.in_(slug)


def noted(memory: Memory) -> tuple[Memory, Notebook]:
    """The same memory on a store that notes what it is asked."""
    notebook = Notebook()
    return replace(memory, app=replace(memory.app, store=Recording(memory.app.store, notebook))), notebook


def play(memory: Memory, word: str = "") -> None:
    """Everything that can be done to a workspace, with `word` in every text. The requests carry it too: a principal uses the
    id of a request once."""
    memory = memory.embed_with(HashedWords())
    bench = Bench(memory, person=True)
    refs = _kept(memory, word)
    memory.work()
    _read(memory, word, refs)
    _disagreed(bench, word)
    _proposed(memory, word, refs)
    _governed(bench, word, refs)
    memory.work()
    _read(memory, word, refs)
    _forgotten(memory, refs)


def _kept(memory: Memory, word: str) -> list[str]:
    turns = memory.say(
        "standup",
        f"Ann: The {word} anchor chain broke because the {word} storm came early.",
        f"Bob: Who repairs the {word} anchor chain?",
        f"Ann: Carol Smith works at Holm Yard and repairs the {word} crane.",
        time="2024-03-01T10:00:00Z",
    )
    memory.say("retro", f"Bob: The {word} ledger moved from Postgres to MySQL.", time="2024-04-02T10:00:00Z")
    page = DocumentIn(
        f"# Berths\n\nThe {word} yard has 42 berths.\n\nFog closes the {word} gate.", "Berths", "https://x.test/b"
    )
    ingest(memory.context, IngestRequest(document=page))
    labels = Labels(topics=("Prices",), tags=("old",), people=("Carol Smith",))
    port = memory.keep(f"The {word} port is 8080.", labels=labels, why="measured", source_ref="minutes")
    memory.keep(f"The {word} port is 8080.", source_ref="mail")
    said = (ClaimIn("Holm Yard", "owner", "Carol Smith"), ClaimIn("Holm Yard", "caused by", "Storm Ada"))
    owner = memory.keep(
        f"Holm Yard {word} belongs to Carol Smith because of Storm Ada.",
        claims=said,
        links=(LinkIn(port, "depends_on"),),
        evidence=(turns[0], port),
        request_id=f"owner{word}",
    )
    thread = memory.keep(f"Who pays for the {word} crane?", "thread")
    policy = memory.keep(f"Never close the {word} gate in fog.", "policy")
    memory.change(port, f"The {word} port is 8081.")
    newer = remember(
        memory.context,
        RememberRequest(f"The {word} port is 9090 now.", op="supersede", target=port, expected_version=2, why="moved"),
    )
    memory.archive(thread)
    memory.restore(thread)
    return [port, newer.ref, owner, thread, policy, *turns]


def _read(memory: Memory, word: str, refs: list[str]) -> None:
    context = memory.context
    for query in ("", f"What is the {word} port?", "When did the anchor chain break?", f"{word} crane", "fog gate", "nchor"):
        memory.ask(query, around=2, trace=True)
    memory.ask("port", as_of="2024-05-01", known_at="2024-05-01")
    everything = Filter(("fact", "turn"), None, ("Prices",), ("Carol Smith",), ("old",), "Holm Yard", "own", "agent_generated")
    memory.ask("anchor", where=everything)
    memory.ask("anchor", where=Filter(after="2024-01-01", before="2025-01-01", session="standup"))
    memory.ask("port", where=Filter(state=("superseded",)), workspace="*", limit=1)
    search(context, SearchRequest(f"{word} port"))
    get_context(context, ContextRequest(memory.workspace, f"{word} anchor"))
    near(context, NearRequest("Holm Yard"))
    near(context, NearRequest("Carol Smith", as_of="2024-05-01", known_at="2027-05-01"))
    why(context, WhyRequest("Holm Yard", "Storm Ada"))
    list_projects(context, ProjectsRequest())
    stats(context, StatsRequest(sessions=10))
    include = ("history", "spans", "lineage", "links", "claims", "evidence")
    for ref in refs:
        read(context, ReadRequest(ref, include=include, around=True))  # type: ignore[arg-type]
        fetch(context, FetchRequest(ref))
    read(context, ReadRequest(session="standup", limit=2))
    bench = Bench(memory)
    for do in (
        reviewing.Overview("overview"),
        reviewing.Conflicts("conflicts"),
        reviewing.Proposals("proposals"),
        reviewing.Proposals("proposals", mine=True),
        reviewing.History("history", refs[0]),
        reviewing.Diff("diff", refs[0]),
        reviewing.Lineage("lineage", refs[2]),
        reviewing.Audit("audit"),
        reviewing.Audit("audit", ref=refs[0]),
        reviewing.Notices("notices"),
        reviewing.Expired("expired"),
        reviewing.Entities("entities"),
        reviewing.Queue("queue"),
    ):
        bench.look(do)


def _disagreed(bench: Bench, word: str) -> None:
    keep = bench.memory.keep
    first, second = keep(f"The {word} crane colour is red."), keep(f"The {word} crane colour is blue.")
    keep("The quay length is 300 m."), keep("The quay length is 400 m.")
    bench.scan()
    for conflict in bench.conflicts():
        bench.open(conflict.ref)
        values = {member.value: member.ref for member in conflict.members}
        if set(values.values()) == {first, second}:
            value, stays = next(iter(values.items()))
            chosen = bench.choose(conflict, value, stays, **{first: _step(first, stays), second: _step(second, stays)})
            bench.resolve(bench.apply_all(chosen, f"The {word} crane colour is {value}."))
        else:
            bench.judge(conflict, "not_a_conflict")


def _step(ref: str, stays: str) -> str:
    return "use_as_resolution" if ref == stays else "append_superseded_context"


def _proposed(memory: Memory, word: str, refs: list[str]) -> None:
    scout = agent(memory, f"scout{word}")
    evidence = (governing.EvidenceIn(ref=refs[5]), governing.EvidenceIn(text=f"somebody {word} said so"))
    ids = [
        ask(scout, f"p{number}{word}", text, project=memory.workspace, evidence=evidence).proposal_id
        for number, text in enumerate((f"The {word} mast is tall.", f"The {word} sail is white.", f"The {word} rope is new."))
    ]
    ask(scout, f"u{word}", f"The {word} port is 7070.", "update_fact", project=memory.workspace, target=refs[1])
    bench = Bench(memory)
    bench.do(governing.Approve("approve", ids[0]))
    bench.do(governing.Reject("reject", ids[1]))
    bench.do(governing.SetRule("auto_accept_clean", True))
    ask(scout, f"q{word}", f"The {word} oar is long.", project=memory.workspace)
    memory.work()
    bench.do(governing.SetRule("auto_accept_clean", False))


def _governed(bench: Bench, word: str, refs: list[str]) -> None:
    memory = bench.memory
    spare = memory.keep(f"The {word} buoy is green.")
    bench.do(governing.Protect("protect", spare, 1, "protected"))
    bench.do(governing.Confirm("confirm", spare, memory.version(spare)))
    kept = bench.do(governing.Retire("retire", refs[4], memory.version(refs[4]), how="archive"), run=f"run{word}")
    bench.do(governing.Restore("restore", refs[4], memory.version(refs[4])))
    bench.do(governing.SetEntity("set_entity", "Holm", alias_of="Holm Yard"))
    bench.do(governing.SetEntity("set_entity", "Storm Ada", type="tool"))
    bench.do(governing.SetEntity("set_entity", "Bob Jones", block=True))
    bench.do(governing.Contain("contain", refs[0]))
    if kept.action:
        bench.do(governing.Undo("undo", run=f"run{word}"))
    for notice in bench.look(reviewing.Notices("notices")).notices:
        bench.do(governing.DismissNotice("dismiss", notice.ref))


def _forgotten(memory: Memory, refs: list[str]) -> None:
    doomed = memory.say("doomed", "Ann: The pilot sleeps at noon.", "Ann: The pilot wakes.", time="2024-06-01T10:00:00Z")
    said = (ClaimIn("Pilot House", "owner", "Dora Quay"),)
    known = memory.keep("Pilot House belongs to Dora Quay.", claims=said, links=(LinkIn(refs[0], "related_to"),))
    memory.change(known, "Pilot House was sold by Dora Quay.")
    memory.work()
    forget(memory.context, ForgetRequest(workspace=memory.workspace, dry_run=True))
    for ref in (doomed[0], known):
        _forget(memory, ForgetRequest(ref))


def _forget(memory: Memory, request: ForgetRequest) -> None:
    try:
        forget(memory.context, request)
    except ConfirmationRequired as asked:
        forget(memory.context, replace(request, confirm=asked.confirm))
