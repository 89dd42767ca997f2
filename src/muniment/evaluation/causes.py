"""Why evidence was not found: lost gold items by what they share with their question. It names kinds, never a question.

Participants' names are no word of a question here, since nearly every turn of a conversation bears them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muniment.evaluation.collections import APART, Collection, Item
from muniment.evaluation.metrics import DEPTH
from muniment.evaluation.report import Table
from muniment.evaluation.runs import Result
from muniment.text import terms

# Turns on either side of a gold item that may hold the words which it lacks itself.
REACH = 3
KINDS = ("half of its words or more", "fewer of its words", "words of its neighbours only", "no word at all")


def table(result: Result, collections: Sequence[Collection]) -> Table:
    """Of each kind of evidence: how much there is, and how much of it is not among the first ten."""
    held, lost = Counter[tuple[bool, str]](), Counter[tuple[bool, str]]()
    rows = {row.key: row for row in result.of()}
    for collection in collections:
        place = {item.id: number for number, item in enumerate(collection.items)}
        words = [set(terms.terms(item.full)) for item in collection.items]
        names = {term for item in collection.items if item.speaker for term in terms.terms(item.speaker)}
        for question in collection.questions:
            row = rows.get((collection.name, question.id))
            if row is None or question.category in APART:
                continue
            asked = set(terms.asked(question.text)) - names
            for one in question.gold:
                kind = (len(question.gold) > 1, _kind(asked, place[one], collection.items, words))
                held[kind] += 1
                lost[kind] += one not in row.ids[:DEPTH]
    return Table(
        "Evidence not among the first ten, by what it shares with the question",
        ("evidence", "shares with the question", "lost", "of", "share"),
        tuple(
            (
                "one of several" if several else "the only one",
                kind,
                str(lost[several, kind]),
                str(held[several, kind]),
                _share(lost, held, (several, kind)),
            )
            for several in (False, True)
            for kind in KINDS
            if held[several, kind]
        ),
    )


def _kind(asked: set[str], place: int, items: Sequence[Item], words: Sequence[set[str]]) -> str:
    shared = len(asked & words[place])
    if shared:
        return KINDS[0] if 2 * shared >= len(asked) else KINDS[1]
    around = range(max(0, place - REACH), min(len(items), place + REACH + 1))
    near = (words[other] for other in around if items[other].session and items[other].session == items[place].session)
    return KINDS[2] if any(asked & one for one in near) else KINDS[3]


def _share(lost: Counter[tuple[bool, str]], held: Counter[tuple[bool, str]], kind: tuple[bool, str]) -> str:
    return f"{100 * lost[kind] / held[kind]:.0f} %"
