"""Worlds whose facts change: the same seed gives the same world, and every label follows from what was told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.evaluation import collections, runs
from muniment.evaluation.subject import Muniment
from muniment.evaluation.telling import SLOTS, UNTOLD, voices
from muniment.evaluation.world import main, world

SEED = 7
SESSIONS = 40


@pytest.mark.parametrize("name", sorted(voices()))
def test_the_same_seed_gives_the_same_world(name: str) -> None:
    assert world(name, SEED, 6) == world(name, SEED, 6)
    assert world(name, SEED, 6) != world(name, SEED + 1, 6)


@pytest.mark.parametrize("name", sorted(voices()))
def test_every_gold_item_was_told_and_names_are_never_uttered_that_nobody_knows(name: str) -> None:
    made = world(name, SEED, SESSIONS)
    texts = {item["id"]: item["text"] for item in made["items"]}
    told = " ".join(texts.values())
    assert {query["category"] for query in made["queries"]} >= {"fact", "current", "history", "as-of"}
    assert all(set(query["gold"]) <= set(texts) and query["gold"] for query in made["queries"])
    assert not any(stranger in told for strangers in voices()[name].strangers.values() for stranger in strangers)


def test_what_is_current_is_told_after_what_is_stale() -> None:
    made = world("ledgers", SEED, SESSIONS)
    place = {item["id"]: at for at, item in enumerate(made["items"])}
    for query in made["queries"]:
        assert all(place[old] < min(place[new] for new in query["gold"]) for old in query.get("stale", ()))


def test_nobody_is_spoken_of_by_name_who_takes_part() -> None:
    voice = voices()["ledgers"]
    made = world("ledgers", SEED, SESSIONS)
    pairs: dict[str, set[str]] = {}
    for item in made["items"]:
        pairs.setdefault(item["session"], set()).add(item["speaker"])
    about = [f"{person} lives in" for person in voice.people]
    for item in made["items"]:
        assert not any(start in item["text"] and start.split()[0] in pairs[item["session"]] for start in about)


def test_every_voice_can_tell_and_ask_every_fact() -> None:
    for voice in voices().values():
        for slot in SLOTS.values():
            assert voice.wordings[slot.name]["new"]
            assert voice.questions[slot.name]["now"]
            assert slot.fixed or (voice.wordings[slot.name]["changed"] and voice.questions[slot.name]["before"])
        assert all(voice.questions[slot.name]["now"] for slot in UNTOLD)


def test_a_plainly_told_world_is_answered_and_what_nobody_said_is_not(tmp_path: Path) -> None:
    main([str(tmp_path)])
    (held,) = collections.walk([tmp_path / "world-ledgers.json"])
    assert json.loads((tmp_path / "world-office.json").read_text(encoding="utf-8"))["name"] == "world-office"
    memory = Muniment("none")
    result = runs.measure(memory, [held])
    memory.close()
    said = runs.abstention(result)
    assert said.said_of_answerable <= 0.02 * said.answerable
    assert said.unanswerable - said.said_of_unanswerable <= 0.10 * said.unanswerable
