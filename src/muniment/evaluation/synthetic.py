"""Conversations that nobody held, for measuring speed: realistic in what costs time, and the same on every machine.

Word frequencies follow Zipf's law over a vocabulary that keeps growing, half of the words are English function words, turns
have the lengths of LoCoMo's (23 words on average), and a session of some twenty turns stays with its topic.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate

SEED = 20260401
VOCABULARY = 60_000
# With these two a thousand turns hold 1,600 terms and three thousand 2,900; LoCoMo's hold 1,500 and 2,600.
ZIPF_SLOPE = 1.7
ZIPF_SHIFT = 40
TOPIC_WORDS = 14
TURNS_A_SESSION = (12, 28)
WORDS_MEAN = 23
WORDS_SPREAD = 0.55
WORDS_MAX = 120
SPEAKERS = tuple(
    "Ada Bruno Carla Dmitri Elif Farid Greta Hana Ivo Joana Kenji Leila Marek Nadia Omar Priya Quentin Rosa Sven Tomas".split()
)
PLACES = tuple("Lisbon Kyoto Tromsø Oaxaca Ghent Tbilisi Adelaide Riga Nairobi Bergen Cádiz Leeds".split())
MONTHS = tuple("January February March April May June July August September October November December".split())
FUNCTION = tuple(
    "the to and a i of it that in you is for was my we on with so have but this be at just are not me they all like about "
    "what your really do how can one when there from had an up more been out if some them would know who get think did".split()
)
TIMES = ("yesterday", "last week", "on Tuesday", "next month", "two days ago", "in the evening", "on Friday", "last summer")
ONSETS = ("b br c cl d dr f fl g gr h j k l m n p pl qu r s sh st t th tr v w z").split()
VOWELS = ("a e i o u ai ea ou").split()
CODAS = ("", "n", "r", "s", "l", "m", "nd", "rt", "ck", "ll")
_UNMARKED = str.maketrans(".?!", "   ")
# The calendar begins anew after five years, so that no store reaches into the far future.
SESSIONS_A_ROUND = 6000
BEGIN = datetime(2021, 1, 4, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Turn:
    """One synthetic utterance."""

    session: str
    id: str
    speaker: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """The vocabulary, commonest first, with its running sums of weight."""

    words: tuple[str, ...]
    sums: tuple[float, ...]

    def draw(self, dice: random.Random) -> str:
        """A word by its frequency."""
        return self.words[min(bisect(self.sums, dice.random() * self.sums[-1]), len(self.words) - 1)]


@cache
def vocabulary() -> Words:
    """Made-up words, shorter ones commoner, weighted by Zipf's law."""
    dice = random.Random(SEED)
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        syllables = 1 + (len(made) > 60) + (len(made) > 2500) * dice.randrange(2)
        word = "".join(dice.choice(ONSETS) + dice.choice(VOWELS) + dice.choice(CODAS) for _ in range(syllables))
        if len(word) > 3:
            made.setdefault(word)
    return Words(tuple(made), tuple(accumulate((rank + ZIPF_SHIFT) ** -ZIPF_SLOPE for rank in range(len(made)))))


def session(number: int) -> list[Turn]:
    """The turns of one session. Equal numbers give equal sessions, whatever else is made."""
    dice = random.Random(f"{SEED}:{number}")
    words = vocabulary()
    topic = [words.draw(dice) for _ in range(TOPIC_WORDS)]
    pair = dice.sample(SPEAKERS, 2)
    at = BEGIN + timedelta(hours=7 * (number % SESSIONS_A_ROUND), minutes=dice.randrange(60))
    out = []
    for turn in range(dice.randint(*TURNS_A_SESSION)):
        at += timedelta(seconds=dice.randint(20, 120))
        name = f"s{number}-{turn}"
        out.append(Turn(f"s{number}", name, pair[turn % 2], at.isoformat(timespec="seconds"), _text(dice, words, topic)))
    return out


def turns(count: int) -> Iterator[tuple[int, list[Turn]]]:
    """Numbered sessions until `count` turns are made; the last one is cut to fit."""
    number, made = 0, 0
    while made < count:
        held = session(number)[: count - made]
        made += len(held)
        yield number, held
        number += 1


def questions(numbers: range | list[int], count: int) -> list[str]:
    """Distinct questions about what was said in some sessions."""
    dice = random.Random(f"{SEED}:questions")
    asked: dict[str, None] = {}
    for attempt in range(20 * count):
        held = session(numbers[dice.randrange(len(numbers))])
        turn = held[dice.randrange(len(held))]
        told = [word for word in dict.fromkeys(turn.text.lower().translate(_UNMARKED).split()) if word in _known()]
        if len(told) < 2:
            continue
        one, other = dice.sample(told, 2)
        month = MONTHS[datetime.fromisoformat(turn.time).month - 1]
        form = (
            f"What did {turn.speaker} say about the {one} and the {other}?",
            f"When did {turn.speaker} mention the {one} {other}?",
            f"Who talked about {one} and {other} in {month}?",
            f"Did {turn.speaker} ever {one} the {other}?",
        )
        asked.setdefault(form[attempt % len(form)])
        if len(asked) == count:
            break
    return list(asked)


def _text(dice: random.Random, words: Words, topic: list[str]) -> str:
    wanted = max(3, min(WORDS_MAX, round(dice.lognormvariate(math.log(WORDS_MEAN) - WORDS_SPREAD**2 / 2, WORDS_SPREAD))))
    out: list[str] = []
    left = 0
    for place in range(wanted):
        if not left:
            left = dice.randint(5, 14)
        chance = dice.random()
        if chance < 0.52:
            word = FUNCTION[min(int(dice.expovariate(0.06)), len(FUNCTION) - 1)]
        elif chance < 0.68:
            word = topic[dice.randrange(TOPIC_WORDS)]
        elif chance < 0.70:
            word = dice.choice(SPEAKERS)
        elif chance < 0.712:
            word = f"in {dice.choice(PLACES)}"
        elif chance < 0.725:
            word = dice.choice(TIMES)
        elif chance < 0.735:
            word = str(dice.randrange(2, 400))
        else:
            word = words.draw(dice)
        left -= 1
        starts = not out or out[-1][-1] in ".?!"
        out.append(
            (word[:1].upper() + word[1:] if starts else word) + ("" if left and place < wanted - 1 else dice.choice(".....?!"))
        )
    return " ".join(out)


@cache
def _known() -> frozenset[str]:
    return frozenset(vocabulary().words)
