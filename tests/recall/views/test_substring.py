"""Pieces of words: what a question writes as a part of a longer word is found by it."""

from __future__ import annotations

import pytest

from muniment.model.recalling import Filter
from tests.makers import Memory


@pytest.fixture
def code(memory: Memory) -> Memory:
    memory.keep("The fault is in recompute_cargo_totals().")
    memory.keep("Call the harbourmaster first.")
    memory.keep("The gate is locked.")
    memory.keep("The crane is yellow.", "decision")
    return memory


@pytest.mark.parametrize(("query", "text"), [("cargo_tot", "recompute_cargo_totals"), ("rbourmas", "harbourmaster")])
def test_a_piece_finds_the_word(code: Memory, query: str, text: str) -> None:
    answer = code.ask(query)
    shown = (*answer.results, *answer.nearest)
    assert text in shown[0].text
    assert "substring" in shown[0].matched_by


def test_a_known_word_is_not_looked_for_in_others(code: Memory) -> None:
    assert "substring" not in code.ask("Which gate?").route


@pytest.mark.parametrize("query", ["%%%", "___", "rb%ma", "h%r", "h_rb"])
def test_signs_of_patterns_are_no_patterns(code: Memory, query: str) -> None:
    answer = code.ask(query)
    assert not [
        one for one in (*answer.results, *answer.nearest) if "harbourmaster" in one.text and "substring" in one.matched_by
    ]


def test_the_filter_holds_in_this_view_too(code: Memory) -> None:
    answer = code.ask("rbourmas", where=Filter(kind=("decision",)))
    assert (*answer.results, *answer.nearest) == ()


def test_words_of_another_workspace_are_not_searched(code: Memory) -> None:
    code.in_("other").keep("A zzharbourmasterzz elsewhere.")
    shown = code.ask("rbourmas").results + code.ask("rbourmas").nearest
    assert {one.provenance.workspace for one in shown} == {"inbox"}
