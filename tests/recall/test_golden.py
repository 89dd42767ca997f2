"""The traced ranking of a small fixed corpus, the same on both stores: a change of it has to be seen and meant."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.makers import HashedWords, Memory

SESSIONS = {
    "monday": (
        "2024-03-04T09:00:00Z",
        [
            "Mara: Morning! Did the new crane arrive?",
            "Tom: Yes, the yellow one from Rotterdam. It stands at quay 7.",
            "Mara: Great. Who will operate it?",
            "Tom: Ines. She took the course last week.",
            "Mara: Then we can unload the Albatross on Thursday.",
        ],
    ),
    "thursday": (
        "2024-03-07T15:00:00Z",
        [
            "Tom: The Albatross is unloaded, but the winch of the crane makes a noise.",
            "Mara: Order a new one under ADR-016, please.",
            "Tom: Done, it will take two weeks.",
            "Mara: How was Ines?",
            "Tom: Calm. She unloaded forty containers in one shift.",
        ],
    ),
    "chat": (
        "2024-04-02T20:00:00Z",
        [
            "user: Which cargo do I have to declare?",
            "assistant: Dangerous goods, and everything above 3.5 tonnes.",
            "user: I also carry diesel.",
            "assistant: Then declare the diesel as dangerous goods.",
        ],
    ),
}
STATEMENTS = (
    ("decision", "Cranes are maintained by the harbour itself, not by the maker."),
    ("fact", "Quay 7 carries at most 200 tonnes."),
    ("preference", "Mara wants reports in the morning."),
    ("procedure", "To order parts, fill in the form of ADR-016 and tell Tom."),
)
QUESTIONS = (
    "Where does the yellow crane stand?",
    "Who operates the crane?",
    "When was the Albatross unloaded?",
    "What did Tom say about Ines?",
    "What has to be declared?",
    "What does ADR-016 say?",
    "What is the latest about the winch?",
    "What happened in March 2024?",
    'Did anybody mention "forty containers"?',
    "Where does Bartholomew live?",
)


def ranking(memory: Memory) -> str:
    """Every question with its plan, its features and its answers, to three places."""
    out = []
    for query in QUESTIONS:
        answer = memory.ask(query, limit=5, trace=True)
        trace = answer.trace
        assert trace is not None
        texts = [one.text for one in (answer.results or answer.nearest)]
        trace["candidates"] = trace["candidates"][:3]
        trace.pop("order")
        out.append(
            {
                "query": query,
                "strength": answer.strength,
                "missing": answer.missing,
                "texts": texts,
                "scores": [one.score for one in (answer.results or answer.nearest)],
                "trace": trace,
            }
        )
    return json.dumps(rounded(out), ensure_ascii=False, indent=1) + "\n"


def rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 2) + 0.0  # no minus nought
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def fill(memory: Memory) -> None:
    for session, (time, lines) in SESSIONS.items():
        memory.say(session, *lines, time=time)
    for kind, text in STATEMENTS:
        memory.keep(text, kind)


def test_ranking_by_words(memory: Memory, golden: Callable[[str, str], None]) -> None:
    fill(memory)
    golden("tests/golden/recall/words.json", ranking(memory))


def test_ranking_with_meaning(memory: Memory, golden: Callable[[str, str], None]) -> None:
    memory = memory.embed_with(HashedWords())
    fill(memory)
    memory.work()
    golden("tests/golden/recall/meaning.json", ranking(memory))


def test_a_merge_or_a_rebuild_leaves_the_ranking(memory: Memory, golden: Callable[[str, str], None]) -> None:
    from muniment.index.rebuild import rebuild

    fill(memory)
    rebuild(memory.context, memory.place())
    golden("tests/golden/recall/words.json", ranking(memory))
