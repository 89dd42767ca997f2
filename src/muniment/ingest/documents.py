"""Keeping a text whole. The same document again adds nothing; a changed one under the same address is a new version."""

from __future__ import annotations

import hashlib

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, LimitExceeded
from muniment.governance import ledger
from muniment.index import similar, write
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.records import TRUST
from muniment.model.writing import TEXT_LENGTH_MAX, DocumentIn, IngestAnswer, Similar
from muniment.store import records, workspaces
from muniment.store.connections import Connection
from muniment.text import dates, fence, redact

SOURCE_TYPE = "document_extracted"
TITLE_LENGTH_MAX = 300


def keep(context: Context, document: DocumentIn, *, workspace: str | None = None, dry_run: bool = False) -> IngestAnswer:
    """Store a document, or a new version of the one that has its url or source_ref."""
    text, title = _text(document)
    masked = 0
    if context.redact:
        text, masked = redact.mask(text)
        title, more = redact.mask(title) if title else (title, 0)
        masked += more
    fingerprint = hashlib.blake2b(f"document\x1f{document.url or document.source_ref or ''}\x1f{text}".encode(), digest_size=16)
    mark = fingerprint.hexdigest()
    with context.store.read() as connection:
        place = policy.target(context, connection, workspace)
        known = records.known(connection, place.id, [mark]).get(mark)
        analysed = write.analyse(text, "document", title) if known is None else None
        alike = similar.find(connection, place.id, analysed) if analysed else []
    shown = tuple(Similar(ids.ref(one.kind, one.uid), one.text[:500], one.similarity) for one in alike)
    if known or dry_run or analysed is None:
        return _answer(
            place, added=int(known is None), duplicates=int(known is not None), masked=masked, similar=shown, dry_run=dry_run
        )
    with context.store.write() as connection:
        again = records.known(connection, place.id, [mark]).get(mark)
        if again:
            return _answer(place, added=0, duplicates=1, masked=masked)
        uid = _store(context, connection, place, document, text, title, mark, analysed)
    return _answer(place, added=1, duplicates=0, masked=masked, similar=shown, refs=(ids.ref("document", uid),))


def _answer(
    place: Workspace,
    *,
    added: int,
    duplicates: int,
    masked: int,
    similar: tuple[Similar, ...] = (),
    refs: tuple[str, ...] = (),
    dry_run: bool = False,
) -> IngestAnswer:
    return IngestAnswer(added, duplicates, (), 0, masked, (place.slug,), 0, refs, similar, dry_run)


def _text(document: DocumentIn) -> tuple[str, str | None]:
    title = document.title
    text = document.text.replace("\x00", "").encode("utf-8", "replace").decode()
    if document.format == "html":
        from muniment.text import html

        text, found = html.to_text(text)
        title = title or found
    text = fence.strip(text).strip()
    if not text:
        raise InvalidInput("The document has no text.", "Check the file, and its format (text, markdown or html).")
    if len(text) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The document has {len(text):,} characters; {TEXT_LENGTH_MAX:,} are the most.", "Split it.")
    return text, (title or _heading(text))


def _heading(text: str) -> str | None:
    """A Markdown document's first heading, as its title."""
    first = text.split("\n", 1)[0].strip()
    return first.lstrip("#").strip()[:TITLE_LENGTH_MAX] or None if first.startswith("#") else None


def _store(
    context: Context,
    connection: Connection,
    place: Workspace,
    document: DocumentIn,
    text: str,
    title: str | None,
    mark: str,
    analysed: write.Analysed,
) -> str:
    now, uid = context.now(), context.uid()
    number = workspaces.take(connection, place.id, records=1).records
    event = dates.parse(document.time) if document.time else None
    replaced = _replace(connection, place, document)
    connection.run(
        "record_add",
        {
            "workspace": place.id,
            "id": number,
            "uid": uid,
            "kind": "document",
            "tier": "project-context",
            "subject": title,
            "text": text,
            "session": None,
            "seq": None,
            "speaker": None,
            "event_at": event.ms if event else None,
            "event_zone": event.zone if event else None,
            "recorded_at": now,
            "fingerprint": mark,
            "external_id": None,
            "source_type": SOURCE_TYPE,
            "source_ref": document.source_ref,
            "url": document.url,
            "origin": "collected" if document.url else "own",
            "trust": TRUST[SOURCE_TYPE],
            "taint": 0,
            "principal": context.grant.principal,
            "client": context.grant.client,
        },
    )
    entering = write.Entering(number, 1, "document", "project-context", 0, 0, 0, event.ms if event else None, now, analysed)
    first, last = write.enter(connection, place.id, [entering])
    write.follow_up(connection, place.id, first, last, now)
    after = ledger.content_hash([text])
    targets: dict[str, object] = {"record": uid, "replaces": replaced}
    ledger.enter(context, connection, place.id, "ingest", targets=targets, after=after)
    return uid


def _replace(connection: Connection, place: Workspace, document: DocumentIn) -> list[str]:
    """Archive what stood under the same address: the newer text is the document now, the older one stays readable."""
    if not (document.url or document.source_ref):
        return []
    values = {"workspace": place.id, "url": document.url or "", "source_ref": document.source_ref or ""}
    old = connection.all("documents_at", values)
    for number, _ in old:
        connection.one("record_state", {"workspace": place.id, "id": number, "from": "active", "state": "archived"})
        connection.run("passages_bury", {"workspace": place.id, "record": number})
    return [uid for _, uid in old]
