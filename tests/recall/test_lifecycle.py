"""What was replaced hands over to its heir in every view, and comes back when the past is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.index.rebuild import rebuild
from muniment.model.reading import ContextRequest
from muniment.model.recalling import Filter, Meta, RecallAnswer, RecallRequest, SearchRequest
from muniment.recall.bundle import get_context
from muniment.recall.connect import search
from muniment.recall.recall import recall
from tests.makers import HashedWords, Memory
from tests.recall.replacing import hits, supersede, undo

OLD = "The harbour crane listens on port 8080."
HEIR = "Since the refit it answers at 9090 instead."
QUESTION = "Which port does the harbour crane listen on?"


def noise(memory: Memory) -> None:
    memory.say("talk", *(f"Ann: The {word} needs paint." for word in ("mast", "quay", "winch", "ledger", "gate", "buoy")))


@pytest.fixture
def replaced(memory: Memory) -> tuple[Memory, str, str]:
    """A memory in which a statement was replaced by one that shares no word with it: memory, old ref, heir's ref."""
    noise(memory)
    old = memory.keep(OLD, event_time="2025-01-10")
    answer = supersede(memory, old, HEIR, event_time="2025-03-01")
    return memory, old, answer.ref


def test_an_heir_takes_the_place_at_once_though_it_shares_no_word(replaced: tuple[Memory, str, str]) -> None:
    memory, old, heir = replaced
    answer = memory.ask(QUESTION)
    assert not answer.abstained
    first = answer.results[0]
    assert (first.ref, first.text, first.standing, first.replaces) == (heir, HEIR, None, (old,))
    assert first.valid == ("2025-03-01T00:00:00+00:00", None)
    assert "lexical" in first.matched_by
    assert OLD not in hits(answer)


def test_it_takes_the_place_in_meaning_too(replaced: tuple[Memory, str, str]) -> None:
    memory, _, heir = replaced
    memory = memory.embed_with(HashedWords())
    memory.work()
    answer = memory.ask(QUESTION)
    assert answer.results[0].ref == heir
    assert "dense" in answer.results[0].matched_by
    assert OLD not in hits(answer)


def test_browsing_the_briefing_and_connectors_show_the_heir_alone(replaced: tuple[Memory, str, str]) -> None:
    memory, old, heir = replaced
    browsed = memory.ask("", limit=100)
    refs = [one.ref for one in browsed.results]
    assert heir in refs
    assert old not in refs
    assert browsed.total == len(refs)
    found = [one.id for one in search(memory.context, SearchRequest(QUESTION)).results]
    assert found[0] == heir
    assert old not in found
    context = get_context(memory.context, ContextRequest(task=QUESTION))
    assert [one.ref for one in context.facts] == [heir]


def test_only_a_filter_of_states_shows_the_old_one(replaced: tuple[Memory, str, str]) -> None:
    memory, old, heir = replaced
    for query in (QUESTION, ""):
        (one,) = memory.ask(query, where=Filter(state=("superseded",))).results
        assert (one.ref, one.state, one.standing, one.replaced_by, one.replaced_why) == (
            old,
            "superseded",
            "superseded",
            heir,
            "change",
        )
        assert one.valid == ("2025-01-10T00:00:00+00:00", "2025-03-01T00:00:00+00:00")
        both = [one.ref for one in memory.ask(query, where=Filter(state=("active", "superseded"), kind=("fact",))).results]
        assert sorted(both) == sorted([old, heir])
        assert [one.ref for one in memory.ask(query, where=Filter(state=("active",), kind=("fact",))).results] == [heir]


def test_an_heir_that_the_filter_leaves_out_is_not_brought_in(memory: Memory) -> None:
    noise(memory)
    old = memory.keep(f"{OLD} Ask Mara Quill.", labels=None, event_time="2025-01-10")
    heir = supersede(memory, old, HEIR, kind="decision", event_time="2025-03-01").ref
    assert memory.ask(QUESTION, where=Filter(kind=("fact",))).results == ()
    assert [one.ref for one in memory.ask(QUESTION, where=Filter(kind=("decision",))).results] == []
    assert memory.ask(QUESTION, where=Filter(kind=("fact", "decision"))).results[0].ref == heir
    assert memory.ask(QUESTION, where=Filter(entity="Mara Quill")).results == ()
    assert memory.ask(QUESTION, where=Filter(before="2025-02-01")).results == ()


def test_an_entity_filter_lets_an_heir_in_that_names_it(memory: Memory) -> None:
    noise(memory)
    old = memory.keep("Project Heron listens on port 8080.")
    heir = supersede(memory, old, "For Project Heron 9090 answers.", event_time="2030-01-01").ref
    answer = memory.ask("Which port?", where=Filter(entity="Project Heron"))
    assert [one.ref for one in answer.results] == [heir]


def test_a_chain_hands_over_to_its_end(memory: Memory) -> None:
    noise(memory)
    refs = [memory.keep(OLD, event_time="2025-01-01")]
    for number, text in enumerate(("It answers at 9090.", "Now 7070 is right.", "Finally 6060 it became.")):
        refs.append(supersede(memory, refs[-1], text, event_time=f"2025-0{number + 2}-01").ref)
    answer = memory.ask(QUESTION)
    assert answer.results[0].ref == refs[-1]
    assert answer.results[0].replaces == (refs[2], refs[1], refs[0])
    assert not {one.ref for one in answer.results} & set(refs[:-1])


def test_two_records_with_one_heir_show_it_once(memory: Memory) -> None:
    noise(memory)
    one = memory.keep(OLD)
    other = memory.keep("Port 8080 is where the harbour crane can be reached.")
    heir = supersede(memory, one, HEIR, event_time="2030-01-01").ref
    assert supersede(memory, other, HEIR, event_time="2030-01-01").ref == heir
    answer = memory.ask(QUESTION)
    assert [found.ref for found in answer.results].count(heir) == 1
    assert set(hits(answer)[HEIR].replaces) == {one, other}


def test_an_archived_heir_is_not_shown_and_neither_is_what_it_replaced(replaced: tuple[Memory, str, str]) -> None:
    memory, old, heir = replaced
    memory.archive(heir)
    assert not {one.ref for one in memory.ask(QUESTION).results} & {old, heir}


def test_a_restored_memory_shows_again(replaced: tuple[Memory, str, str]) -> None:
    memory, old, _ = replaced
    memory.restore(old)
    answer = memory.ask(QUESTION)
    assert answer.results[0].ref == old
    assert (answer.results[0].standing, answer.results[0].replaced_by) == (None, None)
    assert hits(memory.ask("What answers at 9090 since the refit?"))[HEIR].replaces == ()


def plain(answer: RecallAnswer) -> RecallAnswer:
    return replace(answer, meta=Meta(), cursor=None)


def test_undoing_restores_the_very_answers(memory: Memory) -> None:
    noise(memory)
    old = memory.keep(OLD, event_time="2025-01-10")
    asked = (QUESTION, f"{QUESTION[:-1]} before?", "")
    # The heir is there already: undoing takes back what was done with the old one, and nothing else.
    memory.keep(HEIR, event_time="2025-03-01")
    before = [plain(memory.ask(query)) for query in asked]
    made = supersede(memory, old, HEIR, event_time="2025-03-01")
    assert [plain(memory.ask(query)) for query in asked] != before
    undo(memory, made.action)
    assert [plain(memory.ask(query)) for query in asked] == before


def test_a_question_about_the_past_shows_the_latest_replaced_first(memory: Memory) -> None:
    noise(memory)
    refs = [memory.keep(OLD, event_time="2025-01-01")]
    for number, text in enumerate(("It answers at 9090.", "Now the harbour crane listens on port 7070.")):
        refs.append(supersede(memory, refs[-1], text, event_time=f"2025-0{number + 2}-01").ref)
    answer = memory.ask("Which port did the harbour crane listen on before?")
    kin = [one for one in answer.results if one.ref in refs]
    assert [one.ref for one in kin] == [refs[1], refs[0], refs[2]]
    assert [(one.standing, one.replaced_by) for one in kin] == [("superseded", refs[2]), ("superseded", refs[1]), (None, None)]
    assert [one.valid for one in kin] == [
        ("2025-02-01T00:00:00+00:00", "2025-03-01T00:00:00+00:00"),
        ("2025-01-01T00:00:00+00:00", "2025-02-01T00:00:00+00:00"),
        ("2025-03-01T00:00:00+00:00", None),
    ]
    assert answer.results[0].ref == refs[1]


@pytest.mark.parametrize(
    "query", ["Welcher Port galt früher für den Kran?", "以前起重机用哪个端口？", "Quel était l'ancien port de la grue ?"]
)
def test_the_past_is_asked_for_in_other_languages(memory: Memory, query: str) -> None:
    noise(memory)
    old = memory.keep("Der Port vom Kran / le port de la grue / 起重机 端口: 8080.", event_time="2025-01-01")
    supersede(memory, old, "Der Kran / la grue / 起重机: 9090.", event_time="2025-02-01")
    assert memory.ask(query).results[0].ref == old


@pytest.mark.parametrize("word", ["previously", "originally", "formerly", "initially", "before", "earlier", "used to"])
def test_a_word_for_the_past_is_no_word_that_memory_lacks(memory: Memory, word: str) -> None:
    noise(memory)
    memory.keep("The gate code is 1234.", event_time="2025-01-01")
    answer = memory.ask(f"What was the gate code {word}?" if word != "used to" else "What did the gate code use to be?")
    assert (answer.abstained, answer.missing, answer.results[0].text) == (False, (), "The gate code is 1234.")


def test_before_an_event_is_no_question_about_the_past(replaced: tuple[Memory, str, str]) -> None:
    memory, old, heir = replaced
    answer = memory.ask("Which port did the harbour crane listen on before the launch?")
    assert answer.results[0].ref == heir
    assert old not in [one.ref for one in answer.results]


def test_a_correction_was_never_so_and_is_marked_as_that(memory: Memory) -> None:
    noise(memory)
    old = memory.keep(OLD, event_time="2025-01-10")
    heir = supersede(memory, old, "The harbour crane listens on port 9090.", correction=True).ref
    assert memory.ask(QUESTION).results[0].ref == heir
    answer = memory.ask(f"{QUESTION[:-1]} before?")
    kin = [one for one in answer.results if one.ref in (old, heir)]
    assert [one.ref for one in kin] == [heir, old]
    assert (kin[1].standing, kin[1].replaced_why, kin[1].valid) == ("superseded", "correction", None)


def test_a_period_shows_what_was_in_force_then(memory: Memory) -> None:
    noise(memory)
    memory.say("late", "Ann: Nothing new.", time="2025-06-01T10:00:00Z")
    refs = [memory.keep("The harbour crane listens on port 8080.", event_time="2025-01-01")]
    for number, port in enumerate((9090, 7070)):
        text = f"The harbour crane listens on port {port}."
        refs.append(supersede(memory, refs[-1], text, event_time=f"2025-0{2 + 2 * number}-01").ref)

    def first(query: str) -> str:
        return memory.ask(query).results[0].ref

    assert first("Which port did the harbour crane listen on in March 2025?") == refs[1]
    assert first("Which port did the harbour crane listen on in January 2025?") == refs[0]
    assert first("Which port did the harbour crane listen on in March?") == refs[1]
    assert first("Which port did the harbour crane listen on in May 2025?") == refs[2]
    marked = memory.ask("Which port did the harbour crane listen on in March 2025?").results[0]
    assert (marked.standing, marked.replaced_by) == ("superseded", refs[2])


def test_what_is_over_or_not_begun_stands_behind_what_holds(memory: Memory) -> None:
    noise(memory)
    over = memory.keep("The crane driver is Ines Alba.", valid_from="2024-01-01", valid_to="2025-01-01")
    later = memory.keep("The crane driver is Olaf Brandt.", valid_from="2030-01-01")
    holds = memory.keep("The crane driver is Mara Quill.")
    answer = memory.ask("Who is the crane driver?")
    found = {one.ref: one for one in answer.results}
    assert next(iter(found)) == holds
    assert [found[ref].standing for ref in (over, later, holds)] == ["expired", "future", None]
    assert found[over].valid == ("2024-01-01T00:00:00+00:00", "2025-01-01T00:00:00+00:00")
    assert found[later].valid == ("2030-01-01T00:00:00+00:00", None)


def test_an_heir_never_crosses_workspaces(memory: Memory) -> None:
    """Equal record numbers of two workspaces are two records."""
    other = memory.in_("other")
    foreign = other.keep("The foreign crane listens on port 1111.")
    supersede(other, foreign, "Over there 2222 answers.", event_time="2030-01-01")
    own = memory.keep(OLD)
    memory.keep("A second statement of ours.")
    answer = memory.ask(QUESTION)
    assert (answer.results[0].ref, answer.results[0].standing, answer.results[0].replaces) == (own, None, ())
    both = memory.ask("Which port does the crane listen on?", workspace=("inbox", "other"))
    assert [one.text for one in both.results if "1111" in one.text] == []
    assert {"Over there 2222 answers.", OLD} <= set(hits(both))


def test_marks_survive_a_rebuild(replaced: tuple[Memory, str, str]) -> None:
    memory, _, _ = replaced
    asked = [
        RecallRequest(QUESTION),
        RecallRequest(f"{QUESTION[:-1]} before?"),
        RecallRequest(""),
        RecallRequest("", filter=Filter(state=("superseded",))),
        RecallRequest(QUESTION, as_of="2025-02-01"),
    ]
    before = [plain(recall(memory.context, one)) for one in asked]
    rebuild(memory.context, memory.place())
    assert [plain(recall(memory.context, one)) for one in asked] == before
    assert [plain(recall(memory.elsewhere().context, one)) for one in asked] == before


def test_strength_rests_on_what_found_the_heir(replaced: tuple[Memory, str, str]) -> None:
    memory, _, _ = replaced
    assert memory.ask(QUESTION).strength == "strong"


def test_text_marks_what_is_not_current(replaced: tuple[Memory, str, str]) -> None:
    memory, _, heir = replaced
    text = memory.ask(f"{QUESTION[:-1]} before?", format="text").text
    assert text is not None
    assert f"[superseded 2025-03-01 by {heir}]" in text
