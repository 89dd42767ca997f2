"""Records that hold every word of a name: the newest first, within bounds, of one workspace."""

from __future__ import annotations

import pytest

from muniment.index import holding
from muniment.store import records
from tests.makers import Memory


def held(memory: Memory, name: str, most: int = 10) -> list[str]:
    with memory.app.store.read() as connection:
        workspace = memory.place().id
        found = holding.find(connection, workspace, name, most)
        texts = records.by_id(connection, workspace, found)
    return [texts[number].text for number in found]


def test_every_word_has_to_be_there_and_the_newest_comes_first(memory: Memory) -> None:
    for text in ("The mail service is old.", "The mail is late.", "A service for chat.", "Mail services cost money."):
        memory.keep(text)
    assert held(memory, "the Mail service") == ["Mail services cost money.", "The mail service is old."]
    assert held(memory, "mail service", 1) == ["Mail services cost money."]


@pytest.mark.parametrize("name", ["", "the of and", "mail zork", "..."])
def test_a_name_without_words_or_with_an_unheard_one_is_nowhere(memory: Memory, name: str) -> None:
    memory.keep("The mail service is old.")
    assert held(memory, name) == []


def test_only_the_newest_passages_are_looked_at(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "LOOKED_AT_MOST", 2)
    for text in ("Mail and chat.", "Mail one and chat.", "Mail two.", "Chat three.", "Chat four.", "Mail five."):
        memory.keep(text)
    assert held(memory, "mail chat") == []
    memory.keep("Mail six and chat.")
    assert held(memory, "mail chat") == ["Mail six and chat."]


def test_words_of_another_workspace_are_not_found(memory: Memory) -> None:
    memory.in_("other").keep("The mail service is old.")
    assert held(memory, "mail service") == []
