"""A document is kept whole, once; of all that came under one address the newest text is the one that is found."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from muniment.app import App
from muniment.errors import ConfirmationRequired, InvalidInput, LimitExceeded
from muniment.governance import ledger
from muniment.governance.govern import govern
from muniment.model.governing import GovernRequest, Retire
from muniment.model.writing import SIMILAR_SHOWN_MAX, TEXT_LENGTH_MAX, IngestAnswer
from muniment.store import records
from tests.ingest.writing import SECRET, actions, add_workspace, bring, found, inconsistencies, lines, opened, place

NOTES = """# Harbour notes

The berth fee at Lowick is 40 euros a night.

## Tides

High water comes at half past four.
"""
PAGE = """<html><head><title>Lowick &amp; its harbour</title><style>p {color: red}</style></head>
<body><script>alert("stolen")</script><h1>Harbour</h1><p>The berth fee is <b>40</b> euros.</p></body></html>"""
URL = "https://example.org/harbour"


def counted(answer: IngestAnswer) -> tuple[int, int]:
    return answer.added, answer.duplicates


def test_a_text_is_kept_whole_and_found(app: App) -> None:
    answer = bring(app, NOTES, format="markdown", time="2024-05-01T10:00:00+02:00")
    held = opened(app, answer.refs[0])
    assert (held.text, held.subject, held.kind, held.tier) == (NOTES.strip(), "Harbour notes", "document", "project-context")
    assert held.provenance.at == "2024-05-01T10:00:00+02:00"
    assert found(app, "When is high water?") == [answer.refs[0]]
    assert found(app, "Harbour notes")[:1] == [answer.refs[0]]


def test_a_page_is_kept_as_its_text_with_its_title(app: App) -> None:
    answer = bring(app, PAGE, format="html", url=URL)
    held = opened(app, answer.refs[0])
    assert held.subject == "Lowick & its harbour"
    assert "The berth fee is 40 euros." in held.text
    for gone in ("alert", "stolen", "color", "<b>"):
        assert gone not in held.text
    assert opened(app, bring(app, PAGE, format="html", title="Mine").refs[0]).subject == "Mine"


def test_the_same_document_again_adds_nothing(app: App) -> None:
    for fields in ({}, {"url": URL}, {"source_ref": "notes.md"}):
        assert counted(bring(app, NOTES, **fields)) == (1, 0)
        assert counted(bring(app, f"  {NOTES}\n", title="Another title", **fields)) == (0, 1)


@pytest.mark.parametrize("where", [{"url": URL}, {"source_ref": "notes.md"}, {"url": URL, "source_ref": "notes.md"}])
def test_a_changed_document_takes_the_place_of_the_one_before(app: App, where: dict[str, str]) -> None:
    old = bring(app, "The ferry leaves at noon.", **where).refs[0]
    new = bring(app, "Departure of the boat was moved to dusk.", **where)
    assert counted(new) == (1, 0)
    assert found(app, "ferry noon") == []
    assert found(app, "boat dusk") == [new.refs[0]]
    held = opened(app, old)
    assert (held.state, held.text) == ("archived", "The ferry leaves at noon.")
    assert actions(app) == ["ingest", "ingest"]
    assert inconsistencies(app) == []


def test_a_text_without_an_address_takes_nobodys_place(app: App) -> None:
    refs = [*bring(app, "The ferry leaves at noon.").refs, *bring(app, "The ferry leaves at dusk.").refs]
    assert sorted(found(app, "ferry leaves")) == sorted(refs)


def test_an_earlier_text_that_comes_again_is_the_document_again(app: App) -> None:
    first = bring(app, "The ferry leaves at noon.", url=URL).refs[0]
    second = bring(app, "Departure of the boat was moved to dusk.", url=URL).refs[0]
    said = bring(app, "The ferry leaves at noon.", url=URL, dry_run=True)
    assert opened(app, first).state == "archived"
    answer = bring(app, "The ferry leaves at noon.", url=URL)
    assert counted(answer) == (0, 1)
    assert answer.refs == (first,)
    assert "it is the document again" in answer.meta.warnings[0]
    assert replace(said, dry_run=False, refs=answer.refs) == answer
    assert [opened(app, ref).state for ref in (first, second)] == ["active", "archived"]
    assert found(app, "ferry noon") == [first]
    assert found(app, "boat dusk") == []
    assert actions(app) == ["ingest"] * 3
    assert bring(app, "The ferry leaves at noon.", url=URL).meta.warnings == ()
    with app.store.read() as connection:
        assert ledger.broken(connection, place(app)) is None


def test_a_nearly_equal_document_is_kept_and_what_it_resembles_is_listed(app: App) -> None:
    words = " ".join(f"word{number}" for number in range(300))
    first = bring(app, words)
    answer = bring(app, f"{words} more")
    assert counted(answer) == (1, 0)
    assert [(one.ref, len(one.text)) for one in answer.similar] == [(first.refs[0], SIMILAR_SHOWN_MAX)]
    assert answer.similar[0].similarity > 0.9


def test_a_dry_run_predicts_and_stores_nothing(app: App) -> None:
    said = bring(app, NOTES, url=URL, dry_run=True)
    assert (type(said.added), type(said.duplicates)) == (int, int)
    assert actions(app) == []
    done = bring(app, NOTES, url=URL)
    assert replace(said, dry_run=False, refs=done.refs) == done
    for dry in (True, False):
        with pytest.raises(InvalidInput):
            bring(app, "Other.", time="soon", dry_run=dry)


def test_secrets_are_masked_in_every_field(app: App) -> None:
    answer = bring(
        app, f"Use {SECRET}.", title=f"Key {SECRET}", url=f"https://ann:{SECRET}@example.org/", source_ref=f"/tmp/{SECRET}"
    )
    assert answer.masked == 4
    held = opened(app, answer.refs[0])
    assert SECRET not in repr(held)
    assert counted(bring(app, f"Use {SECRET}.", url=f"https://ann:{SECRET}@example.org/")) == (0, 1)
    plain = bring(replace(app.context(), redact=False), f"Use {SECRET}.")
    assert opened(app, plain.refs[0]).text == f"Use {SECRET}."


def test_what_no_store_can_keep_is_taken_out_of_every_field(app: App) -> None:
    foul = "a\x00b\ud83d"
    held = opened(app, bring(app, f"{foul} is kept", title=foul, url=foul, source_ref=foul).refs[0])
    assert (held.text, held.subject, held.provenance.url, held.provenance.source_ref) == ("ab? is kept", "ab?", "ab?", "ab?")


@pytest.mark.parametrize(
    ("text", "fields", "fault"),
    [
        ("", {}, InvalidInput),
        (" \n\x00", {}, InvalidInput),
        ("<script>x</script>", {"format": "html"}, InvalidInput),
        ("x" * (TEXT_LENGTH_MAX + 1), {}, LimitExceeded),
    ],
)
def test_what_cannot_be_kept_is_refused(app: App, text: str, fields: dict[str, Any], fault: type[Exception]) -> None:
    with pytest.raises(fault):
        bring(app, text, **fields)
    assert actions(app) == []


def test_each_workspace_has_its_own_documents(app: App) -> None:
    add_workspace(app, "other")
    mine = bring(app, NOTES, url=URL).refs[0]
    assert counted(bring(app, f"{NOTES}Changed.", url=URL, workspace="other")) == (1, 0)
    assert opened(app, mine).state == "active"
    assert counted(lines(app, {"session": "s", "speaker": "Ann", "text": NOTES})) == (1, 0)


def test_what_somebody_retired_does_not_come_back_by_being_sent_again(app: App) -> None:
    first, second = bring(app, NOTES, url=URL).refs[0], bring(app, f"{NOTES}Changed.", url=URL).refs[0]
    do = Retire("retire", second, 1, how="archive")
    with pytest.raises(ConfirmationRequired) as asked:
        govern(app.context(), GovernRequest(do, reason="wrong page"))
    govern(app.context(), GovernRequest(do, reason="wrong page", confirm=asked.value.confirm))
    for dry_run in (True, False):
        answer = bring(app, f"{NOTES}Changed.", url=URL, dry_run=dry_run)
        assert (answer.added, answer.duplicates, answer.refs) == (0, 1, ())
        assert "archived by decision" in answer.meta.warnings[0]
    assert opened(app, second).state == "archived"
    assert bring(app, NOTES, url=URL).refs == (first,)
    assert opened(app, first).state == "active"


def test_the_same_document_from_several_writers_is_kept_once(app: App) -> None:
    answers: list[Any] = []

    def write(number: int) -> None:
        for version in range(5):
            answers.append(bring(app, f"Version {version} of the page.", url=URL))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 15
    assert sum(answer.added for answer in answers) == 5
    with app.store.read() as connection:
        assert len(connection.all("documents_at", {"workspace": place(app), "url": URL, "source_ref": ""})) == 1
        assert ledger.broken(connection, place(app)) is None
    assert inconsistencies(app) == []


@pytest.mark.slow
def test_the_largest_document_is_found_by_a_passage_in_its_middle(app: App) -> None:
    chance = random.Random(7)
    words = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "tu") for b in ("ren", "vas", "pol") for c in ("", "da", "ne", "sk")]
    needle = "The quartermaster hid the sextant under the floorboards."
    sentences = (" ".join(chance.choices(words, k=12)).capitalize() + ". " for _ in range(200_000))
    text, parts, size = "", [], 0
    for sentence in sentences:
        if size < TEXT_LENGTH_MAX // 2 <= size + len(sentence):
            parts.append(needle + " ")
            size += len(needle) + 1
        if size + len(sentence) > TEXT_LENGTH_MAX:
            break
        parts.append(sentence)
        size += len(sentence)
    text = "".join(parts).strip()
    started = time.process_time()
    answer = bring(app, text)
    assert time.process_time() - started < 60
    assert found(app, "Where is the quartermaster's sextant?") == [answer.refs[0]]
    start = text.index(needle)
    with app.store.read() as connection:
        ((_, data),) = connection.all("postings", {"workspace": place(app), "terms": '["sextant"]'})
        ordinal = int.from_bytes(data[:4], "little")
        _, low, high, _, record, *_ = connection.all(
            "passages_between", {"workspace": place(app), "first": ordinal, "last": ordinal}
        )[0]
        assert records.by_id(connection, place(app), [record])[record].text == text
    assert low <= start < start + len(needle) <= high
    assert opened(app, answer.refs[0], span=(low, high)).text == text[low:high]
    assert inconsistencies(app) == []
