"""Assertions: clear clauses are read with subject, property and value; anything else is left alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.text.statements import claims
from muniment.text.statements.slots import slot
from tests.places import shared

READ = [
    ("I live in Berlin with my two cats.", "|lives in|Berlin"),
    ("Yeah, I've moved to New York last week!", "|moved to|New York"),
    ("I work as a nurse at Charité.", "|works as|a nurse"),
    ("I speak German, French and Dutch.", "|speaks|German;|speaks|French;|speaks|Dutch"),
    ("I don't like crowded trains.", "|not likes|crowded trains"),
    ("I no longer live in Rome.", "|not lives in|Rome"),
    ("I used to live in Rome.", "|was lives in|Rome"),
    ("My dog's name is Max.", "|dog|Max"),
    ("I have a golden retriever named Max.", "|retriever|Max"),
    ("I have two kids.", "|kids|two"),
    ("The port of billing is 8081.", "billing|port|8081"),
    ("The billing port is now 8081.", "billing|port|8081"),
    ("The port is 8081.", "port|is|8081"),
    ("Acme's CEO is Jane Doe.", "Acme|CEO|Jane Doe"),
    ("The deadline was moved to Friday 6 June.", ""),
    ("billing-service depends on Postgres.", "billing-service|depends on|Postgres"),
    ("The deploy failed because of the full disk.", "deploy|because of|full disk"),
    ("The outage was caused by the full disk.", "outage|caused by|full disk"),
    ("The outage was caused by an expired certificate.", "outage|caused by|expired certificate"),
    ("The checkout depends on the payment gateway.", "checkout|depends on|payment gateway"),
    ("The memory leak led to the crash.", "memory leak|led to|crash"),
    ("The mail service runs on host kestrel-2.", "mail service|runs on|kestrel-2"),
    ("The mail service runs on host networking.", "mail service|runs on|host networking"),
    ("The ticket system is Jira.", "ticket|system|Jira"),
    ("The ticket system is down.", ""),
    ("We moved from Postgres to MySQL.", "we|not uses|Postgres;we|uses|MySQL"),
    ("User prefers dark mode.", "User|prefers|dark mode"),
    ("Mara Quill reports to Tom Berg.", "Mara Quill|reports to|Tom Berg"),
    ("Anna wohnt in Köln.", "Anna|wohnt in|Köln"),
    ("Ich arbeite als Lehrerin.", "|arbeitet als|Lehrerin"),
    ("Der Port von billing ist 8081.", "billing|Port|8081"),
    ("Das Frontend hängt von der API ab.", "Frontend|hängt ab von|API"),
    ("Der Ausfall wurde durch die volle Festplatte verursacht.", "Ausfall|verursacht durch|volle Festplatte"),
    ("我住在上海，我喜欢唱歌、跳舞。", "|住在|上海;|喜欢|唱歌;|喜欢|跳舞"),
    ("支付服务依赖数据库。", "支付服务|依赖|数据库"),
    ("磁盘满导致服务中断。", "磁盘满|导致|服务中断"),
    ("测试环境的端口改成8081了。", "测试环境|端口|8081"),
    ("球队的教练现在是孙涛。", "球队|教练|孙涛"),
    ("我也很喜欢读书，你能推荐几本吗？", "|喜欢|读书"),
    ("As before, the session store is written in Zig.", "session store|is written in|Zig"),
    ("I live in Berlin, can you find a gym?", "|lives in|Berlin"),
    ("Ann, I moved to Rome, so I work for Fiat now.", "|moved to|Rome;|works for|Fiat"),
    ("Staging is slow since the database of Atlas is MySQL.", "Atlas|database|MySQL"),
    ("The limit of search rose to 50.", "search|limit|50"),
]
LEFT_ALONE = [
    "Do I live in Berlin?",
    "I might live in Berlin.",
    "If I live in Berlin, I need a flat.",
    "I think I work at Google.",
    "I'd love to live in Berlin.",
    "I moved to Rome when I was six.",
    "I love it.",
    "I love watching them play.",
    "I love escaping to that world.",
    "I like action and sci-fi movies.",
    "The weather is lovely.",
    "The gym is awesome.",
    "The disk and the outage were in the news.",
    "The outage came right after the release.",
    "She said that the outage was caused by the disk.",
    "```\nI live in Berlin.\n```",
    "If it rains, I work at Google.",
    "I work at Google, if they take me.",
    "This approach uses Redis.",
    "The total number of outcomes is 6.",
    "They told me that, I live in Berlin.",
    "测试环境的端口是多少",
    "他住在上海吗？",
    "我可能住在上海。",
    "",
]


def written(text: str) -> str:
    """What was read, as subject|property|value."""
    found = []
    for one in claims.find(text):
        sign = "not " if one.polarity < 0 else "was " if one.past else ""
        found.append(f"{one.subject}|{sign}{one.said}|{one.value}")
    return ";".join(found)


@pytest.mark.parametrize(("text", "read"), READ)
def test_clear_clauses_are_read(text: str, read: str) -> None:
    assert written(text) == read


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_is_asked_wished_guessed_or_unclear_is_left_alone(text: str) -> None:
    assert written(text) == ""


@given(
    text=st.lists(
        st.sampled_from([text for text, _ in READ] + LEFT_ALONE + [", ", "\n\n", "- ", "\u0301", '"']), max_size=6
    ).map(" ".join)
)
def test_subject_and_value_stand_in_the_words_that_are_quoted(text: str) -> None:
    for one in claims.find(text):
        said = text[one.start : one.end]
        assert one.value in said
        assert one.names in one.value
        assert one.subject in ("", "we") or one.subject in said


def test_most_of_a_chat_is_not_even_cut_into_clauses() -> None:
    assert not claims.worth_reading("Wow, that's so cool! How was your day?")
    assert claims.worth_reading("They say that Anna lives in Graz.")
    assert claims.worth_reading("Die Lieblingsfarbe von Anna ist Blau.")


def test_wordings_of_one_property_are_one_slot() -> None:
    assert slot("lives in") == slot("wohnt in") == slot("moved to") == slot("住在") == slot("residence")
    assert slot("the port") == slot("Port") == slot("listens on")
    assert slot("due date") != slot("date")
    assert slot("is") == "is"


def test_a_whole_conversation_yields_few_and_grounded_claims() -> None:
    items = json.loads(shared("data", "locomo", "0-26.json").read_text(encoding="utf-8"))["items"]
    found = [(item["text"], one) for item in items for one in claims.find(item["text"])]
    assert found
    assert all(one.value in text[one.start : one.end] for text, one in found)
