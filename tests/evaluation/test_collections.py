"""Data sets in every known form become one, and a file that is none is said to be so."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import collections, foreign
from muniment.evaluation.collections import UNANSWERABLE, Collection
from tests.places import ROOT, shared

OWN = {
    "format": "memory-recall-1",
    "name": "small",
    "items": [
        {"id": "a", "text": "The key is under the mat.", "speaker": "Ann", "session": 1, "time": "2026-01-02T10:00:00"},
        {"id": "b", "text": "The key is with Bo now.", "speaker": "Bo", "session": 2, "note": "a key on a hook"},
    ],
    "queries": [{"id": "1", "query": "Where is the key?", "gold": ["b"], "category": "current", "stale": ["a"]}],
    "unanswerable": [{"id": "u", "query": "Who owns the boat?"}],
}
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Look at this!", "blip_caption": "a red kayak"},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice."},
            ],
            "session_2_date_time": "9:00 am on 1 June, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I bought one too."}],
        },
        "qa": [
            {"question": "What did Ann show?", "answer": "a kayak", "evidence": ["D1:1; D2:01"], "category": 1},
            {"question": "What did Bo show?", "adversarial_answer": "a kayak", "evidence": ["D1:1"], "category": 5},
            {"question": "Who knows?", "answer": "", "evidence": [], "category": 4},
        ],
    }
]
LONG = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which car do I drive?",
        "answer": "a van",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [
            [{"role": "user", "content": "I drive a van.", "has_answer": True}, {"role": "assistant", "content": "Good."}],
            [{"role": "user", "content": "Hello."}],
        ],
        "answer_session_ids": ["s1"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "Which boat do I sail?",
        "answer": "unknown",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [[{"role": "user", "content": "I drive a van."}]],
        "answer_session_ids": ["s1"],
    },
]
BEAM_CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "My sprint ends on Friday. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Good."},
            ]
        ],
    }
]
BEAM_QUESTIONS = {
    "abstention": [{"question": "What is my background?"}],
    "summarization": [{"question": "Sum it all up.", "source_chat_ids": [0, 1]}],
    "knowledge_update": [{"question": "When does it end?", "source_chat_ids": {"original": [0], "updated": [1]}}],
}


def written(path: Path, held: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(held).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def only(path: Path) -> Collection:
    (found,) = collections.walk([path])
    return found


@pytest.mark.parametrize("name", ["set.json", "set.json.gz"])
def test_our_own_form_is_read_plain_and_gzipped(tmp_path: Path, name: str) -> None:
    found = only(written(tmp_path / name, OWN))
    assert [item.id for item in found.items] == ["a", "b"]
    assert found.items[1].full == "The key is with Bo now. a key on a hook"
    current, unanswerable = found.questions
    assert (current.gold, current.stale, current.sessions) == (("b",), ("a",), ("2",))
    assert (unanswerable.category, unanswerable.gold) == (UNANSWERABLE, ())


def test_a_folder_gives_its_files_in_name_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        written(tmp_path / f"{name}.json", OWN | {"name": name})
    (tmp_path / "README.md").write_text("not a set")
    assert [found.name for found in collections.walk([tmp_path])] == ["a", "b"]


def test_locomo_gives_one_collection_a_conversation_and_mends_its_evidence(tmp_path: Path) -> None:
    found = only(written(tmp_path / "locomo10.json", LOCOMO))
    assert found.items[0].full == "Look at this! a red kayak"
    assert found.items[2].time == "2023-06-01T09:00:00"
    assert [(one.category, one.gold) for one in found.questions] == [
        ("1-multi-hop", ("D1:1", "D2:1")),
        ("adversarial", ("D1:1",)),
    ]
    assert found.questions[0].sessions == ("1", "2")


def test_longmemeval_gives_one_collection_a_question_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "longmemeval_s.json", LONG)
    monkeypatch.setattr(foreign, "STREAMED_AT_ONCE", 64)
    first, second = collections.walk([path])
    (asked,) = first.questions
    assert (asked.gold, asked.sessions, asked.category) == (("s1/1",), ("s1",), "single-session-user")
    assert asked.now is not None
    assert asked.now.startswith("2023-05-30T23:40")
    assert second.questions[0].category == UNANSWERABLE


def test_a_longmemeval_file_that_stops_halfway_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "cut.json", LONG)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InvalidInput, match="middle of an entry"):
        list(collections.walk([path]))


def test_a_beam_chat_finds_its_questions_beside_it(tmp_path: Path) -> None:
    written(tmp_path / "1" / "probing_questions" / "probing_questions.json", BEAM_QUESTIONS)
    written(tmp_path / "1" / "chat.json", BEAM_CHAT)
    found = only(tmp_path)
    assert found.items[0].text == "My sprint ends on Friday."
    assert found.items[1].time == "2024-03-15T00:00:00"
    assert [(one.category, one.gold) for one in found.questions] == [(UNANSWERABLE, ()), ("knowledge_update", ("0", "1"))]


def test_a_beam_chat_without_questions_says_where_they_belong(tmp_path: Path) -> None:
    written(tmp_path / "chat.json", BEAM_CHAT)
    with pytest.raises(InvalidInput, match="probing_questions"):
        list(collections.walk([tmp_path / "chat.json"]))


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({"format": "other"}, "no data set"),
        (OWN | {"items": [{"id": "a"}]}, "no complete"),
        (OWN | {"items": [OWN["items"][0], OWN["items"][0]]}, "have one id"),
        (OWN | {"queries": [{"id": "1", "query": "?", "gold": ["nobody"]}]}, "not there"),
        (OWN | {"queries": [{"id": "1", "query": "?", "gold": []}]}, "no gold"),
        ([{"conversation": {"session_1": [{"text": "no id"}]}, "qa": []}], "LoCoMo"),
        ([{"question_id": "q"}], "LongMemEval"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason(tmp_path: Path, held: Any, words: str) -> None:
    path = written(tmp_path / "bad.json", held)
    with pytest.raises(InvalidInput, match=words):
        list(collections.walk([path]))


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(raw)
    with pytest.raises(InvalidInput):
        list(collections.walk([path]))


def test_a_broken_gzip_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "bad.json.gz", OWN)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(InvalidInput, match="damaged"):
        list(collections.walk([path]))


def test_a_missing_path_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "nowhere", "no file"), (tmp_path, "holds no")):
        with pytest.raises(InvalidInput, match=words):
            list(collections.walk([path]))


def test_the_measuring_data_reads_whole() -> None:
    found = list(collections.walk([shared("data", "locomo")]))
    assert (sum(len(one.items) for one in found), sum(len(one.questions) for one in found)) == (3435, 1155)


def test_the_project_s_corpora_hold_what_is_packaged() -> None:
    (harbour,) = collections.walk([ROOT / "evals" / "harbour.json"])
    lines = (ROOT / "src" / "muniment" / "samples" / "harbour.jsonl").read_text(encoding="utf-8").splitlines()
    packaged = [(turn["id"], turn["text"]) for turn in map(json.loads, lines)]
    assert [(item.id, item.text) for item in harbour.items] == packaged
    assert len(harbour.questions) >= 60
