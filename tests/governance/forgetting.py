"""Small builders for tests of forgetting: a memory that holds one thing in every table, and a search of a store's files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from muniment.errors import ConfirmationRequired
from muniment.governance.forget import forget
from muniment.model.governing import ForgetAnswer, ForgetRequest
from muniment.model.times import Moment
from muniment.model.turns import IncomingTurn, SessionInfo
from muniment.model.writing import Labels, LinkIn
from muniment.store import records
from tests.makers import MINUTE, Memory
from tests.stores import NOW, owner, past

SESSION = "5f2b9a1c-77aa-4c3e-9d10-quuxbarn0001"
# Words of the secret record and its company; each is said nowhere else.
TURN_WORDS = ("zanzibarquux", "flibbertine", "marjoriekin", "grumbletitle", "quuxbarn0001", "snorkpath", "quuxfile")
MEMORY_WORDS = (
    "wobblegong", "vortigaunt", "grixelsubject", "labelquark", "personquark", "whyglimmer", "sourceplonk", "quotezib",
    "claimvalue", "conflictzed", "stepoops", "candidatezap", "noticezup", "proposalzoo", "evidencezay", "requestzeta",
    "rationalezoom", "aliaszinc",
)  # fmt: skip


def done(memory: Memory, context: Any = None, **asked: Any) -> ForgetAnswer:
    """Forget, confirming it."""
    context = context or memory.context
    try:
        forget(context, ForgetRequest(**asked))
    except ConfirmationRequired as fault:
        return forget(context, ForgetRequest(**asked, confirm=fault.confirm))
    raise AssertionError("nobody was asked to confirm")


def sql(memory: Memory, *statements: str) -> None:
    """Run statements past Muniment: for rows that another part writes, and for damage."""
    with past(memory.app.store) as execute:
        for one in statements:
            execute(one)


def turn(session: str, speaker: str, text: str, minute: int, name: str | None) -> IncomingTurn:
    return IncomingTurn(session, speaker, text, Moment(NOW + minute * MINUTE, 0), name, source_ref=f"quuxfile.jsonl#{minute}")


def talk(memory: Memory) -> list[str]:
    """A conversation of its own, whose every word is a secret; answers the refs of its turns."""
    title = SessionInfo(SESSION, title="Grumbletitle of the day", cwd="/home/snorkpath", client="claude-code")
    said = [
        turn(SESSION, "Marjoriekin", "Zanzibarquux keeps the flibbertine under the bridge.", 1, "t1"),
        turn(SESSION, "Marjoriekin", "And nobody knows about the zanzibarquux.", 2, "t2"),
    ]
    refs = memory.take([title, *said])
    here = memory.place().id
    sql(
        memory,
        "INSERT INTO source_file (workspace, path, client, file_id, size, position, tail_hash, at) "
        f"VALUES ({here}, '/home/snorkpath/quuxfile.jsonl', 'claude-code', '1:2', 9, 9, '', 0)",
    )
    return refs


def statement(memory: Memory) -> str:
    """A memory that something in every table is about; answers its ref."""
    other = memory.keep("The plain pier is where boats wait.")
    ref = memory.keep(
        "Wobblegong lives at the Vortigaunt Tower.",
        subject="Grixelsubject",
        labels=Labels(topics=("labelquark",), people=("Personquark",)),
        why="Whyglimmer said so.",
        source_ref="sourceplonk",
        request_id="requestzeta-1",
        links=(LinkIn(ref=other, relation="related_to"),),
    )
    memory.change(ref, "Wobblegong moved away from the Vortigaunt Tower.")
    with memory.app.store.read() as connection:
        held, stays = records.by_uid(connection, ref[2:]), records.by_uid(connection, other[2:])
    assert held
    assert stays
    one, two, now = held.id, stays.id, 0
    uid = {name: memory.context.uid() for name in ("claim", "conflict", "candidate", "notice", "proposal", "quoting")}
    sql(memory, f"UPDATE link SET rationale = 'rationalezoom' WHERE workspace = {held.workspace} AND src = {one}")
    rows(memory, "entity", id=901, sort="name", canonical="Claimvalue", norm="claimvalue")
    rows(memory, "alias", id=902, entity=901, norm="aliaszinc", surface="Aliaszinc", method="agent", live=1)
    claim = {"subject": 901, "attribute": "home", "value": "Claimvalue", "value_norm": "claimvalue", "polarity": 1}
    rows(memory, "claim", id=903, uid=uid["claim"], recorded_at=now, confidence=1, method="rule", detector=1, **claim)
    rows(memory, "claim_evidence", claim=903, record=one, version=1, starts=0, ends=5, quote="quotezib")
    slot = {"slot": "conflictzed", "subject": "conflictzed", "attribute": "home", "qualifier": ""}
    dated = {"detector": 1, "fingerprint": "f", "opened_at": now, "changed_at": now}
    rows(memory, "conflict", id=904, uid=uid["conflict"], status="applying", **slot, **dated)
    for record, value in ((one, "conflictzed"), (two, "b")):
        member = {"value_norm": value, "value": value, "quote": value, "starts": 0, "ends": 1}
        rows(memory, "conflict_member", conflict=904, record=record, version=1, **member)
    step = {"op": "use_as_resolution", "expected_version": 1, "state": "failed", "error": "stepoops"}
    rows(memory, "conflict_step", conflict=904, plan=1, number=1, record=one, **step)
    found = {"members": f"[[{one}, 1]]", "score": 1, "state": "open", "reason": "candidatezap", "at": now}
    rows(memory, "candidate", id=905, uid=uid["candidate"], sort="duplicates", key="k", detector=1, **found)
    about = {"ref": f"c_{uid['conflict']}", "dedupe": "d", "state": "pending", "at": now}
    rows(memory, "notice", id=906, uid=uid["notice"], sort="noticezup", severity=1, **about)
    for number, name, target, text, evidence in (
        (907, "proposal", one, "proposalzoo", "[]"),
        (908, "quoting", None, "other", '[{"text": "evidencezay: Wobblegong lives at the Vortigaunt Tower."}]'),
    ):
        asked = {"principal": memory.context.grant.principal, "request_id": name, "payload_hash": "h", "op": "update_fact"}
        said = {"kind": "fact", "target": target, "text": text, "evidence": evidence, "taint": 0, "trust": 1}
        rows(memory, "proposal", id=number, uid=uid[name], zone="trusted", state="queued", at=now, **asked, **said)
    return ref


def rows(memory: Memory, table: str, **values: object) -> None:
    """Put a row of the current workspace into a table."""
    values = {"workspace": memory.place().id} | values
    said = ("NULL" if one is None else str(one) if isinstance(one, int) else f"'{one}'" for one in values.values())
    sql(memory, f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(said)})")


def files(memory: Memory) -> Iterator[Path]:
    """Every file in which the store keeps anything. A SQLite store is closed for that."""
    store = memory.app.store
    if store.path is not None:
        store.close()
        yield from sorted(store.path.parent.glob(f"{store.path.name}*"))
        return
    import psycopg

    with psycopg.connect(owner(store._address)) as server:  # type: ignore[attr-defined]
        row = server.execute("SHOW data_directory").fetchone()
    assert row
    yield from (Path(folder) / name for folder, _, names in os.walk(row[0]) for name in names)


def holding(memory: Memory, words: Iterable[str]) -> list[tuple[str, str]]:
    """Which of the words stand in which file, in whatever case, in UTF-8 or UTF-16."""
    wanted = [(word, form) for word in words for form in (word.encode(), word.encode("utf-16-le"))]
    found = []
    for path in files(memory):
        if path.is_file():
            data = path.read_bytes().lower()
            found += [(path.name, word) for word, form in wanted if form in data]
    return found


def administered(memory: Memory, on: bool) -> None:
    """What docs/howto/forget.md asks of a PostgreSQL administrator."""
    if memory.app.store.path is not None:
        return
    import psycopg

    with psycopg.connect(owner(memory.app.store._address), autocommit=True) as server:  # type: ignore[attr-defined]
        server.execute("ALTER SYSTEM SET wal_recycle = off" if on else "ALTER SYSTEM RESET wal_recycle")
        server.execute("SELECT pg_reload_conf()")


def analysed(memory: Memory) -> None:
    """A server's statistics hold common values of every column as they are."""
    if memory.app.store.path is not None:
        return
    import psycopg

    with psycopg.connect(owner(memory.app.store._address), autocommit=True) as server:  # type: ignore[attr-defined]
        server.execute("ANALYZE")
