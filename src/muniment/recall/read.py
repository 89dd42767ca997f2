"""Opening what a ref or a session id names. Whatever any answer returned can be opened here, and nothing is clipped."""

from __future__ import annotations

from dataclasses import replace

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound
from muniment.graph import backing
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.reading import (
    READ_CHARS_MAX,
    READ_LIMIT_MAX,
    NamedSpan,
    Opened,
    ReadAnswer,
    ReadRequest,
    SessionHead,
)
from muniment.model.recalling import Meta
from muniment.model.records import Record, Session
from muniment.model.times import Moment
from muniment.recall import proposed, relatives
from muniment.recall.provenance import provenance
from muniment.store import histories, records, sessions
from muniment.store.connections import Connection
from muniment.text import spans


def read(context: Context, request: ReadRequest) -> ReadAnswer:
    """Open anything by its ref, in full: a record, a session in spoken order, or (around=true) the turns beside one.

    `ref`: t_… turn, d_… document, m_… memory, s_… session, p_… proposal; or `session`, the client's own id. Over 256,000
    characters a text comes as spans, meta.next names the next. A session comes `limit` turns a page; pass `cursor` on.
    Errors: not_found, invalid_input, invalid_cursor.
    """
    parsed = ids.parse(request.ref) if request.ref else None
    if request.ref and parsed is None:
        raise NotFound(f"{request.ref!r} is no ref.")
    with context.store.read() as connection:
        if request.ref and parsed and parsed[0] == "p":
            return proposed.opened(context, connection, request.ref)
        if parsed and parsed[0] != "s":
            return _record(context, connection, request, parsed[1])
        if not parsed and not request.session:
            raise InvalidInput("There is nothing to open.", "Pass ref, or session.")
        return _session(context, connection, request)


def _record(context: Context, connection: Connection, request: ReadRequest, uid: str) -> ReadAnswer:
    record = records.by_uid(connection, uid)
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None:
        raise NotFound(f"There is no record {request.ref!r}.")
    talk = _talk(connection, record)
    if request.around and talk is not None and record.seq is not None:
        before = min(request.before, READ_LIMIT_MAX - 1)
        after = min(request.after, READ_LIMIT_MAX - 1 - before)
        turns = records.of_session(
            connection, record.workspace, talk.id, record.seq - before, record.seq + after, READ_LIMIT_MAX
        )
        opened = tuple(_opened(connection, one, place, talk, None, ()) for one in turns)
        return ReadAnswer(opened, head(talk, place), request.ref, meta=Meta(next=_more(opened)))
    one = _opened(connection, record, place, talk, request.span, request.include or ())
    one = _backed(context, connection, one, record, request.include or ())
    until = request.span[1] if request.span else None
    return ReadAnswer((one,), head(talk, place) if talk else None, meta=Meta(next=_more((one,), until)))


def _backed(context: Context, connection: Connection, one: Opened, record: Record, include: tuple[str, ...]) -> Opened:
    """The record with what it claims and what backs it, where that was asked for."""
    if "claims" in include:
        one = replace(one, claims=backing.of_record(connection, record.workspace, record, context.now()))
    if "evidence" in include:
        one = replace(one, evidence=backing.evidence(connection, record.workspace, record, context.now()))
    return one


def _more(opened: tuple[Opened, ...], until: int | None = None) -> tuple[str, ...]:
    """The calls that return what follows of texts that came in part; of an asked span, up to its end."""
    calls = []
    for one in opened:
        end = one.length if until is None else min(until, one.length)
        if one.span is not None and one.span[1] < end:
            calls.append(f'read(ref="{one.ref}", span=[{one.span[1]}, {end}])')
    return tuple(calls)


def _session(context: Context, connection: Connection, request: ReadRequest) -> ReadAnswer:
    talk, place = find_session(context, connection, request.session or request.ref or "", request.workspace)
    bound = ["session", talk.uid]
    start = cursors.unseal(context, connection, request.cursor, bound)[0] if request.cursor else 1
    turns = records.of_session(connection, talk.workspace, talk.id, start, talk.turns, request.limit)
    opened = tuple(_opened(connection, one, place, talk, None, ()) for one in turns)
    follow = start + len(turns)
    cursor = cursors.seal(context, connection, [follow], bound) if turns and follow <= talk.turns else None
    return ReadAnswer(opened, head(talk, place), cursor=cursor, meta=Meta(next=_more(opened)))


def find_session(context: Context, connection: Connection, name: str, workspace: str | None) -> tuple[Session, Workspace]:
    """A session by its ref, or by the client's id in a workspace. Raises NotFound alike for absent and foreign ones."""
    parsed = ids.parse(name)
    if parsed and parsed[0] == "s":
        talk = sessions.by_uid(connection, parsed[1])
        place = policy.may_read(context, connection, talk.workspace) if talk else None
        if talk is not None and place is not None:
            return talk, place
        raise NotFound(f"There is no session {name!r}.")
    for place in policy.asked(context, connection, workspace):
        talk = sessions.by_external(connection, place.id, name)
        if talk is not None:
            return talk, place
    raise NotFound(f"There is no session {name!r}.", "List sessions with stats, or name its workspace.")


def head(talk: Session, place: Workspace) -> SessionHead:
    return SessionHead(
        ref=f"s_{talk.uid}",
        external_id=talk.external_id,
        workspace=place.slug,
        turns=talk.turns,
        title=talk.title,
        client=talk.client,
        cwd=talk.cwd,
        first_at=talk.first.iso() if talk.first else None,
        last_at=talk.last.iso() if talk.last else None,
    )


def _talk(connection: Connection, record: Record) -> Session | None:
    if record.session is None:
        return None
    return sessions.by_id(connection, record.workspace, [record.session]).get(record.session)


def _opened(
    connection: Connection,
    record: Record,
    place: Workspace,
    talk: Session | None,
    span: tuple[int, int] | None,
    include: tuple[str, ...],
) -> Opened:
    length = len(record.text)
    if span is not None and not 0 <= span[0] <= span[1]:
        raise InvalidInput("A span is [start, end] with 0 <= start <= end.")
    if span is None and length > READ_CHARS_MAX:
        span = (0, READ_CHARS_MAX)
    cut = (min(span[0], length), min(span[1], length, span[0] + READ_CHARS_MAX)) if span else None
    text = record.text[cut[0] : cut[1]] if cut else record.text
    talks = {(record.workspace, talk.id): talk} if talk else {}
    count = connection.one("corroborations", {"workspace": record.workspace, "record": record.id})
    return Opened(
        ref=record.ref,
        kind=record.kind,
        text=text,
        version=record.version,
        state=record.state,
        tier=record.tier,
        provenance=provenance(record, {place.id: place}, talks),
        trust=record.trust,
        taint=record.taint,
        subject=record.subject,
        labels=tuple(f"{one.sort}:{one.value}" for one in records.labels(connection, record.workspace, record.id)),
        span=cut,
        length=length,
        protection=record.protection,
        valid=_interval(record),
        retired_at=_iso(record.retired_at),
        superseded_by=relatives.heir(connection, record),
        supersede_why=record.supersede_why,
        history=relatives.history(connection, record) if "history" in include else (),
        sources=relatives.kin(connection, record, "sources") if "lineage" in include else (),
        derived=relatives.kin(connection, record, "derived") if "lineage" in include else (),
        links=relatives.signals(connection, record) if "links" in include else (),
        spans=_spans(text, cut[0] if cut else 0) if "spans" in include else (),
        corroborated=count[0] if count else 0,
        by=histories.author(connection, record),
    )


def _spans(text: str, base: int) -> tuple[NamedSpan, ...]:
    """What a text names, by the offsets of the whole text, of which this is the part from `base` on."""
    return tuple(NamedSpan(base + one.start, base + one.end, one.sort, one.surface) for one in spans.find(text))


def _interval(record: Record) -> tuple[str | None, str | None] | None:
    """When it held in the world, as far as anybody said."""
    if record.valid_from is None and record.valid_to is None:
        return None
    return _iso(record.valid_from), _iso(record.valid_to)


def _iso(ms: int | None) -> str | None:
    return None if ms is None else Moment(ms, 0).iso()
