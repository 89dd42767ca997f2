"""Who says something counts: what nobody vouches for stands behind its trusted equal, however new it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.ingest.remember import remember
from muniment.model.access import Zone
from muniment.model.writing import RememberRequest
from tests.makers import DAY, Memory


def keep_from(memory: Memory, zone: Zone, text: str) -> None:
    context = memory.context
    remember(replace(context, grant=replace(context.grant, zone=zone)), RememberRequest(text=text))


@pytest.mark.parametrize(("zone", "first"), [("trusted", "8081"), ("untrusted", "8080")])
def test_a_newer_statement_comes_first_only_where_somebody_vouches_for_it(memory: Memory, zone: Zone, first: str) -> None:
    memory.keep("The booking API listens on port 8080.")
    memory.clock.move(DAY)
    keep_from(memory, zone, "The booking API listens on port 8081.")
    answer = memory.ask("Which port does the booking API listen on?")
    assert first in answer.results[0].text
    assert {one.taint for one in answer.results} == ({0, 2} if zone == "untrusted" else {0})


def test_what_nobody_vouches_for_is_still_found(memory: Memory) -> None:
    keep_from(memory, "untrusted", "The harbour master is called Torben.")
    (only,) = memory.ask("What is the harbour master called?").results
    assert only.taint == 2


def test_what_a_person_confirmed_gives_way_only_to_what_is_no_more_tainted(memory: Memory) -> None:
    person = replace(memory.context, door="cli")
    remember(person, RememberRequest(text="The port of the staging API is 8080."))
    memory.clock.move(DAY)
    keep_from(memory, "shared", "The port of the staging API is 6667.")
    first, second = memory.ask("What is the port of the staging API?").results
    assert ("8080" in first.text, first.standing, second.standing) == (True, None, None)
    memory.clock.move(DAY)
    memory.say("standup", "Lin: The port of the staging API is 9000 now.", time="2026-03-01")
    answer = memory.ask("What is the port of the staging API?").results
    assert "9000" in answer[0].text
    assert {one.standing for one in answer[1:]} == {"outdated"}
