"""Helpers for tests of conflicts: memories that disagree, and the calls of whoever settles them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from muniment.context import Context
from muniment.errors import ConfirmationRequired
from muniment.governance.conflicts import judge
from muniment.governance.detect import scan
from muniment.governance.govern import govern
from muniment.governance.review import review
from muniment.model import governing, reviewing
from muniment.model.governing import GovernAnswer, GovernRequest, JudgeAnswer, JudgeRequest
from muniment.model.reviewing import ConflictSeen, ReviewRequest
from tests.makers import Memory
from tests.stores import past

OLD, NEW = "The server port is 8080.", "The server port is 8081."


@dataclass
class Bench:
    """One memory with somebody who governs it."""

    memory: Memory
    person: bool = False

    @property
    def context(self) -> Context:
        return replace(self.memory.context, door="cli" if self.person else "bearer")

    def scan(self) -> dict[str, int]:
        self.memory.clock.move(1000)
        return scan(self.context, self.memory.place())

    def look(self, do: Any, context: Context | None = None) -> reviewing.ReviewAnswer:
        return review(context or self.context, ReviewRequest(do))

    def conflicts(self, status: Any = None) -> tuple[ConflictSeen, ...]:
        return self.look(reviewing.Conflicts("conflicts", status)).conflicts

    def only(self, status: Any = None) -> ConflictSeen:
        (found,) = self.conflicts(status)
        return found

    def open(self, ref: str) -> ConflictSeen:
        found = self.look(reviewing.OneConflict("conflict", ref)).conflict
        assert found is not None
        return found

    def counts(self) -> dict[str, int]:
        return self.look(reviewing.Overview("overview")).counts or {}

    def judge(self, conflict: ConflictSeen, verdict: Any, **more: Any) -> JudgeAnswer:
        values = {"reason": "we looked", "expected_revision": conflict.revision} | more
        return judge(self.context, JudgeRequest(conflict.ref, verdict, **values))

    def choose(self, conflict: ConflictSeen, value: str, resolution: str, **ops: str) -> ConflictSeen:
        """Choose a value; `ops` says by ref what becomes of a member, the resolution stays."""
        refs = {member.ref for member in conflict.members}
        plan = tuple(governing.PlannedStep(ref, ops.get(ref, "use_as_resolution")) for ref in sorted(refs))  # type: ignore[arg-type]
        answer = self.judge(conflict, "choose", chosen_value=value, resolution=resolution, plan=plan)
        assert answer.conflict is not None
        return answer.conflict

    def do(self, do: Any, **more: Any) -> GovernAnswer:
        """Govern, confirming where that is asked for."""
        request = GovernRequest(do, reason="as judged", **more)
        try:
            return govern(self.context, request)
        except ConfirmationRequired as asked:
            return govern(self.context, replace(request, confirm=asked.confirm))

    def step(self, conflict: ConflictSeen, number: int, text: str | None = None) -> ConflictSeen:
        answer = self.do(governing.ApplyStep("apply_step", conflict.ref, conflict.revision, number, text))
        assert answer.conflict is not None
        return answer.conflict

    def apply_all(self, conflict: ConflictSeen, text: str | None = None) -> ConflictSeen:
        for step in conflict.plan:
            if step.state != "done":
                edits = text if step.op == "update_current_claim" else None
                conflict = self.step(conflict, step.number, edits)
        return conflict

    def resolve(self, conflict: ConflictSeen) -> ConflictSeen:
        answer = self.do(governing.Resolve("resolve", conflict.ref, conflict.revision))
        assert answer.conflict is not None
        return answer.conflict


def claim(memory: Memory, ref: str, subject: str, attribute: str, value: str, *, many: bool = False, **more: Any) -> None:
    """What an agent claims of a record, quoted by the whole of its text or by `quote`."""
    from muniment.store import numbers, records
    from muniment.text.scripts import fold

    store: Any = memory.app.store
    with store.write() as connection:
        record = records.by_uid(connection, ref[2:])
        assert record is not None
        number = numbers.take(connection, record.workspace)
        known = {row[0]: row[1] for row in connection.all("entities_by_norm", _norms(record.workspace, fold(subject)))}
        entity = known.get(fold(subject), 10_000 + number)
        if fold(subject) not in known:
            values = {"workspace": record.workspace, "id": entity, "sort": "name", "canonical": subject}
            connection.run("entity_add", values | {"norm": fold(subject)})
    quote = more.get("quote", record.text)
    starts = max(0, record.text.find(quote))
    place = f"{record.workspace}, {number}"
    with past(store) as execute:
        execute(
            "INSERT INTO claim (workspace, id, uid, subject, attribute, value, value_norm, polarity, many, recorded_at,"
            f" confidence, method, detector, valid_from, valid_to, live) VALUES ({place}, '{memory.context.uid()}', {entity},"
            f" '{attribute}', '{value}', '{fold(value)}', {more.get('polarity', 1)}, {int(many)}, {memory.clock.now}, 0.9,"
            f" '{more.get('method', 'agent')}', 1, {more.get('since', 'NULL')}, {more.get('until', 'NULL')}, 1)"
        )
        execute(
            "INSERT INTO claim_evidence (workspace, claim, record, version, starts, ends, quote) VALUES"
            f" ({place}, {record.id}, {record.version}, {starts}, {starts + len(quote)}, '{quote}')"
        )


def _norms(workspace: int, norm: str) -> dict[str, object]:
    import json

    return {"workspace": workspace, "norms": json.dumps([norm])}
