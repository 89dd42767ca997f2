"""Opening: whatever was returned opens, exactly and in full, and nothing else does."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from muniment.errors import InvalidCursor, InvalidInput, NotFound
from muniment.ingest import documents
from muniment.model.reading import READ_CHARS_MAX, ReadAnswer, ReadRequest
from muniment.model.recalling import RecallRequest
from muniment.model.writing import DocumentIn, Labels
from muniment.recall.read import read
from muniment.recall.recall import recall
from tests.makers import Memory

ABSENT = "t_" + "0" * 26
# Marks, pairs beyond the basic plane and joined emoji: offsets are code points, whatever they look like.
ODD = "é\u0301 😀 👩‍👩‍👧 ไทย ก็ 𝔘 ﷽ "


def open_(memory: Memory, **request: object) -> ReadAnswer:
    return read(memory.context, ReadRequest(**request))  # type: ignore[arg-type]


def test_a_record_opens_in_full_with_where_it_comes_from(memory: Memory) -> None:
    (ref,) = memory.say("a", f"Ann: {ODD}\n\nnext line", time="2024-03-01T10:00:00+02:00")
    answer = open_(memory, ref=ref)
    (one,) = answer.records
    assert (one.ref, one.text, one.kind, one.state, one.version) == (ref, f"{ODD}\n\nnext line", "turn", "active", 1)
    assert (one.span, one.length) == (None, len(one.text))
    assert one.provenance.at == "2024-03-01T10:00:00+02:00"
    assert answer.session is not None
    assert (answer.session.external_id, answer.session.turns) == ("a", 1)


@pytest.mark.parametrize(
    ("span", "cut"), [((0, 3), (0, 3)), ((2, 9), (2, 9)), ((5, 5), (5, 5)), ((4, 9999), None), ((999, 9999), None)]
)
def test_a_span_is_exactly_those_code_points(memory: Memory, span: tuple[int, int], cut: tuple[int, int] | None) -> None:
    text = ODD.strip()
    ref = memory.keep(text)
    (one,) = open_(memory, ref=ref, span=span).records
    low, high = min(span[0], len(text)), min(span[1], len(text))
    assert one.text == text[low:high]
    assert one.span == (cut or (low, high))
    assert one.length == len(text)


@pytest.mark.parametrize("span", [(-1, 4), (4, 2)])
def test_a_span_that_is_none_is_refused(memory: Memory, span: tuple[int, int]) -> None:
    ref = memory.keep("text")
    with pytest.raises(InvalidInput):
        open_(memory, ref=ref, span=span)


def test_a_very_long_text_comes_as_spans_that_join_to_it(memory: Memory) -> None:
    text = "".join(f"Line {n} of the harbour log 😀.\n" for n in range(22_000)).strip()
    assert len(text) > 2 * READ_CHARS_MAX
    ref = documents.keep(memory.context, DocumentIn(text=text)).refs[0]
    answer = open_(memory, ref=ref)
    parts = [answer.records[0].text]
    while answer.meta.next:
        (call,) = answer.meta.next
        assert call.startswith(f'read(ref="{ref}", span=[')
        answer = open_(memory, ref=ref, span=tuple(json.loads(call[call.index("span=") + 5 : -1])))
        parts.append(answer.records[0].text)
    assert "".join(parts) == text
    assert max(map(len, parts)) == READ_CHARS_MAX


def test_a_long_span_is_not_cut_in_silence(memory: Memory) -> None:
    text = "x" * (READ_CHARS_MAX + 500)
    ref = documents.keep(memory.context, DocumentIn(text=text)).refs[0]
    answer = open_(memory, ref=ref, span=(100, READ_CHARS_MAX + 300))
    assert answer.records[0].span == (100, READ_CHARS_MAX + 100)
    assert answer.meta.next == (f'read(ref="{ref}", span=[{READ_CHARS_MAX + 100}, {READ_CHARS_MAX + 300}])',)
    assert open_(memory, ref=ref, span=(100, 200)).meta.next == ()


def test_a_very_long_turn_in_a_session_names_the_call_for_its_rest(memory: Memory) -> None:
    refs = memory.say("a", "Ann: short", "Bob: " + "x" * (READ_CHARS_MAX + 7))
    wanted = (f'read(ref="{refs[1]}", span=[{READ_CHARS_MAX}, {READ_CHARS_MAX + 7}])',)
    assert open_(memory, session="a").meta.next == wanted
    assert open_(memory, ref=refs[0], around=True).meta.next == wanted


def test_around_shows_the_turns_beside_one(memory: Memory) -> None:
    refs = memory.say("a", *(f"Ann: turn {n}" for n in range(20)))
    answer = open_(memory, ref=refs[10], around=True, before=2, after=3)
    assert [one.ref for one in answer.records] == refs[8:14]
    assert answer.anchor == refs[10]
    assert [one.ref for one in open_(memory, ref=refs[0], around=True).records] == refs[:6]
    assert [one.ref for one in open_(memory, ref=refs[19], around=True, before=0, after=9).records] == refs[19:]
    kept = memory.keep("A statement.")
    assert [one.ref for one in open_(memory, ref=kept, around=True).records] == [kept]


def test_a_session_comes_in_pages_in_spoken_order(memory: Memory) -> None:
    refs = memory.say("a", *(f"Ann: turn {n}" for n in range(7)))
    memory.say("b", "Bob: elsewhere")
    answer = open_(memory, session="a", limit=3)
    ref = answer.session.ref if answer.session else ""
    found = [one.ref for one in answer.records]
    while answer.cursor:
        answer = open_(memory, ref=ref, limit=3, cursor=answer.cursor)
        found += [one.ref for one in answer.records]
    assert found == refs
    first = open_(memory, session=ref, limit=3)
    with pytest.raises(InvalidCursor):
        open_(memory, session="b", cursor=first.cursor)


def test_a_session_that_grows_between_two_pages_is_read_to_its_new_end(memory: Memory) -> None:
    memory.say("a", "Ann: one", "Ann: two", "Ann: three")
    answer = open_(memory, session="a", limit=2)
    memory.say("a", "Ann: four")
    rest = open_(memory, session="a", limit=2, cursor=answer.cursor)
    assert [one.text for one in rest.records] == ["three", "four"]
    assert rest.cursor is None


def test_earlier_versions_are_shown_when_asked_for(memory: Memory) -> None:
    ref = memory.keep("The gate opens at six.", labels=Labels(topics=("Gate",)))
    memory.change(ref, "The gate opens at seven.")
    memory.change(ref, "The gate opens at eight.", version=2)
    (one,) = open_(memory, ref=ref, include=("history",)).records
    assert (one.version, one.text, one.labels) == (3, "The gate opens at eight.", ("topic:Gate",))
    said = ["The gate opens at eight.", "The gate opens at seven.", "The gate opens at six."]
    assert [(old.version, old.text) for old in one.history] == list(zip((3, 2, 1), said, strict=True))
    assert open_(memory, ref=ref).records[0].history == ()


def test_what_a_text_names_is_shown_at_its_offsets_in_the_whole_text(memory: Memory) -> None:
    text = "The weather was fine. Then Mara Quill met Tom Aske at the quay."
    ref = memory.keep(text)
    for span in (None, (22, len(text))):
        (one,) = open_(memory, ref=ref, include=("spans",), span=span).records
        names = [named for named in one.spans if named.sort == "name"]
        assert [text[named.start : named.end] for named in names] == ["Mara Quill", "Tom Aske"]
        assert [named.surface for named in names] == ["Mara Quill", "Tom Aske"]


def test_what_was_archived_still_opens(memory: Memory) -> None:
    ref = memory.keep("The gate opens at six.")
    memory.archive(ref)
    assert open_(memory, ref=ref).records[0].state == "archived"


@pytest.mark.parametrize("what", ["record", "session ref", "session id"])
def test_what_is_foreign_is_as_absent_as_what_is_not_there(memory: Memory, what: str) -> None:
    other = memory.in_("other")
    (ref,) = other.say("secret", "Ann: hidden")
    session = read(other.context, ReadRequest(ref=ref)).session
    assert session is not None
    guest = memory.only("inbox", "global")
    foreign, absent = {
        "record": (ReadRequest(ref=ref), ReadRequest(ref=ABSENT)),
        "session ref": (ReadRequest(session=session.ref), ReadRequest(session="s_" + "0" * 26)),
        "session id": (ReadRequest(session="secret"), ReadRequest(session="nothing")),
    }[what]
    bodies = []
    for request in (foreign, absent):
        with pytest.raises(NotFound) as fault:
            read(guest, request)
        named = request.ref or request.session or ""
        bodies.append((fault.value.code, fault.value.message.replace(named, "X"), fault.value.do_next))
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("ref", ["", "x", "turn 7", "t_", "t_" + "u" * 26, "'; DROP TABLE record", "t_" + "0" * 26])
def test_what_is_no_ref_opens_nothing(memory: Memory, ref: str) -> None:
    with pytest.raises((NotFound, InvalidInput)):
        open_(memory, ref=ref)


def test_every_ref_of_every_answer_opens(memory: Memory) -> None:
    memory.say("a", "Ann: the crane", "Bob: the yellow crane", "Ann: the crane", "Bob: yes", time="2024-01-01")
    memory.keep("The crane is yellow.")
    documents.keep(memory.context, DocumentIn(text="The crane manual."))
    for request in (RecallRequest("crane", around=3), RecallRequest(""), RecallRequest("Bartholomew crane?", around=1)):
        answer = recall(memory.context, request)
        shown = [*answer.results, *answer.nearest]
        assert shown
        refs = {ref for one in shown for ref in (one.ref, *one.also, one.provenance.session_ref) if ref}
        refs |= {beside.ref for one in shown for beside in (*one.before, *one.after)}
        for ref in refs:
            assert open_(memory, ref=ref).records
        for one in shown:
            assert asdict(open_(memory, ref=one.ref).records[0])["text"] == one.text
