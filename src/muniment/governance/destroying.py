"""Destroying: taking away all that `traces` found, so that what stays looks as if the rest had never been there.

The caller holds the workspace and has found the traces in the same transaction. Texts, names and guessable hashes go; numbers
and refs may stay, in the ledger.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePath

from muniment.access import events, profiles
from muniment.context import Context
from muniment.governance import ledger, marks
from muniment.governance.traces import Doomed, Traces
from muniment.index import erasure
from muniment.model.access import Workspace
from muniment.store.connections import Connection

TITLE_TOLD_MIN = 4
NEUTRAL = "forgotten"
FORGOTTEN = "the principal was forgotten"
# From what refers to what is referred to.
EVERYTHING = (
    "proposals_all_drop", "notices_all_drop", "candidates_all_drop", "conflict_steps_all_drop", "conflict_members_all_drop",
    "conflicts_all_drop", "evidence_all_drop", "claims_all_drop", "links_all_drop", "effects_all_drop", "aliases_all_drop",
    "blocks_all_drop", "mentions_drop", "entities_drop", "vectors_all_drop", "codes_all_drop", "spaces_all_drop",
    "postings_drop", "vocabulary_drop", "rosters_drop", "passages_drop", "labels_all_drop", "corroborations_all_drop",
    "versions_all_drop", "records_all_drop", "episodes_drop", "sessions_all_drop", "speakers_all_drop", "jobs_all_drop",
    "sources_all_drop", "marks_all_drop", "workspace_aliases_drop",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is forgotten: its number, and the names that others know it by."""

    number: int
    uid: str
    name: str


def records(connection: Connection, found: Traces, terms: Iterable[str], *, whole: Set[int] = frozenset()) -> None:
    """Take away the records of these traces and all that goes with them. `terms` are all words of their passages.

    `whole` are sessions that were asked for as such: their ids are kept as marks, so that they do not come back.
    """
    workspace = found.workspace
    _mark(connection, found, whole)
    _knowledge(connection, found)
    _ledger(connection, found)
    here: dict[str, object] = {"workspace": workspace}
    connection.many("mention_cut", (here | {"ordinal": ordinal} for ordinal in found.ordinals))
    names(connection, found)
    gone = [one.id for one in found.records]
    for name in ("passages_cut", "labels_cut", "corroborations_cut", "versions_cut", "record_cut"):
        connection.many(name, (here | {"record": record} for record in gone))
    moved = _sessions(connection, found)
    erasure.erase(connection, workspace, found.ordinals, terms, moved)
    speakers(connection, workspace, found.records)
    _sources(connection, found.records)
    connection.run("workspace_forgot", here)


def workspace(context: Context, connection: Connection, place: Workspace, actions: Iterable[int], *, keeps_name: bool) -> None:
    """Empty a workspace. Its row stays, and its ledger without words; `keeps_name`: it is part of every store."""
    here = {"workspace": place.id}
    for _, external in connection.all("workspace_sessions", here):
        marks.keep_session(connection, place.id, external)
    for name in EVERYTHING:
        connection.run(name, here)
    connection.many("action_blank", (here | {"seq": seq} for seq in actions))
    if not keeps_name:
        connection.run("workspace_neutral", here | {"slug": f"{NEUTRAL}-{place.uid}", "name": NEUTRAL})
    connection.run("workspace_forgot", here)


def unsign(connection: Connection, workspace: int, who: Principal, actions: Iterable[int]) -> None:
    """Take a principal's words and name out of what stays in a workspace; `actions` are what it did there."""
    here: dict[str, object] = {"workspace": workspace}
    connection.run("links_unreason", here | {"principal": who.number})
    connection.run("corroborations_of_drop", here | {"principal": who.number})
    for statement in ("applied_unreason", "versions_unreason"):
        connection.run(statement, here | {"decider": who.name})
    for statement in ("conflicts_undecide", "candidates_undecide", "proposals_undecide"):
        connection.run(statement, here | {"decider": who.name, "name": f"{NEUTRAL}-{who.uid}"})
    connection.many("action_blank", (here | {"seq": seq} for seq in actions))
    connection.run("actions_unname", here | {"principal": who.number})


def principal(context: Context, connection: Connection, who: Principal) -> None:
    """End a principal's tokens, grants and logins and replace its name, wherever the store has them."""
    now = context.now()
    connection.run("requests_of_drop", {"principal": who.number})
    tokens, grants = profiles.disarm(connection, who.number, now, FORGOTTEN)
    connection.run("tokens_forget", {"principal": who.number, "now": now})
    connection.run("principal_rename", {"principal": who.number, "name": f"{NEUTRAL}-{who.uid}", "now": now})
    by = events.actor(context)
    events.tokens_ended(connection, by, tokens, now, FORGOTTEN)
    events.grants_ended(connection, by, grants, now, FORGOTTEN)
    events.forget(connection, by, who.number, now)


def _mark(connection: Connection, found: Traces, whole: Set[int]) -> None:
    """A turn is known again by the id that its client gave it; one without an id leaves nothing to know it by."""
    for session in sorted(whole):
        row = connection.one("sessions_whole", {"workspace": found.workspace, "session": session})
        if row is not None:
            marks.keep_session(connection, found.workspace, row[2])
    named = (one for one in found.records if one.kind == "turn" and one.external_id is not None and one.session not in whole)
    marks.keep_turns(connection, found.workspace, (one.fingerprint for one in named))


def _knowledge(connection: Connection, found: Traces) -> None:
    """Claims, links, conflicts and all that waits for a decision about what goes."""
    here: dict[str, object] = {"workspace": found.workspace}
    connection.many("proposal_cut", (here | {"proposal": one.id} for one in found.proposals))
    connection.many("notice_cut", (here | {"notice": notice} for notice in found.notices))
    connection.many("candidate_cut", (here | {"candidate": one.id} for one in found.candidates))
    for name in ("conflict_steps_cut", "conflict_members_cut", "conflict_cut"):
        connection.many(name, (here | {"conflict": one.id} for one in found.conflicts))
    connection.many("evidence_cut", (here | {"record": one.id} for one in found.records))
    connection.many("claim_cut", (here | {"claim": one.id} for one in found.claims))
    connection.many("link_cut", (here | {"link": link} for link in found.links))
    connection.many("heir_cut", (here | {"record": record} for record in found.turned))
    forget_requests(connection, found.requests)


def forget_requests(connection: Connection, requests: Iterable[tuple[int, str]]) -> None:
    connection.many("request_cut", ({"principal": who, "request_id": request} for who, request in requests))


def _ledger(connection: Connection, found: Traces) -> None:
    """What actions set about what goes, and the words and salts of actions that name it."""
    here: dict[str, object] = {"workspace": found.workspace}
    for sort, gone in found.targets.items():
        connection.many("effects_cut", (here | {"sort": sort, "target": target} for target in gone))
    for sort, field in (("record", "superseded_by"), ("entity", "merged_into")):
        values = json.dumps([str(number) for number in found.targets[sort]])
        connection.run("effects_turn", here | {"sort": sort, "field": field, "values": values})
    connection.many("action_blank", (here | {"seq": seq} for seq in found.actions))


def names(connection: Connection, found: Traces) -> None:
    """Names that nobody uses any more go; the others are spelt as the first who still uses them spelt them."""
    here: dict[str, object] = {"workspace": found.workspace}
    connection.many("alias_cut", (here | {"alias": alias} for alias in found.aliases))
    connection.many("block_cut", (here | {"block": block} for block in found.blocks))
    connection.many("entity_unmerge", (here | {"entity": entity} for entity in found.entities))
    connection.many("entity_cut", (here | {"entity": entity} for entity in found.entities))
    for entity in found.renamed:
        row = connection.one("mention_first", here | {"entity": entity})
        if row is not None:
            starts, ends, text = row
            connection.run("entity_called", here | {"entity": entity, "canonical": text[starts:ends]})


def _sessions(connection: Connection, found: Traces) -> dict[int, int]:
    """Drop emptied sessions and close the gaps in the others; answers the new places of the turns that moved."""
    here: dict[str, object] = {"workspace": found.workspace}
    emptied = {one.id for one in found.sessions}
    for session in sorted(emptied):
        row = connection.one("sessions_whole", here | {"session": session})
        if row is not None:
            connection.run("session_orphan", here | {"external_id": row[2]})
        connection.run("episodes_of_drop", here | {"session": session})
        connection.run("session_cut", here | {"session": session})
    moved: dict[int, int] = {}
    by_session: dict[int, list[Doomed]] = {}
    for one in found.records:
        if one.session is not None and one.session not in emptied:
            by_session.setdefault(one.session, []).append(one)
    for session, gone in by_session.items():
        moved |= _close(connection, found.workspace, session, sorted(one.seq or 0 for one in gone))
        connection.run("session_measure", here | {"session": session})
        row = connection.one("sessions_whole", here | {"session": session})
        if row and row[3] and any(_told(row[3], text) for one in gone for text in one.texts):
            connection.run("session_untitle", here | {"session": session})
        erasure.retell(connection, found.workspace, session)
    return moved


def _close(connection: Connection, workspace: int, session: int, gone: Sequence[int]) -> dict[int, int]:
    """Turns after a gap move up, so that places stay dense."""
    here: dict[str, object] = {"workspace": workspace, "session": session}
    places = connection.all("session_places", here)
    seats = {record: seq - bisect_left(gone, seq) for record, seq in places}
    moved = {record: seats[record] for record, seq in places if seats[record] != seq}
    if moved:
        connection.run("session_unseat", here)
        connection.many(
            "record_seat", ({"workspace": workspace, "record": record, "seq": seq} for record, seq in seats.items())
        )
    return moved


def _told(title: str, text: str) -> bool:
    """Whether a title repeats a text: clients take the first words of a conversation for one."""
    short, long = " ".join(title.rstrip(" .…").casefold().split()), " ".join(text.casefold().split())
    return len(short) >= TITLE_TOLD_MIN and (short in long or long in short)


def speakers(connection: Connection, workspace: int, gone: Iterable[Doomed]) -> None:
    for speaker in sorted({one.speaker for one in gone if one.speaker is not None}):
        values = {"workspace": workspace, "speaker": speaker}
        if connection.one("speaker_elsewhere", values) is None:
            connection.run("speaker_cut", values)


def _sources(connection: Connection, gone: Iterable[Doomed]) -> None:
    """The place of a client's file stays only while something else that was read from it is there."""
    files = {one.source_ref.partition("#")[0] for one in gone if one.kind == "turn" and one.source_ref}
    if not files:
        return
    for (path,) in connection.all("sources_held"):
        name = PurePath(path).name
        start = f"{name}#"
        if name in files and connection.one("source_elsewhere", {"start": start, "length": len(start)}) is None:
            connection.run("source_cut", {"path": path})


def receipt(
    context: Context,
    connection: Connection,
    place: int,
    sort: str,
    counts: dict[str, int],
    actions: Iterable[int] = (),
    signed: Iterable[int] = (),
) -> ledger.Entered:
    """The row of the ledger that stays: how much was forgotten, and which actions lost what for it. It holds no word."""
    targets: dict[str, object] = {"sort": sort, "counts": counts, ledger.BLANKED: ledger.ranges(actions)}
    if signed:
        targets[ledger.UNSIGNED] = ledger.ranges(signed)
    return ledger.enter(context, connection, place, "forget", targets=targets)
