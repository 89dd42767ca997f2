"""Facts and causes as people see them: arrows, quotes, and what no longer holds."""

from __future__ import annotations

import pytest

from muniment.model.knowing import ClaimSeen, NearAnswer, Quote
from muniment.surfaces.cli import knowledge
from muniment.surfaces.cli.call import Call
from tests.surfaces.cli.calling import Home


def fact(value: str, **more: object) -> ClaimSeen:
    quote = Quote("m_1", 1, 0, 10, f"the port is {value}", "2026-03-12T14:30:00Z")
    return ClaimSeen("q_1", "booking service", "port", value, (quote,), **more)  # type: ignore[arg-type]


def shown(capsys: pytest.CaptureFixture[str], answer: NearAnswer) -> str:
    knowledge._show_near(Call(), "booking", answer)
    return capsys.readouterr().out


def test_each_fact_has_its_arrow_its_time_and_the_words_that_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    facts = (
        fact("8471", qualifier="staging", valid=("2026-06-11", None)),
        fact("8080", valid=("2026-03-12", "2026-06-11"), standing="past"),
        fact("25", negated=True, taint=2),
    )
    text = shown(capsys, NearAnswer("booking service", True, facts, ("booking service", "bookings"), ("harbour",), 3))
    assert "booking service  3 facts  also called bookings" in text
    assert "booking service ─port→ 8471 (staging)  since 2026-06-11\n" in text
    assert "─port→ 8080  since 2026-03-12  until 2026-06-11  no longer\n" in text
    assert "─not port→ 25  taint 2\n" in text
    assert "«the port is 8471» m_1, 2026-03-12" in text
    assert "related: harbour" in text


def test_a_name_that_nobody_knows_is_said_to_be_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, NearAnswer(None, False, ())) == (
        "Nobody here knows the name booking. `muniment recall` searches every text for it.\n"
    )


def test_stored_words_never_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = fact("80\x1b[2J\u202e80")
    assert "\x1b[2J" not in shown(capsys, NearAnswer("a\x1b[2J", True, (evil,), ("b\x1b[2J",), ("c\x1b[2J",), 1))


def test_the_facts_around_a_name_are_listed_as_they_hold_and_as_they_held(home: Home) -> None:
    old = home.answer("remember", "The booking service listens on port 8080.", "--valid-from", "2026-02-01")["ref"]
    home.ok("supersede", old, "The booking service listens on port 8471.", "--at", "2026-03-12")
    now = home.ok("near", "booking service")
    assert "booking service ─port→ 8471" in now
    assert "«The booking service listens on port 8471.»" in now
    assert "8080" not in now
    then = home.ok("near", "booking service", "--as-of", "2026-02-15")
    assert "─port→ 8080" in then
    assert "8471" not in then
    assert home.run("near", "moon").exit_code == 1


def test_causes_are_followed_and_each_step_is_quoted(home: Home) -> None:
    home.ok("remember", "The outage was caused by the port conflict.")
    home.ok("remember", "The port conflict was caused by the proxy.")
    shown = home.ok("why", "outage", "proxy")
    assert shown.index("outage ─caused by→ port conflict") < shown.index("port conflict ─caused by→ proxy")
    assert "«The port conflict was caused by the proxy.»" in shown
    none = home.run("why", "outage", "moon")
    assert none.exit_code == 1
    assert "No path" in none.stdout
    assert home.answer("why", "outage", "moon", code=1)["found"] is False
