"""Who might contradict whom: one generator, which names no stranger and nobody of another workspace."""

from __future__ import annotations

from muniment.governance import partners
from muniment.model.writing import Labels
from muniment.store import records
from tests.governance.disagreeing import NEW, OLD, claim
from tests.makers import HashedWords, Memory
from tests.stores import past


def of(memory: Memory, ref: str) -> set[str]:
    with memory.app.store.read() as connection:
        record = records.by_uid(connection, ref[2:])
        assert record is not None
        return {
            f"{one.kind[0] if one.kind in ('turn', 'document') else 'm'}_{one.uid}" for one in _of(memory, connection, record)
        }


def _of(memory: Memory, connection, record):  # type: ignore[no-untyped-def]
    return partners.of(memory.context, connection, record)


def test_shared_words_a_person_or_two_topics_make_partners(memory: Memory) -> None:
    one = memory.keep("Alpha beta gamma.", labels=Labels(topics=("x", "y"), people=("Ann",)))
    person = memory.keep("Delta.", labels=Labels(people=("ann",)))
    topics = memory.keep("Epsilon.", labels=Labels(topics=("X", "y", "z")))
    memory.keep("Zeta.", labels=Labels(topics=("x",)))
    memory.keep("Eta.", labels=Labels(tags=("x", "y")))
    words = memory.keep("Alpha beta theta.")
    assert of(memory, one) == {person, topics, words}


def test_turns_are_partners_by_their_claims_alone(memory: Memory) -> None:
    (turn,) = memory.say("a", f"Ann: {OLD}")
    kept = memory.keep(NEW)
    assert of(memory, kept) == of(memory, turn) == set()
    claim(memory, turn, "server", "port", "8080")
    claim(memory, kept, "server", "port", "8081")
    assert of(memory, kept) == {turn}
    assert of(memory, turn) == {kept}


def test_what_left_recall_and_what_lies_elsewhere_is_nobodys_partner(memory: Memory) -> None:
    one, gone = memory.keep(OLD), memory.keep(NEW)
    memory.in_("other").keep(NEW)
    memory.archive(gone)
    assert of(memory, one) == set()


def test_what_was_replaced_is_nobodys_partner_however_near_in_meaning(memory: Memory) -> None:
    near = memory.embed_with(HashedWords())
    old = near.keep(OLD)
    one = near.keep("The server port is 8083.")
    near.work()
    assert of(near, one) == {old}
    heir = near.keep("Harbour masters sleep late.", op="supersede", target=old, expected_version=1)
    near.work()
    assert of(near, one) == set()
    assert of(near, heir) == set()


def test_claims_of_an_entity_and_of_one_merged_into_it_meet(memory: Memory) -> None:
    one, other = memory.keep("Zebra costs 5 in all."), memory.keep("One pays 6 for that animal.")
    claim(memory, one, "zebra", "price", "5")
    claim(memory, other, "animal", "price", "6")
    assert of(memory, one) == set()
    with past(memory.app.store) as execute:
        execute("UPDATE entity SET merged_into = (SELECT z.id FROM entity z WHERE z.norm = 'zebra') WHERE norm = 'animal'")
    assert of(memory, one) == {other}
    assert of(memory, other) == {one}
