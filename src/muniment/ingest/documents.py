"""Keeping a text whole. The same document again adds nothing; a changed one under the same address is a new version.

Of all that came under one address exactly one document is active. When an earlier text comes again under it, that earlier
document is brought back and the one in between is archived; both stay readable.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from muniment.access import policy, zones
from muniment.context import Context
from muniment.errors import InvalidInput, LimitExceeded
from muniment.governance import changes, edits
from muniment.governance.changes import Act, Effect
from muniment.graph import claims
from muniment.index import similar, write
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.recalling import Meta
from muniment.model.records import TRUST
from muniment.model.times import Moment
from muniment.model.writing import TEXT_LENGTH_MAX, DocumentIn, IngestAnswer
from muniment.store import records, workspaces
from muniment.store.connections import Connection
from muniment.text import dates, fence, injection, plain, redact

SOURCE_TYPE = "document_extracted"
TITLE_LENGTH_MAX = 300
ARCHIVED = "archived"
INGEST = "ingest"
LOCAL_ENDINGS = (".local", ".localhost", ".internal", ".intranet", ".lan", ".home.arpa", ".corp")


@dataclass(frozen=True, slots=True)
class _Whole:
    """A document that may be stored: plain text, masked, dated."""

    text: str
    title: str | None
    url: str | None
    source_ref: str | None
    event: Moment | None
    masked: int
    fingerprint: str


def keep(context: Context, document: DocumentIn, *, workspace: str | None = None, dry_run: bool = False) -> IngestAnswer:
    """Store a document, or a new version of the one that has its url or source_ref."""
    whole = _whole(context, plain.clean_all(document))
    with context.store.read() as connection:
        place = policy.target(context, connection, workspace)
        known = _known(connection, place, whole)
        back = known is not None and _returns(connection, place, known)
        analysed = write.analyse(whole.text, "document", whole.title) if known is None else None
        alike = similar.find(connection, place.id, analysed) if analysed else []
    shown = similar.shown(alike)
    answer = IngestAnswer(0, 0, (), 0, whole.masked, (place.slug,), 0, dry_run=dry_run)
    if dry_run:
        said = _said(known, back) if known else Meta()
        return replace(answer, added=int(known is None), duplicates=int(known is not None), similar=shown, meta=said)
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        known = _known(connection, place, whole)
        if known is not None:
            back = _returns(connection, place, known)
            if back:
                _bring_back(context, connection, place, whole, known)
            refs = (ids.ref("document", known.uid),) if back else ()
            return replace(answer, duplicates=1, refs=refs, meta=_said(known, back))
        analysed = analysed or write.analyse(whole.text, "document", whole.title)
        uid = _store(context, connection, place, whole, analysed)
    return replace(answer, added=1, similar=shown, refs=(ids.ref("document", uid),))


def _known(connection: Connection, place: Workspace, whole: _Whole) -> records.Known | None:
    return records.known_as(connection, place.id, whole.fingerprint)


def _returns(connection: Connection, place: Workspace, known: records.Known) -> bool:
    """Whether a document comes back when it is sent again: what another text replaced does, what somebody retired does not."""
    if known.state != ARCHIVED:
        return False
    row = connection.one("document_archived_by", {"workspace": place.id, "record": known.id})
    return row is None or row[0] == INGEST


def _said(known: records.Known, back: bool) -> Meta:
    if back:
        said = "This text stood here before; it is the document again, and what replaced it is archived."
    elif known.state != "active":
        said = f"This text was kept before and is {known.state} by decision; it stays so until somebody restores it."
    else:
        return Meta()
    return Meta(warnings=(said,))


def _whole(context: Context, document: DocumentIn) -> _Whole:
    text, title = _text(document)
    url, source_ref, masked = document.url, document.source_ref, 0
    if context.redact:
        text, masked = redact.mask(text)
        (title, url, source_ref), more = redact.mask_each(title, url, source_ref)
        masked += more
    event = dates.parse(document.time) if document.time else None
    address = url or source_ref or ""
    mark = hashlib.blake2b(f"document\x1f{len(address)}\x1f{address}{text}".encode(), digest_size=16).hexdigest()
    return _Whole(text, title, url, source_ref, event, masked, mark)


def _text(document: DocumentIn) -> tuple[str, str | None]:
    title, text = document.title, document.text
    if document.format == "html":
        from muniment.text import html

        text, found = html.to_text(text)
        title = title or (found or "")[:TITLE_LENGTH_MAX] or None
    text = fence.strip(text).strip()
    if plain.blank(text):
        raise InvalidInput("The document has no text.", "Check the file, and its format (text, markdown or html).")
    if len(text) > TEXT_LENGTH_MAX:
        raise LimitExceeded(f"The document has {len(text):,} characters; {TEXT_LENGTH_MAX:,} are the most.", "Split it.")
    return text, (title or _heading(text))


def _heading(text: str) -> str | None:
    """A Markdown document's first heading, as its title."""
    first = text.split("\n", 1)[0].strip()
    return first.lstrip("#").strip()[:TITLE_LENGTH_MAX] or None if first.startswith("#") else None


def _store(context: Context, connection: Connection, place: Workspace, whole: _Whole, analysed: write.Analysed) -> str:
    now, uid, event = context.now(), context.uid(), whole.event
    number = workspaces.take(connection, place.id, records=1).records
    replaced, effects = _replace(context, connection, place, whole)
    new = records.New(
        workspace=place.id,
        id=number,
        uid=uid,
        kind="document",
        tier="project-context",
        subject=whole.title,
        text=whole.text,
        event=event,
        recorded_at=now,
        fingerprint=whole.fingerprint,
        source_type=SOURCE_TYPE,
        source_ref=whole.source_ref,
        url=whole.url,
        origin="collected" if whole.url else "own",
        trust=zones.lowered(context.grant.zone, TRUST[SOURCE_TYPE]),
        taint=_taint(context, whole),
        principal=context.grant.principal,
        client=context.grant.client,
    )
    records.add(connection, [new])
    entering = write.Entering(number, 1, "document", "project-context", 0, 0, 0, event.ms if event else None, now, analysed)
    first, last = write.enter(connection, place.id, [entering])
    write.follow_up(connection, place.id, first, last, now)
    claims.follow_up(connection, place.id, number, number, now)
    effects.append(Effect("record", number, "state", "active", before=ARCHIVED))
    act = Act(INGEST, {"record": uid, "replaces": replaced}, after=[whole.text])
    changes.make(context, connection, place.id, act, effects)
    return uid


def _taint(context: Context, whole: _Whole) -> int:
    """What was collected from a foreign server is untrusted: nobody who may write here wrote it."""
    if injection.suspect(whole.text) or (whole.title and injection.suspect(whole.title)):
        return zones.SUSPECT
    return max(zones.bounds(context.grant.zone).floor, zones.QUARANTINED_FROM if outside(whole.url) else 0)


def outside(url: str | None) -> bool:
    """Whether an address is one of the open network: not this machine, nor a name that only a local network knows."""
    try:
        parts = urlsplit(url or "")
        host = (parts.hostname or "").rstrip(".").lower()
    except ValueError:  # no address at all
        return False
    if parts.scheme not in ("http", "https") or not host:
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(LOCAL_ENDINGS)


def _bring_back(context: Context, connection: Connection, place: Workspace, whole: _Whole, known: records.Known) -> None:
    """Make an archived document the one of its address again."""
    policy.changes(context, place)
    edits.shield(context, records.by_id(connection, place.id, [known.id])[known.id])
    replaced, effects = _replace(context, connection, place, whole)
    effects.append(Effect("record", known.id, "state", "active"))
    act = Act(INGEST, {"record": known.uid, "replaces": replaced}, after=[whole.text])
    changes.make(context, connection, place.id, act, effects)


def _replace(context: Context, connection: Connection, place: Workspace, whole: _Whole) -> tuple[list[str], list[Effect]]:
    """Archive what stands under the same address: the newer text is the document now, the older one stays readable.

    Answers the uids of those, and what archives them. Raises InsufficientScope for a caller who only adds, and ProtectedTarget
    for what it may not replace.
    """
    if not (whole.url or whole.source_ref):
        return [], []
    values = {"workspace": place.id, "url": whole.url or "", "source_ref": whole.source_ref or ""}
    old = connection.all("documents_at", values)
    if old:
        policy.changes(context, place)
    for one in records.by_id(connection, place.id, [number for number, _ in old]).values():
        edits.shield(context, one)
    return [uid for _, uid in old], [Effect("record", number, "state", ARCHIVED) for number, _ in old]
