"""Proposing and deciding at the command line: nothing changes before somebody says yes, and what was refused stays refused."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.cli.calling import Home

TEXT = "The crane is inspected every May."


def proposed(home: Home, *words: str) -> str:
    return str(home.answer("propose", TEXT, *words)["proposal_id"])


def test_a_proposal_waits_is_shown_and_becomes_a_memory_when_it_is_approved(home: Home) -> None:
    ref = proposed(home, "--kind", "procedure", "--quote", "Inspection: May")
    assert home.run("recall", "When is the crane inspected?").exit_code == 1
    assert ref in home.ok("proposals", "list")
    shown = home.ok("proposals", "show", ref)
    assert TEXT in shown
    assert "procedure" in shown
    assert "Inspection: May" in shown
    home.ok("proposals", "approve", ref, "--why", "seen on the plate", "--yes")
    assert TEXT in home.ok("recall", "When is the crane inspected?")
    assert home.answer("proposals", "show", ref)["proposal"]["state"] == "applied"
    assert home.run("proposals", "list").exit_code == 0
    assert [one["ref"] for one in home.answer("proposals", "list", "--state", "applied")["proposals"]] == [ref]


def test_a_rejected_proposal_is_kept_and_not_made_again(home: Home) -> None:
    ref = proposed(home)
    home.ok("proposals", "reject", ref, "--why", "no source", "--yes")
    assert home.answer("proposals", "show", ref)["proposal"]["state"] == "rejected"
    again = home.answer("propose", TEXT)
    assert again["status"] == "rejected"
    assert home.run("recall", "When is the crane inspected?").exit_code == 1


def test_what_is_not_believed_is_quarantined(home: Home) -> None:
    answer = home.answer("propose", TEXT, "--quote", "May", "--untrusted")
    assert answer["status"] == "quarantined"
    assert answer["taint"] >= 2
    assert "Quarantined" in home.ok("propose", "The quay is dry.", "--quote", "dry", "--untrusted")


def test_the_same_request_changes_nothing(home: Home) -> None:
    first, again = (home.answer("propose", TEXT, "--request-id", "crane-1") for _ in range(2))
    assert again["proposal_id"] == first["proposal_id"]
    assert again["replayed"] is True
    other = home.run("propose", "The quay is dry.", "--request-id", "crane-1", "--json")
    assert other.exit_code == 2
    assert json.loads(other.stderr)["error"]["code"] == "request_mismatch"


@pytest.mark.parametrize("ref", ["p_none", "p_01m8nyq2jqf179dc19h14v7nzq"])
def test_a_proposal_that_is_not_there_is_said_to_be_none(home: Home, ref: str) -> None:
    home.ok("init")
    assert home.run("proposals", "show", ref).exit_code == 1


def test_what_was_rejected_before_is_said_to_be_with_its_reason(home: Home) -> None:
    ref = home.answer("propose", "The crane is inspected every May.")["proposal_id"]
    home.ok("proposals", "reject", ref, "--why", "no source", "--yes")
    again = home.run("propose", "The crane is inspected every May.")
    assert again.stdout.startswith("Rejected before: p_")
    assert f"refused before ({ref}): no source" in again.stderr


def test_an_approval_that_cannot_be_applied_is_no_success(home: Home) -> None:
    kept = home.answer("remember", TEXT)["ref"]
    home.ok("remember", "--archive", kept)
    ref = proposed(home)
    said = home.run("proposals", "approve", ref, "--why", "seen on the plate", "--yes")
    assert said.exit_code == 2
    assert f"{ref} was approved, but cannot be applied, and so is rejected" in said.stderr
    assert "Done" not in said.stdout
    assert home.answer("proposals", "show", ref)["proposal"]["state"] == "rejected"
