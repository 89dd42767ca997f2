"""Data sets in the files their authors published: LoCoMo, LongMemEval and BEAM.

Nothing is repaired but what is known to be written in several ways: evidence ids, and dates. Whatever else does not fit
is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput, MunimentError
from muniment.evaluation.collections import UNANSWERABLE, Collection, Item, Question, checked, load, placed
from muniment.text import dates

# Named as the LoCoMo paper names them; its file only numbers them.
LOCOMO_CATEGORIES = {1: "1-multi-hop", 2: "2-temporal", 3: "3-open-domain", 4: "4-single-hop", 5: "adversarial"}
# Abilities of BEAM that ask for no evidence, or for most of the chat at once.
BEAM_LEFT_OUT = frozenset({"summarization", "event_ordering"})
BEAM_QUESTIONS = Path("probing_questions") / "probing_questions.json"
HEAD = 4096
STREAMED_AT_ONCE = 1 << 20
ENTRY_MAX = 1 << 28


def moment(written: str | None) -> str | None:
    """A time as ISO 8601, whichever way a data set writes it; None for one that cannot be read."""
    if not written:
        return None
    for form in ("%I:%M %p on %d %B, %Y", "%B-%d-%Y"):
        try:
            return datetime.strptime(written.strip(), form).isoformat()  # noqa: DTZ007 (the sets name no zone)
        except ValueError:
            continue
    try:
        return dates.parse(written).iso()
    except MunimentError:
        return None


def is_locomo(held: Any) -> bool:
    first = held[0] if isinstance(held, list) and held else held
    return isinstance(first, dict) and "conversation" in first and "qa" in first


def locomo(held: Any, path: Path, digest: str) -> Iterator[Collection]:
    """One collection a conversation of a LoCoMo file."""
    for number, sample in enumerate(held if isinstance(held, list) else [held]):
        try:
            items = tuple(_locomo_items(sample["conversation"]))
            questions = tuple(_locomo_questions(sample["qa"], {item.id for item in items}))
            name = f"locomo-{sample.get('sample_id', number)}"
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            raise InvalidInput(f"{path}: conversation {number} is not written as LoCoMo writes one: {fault!r}.") from fault
        yield checked(Collection(name, path.name, digest, items, placed(items, questions)))


def _locomo_items(conversation: dict[str, Any]) -> Iterator[Item]:
    numbers = sorted(int(key.removeprefix("session_")) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        at = moment(conversation.get(f"session_{number}_date_time"))
        for turn in conversation[f"session_{number}"]:
            name = turn["dia_id"]
            yield Item(name, turn.get("text") or "", turn["speaker"], str(number), at, turn.get("blip_caption") or None)


def _locomo_questions(asked: list[dict[str, Any]], known: set[str]) -> Iterator[Question]:
    """Questions with evidence. Some evidence names several ids at once, or writes D30:05 for D30:5."""
    for number, one in enumerate(asked):
        found = _dialogue().findall(" ".join(map(str, one.get("evidence") or ())))
        gold = tuple(dict.fromkeys(name for a, b in found if (name := f"D{int(a)}:{int(b)}") in known))
        if gold:
            yield Question(str(number), one["question"], gold, LOCOMO_CATEGORIES.get(one["category"], str(one["category"])))


@cache
def _dialogue() -> re.Pattern[str]:
    return re.compile(r"D(\d+):(\d+)")


def is_streamed(path: Path) -> bool:
    """Whether a file is LongMemEval's: its files are gigabytes, so they are told by their head."""
    if path.name.endswith(".gz"):
        return False
    with path.open("rb") as file:
        head = file.read(HEAD)
    return head.lstrip()[:1] == b"[" and b'"question_id"' in head


def long_mem_eval(path: Path, digest: str) -> Iterator[Collection]:
    """One collection a question: each has a haystack of its own. The file is read an entry at a time."""
    for entry in _entries(path):
        try:
            items = tuple(_haystack(entry))
            names = entry["answer_session_ids"]
            question = _long_question(entry, items, tuple(names))
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            name = entry.get("question_id") if isinstance(entry, dict) else None
            raise InvalidInput(f"{path}: entry {name} is not written as LongMemEval writes one: {fault!r}.") from fault
        yield checked(Collection(f"longmemeval-{question.id}", path.name, digest, items, (question,)))


def _haystack(entry: dict[str, Any]) -> Iterator[Item]:
    for name, at, turns in zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True):
        for number, turn in enumerate(turns, 1):
            if turn["content"].strip():
                yield Item(f"{name}/{number}", turn["content"], turn["role"], name, moment(at))


def _long_question(entry: dict[str, Any], items: tuple[Item, ...], names: tuple[str, ...]) -> Question:
    """Evidence turns are marked; where none is, every turn of the evidence sessions counts."""
    name, known = entry["question_id"], {item.id for item in items}
    category = UNANSWERABLE if name.endswith("_abs") else entry["question_type"]
    gold: tuple[str, ...] = ()
    if category != UNANSWERABLE:
        sessions = dict(zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True))
        turns = [(f"{one}/{n}", turn) for one in names for n, turn in enumerate(sessions[one], 1) if f"{one}/{n}" in known]
        gold = tuple(one for one, turn in turns if turn.get("has_answer")) or tuple(one for one, _ in turns)
    asked = moment(entry.get("question_date"))
    return Question(name, entry["question"], gold, category, now=asked, sessions=names if gold else ())


def _entries(path: Path) -> Iterator[Any]:
    """The members of a JSON list, without ever holding more than one of them."""
    decoder = json.JSONDecoder()
    with path.open(encoding="utf-8") as file:
        held, wanted = file.read(STREAMED_AT_ONCE).lstrip().removeprefix("["), STREAMED_AT_ONCE
        while True:
            held = held.lstrip().removeprefix(",").lstrip()
            if held[:1] == "]":
                return
            try:
                entry, end = decoder.raw_decode(held)
            except json.JSONDecodeError as fault:
                more = file.read(wanted)
                if not more or len(held) > ENTRY_MAX:
                    raise InvalidInput(f"{path} ends in the middle of an entry, or is no JSON: {fault}.") from fault
                held, wanted = held + more, wanted * 2
                continue
            held, wanted = held[end:], STREAMED_AT_ONCE
            yield entry


def is_beam(held: Any) -> bool:
    first = held[0] if isinstance(held, list) and held else None
    return isinstance(first, dict) and "turns" in first


def beam(held: Any, path: Path, digest: str) -> Collection:
    """One chat of BEAM, with the questions that lie in `probing_questions` beside it."""
    beside = path.parent / BEAM_QUESTIONS
    if not beside.exists():
        raise InvalidInput(f"{path} is a chat of BEAM without its questions.", f"Put them at {beside}.")
    try:
        items = tuple(_beam_items(held))
        questions = tuple(_beam_questions(load(beside), {item.id for item in items}))
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise InvalidInput(f"{path} is not written as BEAM writes a chat: {fault!r}.") from fault
    return checked(Collection(f"beam-{path.parent.name}", path.name, digest, items, placed(items, questions)))


def _beam_items(held: list[dict[str, Any]]) -> Iterator[Item]:
    """A batch is a session, and its first message bears its date."""
    for number, batch in enumerate(held, 1):
        at: str | None = None
        for message in (one for turn in batch["turns"] for one in turn):
            at = moment(message.get("time_anchor")) or at
            text = _beam_mark().sub("", message["content"])
            yield Item(str(message["id"]), text, message["role"], str(batch.get("batch_number", number)), at)


def _beam_questions(held: dict[str, list[dict[str, Any]]], known: set[str]) -> Iterator[Question]:
    for ability, asked in held.items():
        if ability in BEAM_LEFT_OUT:
            continue
        for number, one in enumerate(asked):
            named = one.get("source_chat_ids") or ()
            groups = named.values() if isinstance(named, dict) else [named]
            gold = tuple(dict.fromkeys(name for group in groups for name in map(str, group) if name in known))
            if ability == "abstention":
                yield Question(f"{ability}-{number}", one["question"], (), UNANSWERABLE)
            elif gold:
                yield Question(f"{ability}-{number}", one["question"], gold, ability)


@cache
def _beam_mark() -> re.Pattern[str]:
    """`->-> 1,1` at the end of a message counts the authors' plan and was never said."""
    return re.compile(r"\s*->->[\s\d,]*$")
