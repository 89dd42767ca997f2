"""The battery of corrections: facts that change, told as turns or kept as memories, and what recall makes of them.

Always true here: everything goes through the public operations alone, and a case's texts lie in a workspace of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from muniment.errors import InvalidInput
from muniment.evaluation import collections, report
from muniment.evaluation.collections import Collection, Item, Question
from muniment.evaluation.foreign import moment
from muniment.evaluation.report import Table
from muniment.evaluation.subject import Muniment
from muniment.evaluation.systems import System
from muniment.ingest.remember import remember
from muniment.model.recalling import RecallRequest
from muniment.model.writing import RememberRequest
from muniment.recall.recall import recall

FORMAT = "corrections-1"
NAME = "corrections"
FILE = Path("evals") / "corrections.json"
LIMIT = 8  # hits of an answer, as recall gives them when nobody says how many
HASH_SHOWN = 12

Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Case:
    """What was said or kept, in order of time. `newer` is the item that holds now, `older` are those it outdates.

    A case without `newer` changes nothing: none of its items may be marked. `either` may be marked or not.
    """

    id: str
    language: str
    kind: str
    form: Literal["turns", "memories"]
    items: tuple[Item, ...]
    subjects: tuple[str | None, ...]
    questions: tuple[str, ...]
    newer: str | None
    older: frozenset[str]
    either: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hit:
    """An item in an answer. `standing` is None where it comes as if it held."""

    item: str
    standing: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What one system made of one question. `first` is None where nothing changed: there is no newer text to come first."""

    case: str
    language: str
    kind: str
    first: bool | None
    unmarked: int
    wrong: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """One system on the battery."""

    system: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Battery:
    """A file of cases. `sha256` is that of the file."""

    name: str
    sha256: str
    cases: tuple[Case, ...]


def load(path: Path) -> Battery:
    """The battery in a file. Raises InvalidInput when it is none, or when a case names items that it does not have."""
    held = collections.load(path)
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise InvalidInput(f"{path} is no {FORMAT} file.", "Compare it with evals/README.md.")
    try:
        cases = tuple(_case(one) for one in held["cases"])
    except (KeyError, TypeError, AttributeError) as fault:
        raise InvalidInput(f"{path} is no complete {FORMAT} file: {fault!r}.", "Compare it with evals/README.md.") from fault
    for case in cases:
        known = {item.id for item in case.items}
        if not {*case.older, *case.either, *([case.newer] if case.newer else [])} <= known:
            raise InvalidInput(f"{path}: case {case.id} names items that are not there.")
    return Battery(str(held.get("name") or path.stem), collections.digest(path), cases)


def _case(one: dict[str, Any]) -> Case:
    items = tuple(
        Item(str(item["id"]), str(item["text"]), item.get("speaker"), item.get("session"), item.get("time"))
        for item in one["items"]
    )
    return Case(
        str(one["id"]), str(one["language"]), str(one["kind"]), one["form"], items,
        tuple(item.get("subject") for item in one["items"]), tuple(one["questions"]), one.get("newer"),
        frozenset(one.get("older", ())), frozenset(one.get("either", ())),
    )  # fmt: skip


def measure(
    system: System, cases: Sequence[Case], *, limit: int = LIMIT, step: Step = lambda what, done, total: None
) -> Measured:
    """Let a system keep and answer every case. Another system has no marks: what it returns comes as if it held."""
    rows: list[Row] = []
    for number, case in enumerate(cases):
        step(f"{system.name}: {case.id}", number, len(cases))
        if isinstance(system, Muniment):
            _keep(system, case)
        else:
            system.keep(Collection(case.id, case.id, "", case.items, ()))
        rows += (_row(case, _ask(system, question, limit)) for question in case.questions)
    step(system.name, len(cases), len(cases))
    return Measured(system.name, system.title, tuple(rows))


def _keep(muniment: Muniment, case: Case) -> None:
    """Ingest a case's turns, or remember its memories one by one."""
    muniment.begin(case.id)
    if case.form == "turns":
        muniment.add(case.items)
        return
    refs = {}
    for item, subject in zip(case.items, case.subjects, strict=True):
        kept = remember(
            muniment.context, RememberRequest(text=item.text, kind="fact", subject=subject, event_time=moment(item.time))
        )
        refs[kept.ref] = item.id
    muniment.know(refs)


def _ask(system: System, question: str, limit: int) -> tuple[Hit, ...]:
    if not isinstance(system, Muniment):
        return tuple(Hit(one) for one in system.ask(Question(question, question, (), NAME), limit).ids[:limit])
    context = system.context
    answer = recall(context, RecallRequest(question, workspace=context.workspace, limit=limit))
    found = answer.results or answer.nearest
    return tuple(Hit(item, one.standing) for one in found if (item := system.item(one.ref)) is not None)


def _row(case: Case, hits: tuple[Hit, ...]) -> Row:
    place = {hit.item: at for at, hit in reversed(list(enumerate(hits)))}
    first: bool | None = None
    if case.newer is not None:
        best = place.get(case.newer)
        first = best is not None and all(place.get(one, len(hits)) > best for one in case.older)
    may = case.older | case.either
    return Row(
        case.id,
        case.language,
        case.kind,
        first,
        unmarked=sum(hit.item in case.older and hit.standing is None for hit in hits),
        wrong=sum(hit.standing is not None and hit.item not in may for hit in hits),
        hits=hits,
    )


def tables(measured: Sequence[Measured]) -> list[Table]:
    """The figures of every system: in all, by kind and by language."""
    columns = ("system", "questions", "new value first", "answers with the old value unmarked", "unrelated marked")
    rows = tuple((one.title, *_figures(one.rows)) for one in measured)
    out = [Table("Facts that change", columns, rows)]
    for name, key in (("kind", _kind), ("language", _language)):
        split = []
        for value in sorted({key(row) for one in measured for row in one.rows}):
            split += [(value, one.system, *_figures([row for row in one.rows if key(row) == value])) for one in measured]
        out.append(Table(f"By {name}", (name, *columns), tuple(split)))
    return out


def _kind(row: Row) -> str:
    return row.kind


def _language(row: Row) -> str:
    return row.language


def _figures(rows: Sequence[Row]) -> tuple[str, ...]:
    changed = [row for row in rows if row.first is not None]
    first = f"{sum(bool(row.first) for row in changed)} of {len(changed)}" if changed else ""
    return str(len(rows)), first, str(sum(row.unmarked > 0 for row in changed)), str(sum(row.wrong for row in rows))


def summary(rows: Iterable[Row]) -> dict[str, Any]:
    """The figures as the history keeps them."""
    held = list(rows)
    changed = [row for row in held if row.first is not None]
    return {
        "changed": len(changed),
        "new_first": sum(bool(row.first) for row in changed),
        "old_unmarked": sum(row.unmarked > 0 for row in changed),
        "unrelated_marked": sum(row.wrong for row in held),
    }


def lines(battery: Battery, embedder: str, limit: int) -> list[str]:
    """The protocol in words, to be printed above the tables."""
    return [
        f"{battery.name}: {len(battery.cases)} cases, sha256 {battery.sha256[:HASH_SHOWN]}",
        f"protocol: one workspace a case, limit = {limit}; new first: the newer text is found, above everything it outdates",
        f"embedder {embedder}; commit {report.commit() or 'unknown'}; {report.machine()}",
    ]


def history(battery: Battery, measured: Sequence[Measured], *, embedder: str, limit: int) -> list[dict[str, Any]]:
    """One line a system for the history."""
    head = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": report.commit(),
        "name": battery.name,
        "sha256": battery.sha256,
        "questions": sum(len(case.questions) for case in battery.cases),
        "k": limit,
    }
    out = []
    for one in measured:
        kinds = {name: summary(row for row in one.rows if row.kind == name) for name in sorted({row.kind for row in one.rows})}
        line = {"system": one.system, "title": one.title, "corrections": summary(one.rows), "by_kind": kinds}
        out.append(head | line | {"embedder": embedder if one.system == report.SUBJECT else None})
    return out
