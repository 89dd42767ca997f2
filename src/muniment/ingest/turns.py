"""Keeping turns: one batch is one transaction, and only what is new is added.

A turn is new when its id (or, without one, its session, speaker, time, text and occurrence) was never stored in the
workspace. The same id with another text is reported, never merged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from muniment.access import policy
from muniment.context import Context
from muniment.governance import ledger
from muniment.index import episodes, write
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.records import TRUST, Session
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.model.writing import TEXT_LENGTH_MAX
from muniment.store import records, sessions, workspaces
from muniment.store.connections import Connection
from muniment.text import fence, plain, redact, spans

BATCH = 1000
REFS_MAX = 100
SESSION_ID_MAX = 500
SPEAKER_MAX = 500


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

    `workspace` is where turns go that name none. Raises what `policy.target` raises, before anything of that batch is stored.
    """
    kept = kept or Kept()
    seen: dict[int, int] = {}
    infos: dict[str, SessionInfo] = {}
    batch: list[IncomingTurn] = []
    for one in map(plain.clean_all, incoming):
        match one:
            case Rejected():
                kept.rejected.append(one)
            case SessionInfo():
                infos[one.external_id] = one
            case IncomingTurn():
                batch.append(one)
        if len(batch) >= BATCH:
            _keep_batch(context, batch, infos, seen, kept, workspace, source_type, dry_run)
            batch = []
            yield kept
    _keep_batch(context, batch, infos, seen, kept, workspace, source_type, dry_run)
    yield kept


def _keep_batch(
    context: Context,
    batch: list[IncomingTurn],
    infos: dict[str, SessionInfo],
    seen: dict[int, int],
    kept: Kept,
    workspace: str | None,
    source_type: str,
    dry_run: bool,
) -> None:
    groups: dict[str | None, list[IncomingTurn]] = {}
    for turn in batch:
        groups.setdefault(turn.workspace or workspace, []).append(turn)
    for name, turns in groups.items():
        with context.store.read() as connection:
            place = policy.target(context, connection, name)
        clean = [ready for turn in turns if (ready := _clean(context, turn, kept))]
        marked = [(turn, _fingerprint(turn, seen)) for turn in clean]
        new = _analyse_new(context, place, marked, kept)
        if new and not dry_run:
            with context.store.write() as connection:
                _store(context, connection, place, new, infos, kept, source_type)
        elif new:
            kept.added += len(new)
        kept.workspaces.add(place.slug)
        kept.sessions.update((place.slug, turn.session) for turn in clean)


def _clean(context: Context, turn: IncomingTurn, kept: Kept) -> IncomingTurn | None:
    """The turn as it may be stored, or None when there is nothing to store; says why."""
    text = fence.strip(turn.text).strip()
    why = ""
    if not text:
        why = "the text is empty" if not turn.text.strip() else "the text was recalled from memory"
    elif len(text) > TEXT_LENGTH_MAX:
        why = f"the text is longer than {TEXT_LENGTH_MAX:,} characters"
    elif not turn.session.strip() or len(turn.session) > SESSION_ID_MAX:
        why = f"the session id is empty or longer than {SESSION_ID_MAX} characters"
    elif not turn.speaker.strip() or len(turn.speaker) > SPEAKER_MAX:
        why = f"the speaker is empty or longer than {SPEAKER_MAX} characters"
    if why:
        kept.rejected.append(Rejected(turn.line, why))
        return None
    if context.redact:
        text, masked = redact.mask(text)
        kept.masked += masked
    return turn if text is turn.text else replace(turn, text=text)


def _fingerprint(turn: IncomingTurn, seen: dict[int, int]) -> str:
    if turn.id is not None:
        name = ("id", "", turn.id) if turn.id_is_global else ("id", turn.session, turn.id)
        return _digest("\x1f".join(name))
    said = "\x1f".join(("turn", turn.session, turn.speaker, str(turn.at.ms) if turn.at else "", turn.text))
    mark = hash(said)
    count = seen[mark] = seen.get(mark, 0) + 1
    return _digest(said if count == 1 else f"{said}\x1f{count}")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _analyse_new(context: Context, place: Workspace, marked: list[tuple[IncomingTurn, str]], kept: Kept) -> list[_Ready]:
    """Leave out what is stored already, and read what is new: outside any write, so that nobody waits for it."""
    with context.store.read() as connection:
        new = _new(connection, place, marked, kept)
    return [_Ready(turn, fingerprint, write.analyse(turn.text, "turn")) for turn, fingerprint in new]


def _new(
    connection: Connection, place: Workspace, marked: list[tuple[IncomingTurn, str]], kept: Kept
) -> list[tuple[IncomingTurn, str]]:
    known = records.known(connection, place.id, (fingerprint for _, fingerprint in marked))
    texts = {fingerprint: (one.speaker, one.text) for fingerprint, one in known.items()}
    new = []
    for turn, fingerprint in marked:
        held = texts.get(fingerprint)
        if held is None:
            texts[fingerprint] = (turn.speaker, turn.text)
            new.append((turn, fingerprint))
        elif held == (turn.speaker, turn.text):
            kept.duplicates += 1
        else:
            kept.rejected.append(Rejected(turn.line, f"the id {turn.id!r} was stored before with another text"))
    return new


def _store(
    context: Context,
    connection: Connection,
    place: Workspace,
    ready: list[_Ready],
    infos: dict[str, SessionInfo],
    kept: Kept,
    source_type: str,
) -> None:
    workspaces.hold(connection, place.id)
    marks = {one.fingerprint: one for one in ready}
    fresh = _new(connection, place, [(one.turn, one.fingerprint) for one in ready], kept)
    ready = [marks[fingerprint] for _, fingerprint in fresh]
    if not ready:
        return
    now = context.now()
    last = workspaces.take(connection, place.id, records=len(ready)).records
    numbers = range(last - len(ready) + 1, last + 1)
    uids = context.uids(len(ready))
    speakers = _speakers(connection, place.id, {one.turn.speaker for one in ready})
    held = {
        name: _session(context, connection, place, name, infos.get(name))
        for name in dict.fromkeys(o.turn.session for o in ready)
    }
    places = {name: session.turns for name, session in held.items()}
    rows, entering = [], []
    said: dict[str, list[episodes.Said]] = {name: [] for name in held}
    for number, uid, one in zip(numbers, uids, ready, strict=True):
        turn, session = one.turn, held[one.turn.session]
        places[turn.session] += 1
        seq = places[turn.session]
        rows.append(_row(context, place, session, number, uid, seq, speakers[turn.speaker], one, now, source_type, infos))
        at = turn.at.ms if turn.at else None
        entering.append(
            write.Entering(number, 1, "turn", "conversations", session.id, seq, speakers[turn.speaker], at, now, one.analysed)
        )
        said[turn.session].append(episodes.Said(seq, at, _names(one.analysed)))
    connection.many("record_add", rows)
    first, final = write.enter(connection, place.id, entering)
    for name, session in held.items():
        times = [one.at for one in said[name] if one.at is not None]
        span = {"first_at": min(times, default=None), "last_at": max(times, default=None)}
        connection.run("session_grow", {"workspace": place.id, "id": session.id, "turns": places[name]} | span)
        episodes.append(connection, place.id, session.id, said[name])
    write.follow_up(connection, place.id, first, final, now)
    digest = ledger.content_hash(f"{uid}{one.fingerprint}" for uid, one in zip(uids, ready, strict=True))
    ledger.enter(context, connection, place.id, "ingest", targets={"first": uids[0], "count": len(uids)}, after=digest)
    kept.added += len(ready)
    kept.refs += [ids.ref("turn", uid) for uid in uids[: REFS_MAX - len(kept.refs)]]


def _row(
    context: Context,
    place: Workspace,
    session: Session,
    number: int,
    uid: str,
    seq: int,
    speaker: int,
    one: _Ready,
    now: int,
    source_type: str,
    infos: dict[str, SessionInfo],
) -> dict[str, object]:
    turn = one.turn
    info = infos.get(turn.session)
    return {
        "workspace": place.id,
        "id": number,
        "uid": uid,
        "kind": "turn",
        "tier": "conversations",
        "subject": None,
        "text": turn.text,
        "session": session.id,
        "seq": seq,
        "speaker": speaker,
        "event_at": turn.at.ms if turn.at else None,
        "event_zone": turn.at.zone if turn.at else None,
        "recorded_at": now,
        "fingerprint": one.fingerprint,
        "external_id": turn.id,
        "source_type": source_type,
        "source_ref": turn.source_ref,
        "url": None,
        "origin": "own",
        "trust": TRUST[source_type],
        "taint": 0,
        "principal": context.grant.principal,
        "client": info.client if info else context.grant.client,
    }


def _names(analysed: write.Analysed) -> frozenset[str]:
    return frozenset(
        spans.norm(span.surface) for passage in analysed.passages for span in passage.spans if span.sort in write.ENTITY_SORTS
    )


def _speakers(connection: Connection, workspace: int, names: set[str]) -> dict[str, int]:
    """The numbers of speakers, giving new ones to new names."""
    known = {name: number for number, name in connection.all("speakers", {"workspace": workspace})}
    new = sorted(names - known.keys())
    if new:
        last = workspaces.take(connection, workspace, speakers=len(new)).speakers
        for number, name in enumerate(new, last - len(new) + 1):
            connection.run("speaker_add", {"workspace": workspace, "id": number, "name": name})
            known[name] = number
    return known


def _session(context: Context, connection: Connection, place: Workspace, name: str, info: SessionInfo | None) -> Session:
    held = sessions.by_external(connection, place.id, name)
    learnt = {
        "title": info.title if info else None,
        "client": (info.client if info else None) or context.grant.client,
        "cwd": info.cwd if info else None,
        "parent": info.parent if info else None,
    }
    if held is not None:
        if info:
            connection.run("session_learn", {"workspace": place.id, "id": held.id} | learnt)
        return held
    number = workspaces.take(connection, place.id, sessions=1).sessions
    values = {"workspace": place.id, "id": number, "uid": context.uid(), "external_id": name, "now": context.now()}
    connection.run("session_add", values | learnt)
    made = sessions.by_external(connection, place.id, name)
    assert made is not None, "it was inserted one statement ago"
    return made
