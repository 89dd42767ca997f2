"""What held on a day, and what memory held on a day, at every boundary and after whatever was done since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput, MunimentError
from muniment.index.rebuild import rebuild
from muniment.model.recalling import Filter, Meta, RecallAnswer, RecallRequest
from muniment.model.times import Moment
from muniment.recall.recall import recall
from tests.makers import DAY, HashedWords, Memory
from tests.recall.replacing import change, hits, supersede, undo

HOUR = 3_600_000
MARCH, APRIL = "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z"


def iso(ms: int) -> str:
    return Moment(ms, 0).iso()


def held(memory: Memory, **more: object) -> dict[str, tuple[str, int]]:
    """By ref: text and version of everything that browsing shows."""
    answer = memory.ask("", limit=100, **more)
    assert answer.total == len(answer.results)
    return {one.ref: (one.text, one.version) for one in answer.results}


def test_an_interval_is_half_open(memory: Memory) -> None:
    ref = memory.keep("The gate is open.", valid_from=MARCH, valid_to=APRIL)
    assert ref not in held(memory, as_of="2025-02-28T23:59:59.999Z")
    assert ref in held(memory, as_of=MARCH)
    assert ref in held(memory, as_of="2025-03-31T23:59:59.999Z")
    assert ref not in held(memory, as_of=APRIL)


def test_what_was_said_later_did_not_hold_yet_unless_it_was_told_since_when(memory: Memory) -> None:
    said = memory.keep("The gate is green.", event_time=MARCH)
    told = memory.keep("The mast is red.", event_time=APRIL, valid_from="2025-01-01")
    assert set(held(memory, as_of="2025-02-01")) == {told}
    assert set(held(memory, as_of=MARCH)) == {said, told}


def test_a_change_held_until_its_heir_came(memory: Memory) -> None:
    old = memory.keep("The port is 8080.", event_time="2025-01-01")
    heir = supersede(memory, old, "The port is 9090.", event_time=MARCH).ref
    assert set(held(memory, as_of="2025-02-01")) == {old}
    assert set(held(memory, as_of=MARCH)) == {heir}
    before = memory.ask("Which port?", as_of="2025-02-01").results[0]
    assert (before.ref, before.standing, before.valid) == (
        old,
        None,
        ("2025-01-01T00:00:00+00:00", "2025-03-01T00:00:00+00:00"),
    )
    after = memory.ask("Which port?", as_of="2025-03-02").results
    assert [one.ref for one in after] == [heir]


def test_what_was_replaced_before_it_was_stored_held_since_nobody_knows_when(memory: Memory) -> None:
    stored = iso(memory.context.now())[:10]
    old = memory.keep("The harbour master is Ann.")
    heir = supersede(memory, old, "The harbour master is Bo.", valid_from=APRIL).ref
    assert stored > APRIL
    assert set(held(memory, as_of="2025-03-31")) == {old}
    assert set(held(memory, as_of="2020-01-01")) == {old}
    assert set(held(memory, as_of="2025-04-01")) == {heir}
    before = memory.ask("Who is the harbour master?", as_of=MARCH).results[0]
    assert (before.ref, before.standing, before.valid) == (old, None, (None, "2025-04-01T00:00:00+00:00"))
    assert [one.ref for one in memory.ask("Who is the harbour master?").results] == [heir]
    for question in ("Who was the harbour master in March 2025?", "Who was the harbour master in 2024?"):
        assert memory.ask(question).results[0].ref == old, question
    was = memory.ask("Who was the harbour master before?").results[0]
    assert (was.ref, was.standing, was.valid) == (old, "superseded", (None, "2025-04-01T00:00:00+00:00"))


def test_what_was_stored_before_it_was_replaced_held_from_then(memory: Memory) -> None:
    since = iso(memory.context.now())
    old = memory.keep("The harbour master is Ann.")
    supersede(memory, old, "The harbour master is Bo.", valid_from=iso(memory.context.now() + DAY))
    was = memory.ask("Who was the harbour master before?").results[0]
    assert was.valid is not None
    assert was.valid[0] is not None
    assert was.valid[0][:10] == since[:10]


def test_a_bare_date_reaches_to_the_end_of_its_day(memory: Memory) -> None:
    ref = memory.keep("The gate is open.")
    today = iso(memory.context.now())[:10]
    for more in ({"as_of": today}, {"known_at": today}):
        assert ref in held(memory, **more), more
        assert memory.ask("Is the gate open?", **more).results, more
    assert ref not in held(memory, as_of=f"{today}T00:00:00Z")
    assert ref not in held(memory, known_at=f"{today}T00:00:00Z")


def test_a_question_as_of_a_day_hands_over_to_the_heir_of_that_day(memory: Memory) -> None:
    memory.say("talk", *(f"Ann: The {word} needs paint." for word in ("mast", "quay", "winch", "ledger", "buoy")))
    first = memory.keep("The harbour crane listens on port 8080.", event_time="2025-01-01")
    second = supersede(memory, first, "It answers at 9090.", event_time=MARCH).ref
    supersede(memory, second, "Now 7070 is right.", event_time="2025-05-01")
    answer = memory.ask("Which port does the harbour crane listen on?", as_of=APRIL)
    assert answer.results[0].ref == second
    assert first not in [one.ref for one in answer.results]


def test_a_correction_was_never_so_and_its_heir_always_was(memory: Memory) -> None:
    old = memory.keep("The port is 8080.", event_time="2025-01-01")
    recorded = memory.clock.now
    memory.clock.move(DAY)
    heir = supersede(memory, old, "The port is 9090.", correction=True).ref
    assert set(held(memory, as_of="2025-02-01")) == {heir}
    assert set(held(memory, as_of="2024-12-31")) == set()
    assert set(held(memory, as_of="2025-02-01", known_at=iso(recorded))) == {old}
    assert set(held(memory, known_at=iso(recorded))) == {old}
    assert set(held(memory, known_at=iso(recorded + DAY))) == {heir}


def test_an_edited_memory_shows_the_version_of_the_day(memory: Memory) -> None:
    start = memory.clock.now
    ref = memory.keep("The crane is yellow.", event_time=iso(start - DAY))
    memory.clock.move(HOUR)
    memory.change(ref, "The crane is green and quotes 'full ahead'.")
    memory.clock.move(HOUR)
    memory.change(ref, "The crane is red.", version=2)
    moments = {start - DAY: 1, start: 1, start + HOUR - 1: 1, start + HOUR: 2, start + 2 * HOUR: 3, start + 9 * HOUR: 3}
    for at, version in moments.items():
        one = memory.ask("Which colour is the crane?", as_of=iso(at)).results[0]
        assert (one.ref, one.version) == (ref, version)
        assert one.evidence[0].quote in one.text
        assert one.text.endswith(("yellow.", "'full ahead'.", "red.")[version - 1])
    assert memory.ask('Which colour quotes "full ahead"?', as_of=iso(start + HOUR)).results[0].version == 2
    assert memory.ask("Is the crane green?", as_of=iso(start)).results[0].text == "The crane is yellow."
    assert held(memory)[ref] == ("The crane is red.", 3)


def test_a_long_text_shows_the_passage_of_its_version(memory: Memory) -> None:
    filler = " ".join(f"Sentence {n} tells of the weather in the harbour." for n in range(200))
    start = memory.clock.now
    ref = memory.keep(f"{filler} The anchor is blue. {filler}")
    memory.clock.move(HOUR)
    memory.change(ref, f"Short. {filler} The sextant is brass.")
    one = memory.ask("Which colour is the anchor?", as_of=iso(start)).results[0]
    assert (one.version, one.span is not None) == (1, True)
    assert "The anchor is blue." in one.text
    assert one.evidence[0].quote == "The anchor is blue."


def test_earlier_versions_keep_their_meaning_over_a_rebuild(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    start = memory.clock.now
    ref = memory.keep("The crane is yellow.")
    memory.work()
    memory.clock.move(HOUR)
    memory.change(ref, "Something else entirely.")
    memory.work()
    asked = RecallRequest("Which crane is yellow?", as_of=iso(start))
    before = replace(recall(memory.context, asked), meta=Meta())
    assert "dense" in before.results[0].matched_by
    rebuild(memory.context, memory.place())
    memory.work()
    assert replace(recall(memory.context, asked), meta=Meta()) == before


def test_turns_hold_from_when_they_were_said(memory: Memory) -> None:
    memory.say("a", "Ann: The mast is tall.", "Ann: The quay is long.", time=MARCH)
    assert len(held(memory, as_of="2025-03-01T00:00:00Z")) == 1
    assert len(held(memory, as_of="2025-03-01T00:01:00Z")) == 2
    # It is known from when it was stored, whatever it tells of.
    assert len(held(memory, known_at=iso(memory.clock.now - 1))) == 0
    assert len(held(memory, known_at=iso(memory.clock.now))) == 2


def test_what_was_undone_was_known_until_then(memory: Memory) -> None:
    ref = memory.keep("The crane is yellow.")
    memory.clock.move(HOUR)
    other = memory.keep("The crane is green.")
    memory.clock.move(HOUR)
    done = memory.clock.now
    answer = supersede(memory, ref, "The crane is green.")
    memory.clock.move(HOUR)
    undo(memory, answer.action)
    assert set(held(memory)) == {ref, other}
    assert set(held(memory, known_at=iso(done))) == {other}
    assert set(held(memory, known_at=iso(done - 1))) == {ref, other}
    assert set(held(memory, known_at=iso(done + HOUR))) == {ref, other}


def test_an_undone_edit_was_known_until_then_and_never_held(memory: Memory) -> None:
    ref = memory.keep("The crane is yellow.")
    memory.clock.move(HOUR)
    done = memory.clock.now
    answer = change(memory, ref, "The crane is green.")
    memory.clock.move(HOUR)
    change(memory, ref, "The crane is red.")
    memory.clock.move(HOUR)
    undo(memory, answer.action)
    assert held(memory, known_at=iso(done))[ref] == ("The crane is green.", 2)
    assert held(memory, as_of=iso(done))[ref] == ("The crane is yellow.", 1)
    assert held(memory, as_of=iso(done), known_at=iso(done + 2 * HOUR - 1))[ref] == ("The crane is green.", 2)
    assert held(memory)[ref] == ("The crane is red.", 3)


def test_what_is_known_is_found_by_words_that_were_replaced_since(memory: Memory) -> None:
    start = memory.clock.now
    ref = memory.keep("The crane is yellow.")
    memory.clock.move(HOUR)
    memory.change(ref, "Nothing of the kind.")
    memory.clock.move(HOUR)
    memory.archive(ref)
    (one,) = memory.ask("Which crane is yellow?", known_at=iso(start)).results
    assert (one.text, one.version, one.state) == ("The crane is yellow.", 1, "active")
    assert held(memory) == {}


@pytest.mark.parametrize(
    "more",
    [
        {"as_of": "yesterday-ish"},
        {"known_at": "32.13.2024"},
        {"where": Filter(after=APRIL, before=MARCH)},
        {"where": Filter(after=MARCH, before=MARCH)},
    ],
)
@pytest.mark.parametrize("query", ["crane", ""])
def test_times_that_are_none_are_refused(memory: Memory, query: str, more: dict[str, object]) -> None:
    memory.keep("The crane is yellow.")
    with pytest.raises(InvalidInput):
        memory.ask(query, **more)


def test_another_moment_ends_a_cursor(memory: Memory) -> None:
    for number in range(4):
        memory.keep(f"fact {number}")
    page = memory.ask("", limit=2, known_at=iso(memory.clock.now))
    with pytest.raises(MunimentError):
        memory.ask("", limit=2, known_at=iso(memory.clock.now + 1), cursor=page.cursor)
    assert len(memory.ask("", limit=2, known_at=iso(memory.clock.now), cursor=page.cursor).results) == 2


# --- whatever was done ---------------------------------------------------------------------------------------------

Deed = tuple[str, int, int]
ACTS = ("keep", "keep", "change", "change", "supersede", "correct", "archive", "restore", "undo")
deeds = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=14)


@dataclass
class Kept:
    """One memory as a naive model has it: its versions with their times, and what became of it."""

    begins: int
    versions: list[tuple[int, str]]
    state: str = "active"
    how: str = ""
    ends: int | None = None
    heir: str = ""


@dataclass
class World:
    """Does things to a memory and to a model of it, an hour apart."""

    memory: Memory
    kept: dict[str, Kept] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    known: list[tuple[int, dict[str, tuple[str, int]]]] = field(default_factory=list)
    undoing: bool = True

    def do(self, history: list[Deed]) -> None:
        for number, (act, one, two) in enumerate(history):
            self.memory.clock.move(HOUR)
            try:
                self._do(act, one, two, number)
            except InvalidInput:
                continue  # a cycle, an heir that is not later: refused, and nothing was written
            self.known.append((self.memory.clock.now, held(self.memory)))

    def _do(self, act: str, one: int, two: int, number: int) -> None:
        memory, now = self.memory, self.memory.clock.now
        refs = [ref for ref, kept in self.kept.items() if kept.state == "active"]
        target = refs[one % len(refs)] if refs else None
        text = f"The crane number {number} listens on port {two}."
        match act:
            case "keep":
                event = now - two * DAY if two % 2 else None
                ref = memory.keep(text, event_time=iso(event) if event else None)
                self.kept[ref] = Kept(event or now, [(now, text)])
            case "change" if target:
                self.actions.append(change(memory, target, text).action or "")
                self.kept[target].versions.append((now, text))
            case "supersede" | "correct" if target:
                made = supersede(memory, target, text, correction=act == "correct")
                old = self.kept[target]
                old.state, old.heir = "superseded", made.ref
                old.how, old.ends = ("correction", None) if act == "correct" else ("change", now)
                self.kept[made.ref] = Kept(now, [(now, text)])
                self.actions.append(made.action or "")
            case "archive" if target:
                memory.archive(target)
                self.kept[target].state = "archived"
            case "restore":
                away = [ref for ref, kept in self.kept.items() if kept.state != "active"]
                if away:
                    ref = away[one % len(away)]
                    memory.restore(ref)
                    self.kept[ref].state, self.kept[ref].how, self.kept[ref].heir, self.kept[ref].ends = "active", "", "", None
            case "undo" if self.undoing and self.actions:
                undo(memory, self.actions.pop(one % len(self.actions)))

    def as_of(self, at: int) -> dict[str, str]:
        """By ref: the text that held at a moment."""
        out = {}
        for ref, kept in self.kept.items():
            believed = kept.state in ("active", "superseded") and kept.how != "correction"
            if believed and self._begins(ref) <= at and (kept.ends is None or at < kept.ends):
                out[ref] = [text for when, text in kept.versions if when <= at or text == kept.versions[0][1]][-1]
        return out

    def _begins(self, ref: str) -> int:
        corrected = [self._begins(old) for old, kept in self.kept.items() if kept.heir == ref and kept.how == "correction"]
        return min([self.kept[ref].begins, *corrected])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=deeds)
def test_what_memory_held_is_what_it_showed_then(fresh: Callable[[], Memory], history: list[Deed]) -> None:
    world = World(fresh())
    world.do(history)
    for process in (world.memory, world.memory.elsewhere()):
        for at, shown in world.known:
            assert held(process, known_at=iso(at)) == shown
            assert held(process, known_at=iso(at + HOUR - 1)) == shown
    rebuild(world.memory.context, world.memory.place())
    for at, shown in world.known:
        assert held(world.memory, known_at=iso(at)) == shown


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=deeds)
def test_what_held_is_what_a_naive_model_says(fresh: Callable[[], Memory], history: list[Deed]) -> None:
    world = World(fresh(), undoing=False)
    world.do(history)
    moments = {kept.begins for kept in world.kept.values()} | {at for at, _ in world.known}
    asked = sorted({moment + step for moment in moments for step in (-1, 0, 1)})
    before = {at: {ref: text for ref, (text, _) in held(world.memory, as_of=iso(at)).items()} for at in asked}
    assert before == {at: world.as_of(at) for at in asked}
    questions = [RecallRequest("Which port does the crane listen on?", as_of=iso(at), limit=50) for at in asked]
    answers = [plain(recall(world.memory.context, question)) for question in questions]
    for at, answer in zip(asked, answers, strict=True):
        assert set(hits(answer)) <= set(before[at].values())
    rebuild(world.memory.context, world.memory.place())
    assert [plain(recall(world.memory.context, question)) for question in questions] == answers


def plain(answer: RecallAnswer) -> RecallAnswer:
    return replace(answer, meta=Meta())
