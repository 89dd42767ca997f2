"""What outdates what, and above all what does not. The battery in evals/ holds the whole of it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from muniment.evaluation.world import world
from muniment.model.stated import READ_MAX, Told, Update
from muniment.text.statements.updates import replaces, told
from tests.places import ROOT

DAY_MS = 86_400_000
# Cases whose older text needs more than the words of two texts to be found; recall has to bear that they stand unmarked.
BEYOND = {"h-deadline-no"}


def update(older: str, newer: str, *, before: str | None = None, speakers: tuple[str, str] = ("user", "user")) -> Update | None:
    return replaces(told(newer, speaker=speakers[1], at=3 * DAY_MS, before=before), told(older, speaker=speakers[0], at=0))


def test_an_update_says_which_words_outdate_which() -> None:
    older, newer = "Hi. The API port of staging is 8080.", "The staging API listens on port 8081 now."
    found = update(older, newer)
    assert found is not None
    assert older[slice(*found.older)] == "The API port of staging is 8080."
    assert newer[slice(*found.newer)] == newer
    assert (found.old, found.new, found.why) == ("8080", "8081", "change")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Berlin.", "I now live in Lisbon."),
        ("We use Postgres.", "We moved from Postgres to MySQL."),
        ("We use Slack.", "We switched to Discord last month."),
        ("We support XML.", "We no longer support XML."),
        ("The importer supports XLSX files.", "The importer does not support XLSX files."),
        ("The gateway timeout is 30 seconds.", "The gateway timeout is 1.5 minutes now."),
        ("The CEO is Hanna Berg.", "Peter Stahl is the new CEO."),
        ("The summer party is on July 11.", "The summer party is cancelled."),
        ("I'm vegetarian.", "I'm vegan now."),
        ("Unser Anbieter ist Telekom.", "Unser Anbieter ist jetzt Vodafone."),
        ("端口是8080。", "端口改成8081了。"),
        ("Anna owns the bakery.", "Ben owns the bakery now."),
        ("The shop is owned by Anna.", "Ben owns the shop now."),
        ("The owner of Mosaic is Greta.", "Mosaic has a new owner: Lena."),
        ("The owner of Mosaic is Greta.", "From today Lena owns Mosaic, not Greta."),
        ("Greta owns Mosaic.", "Lena takes over Mosaic from Greta."),
        ("Anna is in charge of billing.", "Ben is in charge of billing from now on."),
        ("Anna ist für die Abrechnung zuständig.", "Ben ist jetzt für die Abrechnung zuständig."),
        ("Marek works as an architect.", "Marek is now a data engineer."),
        ("Quarry is due on 21 April.", "They pushed Quarry to 12 May."),
        ("Quarry is due on 21 April.", "Quarry slipped, it is now due on 12 May."),
        ("My son goes to the Waldorf school.", "My son changed schools, he goes to the Montessori school now."),
        ("Haruto lives in Lyon.", "Haruto moved from Lyon and lives in Bilbao."),
        ("Summit runs on Cassandra.", "Summit switched its database to CockroachDB."),
        ("The database of Atlas is MySQL.", "Atlas uses Postgres as its database now."),
        ("We wrote the gateway in Elixir.", "The gateway was rewritten in Go."),
        ("The budget of Orchid is 25k.", "Finance changed the budget of Orchid to 110k."),
        ("FYI: The deadline of Atlas is 21 October.", "Also, the deadline of Atlas is 12 May now."),
        ("Guests may park in the courtyard.", "Guests may not park in the courtyard."),
    ],
)
def test_the_same_slot_with_another_value_is_outdated(older: str, newer: str) -> None:
    assert update(older, newer) is not None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The API port of staging is 8080.", "The API port of production is 8443."),
        ("The price for adults is 12 euros.", "The price for children is 6 euros."),
        ("The VAT rate in Germany is 19%.", "The reduced VAT rate in Germany is 7%."),
        ("The travel budget for 2025 is 12000 euros.", "The travel budget for 2026 is 9000 euros."),
        ("Room 3 has 2 beds.", "Room 4 has 3 beds."),
        ("Hall A has 200 seats.", "Hall B has 350 seats."),
        ("I like pizza.", "I like sushi."),
        ("The limit is 100.", "Should we raise the limit to 200?"),
        ("The limit is 100.", "If the limit is 200 the tests fail."),
        ("The limit is 100.", "The limit was 50 in 2020."),
        ("I ran 5 km today.", "I ran 8 km today."),
        ("I have a meeting at 10.", "I have a meeting at 14:00."),
        ("The meeting is at 10 on Monday.", "The meeting is at 11 on Tuesday."),
        ("We use Jira.", "Their team moved from Jira to Linear."),
        ("The kitchen is small.", "The kitchen is bright."),
        ("She works at Google.", "She works at Meta."),
        ("The warm-up takes 90 minutes.", "The warm-up takes 1.5 hours."),
        ("大人票30元。", "儿童票15元。"),
        ("Die Halle A hat 200 Plätze.", "Die Halle B hat 350 Plätze."),
        ("The query planner listens on port 8080.", "The port of the audit trail changed from 8080 to 8443."),
        ("Borealis uses ClickHouse as its database.", "Fjord moved its database from ClickHouse to DuckDB."),
        ("Anna owns a dog.", "Ben owns a dog now."),
        ("Anna owns the bakery.", "Anna owns the cafe now."),
        ("Anna is responsible for the shop.", "Ben owns the shop."),
        ("Anna is responsible for cleaning.", "Ben is responsible for cleaning."),
        ("Marek is a teacher.", "Marek is a musician."),
        ("Harvest slipped, it is due on 3 May.", "Falcon slipped, it is now due on 12 May."),
        ("My son goes to the Waldorf school.", "My daughter changed schools, she goes to the Montessori school now."),
        ("We met Tom, he lives in Riga.", "We met Ben, he lives in Graz now."),
        ("They pushed Falcon to 3 May.", "They moved the Falcon demo to 9 May."),
        ("The deadline of Atlas is 21 June.", "The launch of Atlas moved to 30 June."),
        ("Summit uses Postgres as its database.", "Summit uses Redis as its cache now."),
        ("The gateway is in Go.", "The gateway is in Berlin."),
        ("Mosaic has a new member: Lena.", "Mosaic has a new member: Tom."),
        ("Guests may park in the courtyard.", "Staff may not park in the courtyard."),
        ("I may come on Sunday.", "I may not come on Sunday."),
    ],
)
def test_nothing_else_is(older: str, newer: str) -> None:
    assert update(older, newer) is None
    assert update(newer, older) is None


def test_two_people_do_not_outdate_each_other() -> None:
    said = "My phone number is 555-0142.", "My phone number is 555-0199."
    assert update(*said, speakers=("Anna", "Ben")) is None
    assert update(*said, speakers=("Anna", "Anna")) is not None
    assert update("Anna lives in Ghent.", "I live in Utrecht now.", speakers=("Ben", "Anna")) is not None


def test_a_short_correction_means_what_the_turn_before_it_says() -> None:
    older = "The staging service listens on port 8080."
    assert update(older, "No, sorry, the port is 8081.", before=older) is not None
    assert update(older, "Actually it's Tuesday.", before=older) is None
    assert update(older, "No, it's 8081.", before="Dinner is at 8.") is None


def test_what_was_said_earlier_outdates_nothing() -> None:
    newer, older = told("The port is 8081 now.", at=0), told("The port is 8080.", at=DAY_MS)
    assert replaces(newer, older) is None


def test_memories_kept_under_different_subjects_are_apart() -> None:
    one, other = told("The port is 8080.", subject="billing"), told("The port is 8081.", subject="search")
    assert replaces(other, one) is None
    assert replaces(told("The port is 8081.", subject="billing port"), one) is not None


def test_only_the_beginning_of_a_text_is_read() -> None:
    older, said, filler = "The port of Atlas is 8080.", "The port of Atlas is 8081 now.", "Hm. " * READ_MAX
    assert update(older, filler[: READ_MAX // 8 * 4] + said) is not None
    assert update(older, filler[:READ_MAX] + said) is None
    assert len(told(filler).text) == READ_MAX


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "evals" / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return found


def pairs(case: dict[str, Any]) -> set[str]:
    """The items of a case that a later one outdates."""
    said: list[tuple[str, Told]] = []
    before: dict[str, str] = {}
    for item in case["items"]:
        session = item.get("session")
        at = int(datetime.fromisoformat(item["time"] + "+00:00").timestamp() * 1000)
        one = told(item["text"], speaker=item.get("speaker"), subject=item.get("subject"), at=at, before=before.get(session))
        said.append((item["id"], one))
        if session:
            before[session] = item["text"]
    return {
        older
        for place, (older, one) in enumerate(said)
        if any(replaces(other, one) is not None for _, other in said[place + 1 :])
    }


@pytest.mark.parametrize("case", cases("corrections"), ids=lambda case: str(case["id"]))
def test_the_battery_is_read_pair_by_pair(case: dict[str, Any]) -> None:
    found = pairs(case)
    assert found <= {*case["older"], *case.get("either", ())}
    assert case["id"] in BEYOND or found >= set(case["older"])


@pytest.mark.parametrize("case", cases("corrections-held"), ids=lambda case: str(case["id"]))
def test_nothing_unrelated_is_outdated_in_the_cases_held_back(case: dict[str, Any]) -> None:
    assert pairs(case) <= {*case["older"], *case.get("either", ())}


def test_in_a_made_up_world_a_fact_is_outdated_by_a_later_value_of_its_own_alone() -> None:
    made = world("ledgers", 7, 40)
    asked = [(set(one["gold"]), set(one.get("stale", ()))) for one in made["queries"] if one["category"] in ("current", "fact")]
    read = [(one["id"], told(one["text"], speaker=one["speaker"])) for one in made["items"]]
    said = [(name, one) for name, one in read if one.stated]
    found = [(old, new) for at, (new, later) in enumerate(said) for old, one in said[:at] if replaces(later, one)]
    for old, new in found:
        assert any(old in stale and new in gold | stale for gold, stale in asked), (dict(read)[old].text, dict(read)[new].text)
    stale = set().union(*(one for _, one in asked))
    assert len({old for old, _ in found}) >= 0.8 * len(stale)
