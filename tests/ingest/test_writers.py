"""Several writers at once, through the real ways in, on both stores: nothing is kept twice and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muniment.access import folders
from muniment.app import App
from muniment.errors import RequestMismatch, StaleVersion, StoreBusy
from muniment.governance import ledger
from muniment.governance import workspaces as governed
from muniment.index import postings, rosters
from muniment.ingest.remember import remember
from muniment.ingest.turns import Kept, keep
from muniment.model.ids import parse
from muniment.model.times import Moment
from muniment.model.turns import Incoming, IncomingTurn, SessionInfo
from muniment.model.writing import Labels, RememberRequest
from muniment.store import records, sessions, workspaces
from muniment.worker import _Job, _merge

NUL = "\x00"
HALF = "\ud83d"


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Do things at the same moment; answers what each answered or raised."""
    start, outcomes = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int) -> None:
        start.wait()
        try:
            outcomes[place] = works[place]()
        except Exception as fault:
            outcomes[place] = fault

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def place_of(app: App, slug: str = "inbox") -> int:
    with app.store.read() as connection:
        found = workspaces.by_slug(connection, slug)
    assert found is not None
    return found.id


def ingest(app: App, incoming: Sequence[Incoming]) -> Kept:
    *_, kept = keep(app.context(), incoming)
    return kept


def talk(name: str, count: int) -> list[IncomingTurn]:
    return [
        IncomingTurn(
            name, f"Speaker {number % 3}", f"Turn {number} of {name} names Zephyr Pump.", Moment(1_760_000_000_000 + number, 0)
        )
        for number in range(count)
    ]


def test_the_same_turns_from_two_writers_are_kept_once(app: App) -> None:
    outcomes = at_once(*[lambda: ingest(app, talk("one", 120))] * 3)
    assert sorted(kept.added for kept in outcomes) == [0, 0, 120]
    assert sorted(kept.duplicates for kept in outcomes) == [0, 120, 120]
    assert [kept.rejected for kept in outcomes] == [[], [], []]
    with app.store.read() as connection:
        assert connection.all("workspace_counts", {"workspace": place_of(app)}) == [("turn", 120)]
        assert ledger.broken(connection, place_of(app)) is None


def test_writers_of_one_workspace_share_speakers_names_and_sessions(app: App) -> None:
    outcomes = at_once(*[lambda start=start: ingest(app, talk("shared", 60)[start : start + 15]) for start in (0, 15, 30, 45)])
    assert [kept.added for kept in outcomes] == [15] * 4
    place = place_of(app)
    with app.store.read() as connection:
        session = sessions.by_external(connection, place, "shared")
        assert session is not None
        assert session.turns == 60
        turns = records.of_session(connection, place, session.id, 1, 100, 100)
        assert [turn.seq for turn in turns] == list(range(1, 61))
        assert sorted(name for _, name in connection.all("speakers", {"workspace": place})) == [
            "Speaker 0",
            "Speaker 1",
            "Speaker 2",
        ]
        assert ledger.broken(connection, place) is None


def test_the_same_statement_from_two_writers_is_one_memory(app: App) -> None:
    outcomes = at_once(*[lambda: remember(app.context(), RememberRequest(text="The berth fee is 40 euros."))] * 3)
    assert sorted(answer.outcome for answer in outcomes) == ["applied", "duplicate", "duplicate"]
    assert len({answer.ref for answer in outcomes}) == 1


def test_a_request_that_is_sent_twice_at_once_has_one_effect(app: App) -> None:
    outcomes = at_once(*[lambda: remember(app.context(), RememberRequest(text="Paid in cash.", request_id="r1"))] * 3)
    assert sorted(answer.replayed for answer in outcomes) == [False, True, True]
    assert {answer.outcome for answer in outcomes} == {"applied"}


def test_a_request_that_is_sent_to_two_workspaces_at_once_has_one_effect(app: App) -> None:
    for number in range(5):
        request = RememberRequest(text=f"Statement {number}.", request_id=f"r{number}")
        works = [
            lambda slug=slug, request=request: remember(app.context(workspace=slug), request) for slug in ("inbox", "global")
        ]
        outcomes = at_once(*works)
        stored = [one for one in outcomes if not isinstance(one, Exception) and not one.replayed]
        assert len(stored) == 1
        assert all(isinstance(one, StoreBusy) or one.replayed for one in outcomes if one is not stored[0])
    with app.store.read() as connection:
        counts = [
            row[1]
            for slug in ("inbox", "global")
            for row in connection.all("workspace_counts", {"workspace": place_of(app, slug)})
        ]
    assert sum(counts) == 5


def test_the_same_request_id_with_another_payload_is_refused(app: App) -> None:
    remember(app.context(), RememberRequest(text="One.", request_id="r"))
    with pytest.raises(RequestMismatch):
        remember(app.context(), RememberRequest(text="Two.", request_id="r"))


def test_two_edits_of_one_version_end_with_one_edit(app: App) -> None:
    made = remember(app.context(), RememberRequest(text="The gate opens at 6."))
    edits = [
        RememberRequest(op="update", target=made.ref, text=f"The gate opens at {hour}.", expected_version=1)
        for hour in (7, 8, 9)
    ]
    outcomes = at_once(*[lambda edit=edit: remember(app.context(), edit) for edit in edits])
    assert sum(isinstance(one, StaleVersion) for one in outcomes) == 2
    assert [one.version for one in outcomes if not isinstance(one, Exception)] == [2]
    parsed = parse(made.ref)
    assert parsed
    with app.store.read() as connection:
        held = records.by_uid(connection, parsed[1])
        assert held is not None
        assert held.version == 2
        assert len(connection.all("versions", {"workspace": held.workspace, "record": held.id})) == 2


def test_merging_while_others_write_loses_nothing(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rosters, "MERGE_AT", 2)
    monkeypatch.setattr(postings, "MERGE_AT", 2)
    place, job = place_of(app), _Job(0, place_of(app), "merge", 1, 1, 0)

    def write(name: str) -> None:
        for turn in talk(name, 40):
            ingest(app, [turn])

    def merge() -> None:
        for _ in range(40):
            _merge(app.context(), job)

    assert at_once(lambda: write("a"), lambda: write("b"), merge) == [None, None, None]
    with app.store.read() as connection:
        held = connection.all("rosters_from", {"workspace": place, "have": 0})
        assert sum(len(data) for _, _, data in held) == 80 * rosters.ROW.size
        assert [first for first, _, _ in held][1:] == [last + 1 for _, last, _ in held][:-1]
        blocks = connection.all("postings", {"workspace": place, "terms": '["zephyr"]'})
        assert sum(len(data) for _, data in blocks) == 80 * postings.ENTRY_BYTES


def test_folders_of_one_name_get_workspaces_of_their_own_even_at_once(app: App, tmp_path: Path) -> None:
    roots = [tmp_path / owner / "website" for owner in ("ann", "bob")]
    for root in roots:
        (root / ".git").mkdir(parents=True)
    claims = [lambda root=root: governed.claim(app.context(), root) for root in roots * 3]
    found = at_once(*claims)
    assert len(set(found[0::2])) == len(set(found[1::2])) == 1
    assert {found[0], found[1]} == {"website", "website-2"}
    assert [folders.workspace_of(app.store, root) for root in roots] == found[:2]


def test_a_folder_whose_name_is_not_utf8_is_a_project_too(app: App, tmp_path: Path) -> None:
    root = tmp_path / "caf\udce9"
    (root / ".git").mkdir(parents=True)
    made = governed.claim(app.context(), root)
    assert made == folders.workspace_of(app.store, root) == "caf"


def test_what_no_store_can_keep_is_taken_out_of_every_text(app: App) -> None:
    foul = f"a{NUL}b{HALF}"
    info = SessionInfo(f"s{NUL}", client=foul, title=foul, cwd=foul, parent=foul)
    turn = IncomingTurn(f"s{NUL}", f"Ann{NUL}", f"hello{NUL} world{HALF}", id=foul, source_ref=foul)
    context = replace(app.context(), grant=app.grant("admin", client=foul))
    *_, kept = keep(context, [info, turn, replace(turn, id=None), replace(turn, text=NUL, line=9)])
    assert (kept.added, [one.line for one in kept.rejected]) == (2, [9])
    request = RememberRequest(
        text=f"{foul} is kept",
        subject=foul,
        labels=Labels((foul,), (foul,), (foul,)),
        why=foul,
        source_ref=foul,
        request_id=foul,
    )
    answer = remember(context, request)
    assert remember(context, request).replayed
    place, parsed = place_of(app), parse(answer.ref)
    assert parsed
    with app.store.read() as connection:
        session = sessions.by_external(connection, place, "s")
        assert session is not None
        assert (session.title, session.client, session.cwd) == ("ab?",) * 3
        first = records.of_session(connection, place, session.id, 1, 1, 1)[0]
        assert (first.text, first.speaker, first.source_ref) == ("hello world?", "Ann", "ab?")
        memory = records.by_uid(connection, parsed[1])
        assert memory is not None
        assert (memory.text, memory.subject, memory.source_ref, memory.client) == ("ab? is kept", "ab?", "ab?", "ab?")
        assert {label.value for label in records.labels(connection, place, memory.id)} == {"ab?"}
        assert ledger.broken(connection, place) is None
