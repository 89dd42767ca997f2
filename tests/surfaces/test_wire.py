"""Requests in, answers out: all faults at once in plain words, and plain values."""

from __future__ import annotations

import json
import sys
import unicodedata
from dataclasses import dataclass, field
from typing import Any

import pytest

from muniment.app import App
from muniment.errors import InvalidInput, LimitExceeded
from muniment.model.recalling import Evidence, EvidenceSpan, FetchAnswer, Meta, Provenance, RecallAnswer, SearchAnswer
from muniment.surfaces import wire
from muniment.surfaces.catalogue import Operation, named
from muniment.text import fence
from muniment.worker import drain


def operation(name: str) -> Operation:
    found = named(name)
    assert found is not None
    return found


def fault(name: str, values: Any) -> str:
    with pytest.raises(InvalidInput) as raised:
        wire.request_of(operation(name), values)
    return raised.value.message


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("recall", {"limt": 3}, "there is no field limt (did you mean limit?)"),
        ("recall", {"filter": {"knd": []}}, "there is no field filter.knd (did you mean kind?)"),
        ("recall", {"limit": 0}, "limit must be at least 1"),
        ("recall", {"limit": 10**400}, "limit must be at most 100"),
        ("recall", {"limit": "many"}, "limit must be a whole number"),
        ("recall", {"limit": 1.5}, "limit must be a whole number"),
        ("recall", {"trace": "maybe"}, "trace must be true or false"),
        ("recall", {"query": ["a"]}, "query must be a text"),
        ("recall", {"workspace": {"a": 1}}, "workspace must be a text or a list"),
        ("recall", {"workspace": ["a", 3]}, "workspace[1] must be a text"),
        ("recall", {"filter": "fact"}, "filter must be an object"),
        ("recall", {"filter": {"kind": ["facts"]}}, "(did you mean fact?)"),
        ("recall", {"format": "xml"}, "format must be one of json, text"),
        ("recall", {"principal": "root"}, "there is no field principal"),
        ("search", {}, "query is missing"),
        ("search", {"query": ""}, "query must not be empty"),
        ("read", {"span": [1]}, "span[1] is missing"),
        ("ingest", {"turns": [{"text": "a"}, {"speaker": "b", "text": "c", "tiem": "x"}]}, "turns[0].speaker is missing"),
        ("ingest", {"turns": [{"speaker": "b", "text": "c", "tiem": "x"}]}, "turns[0].tiem (did you mean time?)"),
        ("list_projects", {"a": 1}, "there is no field a"),
        ("remember", {"kind": "decison", "text": "x"}, "(did you mean decision?)"),
        ("why", {"to": "b"}, "from is missing"),
        ("why", {"from": 1, "to": "b"}, "from must be a text"),
        ("why", {"from_": "a", "to": "b"}, "there is no field from_ (did you mean from?)"),
        ("review", {}, "do is missing"),
        ("review", {"do": "overview"}, "do must be an object"),
        ("review", {"do": {}}, "do.verb is missing; it is one of overview, conflicts,"),
        ("review", {"do": {"verb": "histroy", "ref": "m_1"}}, "expired, entities, queue (did you mean history?)"),
        ("review", {"do": {"verb": 3}}, "do.verb must be one of overview"),
        ("review", {"do": {"verb": "conflict"}}, "do.conflict is missing"),
        ("review", {"do": {"verb": "diff", "ref": "m_1", "nwe": 2}}, "there is no field do.nwe (did you mean new?)"),
        ("review", {"do": {"verb": "audit", "limit": "x"}}, "do.limit must be a whole number"),
        (
            "govern",
            {"do": {"verb": "protect", "target": "m_1", "expected_version": 1, "level": "lock"}},
            "(did you mean locked?)",
        ),
        (
            "govern",
            {"do": {"verb": "replan", "conflict": "c_1", "expected_revision": 1, "plan": [{"rf": "m_1", "op": "x"}]}},
            "there is no field do.plan[0].rf (did you mean ref?)",
        ),
    ],
)
def test_a_fault_is_told_in_plain_words(name: str, values: Any, words: str) -> None:
    assert words in fault(name, values)


def test_the_advice_names_what_the_verb_takes() -> None:
    with pytest.raises(InvalidInput) as raised:
        wire.request_of(operation("govern"), {"do": {"verb": "retire"}})
    assert raised.value.do_next.endswith("retire takes target, expected_version, heir, how.")
    with pytest.raises(InvalidInput) as raised:
        wire.request_of(operation("review"), {"do": {"verb": "overview", "all": True}})
    assert raised.value.do_next.endswith("overview takes nothing else.")


def test_what_python_cannot_call_by_its_name_is_read_and_written_by_it() -> None:
    request = wire.request_of(operation("why"), {"from": "a", "to": "b"})
    assert request.from_ == "a"
    assert wire.plain(request)["from"] == "a"


def test_all_faults_are_told_at_once() -> None:
    said = fault("recall", {"limt": 1, "limit": 0, "diversity": 3, "filter": {"knd": 1}})
    assert said.count(";") == 3
    assert all(word in said for word in ("limt", "limit must", "diversity", "filter.knd"))


def test_thousands_of_faults_are_counted_and_not_listed() -> None:
    said = fault("ingest", {"turns": [{}] * 1000})
    assert said.endswith("and 1990 more.")
    assert len(said) < 1000


def test_what_is_only_too_long_is_over_a_limit() -> None:
    turn = {"speaker": "a", "text": "b"}
    with pytest.raises(LimitExceeded, match="turns must not hold more than 1,000 values"):
        wire.request_of(operation("ingest"), {"turns": [turn] * 1001})
    with pytest.raises(LimitExceeded, match="must not be longer than 10,000 characters"):
        wire.request_of(operation("search"), {"query": "x" * 10_001})


def test_a_fault_never_quotes_a_long_value() -> None:
    said = fault("recall", {"format": "secret " * 1000, "q" * 5000: 1})
    assert len(said) < 400


@pytest.mark.parametrize("values", [None, [], "x", 3])
def test_arguments_that_are_no_object_are_refused(values: Any) -> None:
    assert "not an object" in fault("recall", values)


def test_search_with_a_filter_is_told_to_use_recall() -> None:
    with pytest.raises(InvalidInput) as raised:
        wire.request_of(operation("search"), {"query": "x", "filter": {"kind": ["fact"]}})
    assert "call recall" in raised.value.do_next


def test_null_stands_for_an_absent_field() -> None:
    assert wire.request_of(operation("recall"), {"query": "x", "limit": None, "filter": None}).limit is None


def test_half_a_character_does_not_cost_the_call() -> None:
    assert wire.request_of(operation("search"), {"query": "caf\ud83d"}).query == "caf?"


def test_an_answer_leaves_out_what_is_absent_and_keeps_the_contract() -> None:
    answer = RecallAnswer((), "none", abstained=True, missing=("berth",))
    shown = wire.plain(answer)
    assert shown["results"] == []
    assert shown["missing"] == ["berth"]
    assert not {"nearest", "total", "cursor", "text", "trace"} & set(shown)
    assert shown["meta"] == {"mode": "full"}


def test_an_answer_is_json_all_the_way_down() -> None:
    spans = (EvidenceSpan(0, 2, "ab"),)
    evidence = Evidence("t_1", "turn", "ab", 0.5, "primary", ("lexical",), spans, Provenance("inbox"), 0.7, 0)
    shown = wire.plain(RecallAnswer((evidence,), "strong", trace={"stage": (1, {"x": float("inf")})}))
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert shown["results"][0]["evidence"] == [{"start": 0, "end": 2, "quote": "ab"}]
    assert shown["trace"] == {"stage": [1, {"x": None}]}


def test_the_connector_answers_keep_empty_parts() -> None:
    assert wire.plain(SearchAnswer(())) == {"results": []}
    assert wire.plain(FetchAnswer("m_1", "t", "x", "http://h/r/m_1", {}))["metadata"] == {}


def test_what_has_no_place_in_an_answer_is_an_error() -> None:
    with pytest.raises(TypeError, match="object"):
        wire.plain(object())


@dataclass(frozen=True, slots=True)
class Nothing:
    number: float
    meta: Meta = field(default_factory=Meta)


def test_a_number_that_is_none_is_left_out() -> None:
    assert wire.plain(Nothing(float("nan"))) == {"meta": {"mode": "full"}}


def test_a_call_validates_runs_and_answers_plain_values(app: App) -> None:
    kept = wire.call(app.context(), operation("remember"), {"text": "Berth 12 is reserved for the pilot boat."})
    found = wire.call(app.context(), operation("search"), {"query": "pilot boat berth"})
    assert found["results"][0]["id"] == kept["ref"]
    assert "meta" in kept
    assert "meta" not in found


def test_a_conflict_is_told_along_with_one_later_answer_of_a_working_agent(app: App) -> None:
    context = app.context()
    for text in ("The server port is 8080.", "The server port is 8081."):
        wire.call(context, operation("remember"), {"text": text})
    drain(context)
    for quiet in ("stats", "list_projects"):
        assert "notices" not in wire.call(context, operation(quiet), {})["meta"]
    wire.call(context, operation("search"), {"query": "server port"})
    (told,) = wire.call(context, operation("recall"), {"query": "server port"})["meta"]["notices"]
    assert told.startswith("c_")
    for name, values in (("recall", {"query": "server port"}), ("get_context", {}), ("remember", {"text": "The quay is wet."})):
        assert "notices" not in wire.call(context, operation(name), values)["meta"]


# --- what no reader sees ------------------------------------------------------------------------------------------

HIDDEN = "The crane is \u202eneerg\u202c, says the\u200b foreman\u2066 of pier\U000e0041 4\u2069."
SEEN = "The crane is neerg, says the foreman of pier 4."
UNSEEN = set(HIDDEN) - set(SEEN)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("recall", {"query": "crane"}),
        ("recall", {"query": "crane", "format": "text"}),
        ("recall", {"query": "crane", "workspace": "*", "filter": {"kind": ["fact"]}, "trace": True}),
        ("recall", {}),
        ("read", {"ref": "REF"}),
        ("read", {"ref": "REF", "include": ["history", "spans", "lineage", "links", "claims"]}),
        ("read", {"ref": "REF", "span": [0, 30]}),
        ("search", {"query": "crane"}),
        ("fetch", {"id": "REF"}),
        ("get_context", {"task": "crane"}),
        ("near", {"entity": "crane"}),
        ("search_memory", {"project_id": "inbox", "query": "crane"}),
        ("review", {"do": {"verb": "history", "ref": "REF"}}),
        ("remember", {"text": "The crane is green, says the foreman of pier 4."}),
    ],
)
def test_no_answer_holds_what_its_reader_cannot_see(app: App, name: str, values: dict[str, Any]) -> None:
    kept = wire.call(app.context(), operation("remember"), {"text": HIDDEN, "subject": "the\u200b crane"})
    drain(app.context())
    asked = json.loads(json.dumps(values).replace("REF", kept["ref"]))
    answer = wire.call(app.context(), operation(name), asked)
    assert not UNSEEN & set(json.dumps(answer, ensure_ascii=False))
    if name in ("recall", "read") and "format" not in values:
        assert answer["meta"]["warnings"][-1] == wire.LEFT_OUT
        shown = answer["results"] if name == "recall" else answer["records"]
        assert shown[0]["text"] == SEEN or "span" in values


def test_proof_is_read_as_it_is_stored(app: App) -> None:
    ref = wire.call(app.context(), operation("remember"), {"text": HIDDEN})["ref"]
    answer = wire.call(app.context(), operation("read"), {"ref": ref, "include": ["evidence"]})
    assert answer["records"][0]["text"] == HIDDEN
    assert "warnings" not in answer.get("meta", {})


def test_an_answer_without_hidden_characters_is_left_alone(app: App) -> None:
    text = "Die Kräne 👩‍👩‍👧 am Kai sind grün, می‌خواهم, und der Name ist “Łódź”."
    ref = wire.call(app.context(), operation("remember"), {"text": text})["ref"]
    answer = wire.call(app.context(), operation("read"), {"ref": ref})
    assert answer["records"][0]["text"] == text
    assert "warnings" not in answer.get("meta", {})


def test_every_character_that_may_be_left_out_is_looked_for() -> None:
    missed = [
        hex(number)
        for number in range(sys.maxunicode + 1)
        if (unicodedata.category(chr(number)) == "Cf" or fence.visible(f"a{chr(number) * 4}b") != f"a{chr(number) * 4}b")
        and not wire.HIDING.search(chr(number))
    ]
    assert missed == []
