"""What is known around a thing, and which causes lead to another: as of any moment, and never across a wall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_context
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import ForbiddenScope
from muniment.governance import naming
from muniment.graph import outdated, walk
from muniment.ingest.remember import remember
from muniment.model.governing import GovernRequest, SetEntity
from muniment.model.knowing import ClaimSeen, NearAnswer, NearRequest, WhyAnswer, WhyRequest
from muniment.model.reading import ReadRequest
from muniment.model.recalling import Meta
from muniment.model.times import Moment
from muniment.model.writing import ClaimIn, LinkIn, RememberRequest
from muniment.recall.read import read
from tests.governance.disagreeing import Bench
from tests.makers import DAY, Memory

HOUR = 3_600_000


def near(memory: Memory, entity: str, **more: Any) -> NearAnswer:
    return walk.near(memory.context, NearRequest(entity, **more))


def facts(memory: Memory, entity: str, **more: Any) -> list[str]:
    return [said(one) for one in near(memory, entity, **more).facts]


def said(one: ClaimSeen) -> str:
    return f"{one.subject} {'not ' if one.negated else ''}{one.attribute} {one.value}"


def why(memory: Memory, start: str, end: str, **more: Any) -> WhyAnswer:
    return walk.why(memory.context, WhyRequest(start, end, **more))


def steps(memory: Memory, start: str, end: str, **more: Any) -> list[str]:
    return [said(one) for one in why(memory, start, end, **more).path]


def name(memory: Memory, entity: str, **what: Any) -> None:
    do = SetEntity("set_entity", entity, **what)
    naming.set_entity(memory.context, GovernRequest(do=do), do)


def keep(memory: Memory, text: str, **more: Any) -> str:
    """Remember a text an hour after the one before."""
    memory.clock.move(HOUR)
    return remember(memory.context, RememberRequest(text=text, **more)).ref


def tell_untrusted(memory: Memory, text: str) -> None:
    memory.clock.move(HOUR)
    visitor = replace_context(memory.context, grant=replace_context(memory.context.grant, zone="untrusted"))
    remember(visitor, RememberRequest(text=text))


def replace(memory: Memory, old: str, text: str, **more: Any) -> str:
    return keep(memory, text, op="supersede", target=old, expected_version=memory.version(old), **more)


def iso(ms: int) -> str:
    return Moment(ms, 0).iso()


# ---- near -----------------------------------------------------------------------------------------------------------------


def test_facts_are_seen_from_both_sides_with_their_quotes(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin.", "Ann: I love hiking.", time="2024-01-05T10:00:00Z")
    memory.work()
    answer = near(memory, "ann")
    assert (answer.entity, answer.entity_resolved, answer.total) == ("Ann", True, 2)
    assert answer.related == ("Berlin",)
    (lives,) = (one for one in answer.facts if one.value == "Berlin")
    assert lives.valid == ("2024-01-05T10:00:00+00:00", None)
    assert (lives.confidence, lives.standing, lives.evidence[0].quote) == (0.8, "current", "I live in Berlin.")
    (opened,) = read(memory.context, ReadRequest(ref=lives.evidence[0].ref)).records
    assert opened.text[lives.evidence[0].start : lives.evidence[0].end] == "I live in Berlin."
    assert facts(memory, "Berlin") == ["Ann lives in Berlin"]


def test_the_newest_value_of_a_slot_stands_and_the_older_is_found_by_its_time(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin.", time="2024-01-05T10:00:00Z")
    memory.say("b", "Ann: I moved to Munich last week.", time="2024-05-05T10:00:00Z")
    memory.say("c", "Ann: I love hiking.", "Ann: I love chess.", time="2024-06-05T10:00:00Z")
    memory.work()
    assert facts(memory, "Ann") == ["Ann likes chess", "Ann likes hiking", "Ann moved to Munich"]
    assert facts(memory, "Berlin") == []
    then = near(memory, "Ann", as_of="2024-02-01T00:00:00Z").facts
    assert [(one.value, one.standing) for one in then] == [("Berlin", "past")]
    assert facts(memory, "Ann", as_of="2023-12-01T00:00:00Z") == []


def test_a_city_that_was_left_is_left_under_every_name_of_the_person(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin.", time="2024-01-05T10:00:00Z")
    memory.say("b", "Annie: I moved to Munich last week.", time="2024-05-05T10:00:00Z")
    memory.work()
    assert facts(memory, "Berlin") == ["Ann lives in Berlin"]
    name(memory, "Annie", alias_of="Ann")
    assert facts(memory, "Berlin") == []
    assert facts(memory, "Annie") == facts(memory, "Ann") == ["Ann moved to Munich"]
    assert near(memory, "ann").names == ("Ann", "Annie")


def test_equal_facts_of_several_records_are_one_with_several_quotes(memory: Memory) -> None:
    for session in ("a", "b"):
        memory.say(session, "Ann: I live in Berlin.", time="2024-01-05T10:00:00Z")
    keep(memory, "Ann lives in Berlin.")
    memory.work()
    (one,) = near(memory, "Ann").facts
    assert len(one.evidence) == 3
    assert one.confidence == pytest.approx(1 - 0.2**3)


def test_what_was_archived_rejected_or_replaced_is_no_current_fact(memory: Memory) -> None:
    gone = keep(memory, "Billing depends on Postgres.")
    old = keep(memory, "The port of billing is 8080.")
    memory.archive(gone)
    replace(memory, old, "Billing listens to nobody.")
    assert facts(memory, "billing") == []
    memory.restore(gone)
    assert facts(memory, "billing") == ["Billing depends on Postgres"]


def test_a_correction_was_never_so_and_a_change_was_so_until_then(memory: Memory) -> None:
    start = memory.clock.now
    wrong = keep(memory, "The port of billing is 8080.")
    replace(memory, wrong, "The port of billing is 8081.", correction=True)
    old = keep(memory, "The owner of billing is Mara Quill.")
    replace(memory, old, "The owner of billing is Tom Berg.")
    assert set(facts(memory, "billing")) == {"billing port 8081", "billing owner Tom Berg"}
    first, third = iso(start + HOUR + HOUR // 2), iso(start + 3 * HOUR + HOUR // 2)
    assert facts(memory, "billing", as_of=first) == []  # it never was 8080, and 8081 was said later
    assert facts(memory, "billing", known_at=first) == ["billing port 8080"]
    assert facts(memory, "billing", as_of=third) == ["billing owner Mara Quill", "billing port 8081"]
    assert facts(memory, "billing", known_at=third) == ["billing owner Mara Quill", "billing port 8081"]


def test_an_edited_text_claims_what_it_says_now_and_then_claimed_what_it_said(memory: Memory) -> None:
    start = memory.clock.now
    ref = keep(memory, "The port of billing is 8080.")
    memory.clock.move(HOUR)
    memory.change(ref, "The port of billing is 8081.")
    assert facts(memory, "billing") == ["billing port 8081"]
    assert facts(memory, "billing", known_at=iso(start + HOUR + 1)) == ["billing port 8080"]


def test_what_holds_between_two_days_holds_on_no_other(memory: Memory) -> None:
    keep(memory, "The owner of billing is Mara Quill.", valid_from="2025-01-01", valid_to="2025-02-01")
    assert facts(memory, "billing") == []
    assert facts(memory, "billing", as_of="2025-01-15") == ["billing owner Mara Quill"]
    assert facts(memory, "billing", as_of="2025-02-01") == []
    keep(memory, "The port of billing is 9000.", valid_from=iso(memory.clock.now + 30 * DAY))
    assert facts(memory, "billing") == []


def test_what_is_denied_later_has_gone(memory: Memory) -> None:
    keep(memory, "We use Postgres.")
    keep(memory, "We use Redis.")
    keep(memory, "We moved from Postgres to MySQL.")
    assert set(facts(memory, "we")) == {"we not uses Postgres", "we uses MySQL", "we uses Redis"}


def test_nobody_knows_a_name_that_was_never_said_or_is_blocked(memory: Memory) -> None:
    keep(memory, "The port of billing is 8080.")
    name(memory, "billing", block=True)
    for entity in ("billing", "Zork", "..."):
        answer = near(memory, entity)
        assert (answer.entity_resolved, answer.facts, answer.entity) == (False, (), None)


def test_a_name_of_two_things_lists_both(memory: Memory) -> None:
    keep(memory, "Mara Quill lives in Berlin.")
    keep(memory, "Tom Berg lives in Rome.")
    name(memory, "the boss", alias_of="Mara Quill")
    name(memory, "the boss", alias_of="Tom Berg")
    answer = near(memory, "the boss")
    assert not answer.entity_resolved
    assert set(answer.related) == {"Mara Quill", "Tom Berg"}


def test_facts_never_cross_a_wall(memory: Memory) -> None:
    other = memory.in_("other")
    keep(memory, "The port of billing is 8080.")
    keep(other, "The port of billing is 9999.")
    keep(other, "The disk depends on billing.")
    assert facts(memory, "billing") == ["billing port 8080"]
    every = {"billing port 8080", "billing port 9999", "disk depends on billing"}
    assert set(facts(memory, "billing", workspace="*")) == every
    guest = memory.only("inbox")
    assert [said(one) for one in walk.near(guest, NearRequest("billing", workspace="*")).facts] == ["billing port 8080"]
    unknown = walk.near(guest, NearRequest("disk", workspace="*"))
    assert unknown == NearAnswer(None, False, (), meta=Meta(next=('recall(query="disk")',)))
    with pytest.raises(ForbiddenScope):
        walk.near(guest, NearRequest("billing", workspace="other"))


def test_a_hub_is_cut_and_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "CLAIMS_MOST", 5)
    memory.say("a", *(f"Ann: I love number{n} tea." for n in range(9)))
    memory.work()
    answer = near(memory, "Ann", limit=3)
    assert (len(answer.facts), answer.total) == (3, 5)
    assert answer.meta.warnings


def test_an_untrusted_value_stands_after_the_trusted_one_and_neither_hides_the_other(memory: Memory) -> None:
    keep(memory, "The booking service listens on port 9000.")
    tell_untrusted(memory, "The booking service listens on port 6666.")
    told = [(one.value, one.standing, one.taint) for one in near(memory, "booking service").facts]
    assert told == [("9000", "current", 0), ("6666", "current", 2)]
    tell_untrusted(memory, "The booking service listens on port 7777.")
    assert [one.value for one in near(memory, "booking service").facts] == ["9000", "7777"]
    keep(memory, "The booking service listens on port 9001.")
    assert [one.value for one in near(memory, "booking service").facts] == ["9001"]


def test_an_untrusted_denial_takes_nothing_away(memory: Memory) -> None:
    keep(memory, "We use Postgres.")
    tell_untrusted(memory, "We moved from Postgres to Oracle.")
    assert facts(memory, "we") == ["we uses Postgres", "we uses Oracle", "we not uses Postgres"]


def test_what_is_more_tainted_does_not_speak_against_what_a_person_confirmed(memory: Memory) -> None:
    person = replace_context(memory.context, door="cli")
    shared = replace_context(memory.context, grant=replace_context(memory.context.grant, zone="shared"))
    memory.clock.move(HOUR)
    remember(person, RememberRequest(text="The port of billing is 8080."))
    memory.clock.move(HOUR)
    remember(shared, RememberRequest(text="The port of billing is 8081."))
    assert facts(memory, "billing") == ["billing port 8080", "billing port 8081"]
    memory.clock.move(HOUR)
    remember(person, RememberRequest(text="The port of billing is 8082."))
    assert facts(memory, "billing") == ["billing port 8082"]


def test_an_open_conflict_is_named_at_the_facts_it_is_about_and_no_other(memory: Memory) -> None:
    keep(memory, "The owner of billing is Mara Quill. The port of billing is 8080.")
    tell_untrusted(memory, "The port of billing is 8081.")
    bench = Bench(memory)
    bench.scan()
    conflict = bench.only().ref
    assert {said(one): one.conflicts for one in near(memory, "billing").facts} == {
        "billing port 8080": (conflict,),
        "billing port 8081": (conflict,),
        "billing owner Mara Quill": (),
    }


def test_what_moved_is_past_and_where_it_moved_to_is_current(memory: Memory) -> None:
    old = keep(memory, "The mail service runs on host kestrel-2.")
    before = memory.clock.now
    new = keep(memory, "The mail service moved from kestrel-2 to heron-5.")
    now, then = near(memory, "mail service").facts
    assert (now.value, now.standing, now.evidence[0].ref) == ("heron-5", "current", new)
    assert now.evidence[0].quote == "The mail service moved from kestrel-2 to heron-5."
    assert (then.value, then.standing, then.evidence[0].ref) == ("kestrel-2", "past", old)
    assert then.valid[1] == iso(memory.clock.now)
    assert [(one.value, one.standing) for one in near(memory, "kestrel-2").facts] == [
        ("heron-5", "current"),
        ("kestrel-2", "past"),
    ]
    assert [(one.value, one.standing) for one in near(memory, "mail service", known_at=iso(before)).facts] == [
        ("kestrel-2", "current")
    ]
    memory.archive(new)
    assert [(one.value, one.standing) for one in near(memory, "mail service").facts] == [("kestrel-2", "current")]


def test_a_thing_that_moved_twice_is_where_it_moved_last(memory: Memory) -> None:
    keep(memory, "The mail service runs on host kestrel-2.")
    keep(memory, "The mail service moved from kestrel-2 to heron-5.")
    keep(memory, "The mail service moved from heron-5 to crane-1.")
    assert [(one.value, one.standing) for one in near(memory, "mail service").facts] == [
        ("crane-1", "current"),
        ("kestrel-2", "past"),
    ]
    keep(memory, "The mail service runs on kestrel-2.")
    assert [(one.value, one.standing) for one in near(memory, "mail service").facts] == [("kestrel-2", "current")]


def test_an_untrusted_move_moves_nothing_and_is_shown_beside(memory: Memory) -> None:
    keep(memory, "The mail service runs on kestrel-2.")
    tell_untrusted(memory, "The mail service moved from kestrel-2 to evil-1.")
    assert [(one.value, one.standing, one.taint) for one in near(memory, "mail service").facts] == [
        ("kestrel-2", "current", 0),
        ("evil-1", "current", 2),
    ]
    keep(memory, "The mail service moved from kestrel-2 to heron-5.")
    tell_untrusted(memory, "The mail service runs on host kestrel-2.")
    told = [(one.value, one.standing, one.taint) for one in near(memory, "mail service").facts]
    assert told == [("heron-5", "current", 0), ("kestrel-2", "current", 2)]


def test_nobody_crowds_out_what_is_trusted(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outdated, "NEWER_MOST", 3)
    keep(memory, "The mail service runs on kestrel-2.")
    keep(memory, "The mail service moved from kestrel-2 to heron-5.")
    for number in range(5):
        tell_untrusted(memory, f"The mail service has page {number}.")
    assert [one.value for one in near(memory, "mail service").facts if one.standing == "current"] == ["heron-5"]


def test_what_moved_elsewhere_moves_nothing_else(memory: Memory) -> None:
    keep(memory, "The mail service runs on kestrel-2.")
    keep(memory, "The chat service moved from kestrel-2 to heron-5.")
    keep(memory, "The mail service may move from kestrel-2 to heron-5.")
    assert [(one.value, one.standing) for one in near(memory, "mail service").facts] == [("kestrel-2", "current")]


@pytest.mark.parametrize("asked", ["release manager", "The release manager", "RELEASE MANAGER", "our release manager"])
def test_a_thing_with_its_property_is_a_name(memory: Memory, asked: str) -> None:
    keep(memory, "The release manager is Odalys Quist.")
    keep(memory, "The port of the release is 8080.")
    answer = near(memory, asked)
    assert (answer.entity_resolved, answer.entity) == (True, "release manager")
    assert [said(one) for one in answer.facts] == ["release manager Odalys Quist"]


def test_a_property_of_ours_is_a_name(memory: Memory) -> None:
    keep(memory, "Our ticket system is Jira.")
    keep(memory, "The wiki system is Confluence.")
    assert [near(memory, name).entity for name in ("ticket system", "wiki system")] == ["ticket system", "wiki system"]
    assert facts(memory, "the ticket system") == ["we ticket system Jira"]
    assert facts(memory, "wiki system") == ["wiki system Confluence"]


def test_of_a_name_that_nobody_knows_recall_is_the_next_step(memory: Memory) -> None:
    keep(memory, "The release manager is Odalys Quist.")
    for name_of in ("release date", "Zork"):
        answer = near(memory, name_of)
        assert (answer.entity_resolved, answer.meta.next) == (False, (f'recall(query="{name_of}")',))


@dataclass(frozen=True)
class Event:
    """One thing that happened: a value was said of a slot, changed, or put right, at the hour of its place."""

    slot: int
    value: int
    how: str


EVENTS = st.lists(
    st.builds(Event, st.integers(0, 1), st.integers(0, 3), st.sampled_from(("say", "change", "correct"))),
    min_size=1,
    max_size=7,
)


def model(events: Sequence[Event], slot: int, valid: int, known: int) -> set[int]:
    """The value that stands, worked out by going through everything that happened by then."""
    standing: list[tuple[int, int, int | None]] = []  # value, since, until
    for hour, event in enumerate(events, 1):
        if event.slot != slot or hour > known:
            continue
        if standing and event.how == "correct":
            standing.pop()
        elif standing and event.how == "change":
            value, since, _ = standing[-1]
            standing[-1] = (value, since, hour)
        standing.append((event.value, hour, None))
    held = [(since, value) for value, since, until in standing if since <= valid and (until is None or until > valid)]
    return {max(held)[1]} if held else set()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_what_stood_when_agrees_with_going_through_everything_that_happened(
    fresh: Callable[[], Memory], events: list[Event]
) -> None:
    memory = fresh()
    start = memory.clock.now
    last: dict[int, str] = {}
    for number, event in enumerate(events):
        text = f"Note {number}. The port of part{event.slot} is {8000 + event.value}."
        old = last.get(event.slot)
        if event.how == "say" or old is None:
            last[event.slot] = keep(memory, text)
        else:
            last[event.slot] = replace(memory, old, text, correction=event.how == "correct")
    hours = len(events)
    for slot in {event.slot for event in events}:
        assert {one.value for one in near(memory, f"part{slot}").facts} == {
            str(8000 + value) for value in model(events, slot, hours, hours)
        }
        for valid in range(1, hours + 1):
            for known in range(1, hours + 1):
                asked = {"as_of": iso(start + valid * HOUR + 1), "known_at": iso(start + known * HOUR + 1)}
                seen = {int(one.value) - 8000 for one in near(memory, f"part{slot}", **asked).facts}
                assert seen == model(events, slot, valid, known), (slot, valid, known)


# ---- why ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def causes(memory: Memory) -> Memory:
    for text in (
        "The outage was caused by the disk.",
        "The disk depends on the controller.",
        "The controller failed because of the heat.",
        "The outage and the heat were in the news.",  # together, and no cause
        "The alarm was caused by the heat.",
        "The outage came right after the party.",
        "Das Frontend hängt von der API ab.",
        "磁盘满导致服务中断。",
    ):
        keep(memory, text)
    return memory


def test_a_path_of_causes_is_found_in_either_direction_with_a_quote_at_each_step(causes: Memory) -> None:
    path = ["outage caused by disk", "disk depends on controller", "controller because of heat"]
    answer = why(causes, "outage", "heat")
    assert [said(one) for one in answer.path] == path
    assert answer.found
    assert answer.path[0].evidence[0].quote == "The outage was caused by the disk."
    assert steps(causes, "heat", "outage") == path[::-1]
    assert steps(causes, "Frontend", "API") == ["Frontend hängt ab von API"]
    assert steps(causes, "服务中断", "磁盘满") == ["磁盘满 导致 服务中断"]


def test_what_is_only_mentioned_together_explains_nothing(causes: Memory) -> None:
    for start, end in (("outage", "party"), ("party", "outage"), ("outage", "alarm"), ("alarm", "disk")):
        answer = why(causes, start, end)
        assert (answer.found, answer.path, answer.unresolved) == (
            False,
            (),
            () if end != "party" and start != "party" else ("party",),
        )
        assert answer.message.startswith("No path")


def test_a_path_longer_than_asked_for_is_none(causes: Memory) -> None:
    assert why(causes, "outage", "heat", max_hops=2).found is False
    assert why(causes, "outage", "controller", max_hops=2).found


def test_unknown_names_are_named(causes: Memory) -> None:
    answer = why(causes, "outage", "Zork")
    assert (answer.found, answer.unresolved) == (False, ("Zork",))
    assert "Zork" in answer.message
    assert set(why(causes, "Nix", "Zork").unresolved) == {"Nix", "Zork"}


def test_circles_end(memory: Memory) -> None:
    for text in ("Alpha depends on Beta.", "Beta depends on Gamma.", "Gamma depends on Alpha."):
        keep(memory, text)
    assert steps(memory, "Alpha", "Gamma") == ["Gamma depends on Alpha"]
    keep(memory, "Delta depends on Epsilon.")
    assert why(memory, "Alpha", "Delta").found is False
    assert why(memory, "Alpha", "Alpha").found is False


def test_the_shorter_path_comes_before_the_surer_and_the_surer_before_the_other(memory: Memory) -> None:
    keep(memory, "The outage was caused by the disk.")
    keep(memory, "The disk depends on the controller.")
    keep(
        memory,
        "They say: outage because of power, power because of controller.",
        claims=(
            ClaimIn("outage", "caused by", "power"),
            ClaimIn("power", "caused by", "controller"),
        ),
    )
    assert steps(memory, "outage", "controller") == ["outage caused by power", "power caused by controller"]
    keep(memory, "The outage was caused by the controller.")
    assert steps(memory, "outage", "controller") == ["outage caused by controller"]


def test_links_between_records_are_steps_too(memory: Memory) -> None:
    base = keep(memory, "Mara Quill chose Postgres.", kind="decision")
    middle = keep(memory, "Sharding is off.", links=(LinkIn(base, "depends_on"),))
    top = keep(memory, "Tom Berg pages at night.", links=(LinkIn(middle, "derived_from"),))
    keep(memory, "Nora Lund was there.", links=(LinkIn(base, "related_to"),))
    answer = why(memory, "Tom Berg", "Mara Quill")
    assert [one.attribute for one in answer.path] == ["derived_from", "depends_on"]
    assert [quote.ref for one in answer.path for quote in one.evidence] == [top, middle, middle, base]
    assert all(quote.quote for one in answer.path for quote in one.evidence)
    assert why(memory, "Nora Lund", "Mara Quill").found is False
    memory.archive(middle)
    assert why(memory, "Tom Berg", "Mara Quill").found is False


def test_a_link_leads_on_to_the_causes_that_its_record_states(memory: Memory) -> None:
    stated = keep(memory, "The outage was caused by the disk.")
    keep(memory, "Tom Berg lost his weekend.", links=(LinkIn(stated, "derived_from"),))
    keep(memory, "The disk depends on the controller.")
    path = why(memory, "Tom Berg", "controller").path
    assert [one.attribute for one in path] == ["derived_from", "caused by", "depends on"]


def test_causes_hold_when_they_were_known(causes: Memory) -> None:
    early = iso(causes.clock.now - 7 * HOUR + HOUR // 2)
    assert why(causes, "outage", "heat", known_at=early).found is False
    assert why(causes, "outage", "disk", known_at=early).found
    assert why(causes, "outage", "heat", as_of=early).found is False


def test_a_cause_that_was_taken_back_explains_nothing(memory: Memory) -> None:
    ref = keep(memory, "The outage was caused by the disk.")
    replace(memory, ref, "The outage is a mystery.", correction=True)
    assert why(memory, "outage", "disk").found is False


def test_aliases_join_causes(memory: Memory) -> None:
    keep(memory, "The outage was caused by the disk.")
    keep(memory, "SDA1 depends on the controller.")
    assert why(memory, "outage", "controller").found is False
    name(memory, "SDA1", merge_into="disk")
    assert steps(memory, "outage", "controller") == ["outage caused by disk", "disk depends on controller"]
    name(memory, "SDA1", block=True)
    assert why(memory, "outage", "controller").found is False


def test_paths_never_cross_a_wall(memory: Memory) -> None:
    other = memory.in_("other")
    keep(memory, "The outage was caused by the disk.")
    keep(other, "The disk depends on the controller.")
    assert why(memory, "outage", "controller", workspace="*").found is False
    assert why(memory, "outage", "controller").unresolved == ("controller",)
    keep(other, "The outage was caused by the disk.")
    assert why(memory, "outage", "controller", workspace="*").found
    guest = walk.why(memory.only("inbox"), WhyRequest("outage", "controller", workspace="*"))
    assert (guest.found, guest.unresolved) == (False, ("controller",))
