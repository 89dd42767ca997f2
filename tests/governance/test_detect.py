"""A wide scan finds what cannot all be right, goes on where it stopped, and says when it is due again."""

from __future__ import annotations

import pytest

from muniment.errors import InsufficientScope
from muniment.governance import detect, opening, partners
from muniment.governance.detect import scan
from muniment.governance.govern import govern
from muniment.model import governing
from muniment.model.governing import GovernRequest
from muniment.model.writing import Labels
from tests.governance.disagreeing import NEW, OLD, Bench, claim
from tests.makers import DAY, HashedWords, Memory


@pytest.fixture
def bench(memory: Memory) -> Bench:
    return Bench(memory)


def required(bench: Bench, slug: str | None = None) -> bool:
    with bench.memory.app.store.read() as connection:
        return detect.required(connection, bench.memory.place(slug).id)


def stopping(batches: int):  # type: ignore[no-untyped-def]
    """Goes on for so many batches."""
    left = iter([True] * batches)
    return lambda: next(left, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OLD, NEW),
        ("The API timeout is 1.5 seconds.", "The API timeout is 15 seconds."),
        ("The owner of billing is Anna.", "The owner of billing is Bob."),
        ("The deploy day is Friday.", "The deploy day is Monday."),
        ("Anna lives in Berlin.", "Anna lives in Paris."),
        ("Der Port des Servers ist 8080.", "Der Port des Servers ist 8081."),
    ],
)
def test_two_values_of_one_thing_are_a_conflict(bench: Bench, one: str, other: str) -> None:
    refs = {bench.memory.keep(one), bench.memory.keep(other)}
    assert bench.scan()["opened"] == 1
    conflict = bench.only()
    assert {member.ref for member in conflict.members} == refs
    assert all(member.value in member.quote.quote for member in conflict.members)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OLD, "The server port is 8,080."),
        ("The API timeout is 1500 ms.", "The API timeout is 1.5 seconds."),
        ("The dev server port is 8080.", "The prod server port is 8081."),
        ("The device server port is 8080.", "The dev server port is 8081."),
        ("Client v1 uses port 10.", "Client v12 uses port 11."),
        ("Ann likes tea.", "Ann likes coffee."),
        ("We use Postgres for billing.", "We use Grafana for billing."),
        ("The server port is unknown.", NEW),
        ("The server port was 8080 in 2021.", NEW),
        ("Maybe the server port is 8080.", NEW),
        ("The server port is 8080.", "The printer port is 8081."),
    ],
)
def test_what_may_both_be_right_is_no_conflict(bench: Bench, one: str, other: str) -> None:
    bench.memory.keep(one)
    bench.memory.keep(other)
    assert bench.scan()["opened"] == 0


def test_a_change_that_says_so_is_no_conflict(bench: Bench) -> None:
    bench.memory.keep(OLD)
    bench.memory.clock.move(1000)
    bench.memory.keep("The server port is now 8081.")
    assert bench.scan()["opened"] == 0
    assert bench.counts()["conflicts_open"] == 0


def test_an_explicit_supersede_is_no_conflict(bench: Bench) -> None:
    old = bench.memory.keep(OLD)
    bench.memory.keep(NEW, op="supersede", target=old, expected_version=1)
    bench.memory.work()
    assert bench.scan()["opened"] == 0


def test_intervals_that_do_not_meet_are_no_conflict(bench: Bench) -> None:
    bench.memory.keep(OLD, valid_from="2020-01-01", valid_to="2021-01-01")
    bench.memory.keep(NEW, valid_from="2021-01-01", valid_to="2022-01-01")
    assert bench.scan()["opened"] == 0
    bench.memory.keep("The server port is 8082.", valid_from="2020-06-01", valid_to="2020-07-01")
    assert bench.scan()["opened"] == 1
    assert bench.only().values == ("8080", "8082")


def test_one_conflict_for_each_thing_however_many_disagree(bench: Bench) -> None:
    first = [bench.memory.keep(OLD), bench.memory.keep(NEW)]
    bench.scan()
    before = bench.only()
    third, fourth = bench.memory.keep("The port of the server is 8082."), bench.memory.keep("The port of the server is 8081.")
    counts = bench.scan()
    assert (counts["opened"], counts["joined"] >= 1) == (0, True)
    after = bench.only()
    assert after.ref == before.ref
    assert after.revision > before.revision
    assert after.values == ("8080", "8081", "8082")
    assert {member.ref for member in after.members} == {*first, third, fourth}
    assert bench.scan()["joined"] == 0
    assert bench.only().revision == after.revision


def test_turns_take_part_by_their_claims_alone(bench: Bench) -> None:
    (turn,) = bench.memory.say("a", f"Ann: {NEW}")
    kept = bench.memory.keep(OLD)
    assert bench.scan()["opened"] == 0
    claim(bench.memory, turn, "server", "port", "8081")
    claim(bench.memory, kept, "server", "port", "8080")
    assert bench.scan()["opened"] == 1
    assert {member.ref for member in bench.only().members} == {turn, kept}


def test_claims_conflict_when_both_were_told(bench: Bench) -> None:
    one, other = bench.memory.keep("Zebra costs 5 in all."), bench.memory.keep("One pays 6 for a zebra.")
    claim(bench.memory, one, "zebra", "price", "5")
    claim(bench.memory, other, "zebra", "price", "6")
    assert bench.scan()["opened"] == 1


@pytest.mark.parametrize("fault", [{"quote": "not there"}, {"many": True}, {"value": "7"}, {"value": "unknown"}])
def test_a_claim_without_grounds_opens_nothing(bench: Bench, fault: dict[str, object]) -> None:
    one, other = bench.memory.keep("Zebra costs 5 in all."), bench.memory.keep("One pays 6 for a zebra.")
    claim(bench.memory, one, "zebra", "price", "5")
    values = {"value": "6"} | fault
    claim(bench.memory, other, "zebra", "price", **values)  # type: ignore[arg-type]
    assert bench.scan()["opened"] == 0


def test_the_same_value_said_to_be_so_and_not_so_is_a_conflict(bench: Bench) -> None:
    one, other = bench.memory.keep("The zebra is striped."), bench.memory.keep("A zebra is not striped.")
    claim(bench.memory, one, "zebra", "look", "striped")
    claim(bench.memory, other, "zebra", "look", "striped", polarity=-1)
    assert bench.scan()["opened"] == 1
    assert bench.only().values == ("striped", "not striped")


def test_labels_bring_up_whom_words_do_not(bench: Bench) -> None:
    filler = " ".join(f"word{number}" for number in range(60))
    bench.memory.keep(f"{OLD} {filler}.", labels=Labels(people=("Ann",)))
    bench.memory.keep(f"{NEW} {filler[::-1]}.", labels=Labels(people=("ann",)))
    assert bench.scan()["opened"] == 1


def test_meaning_brings_up_whom_words_do_not(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partners, "_worded_alike", lambda connection, record: {})
    monkeypatch.setattr(partners.scans, "claimed_alike", lambda *given: set())
    met = Bench(bench.memory.embed_with(HashedWords()))
    met.memory.keep(OLD)
    met.memory.keep(NEW)
    assert met.scan()["opened"] == 0
    index = detect.notice
    monkeypatch.setattr(detect, "notice", lambda *given: None)
    met.memory.work()
    monkeypatch.setattr(detect, "notice", index)
    assert met.scan()["opened"] == 1


def test_a_scan_goes_on_where_it_was_stopped_and_loses_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "BATCH", 1)
    for number in range(4):
        bench.memory.keep(f"The crane{number} height is 30.")
        bench.memory.keep(f"The crane{number} height is 31.")
    place = bench.memory.place()
    first = scan(bench.context, place, go_on=stopping(3))
    assert (first["complete"], first["records"]) == (0, 3)
    assert required(bench)
    rest = scan(bench.context, place)
    assert (rest["complete"], rest["records"]) == (1, 5)
    assert len(bench.conflicts()) == 4
    assert not required(bench)
    assert scan(bench.context, place)["opened"] == 0


def test_what_changes_during_a_scan_makes_another_one_due_and_that_one_clears_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detect, "BATCH", 1)
    first = bench.memory.keep("The crane is tall.")
    bench.memory.keep("The quay is wet.")
    place = bench.memory.place()
    scan(bench.context, place, go_on=stopping(1))
    bench.memory.change(first, "The crane is small.")
    assert scan(bench.context, place)["complete"] == 1
    assert required(bench)
    assert scan(bench.context, place)["complete"] == 1
    assert not required(bench)


def test_a_scan_that_another_one_overtook_stops(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "BATCH", 1)
    for number in range(3):
        bench.memory.keep(f"The crane{number} is tall.")
    place = bench.memory.place()
    asked = 0

    def meanwhile() -> bool:
        nonlocal asked
        asked += 1
        if asked == 2:
            assert scan(bench.context, place)["complete"] == 1
        return True

    assert scan(bench.context, place, go_on=meanwhile)["complete"] == 0
    assert not required(bench)


def test_a_scan_is_due_after_changes_and_only_a_full_one_clears_it(bench: Bench) -> None:
    assert not required(bench)
    bench.memory.say("a", "Ann: hello there")
    assert not required(bench)
    ref = bench.memory.keep(OLD)
    assert required(bench)
    bench.scan()
    assert not required(bench)
    bench.memory.say("a", "Ann: hello again")
    assert not required(bench)
    bench.memory.archive(ref)
    bench.memory.restore(ref)
    assert required(bench)
    bench.scan()
    bench.memory.keep(NEW)
    bench.scan()
    assert not required(bench)  # what a scan itself writes down asks for no other one


def test_another_detector_scans_everything_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.memory.keep(OLD)
    bench.memory.keep(NEW)
    bench.scan()
    bench.judge(bench.only(), "not_a_conflict")
    assert bench.scan()["opened"] == 0
    monkeypatch.setattr(opening, "DETECTOR", 2)
    monkeypatch.setattr(detect, "DETECTOR", 2)
    monkeypatch.setattr(detect, "CONSUMER", "conflicts:2")
    assert required(bench)
    assert bench.scan()["opened"] == 1


def test_a_stop_between_two_batches_leaves_no_half_of_anything(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "BATCH", 2)
    for number in range(3):
        bench.memory.keep(f"The crane{number} height is 30.")
        bench.memory.keep(f"The crane{number} height is 31.")
    place = bench.memory.place()
    entered = opening.enter

    def dies(*given, **more):  # type: ignore[no-untyped-def]
        entered(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(opening, "enter", dies)
    with pytest.raises(KeyboardInterrupt):
        scan(bench.context, place)
    assert bench.conflicts() == ()
    monkeypatch.setattr(opening, "enter", entered)
    assert scan(bench.context, place)["opened"] == 3


def test_workspaces_never_meet(bench: Bench) -> None:
    other = Bench(bench.memory.in_("other"))
    bench.memory.keep(OLD)
    other.memory.keep(NEW)
    assert bench.scan()["opened"] == other.scan()["opened"] == 0
    bench.memory.keep(NEW)
    assert bench.scan()["opened"] == 1
    assert other.scan()["opened"] == 0
    assert other.conflicts() == ()
    assert other.counts()["conflicts_open"] == other.counts()["notices_pending"] == 0
    assert not required(bench, "other")


def test_scanning_takes_authority_and_is_in_the_ledger(bench: Bench) -> None:
    bench.memory.keep(OLD)
    bench.memory.keep(NEW)
    answer = govern(bench.context, GovernRequest(governing.ScanConflicts("scan")))
    assert answer.counts is not None
    assert (answer.counts["opened"], answer.counts["complete"]) == (1, 1)
    assert answer.action is not None
    guest = bench.memory.only("inbox", write=())
    with pytest.raises(Exception, match="to write to"):
        govern(guest, GovernRequest(governing.ScanConflicts("scan")))


def test_what_was_just_written_is_looked_at_strictly(bench: Bench) -> None:
    bench.memory.keep(OLD)
    bench.memory.work()
    assert bench.conflicts() == ()
    bench.memory.keep(NEW)
    bench.memory.work()
    assert bench.only().values == ("8080", "8081")
    assert bench.counts()["notices_pending"] == 1


def test_the_strict_look_opens_nothing_that_only_one_direction_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.governance import clashes
    from muniment.text.statements import updates

    replaces = updates.replaces
    heard = []

    def forgetful(newer, older):  # type: ignore[no-untyped-def]
        heard.append(newer)
        return replaces(newer, older) if NEW in newer.text else None

    monkeypatch.setattr(clashes.updates, "replaces", forgetful)
    bench.memory.keep(OLD)
    bench.memory.keep(NEW)
    bench.memory.work()
    assert bench.conflicts() == ()
    assert bench.counts()["candidates_conflict"] == 1
    assert bench.counts()["notices_pending"] == 0
    assert heard


def test_a_conflict_that_is_settled_by_hand_does_not_linger(bench: Bench) -> None:
    old = bench.memory.keep(OLD)
    bench.memory.keep(NEW)
    bench.memory.work()
    assert bench.counts()["conflicts_open"] == 1
    bench.memory.change(old, NEW.replace("server port", "server's own port"), 1)
    bench.memory.work()
    assert bench.counts()["conflicts_open"] == bench.counts()["notices_pending"] == 0
    closed = bench.only("resolved")
    assert (closed.decider, closed.chosen) == ("rule:settled", "8081")


def test_a_schedule_asks_for_a_scan_only_when_it_is_due(bench: Bench) -> None:
    place = bench.memory.place()

    def due() -> bool:
        with bench.memory.app.store.read() as connection:
            return detect.due(connection, place.id, bench.memory.clock.now, DAY)

    assert not due()
    bench.memory.keep(OLD)
    assert due()
    bench.scan()
    bench.memory.keep(NEW)
    assert not due()
    bench.memory.clock.move(DAY)
    assert due()
    bench.scan()
    bench.memory.clock.move(DAY)
    assert not due()


def test_no_scope_no_scan(bench: Bench) -> None:
    from dataclasses import replace

    grant = replace(bench.context.grant, scopes=frozenset({"read", "append", "write"}))
    with pytest.raises(InsufficientScope):
        govern(replace(bench.context, grant=grant), GovernRequest(governing.ScanConflicts("scan")))
