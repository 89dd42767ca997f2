"""Keeping turns: one batch is one transaction, and only what is new is added.

A turn is new when its id (or, without one, its session, speaker, time, text and occurrence) was never stored in the
workspace. The same id with another text is reported, never merged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from muniment.access import policy, zones
from muniment.context import Context
from muniment.errors import ForbiddenScope, StoreError, UnknownWorkspace
from muniment.governance import ledger, marks
from muniment.graph import claims
from muniment.index import episodes, write
from muniment.ingest import sessions
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.records import TRUST, Session
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.model.writing import TEXT_LENGTH_MAX
from muniment.store import records, workspaces
from muniment.store.connections import Connection
from muniment.text import fence, injection, plain, redact

BATCH = 1000
REFS_MAX = 100
SESSION_ID_MAX = 500
SPEAKER_MAX = 500
TITLE_LENGTH_MAX = 1000
SECRET_LENGTH_MIN = 10  # no shorter name can hold a secret with its mark


@dataclass(slots=True)
class Kept:
    """What became of the turns of one call, counted as it goes."""

    added: int = 0
    duplicates: int = 0
    masked: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    workspaces: set[str] = field(default_factory=set)
    sessions: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A turn that may be stored: cleaned, masked, fingerprinted, and read once."""

    turn: IncomingTurn
    fingerprint: str
    analysed: write.Analysed
    taint: int


@dataclass(slots=True)
class _Call:
    """One call of `keep`: what was asked, and what it has to remember from batch to batch."""

    context: Context
    kept: Kept
    workspace: str | None
    source_type: str
    dry_run: bool
    infos: dict[str, SessionInfo] = field(default_factory=dict)
    news: set[str] = field(default_factory=set)  # sessions that this batch brought an info for
    used: set[tuple[int, str]] = field(default_factory=set)  # workspaces and sessions whose info was written with turns
    homes: dict[str, set[Workspace]] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    foreseen: dict[tuple[int, str], int] = field(default_factory=dict)  # what a dry run would have stored
    stored: int = 0


def keep(
    context: Context,
    incoming: Iterable[Incoming],
    *,
    workspace: str | None = None,
    source_type: str = "unknown",
    dry_run: bool = False,
    kept: Kept | None = None,
) -> Iterator[Kept]:
    """Store turns as they come, a batch at a time; yields the running count after each batch.

    `workspace` is where turns go that name none; a turn that names one where it may not go is rejected. Of a turn without
    id the call remembers 100 bytes, so that the second of two equal ones is known. Raises what `policy.target` raises, and
    a StoreError that says how many turns the batches before it stored.
    """
    call = _Call(context, kept or Kept(), workspace, source_type, dry_run)
    batch: list[IncomingTurn] = []
    refused = 0
    for one in map(plain.clean_all, incoming):
        match one:
            case Rejected():
                call.kept.rejected.append(one)
                refused += 1
            case SessionInfo():
                _hear(call, one)
            case IncomingTurn():
                batch.append(one)
        if len(batch) + refused >= BATCH:
            _keep_batch(call, batch)
            batch, refused = [], 0
            yield call.kept
    _keep_batch(call, batch)
    yield call.kept


def _hear(call: _Call, info: SessionInfo) -> None:
    """Note what is said about a session, for when its turns come or the batch ends."""
    title, cwd = (info.title or "")[:TITLE_LENGTH_MAX], info.cwd or ""
    if call.context.redact:
        title, masked = redact.mask(title)
        cwd, more = redact.mask(cwd)
        call.kept.masked += masked + more
    call.infos[info.external_id] = replace(info, title=title or None, cwd=cwd or None)
    call.news.add(info.external_id)


def _keep_batch(call: _Call, batch: list[IncomingTurn]) -> None:
    try:
        for place, turns in _placed(call, batch).items():
            _keep_in(call, place, turns)
        _learn(call)
    except StoreError as fault:
        if not call.stored:
            raise
        said = f"{fault.message} Before that, {call.stored:,} turns of this call were stored."
        raise type(fault)(said, "Remove the cause and repeat the call: what is stored already is not kept twice.") from fault


def _placed(call: _Call, batch: list[IncomingTurn]) -> dict[Workspace, list[IncomingTurn]]:
    """The turns by workspace. A line that names one where it may not go is rejected; the call's own has to be right."""
    groups: dict[Workspace, list[IncomingTurn]] = {}
    known: dict[str | None, Workspace | str] = {}
    with call.context.store.read() as connection:
        for turn in batch:
            if turn.workspace not in known:
                known[turn.workspace] = _place(call, connection, turn.workspace)
            place = known[turn.workspace]
            if isinstance(place, str):
                call.kept.rejected.append(Rejected(turn.line, place))
            else:
                groups.setdefault(place, []).append(turn)
    return groups


def _place(call: _Call, connection: Connection, name: str | None) -> Workspace | str:
    if name is None:
        return policy.target(call.context, connection, call.workspace)
    try:
        return policy.target(call.context, connection, name)
    except (ForbiddenScope, UnknownWorkspace) as fault:
        return str(fault)


def _keep_in(call: _Call, place: Workspace, turns: list[IncomingTurn]) -> None:
    clean = [cleaned for turn in turns if (cleaned := _clean(call, turn))]
    marked = [(turn, _fingerprint(turn, place, call.seen)) for turn in clean]
    with call.context.store.read() as connection:
        marked = _remembered(connection, place, marked, call)
        new = _new(connection, place, marked, call)
    for turn in clean:
        call.homes.setdefault(turn.session, set()).add(place)
    call.kept.workspaces.add(place.slug)
    call.kept.sessions.update((place.slug, turn.session) for turn in clean)
    if call.dry_run:
        call.foreseen |= {(place.id, fingerprint): hash((turn.speaker, turn.text)) for turn, fingerprint in new}
        call.kept.added += len(new)
    elif new:
        # Read outside of the write, so that nobody waits for it.
        read = [_ready(call.context, turn, fingerprint) for turn, fingerprint in new]
        with call.context.store.write() as connection:
            uids = _store(call, connection, place, read)
        call.used.update((place.id, turn.session) for turn, _ in new)
        # Counted only now: a commit can still fail.
        call.stored += len(uids)
        call.kept.added += len(uids)
        call.kept.refs += [ids.ref("turn", uid) for uid in uids[: REFS_MAX - len(call.kept.refs)]]


def _clean(call: _Call, turn: IncomingTurn) -> IncomingTurn | None:
    """The turn as it may be stored, or None when there is nothing to store; says why."""
    text, speaker, masked = fence.strip(turn.text).strip(), turn.speaker, 0
    why = ""
    if plain.blank(text):
        why = "the text is empty" if plain.blank(turn.text) else "the text was recalled from memory"
    elif len(text) > TEXT_LENGTH_MAX:
        why = f"the text is longer than {TEXT_LENGTH_MAX:,} characters"
    elif plain.blank(turn.session) or len(turn.session) > SESSION_ID_MAX:
        why = f"the session id is empty or longer than {SESSION_ID_MAX} characters"
    elif plain.blank(speaker) or len(speaker) > SPEAKER_MAX:
        why = f"the speaker is empty or longer than {SPEAKER_MAX} characters"
    if why:
        call.kept.rejected.append(Rejected(turn.line, why))
        return None
    if call.context.redact:
        text, masked = redact.mask(text)
        if len(speaker) >= SECRET_LENGTH_MIN:
            speaker, more = redact.mask(speaker)
            masked += more
        call.kept.masked += masked
    return turn if text is turn.text and not masked else replace(turn, text=text, speaker=speaker)


def _ready(context: Context, turn: IncomingTurn, fingerprint: str) -> _Ready:
    analysed, taint = write.analyse(turn.text, "turn"), zones.bounds(context.grant.zone).floor
    if injection.possible(turn.text, [one.counts for one in analysed.passages]) and injection.suspect(turn.text):
        taint = zones.SUSPECT
    return _Ready(turn, fingerprint, analysed, taint)


def _fingerprint(turn: IncomingTurn, place: Workspace, seen: dict[int, int]) -> str:
    """Lengths stand before what they measure, so that no two different turns can look the same."""
    if turn.id is not None:
        within = "" if turn.id_is_global else turn.session
        return _digest(f"id\x1f{len(within)}\x1f{within}{turn.id}")
    at = turn.at.ms if turn.at else ""
    said = f"{len(turn.session)}\x1f{len(turn.speaker)}\x1f{at}\x1f{turn.session}{turn.speaker}{turn.text}"
    mark = hash((place.id, said))
    count = seen[mark] = seen.get(mark, 0) + 1
    return _digest(f"turn\x1f{count}\x1f{said}")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _remembered(
    connection: Connection, place: Workspace, marked: list[tuple[IncomingTurn, str]], call: _Call
) -> list[tuple[IncomingTurn, str]]:
    """Leave out, and report, what was forgotten and must not come back; nothing is computed where nothing ever was."""
    if not marked or not marks.any_kept(connection):
        return marked
    talks = {name: marks.of_session(name) for name in {turn.session for turn, _ in marked}}
    gone = marks.among(connection, place.id, [*talks.values(), *(mark for turn, mark in marked if turn.id is not None)])
    left = []
    for turn, mark in marked:
        if talks[turn.session] in gone:
            call.kept.rejected.append(Rejected(turn.line, "this conversation was forgotten"))
        elif turn.id is not None and mark in gone:
            call.kept.rejected.append(Rejected(turn.line, "this turn was forgotten"))
        else:
            left.append((turn, mark))
    return left


def _new(
    connection: Connection, place: Workspace, marked: list[tuple[IncomingTurn, str]], call: _Call
) -> list[tuple[IncomingTurn, str]]:
    """Leave out what is stored already, counting it or saying why."""
    known = records.known(connection, place.id, (fingerprint for _, fingerprint in marked))
    held = {fingerprint: hash((one.speaker, one.text)) for fingerprint, one in known.items()}
    if call.foreseen:
        held |= {mark: call.foreseen[place.id, mark] for _, mark in marked if (place.id, mark) in call.foreseen}
    new = []
    for turn, fingerprint in marked:
        before = held.get(fingerprint)
        said = hash((turn.speaker, turn.text))
        if before is None:
            held[fingerprint] = said
            new.append((turn, fingerprint))
        elif before == said:
            call.kept.duplicates += 1
        else:
            call.kept.rejected.append(Rejected(turn.line, f"the id {turn.id!r} was stored before with another text"))
    return new


def _store(call: _Call, connection: Connection, place: Workspace, ready: list[_Ready]) -> list[str]:
    """Write what is still new once nobody else can write here; answers the uids of what was stored."""
    context = call.context
    workspaces.hold(connection, place.id)
    marks = {one.fingerprint: one for one in ready}
    still = _remembered(connection, place, [(one.turn, one.fingerprint) for one in ready], call)
    ready = [marks[mark] for _, mark in _new(connection, place, still, call)]
    if not ready:
        return []
    now = context.now()
    last = workspaces.take(connection, place.id, records=len(ready)).records
    numbers = range(last - len(ready) + 1, last + 1)
    uids = context.uids(len(ready))
    speakers = sessions.speakers(connection, place.id, {one.turn.speaker for one in ready})
    held = {
        name: sessions.held(context, connection, place, name, call.infos.get(name), news=name in call.news)
        for name in dict.fromkeys(one.turn.session for one in ready)
    }
    places = {name: session.turns for name, session in held.items()}
    rows, entering = [], []
    said: dict[str, list[episodes.Said]] = {name: [] for name in held}
    for number, uid, one in zip(numbers, uids, ready, strict=True):
        turn, session = one.turn, held[one.turn.session]
        speaker = speakers[turn.speaker]
        places[turn.session] += 1
        seq = places[turn.session]
        rows.append(_row(call, place, session, number, uid, seq, speaker, one, now))
        at = turn.at.ms if turn.at else None
        entering.append(write.Entering(number, 1, "turn", "conversations", session.id, seq, speaker, at, now, one.analysed))
        said[turn.session].append(episodes.Said(seq, at, one.analysed.names))
    records.add(connection, rows)
    first, final = write.enter(connection, place.id, entering)
    for name, session in held.items():
        times = [one.at for one in said[name] if one.at is not None]
        span = {"first_at": min(times, default=None), "last_at": max(times, default=None)}
        connection.run("session_grow", {"workspace": place.id, "id": session.id, "turns": places[name]} | span)
        episodes.append(connection, place.id, session.id, said[name])
    write.follow_up(connection, place.id, first, final, now)
    claims.follow_up(connection, place.id, numbers[0], last, now)
    after = [f"{uid}{one.fingerprint}" for uid, one in zip(uids, ready, strict=True)]
    ledger.enter(context, connection, place.id, "ingest", targets={"first": uids[0], "count": len(uids)}, after=after)
    return uids


def _learn(call: _Call) -> None:
    """What was said about sessions that are kept already, such as a title that came late."""
    for name in () if call.dry_run else sorted(call.news):
        info = call.infos[name]
        for place in call.homes.get(name) or _home(call, info):
            if (place.id, name) not in call.used:
                sessions.learn(call.context, place, info)
    call.news.clear()
    call.used.clear()


def _home(call: _Call, info: SessionInfo) -> set[Workspace]:
    """Where a session would be of which this call has brought no turn."""
    with call.context.store.read() as connection:
        place = _place(call, connection, info.workspace)
    return {place} if isinstance(place, Workspace) else set()


def _row(
    call: _Call,
    place: Workspace,
    session: Session,
    number: int,
    uid: str,
    seq: int,
    speaker: int,
    one: _Ready,
    now: int,
) -> records.New:
    turn, grant = one.turn, call.context.grant
    info = call.infos.get(turn.session)
    return records.New(
        workspace=place.id,
        id=number,
        uid=uid,
        kind="turn",
        tier="conversations",
        text=turn.text,
        session=session.id,
        seq=seq,
        speaker=speaker,
        event=turn.at,
        recorded_at=now,
        fingerprint=one.fingerprint,
        external_id=turn.id,
        source_type=call.source_type,
        source_ref=turn.source_ref,
        trust=zones.lowered(grant.zone, TRUST[call.source_type]),
        taint=one.taint,
        principal=grant.principal,
        client=(info.client if info else None) or grant.client,
    )
