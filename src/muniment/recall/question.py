"""Understanding a question without a model: its words, names, times and form. The plan is a value; nothing is read here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from muniment.index.corpus import Corpus
from muniment.model.times import Moment
from muniment.text import dates, questions, terms


@dataclass(frozen=True, slots=True)
class Question:
    """`bare` is the text without participants' names. `interval` is half-open, in ms UTC. `speakers` are asked about."""

    text: str
    bare: str
    words: dict[str, int]
    speakers: tuple[str, ...]
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]
    dates: dates.AskedDates
    interval: tuple[int, int] | None
    asks_when: bool
    asks_number: bool
    asks_name: bool
    asks_now: bool
    asks_past: bool

    @property
    def empty(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True)
class Era:
    """What a question asks for: what holds now, what held before (`past`), or what held in a `window` (half-open, ms)."""

    mode: Literal["now", "past", "period"] = "now"
    window: tuple[int, int] | None = None

    def covers(self, begins: int, ends: int | None) -> bool:
        """Whether something that held over [begins, ends) held at some time of the window."""
        return self.window is not None and begins < self.window[1] and (ends is None or ends > self.window[0])


def understand(text: str, corpus: Corpus, now: Moment) -> Question:
    """The plan of a question over a corpus. Relative times count from `now`, the newest turn's time."""
    people = [name for name in corpus.names if name]
    participants = [name for name in people if name.lower() not in questions.ROLES]
    bare = questions.without_names(text, participants)
    return Question(
        text=text,
        bare=bare,
        words=terms.asked(bare) if bare.strip() else terms.asked(text),
        speakers=tuple(_speakers(text, people, participants)),
        names=tuple(questions.proper_names(text)),
        phrases=tuple(questions.quoted(text)),
        identifiers=tuple(questions.identifiers(text)),
        dates=dates.asked_dates(text),
        interval=dates.relative(text, now),
        asks_when=dates.asks_when(text),
        asks_number=questions.asks_number(text),
        asks_name=questions.asks_name(text),
        asks_now=dates.asks_now(text),
        asks_past=dates.asks_past(text),
    )


def _speakers(text: str, people: Sequence[str], participants: Sequence[str]) -> list[str]:
    """Whose words are asked for: a participant who is named, or in a chat with an assistant the role that is meant."""
    named = questions.named(text, participants)
    if named or participants:
        return named
    role = questions.asked_role(text)
    if role is None:
        return []
    alike = {"user", "human"} if role == "user" else {"assistant", "ai"}
    return [name for name in people if name.lower() in alike]
