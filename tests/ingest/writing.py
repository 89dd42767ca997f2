"""Small builders for tests of the way in: what is sent, what the store then holds, and what recall finds of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from muniment.access import policy
from muniment.app import App
from muniment.context import Context
from muniment.index import postings, rosters
from muniment.ingest import ingest as way_in
from muniment.ingest.remember import remember
from muniment.model.access import Grant
from muniment.model.reading import Opened, ReadAnswer, ReadRequest
from muniment.model.recalling import RecallRequest
from muniment.model.writing import DocumentIn, IngestAnswer, IngestRequest, RememberAnswer, RememberRequest, TurnIn
from muniment.recall.read import read
from muniment.recall.recall import recall
from muniment.store import records, workspaces

# Split, so that no scanner takes the test for a leak.
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def say(app: App | Context, session: str, *turns: TurnIn | str, **options: Any) -> IngestAnswer:
    """Ingest turns; a plain text is said by Ann."""
    said = tuple(TurnIn("Ann", one) if isinstance(one, str) else one for one in turns)
    return way_in.ingest(_context(app), IngestRequest(session=session, turns=said, **options))


def lines(app: App | Context, *rows: dict[str, Any] | str, **options: Any) -> IngestAnswer:
    """Ingest JSON Lines; a plain text is a line as it is."""
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    return way_in.ingest(_context(app), IngestRequest(jsonl=text, **options))


def bring(app: App | Context, text: str, *, dry_run: bool = False, workspace: str | None = None, **fields: Any) -> IngestAnswer:
    """Ingest a document."""
    request = IngestRequest(document=DocumentIn(text, **fields), dry_run=dry_run, workspace=workspace)
    return way_in.ingest(_context(app), request)


def keep(app: App | Context, text: str | None = None, **fields: Any) -> RememberAnswer:
    return remember(_context(app), RememberRequest(text=text, **fields))


def opened(app: App | Context, ref: str, **options: Any) -> Opened:
    return read(_context(app), ReadRequest(ref=ref, **options)).records[0]


def session(app: App | Context, name: str, **options: Any) -> ReadAnswer:
    return read(_context(app), ReadRequest(session=name, limit=200, **options))


def texts(app: App | Context, name: str, **options: Any) -> list[str]:
    return [one.text for one in session(app, name, **options).records]


def found(app: App | Context, query: str) -> list[str]:
    """The refs that recall answers with."""
    return [one.ref for one in recall(_context(app), RecallRequest(query=query, limit=20)).results]


def token(app: App, *scopes: str, read: Iterable[str] | None = None, write: Iterable[str] | None = None) -> Context:
    """A context with a narrower grant than the owner's."""
    walls = [None if names is None else frozenset(names) for names in (read, write)]
    return replace(app.context(), grant=Grant(app.principal, "local", frozenset(scopes), walls[0], walls[1]))


def place(app: App, slug: str = policy.INBOX) -> int:
    with app.store.read() as connection:
        known = workspaces.by_slug(connection, slug)
    assert known is not None
    return known.id


def add_workspace(app: App, slug: str) -> int:
    with app.store.write() as connection:
        uid = app.context().uid()
        workspaces.add(connection, uid=uid, slug=slug, name=slug, kind="project", root=None, now=app.context().now())
    return place(app, slug)


def actions(app: App, slug: str = policy.INBOX) -> list[str]:
    """The kinds of the ledger's rows, in order."""
    with app.store.read() as connection:
        return [row[2] for row in connection.all("actions", {"workspace": place(app, slug), "after": 0, "limit": 10_000})]


def inconsistencies(app: App, slug: str = policy.INBOX) -> list[str]:
    """What does not fit together in a workspace's index: passages, roster rows, postings and counters."""
    faults = []
    with app.store.read() as connection:
        here = place(app, slug)
        count = workspaces.stamp(connection, here)[1]
        rows = connection.all("rosters_from", {"workspace": here, "have": 0})
        spans = [(first, last) for first, last, _ in rows]
        if [first for first, _ in spans] != [1, *(last + 1 for _, last in spans)][: len(spans)]:
            faults.append(f"the roster has holes: {spans}")
        if sum(len(data) for _, _, data in rows) != count * rosters.ROW.size or (spans and spans[-1][1] != count):
            faults.append(f"the roster holds {sum(len(data) for _, _, data in rows) / rosters.ROW.size} of {count} passages")
        between = connection.all("passages_between", {"workspace": here, "first": 1, "last": count})
        held = [row for row in between if row[6]]
        dead = connection.all("passages_dead", {"workspace": here})
        if sorted([row[0] for row in held] + [row[0] for row in dead]) != list(range(1, count + 1)):
            faults.append(f"{len(held)} live and {len(dead)} dead passages are not {count}")
        known = records.by_id(connection, here, {row[4] for row in held})
        faults += [
            f"passage {row[0]} lies outside of its text" for row in held if not 0 <= row[1] < row[2] <= len(known[row[4]].text)
        ]
        words = [row[0] for row in connection.all("terms_holding", {"workspace": here, "piece": "", "limit": 1_000_000})]
        for term, data in connection.all("postings", {"workspace": here, "terms": json.dumps(words)}):
            size = len(data) // postings.ENTRY_BYTES
            ordinals = list(memoryview(data)[: 4 * size].cast("I"))
            if ordinals != sorted(set(ordinals)) or not 1 <= ordinals[0] <= ordinals[-1] <= count:
                faults.append(f"the postings of {term!r} are {ordinals[:5]}… of {count}")
    return faults


def _context(app: App | Context) -> Context:
    return app.context() if isinstance(app, App) else app
