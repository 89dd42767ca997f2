"""What `review` finds as people see it: refs that can be copied, marks in words, and no text that steers the terminal."""

from __future__ import annotations

import re

import pytest

from muniment.model.knowing import Quote
from muniment.model.reviewing import (
    ActionSeen,
    ConflictSeen,
    MemberSeen,
    ProposalSeen,
    RecordSeen,
    ReviewAnswer,
    StepSeen,
    VersionSeen,
)
from muniment.surfaces.cli import listing

LONG = "The booking service listens on port 8080 and keeps its bookings in PostgreSQL, on the machine under the stairs. " * 3


def member(value: str, number: int, **more: str) -> MemberSeen:
    quote = Quote(f"m_{number}", 1, 0, 10, f"the port is {value}", "2026-03-12T14:30:00+01:00")
    return MemberSeen(f"m_{number}", 1, value, quote, "active", **more)


CONFLICT = ConflictSeen(
    "c_1",
    "applying",
    3,
    "booking service",
    "port",
    "staging",
    ("8080", "8471"),
    members=(member("8080", 1), member("8471", 2, protection="locked")),
    chosen="8471",
    decider="local",
    reason="the runbook is newer",
    plan=(StepSeen(1, "m_1", "append_superseded_context", "done", 1, 2),),
    earlier_plans=((StepSeen(1, "m_1", "update_current_claim", "failed", 1, error="stale_version"),),),
)


def test_a_table_in_a_pipe_breaks_no_cell_and_keeps_every_ref(capsys: pytest.CaptureFixture[str]) -> None:
    ref = "m_01m8nyq2jqf179dc19h14v7nzq"
    listing.records([RecordSeen(ref, "fact", "superseded", 1, LONG, superseded_by=f"{ref[:-1]}r")])
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["record", "state", "replaced", "by", "text"]
    assert row.startswith(f"{ref}  superseded  {ref[:-1]}r  The booking service")
    assert row.endswith("…")


@pytest.mark.parametrize(("columns", "when"), [("80", "2026-03-12 "), ("120", "2026-03-12 14:30 UTC")])
def test_no_day_is_cut_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str, when: str
) -> None:
    ref, at = "a_01m8nyq2jqf179dc19h14v7nzq", "2026-03-12T14:30:00+00:00"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", columns)
    listing.actions([ActionSeen(ref, "supersede", at, "local", {}, client="codex", reason="umgezogen", undoable=False)])
    rows = [re.sub("\x1b\\[[0-9;]*m", "", row) for row in capsys.readouterr().out.splitlines()]
    assert rows[1].startswith(f"{ref}  {when}")
    assert "14:30 UTC" in rows[1] + rows[-1]
    assert all(len(row) <= int(columns) for row in rows)
    assert "umgezogen" in rows[1]
    assert "…" not in "".join(rows)


def test_a_conflict_is_told_with_its_words_its_decision_and_every_plan(capsys: pytest.CaptureFixture[str]) -> None:
    listing.conflict(CONFLICT)
    shown = capsys.readouterr().out
    assert "booking service: port (staging)" in shown
    assert "c_1 · applying · revision 3" in shown
    assert "«the port is 8080»" in shown
    assert "8471 ✓" in shown
    assert "8080 ✓" not in shown
    assert "m_2, version 1, 2026-03-12 14:30 +01:00, locked" in shown
    assert "Decided by local for 8471: the runbook is newer" in shown
    assert shown.index("Plan") < shown.index("append_superseded_context") < shown.index("Earlier plan 1")
    assert "stale_version" in shown


def test_what_is_stored_never_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "a\x1b[2Jb\u202ec\nd"
    quote = Quote("m_1", 1, 0, 1, evil)
    members = (MemberSeen("m_1", 1, evil, quote, "active"),)
    listing.conflict(ConflictSeen("c_1", "open", 1, evil, evil, evil, (evil,), members, chosen=evil, reason=evil))
    listing.conflicts([ConflictSeen("c_1", "open", 1, evil, evil, None, (evil,))])
    proposed = ProposalSeen("p_1", "queued", "add_fact", evil, evil, "2026-03-12", 2, reason=evil, decider=evil)
    record = RecordSeen("m_1", "fact", "active", 1, evil)
    listing.proposal(ReviewAnswer("proposal", "inbox", proposal=proposed, record=record, diff=f"-{evil}", sources=(record,)))
    listing.versions([VersionSeen(1, evil, "2026-03-12", evil, True, reason=evil, subject=evil, labels=(evil,))])
    listing.difference(f"-{evil}\n+{evil}")
    listing.records([RecordSeen("m_1", "fact", "archived", 1, evil)])
    listing.lineage(ReviewAnswer("lineage", "inbox", record=RecordSeen("m_1", "fact", "active", 1, evil)))
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown


def test_versions_say_which_is_in_force_and_why_each_came(capsys: pytest.CaptureFixture[str]) -> None:
    listing.versions(
        [
            VersionSeen(1, "Port 8080.", "2026-03-12T14:30:00Z", "local", False),
            VersionSeen(2, "Port 8471.", "2026-06-11T09:00:00Z", "local", True, reason="moved", labels=("ports",)),
        ]
    )
    shown = capsys.readouterr().out
    assert "version 1 · 2026-03-12 14:30 UTC · local\nPort 8080." in shown
    assert "version 2 (in force) · 2026-06-11 09:00 UTC · local · moved\nports\nPort 8471." in shown


def test_an_action_says_whether_it_was_or_can_be_undone(capsys: pytest.CaptureFixture[str]) -> None:
    at = "2026-03-12T14:30:00Z"
    listing.actions(
        [
            ActionSeen("a_1", "forget", at, "local", {}),
            ActionSeen("a_2", "update", at, "local", {}, reason="moved", undone=True),
            ActionSeen("a_3", "update", at, "local", {}, run="tidy", undoable=True),
        ]
    )
    rows = capsys.readouterr().out.splitlines()[1:]
    assert "final" in rows[0]
    assert rows[1].split()[-2:] == ["undone", "moved"]
    assert rows[2].endswith("run tidy")
    assert "final" not in rows[2]


def test_lineage_is_a_tree_with_what_is_tainted_marked(capsys: pytest.CaptureFixture[str]) -> None:
    one = RecordSeen("m_1", "fact", "active", 1, "Port 6666.", taint=2)
    two = RecordSeen("m_2", "procedure", "archived", 1, "Open 6666 in the firewall.", taint=2)
    listing.lineage(ReviewAnswer("lineage", "inbox", record=one, derived=(two,)))
    shown = capsys.readouterr().out
    assert shown.splitlines()[0] == "m_1  fact, active, taint 2  Port 6666."
    assert "└── m_2  procedure, archived, taint 2  Open 6666" in shown
    listing.lineage(ReviewAnswer("lineage", "inbox", record=one))
    assert "nothing was derived from it" in capsys.readouterr().out


def test_the_queue_counts_what_waits(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = ProposalSeen("p_1", "quarantined", "add_fact", "Port 6666.", "visitor", "2026-03-12", 2)
    answer = ReviewAnswer("queue", "inbox", proposals=(waiting,), conflicts=(CONFLICT,))
    assert listing.waiting(answer) == 2
    shown = capsys.readouterr().out
    assert "1 proposal\n" in shown
    assert "p_1       quarantined  add_fact  visitor  2      Port 6666." in shown
    assert "1 conflict\n" in shown


def test_counts_are_of_one_or_of_many(capsys: pytest.CaptureFixture[str]) -> None:
    listing.counts({"records": 1, "conflicts_open": 12, "archived": 2, "passage": 3})
    assert capsys.readouterr().out.splitlines() == [" 1 record", "12 conflicts open", " 2 records archived", " 3 passages"]
    listing.counts({"archived": 1, "derived": 1})
    assert capsys.readouterr().out.splitlines() == ["1 record archived", "1 of them derived from it"]


def test_a_scan_tells_only_what_came_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = {"opened": 0, "joined": 0, "candidates": 0, "closed": 0, "records": 5, "pairs": 1, "complete": 1}
    listing.scanned(nothing)
    assert capsys.readouterr().out.splitlines() == ["5 records looked at, 1 pair compared.", "No new conflict was found."]
    listing.scanned(nothing | {"opened": 1, "closed": 2, "complete": 0})
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1 conflict opened, 2 conflicts closed.",
        "It did not come to the end: another scan goes on.",
    ]
