"""How the people of a made-up world talk: names, wordings of facts, questions, and chatter. No two voices share a wording."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Forms = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Slot:
    """A fact about people, projects or parts. `fixed` ones never change."""

    name: str
    about: str
    values: str
    fixed: bool = False


SLOTS = {
    slot.name: slot
    for slot in (
        Slot("owner", "projects", "people"),
        Slot("deadline", "projects", "dates"),
        Slot("database", "projects", "databases"),
        Slot("budget", "projects", "amounts"),
        Slot("city", "people", "cities"),
        Slot("role", "people", "roles"),
        Slot("port", "parts", "ports"),
        Slot("language", "parts", "languages"),
        Slot("pet", "people", "pets", fixed=True),
    )
}
# Facts that the people of this world never speak of.
UNTOLD = (
    Slot("licence", "projects", "none"),
    Slot("birthday", "people", "none"),
    Slot("colour", "people", "none"),
    Slot("uptime", "parts", "none"),
    Slot("office", "people", "none"),
)
VALUES = {
    "dates": tuple(
        f"{day} {month}" for month in ("March", "April", "May", "June", "September", "October") for day in (3, 12, 21)
    ),
    "amounts": ("40k", "55k", "62k", "75k", "90k", "110k", "130k", "18k", "25k"),
    "ports": ("8080", "8081", "9000", "3000", "5433", "7070", "8443", "4000"),
    "languages": ("Go", "Rust", "Python", "Kotlin", "Elixir", "TypeScript", "Java", "Zig"),
}


@dataclass(frozen=True, slots=True)
class Voice:
    """One way of talking. `wordings` of a slot: new, again, changed, each also of oneself; `questions`: now, before, in."""

    people: tuple[str, ...]
    projects: tuple[str, ...]
    parts: tuple[str, ...]
    cities: tuple[str, ...]
    databases: tuple[str, ...]
    roles: tuple[str, ...]
    pets: tuple[str, ...]
    strangers: Mapping[str, tuple[str, ...]]
    silent: Mapping[str, tuple[str, ...]]
    wordings: Mapping[str, Forms]
    questions: Mapping[str, Forms]
    chatter: tuple[str, ...]
    fillers: tuple[str, ...]

    def pool(self, about: str) -> tuple[str, ...]:
        held: tuple[str, ...] = getattr(self, about)
        return held

    def values(self, slot: Slot) -> tuple[str, ...]:
        return VALUES[slot.values] if slot.values in VALUES else self.pool(slot.values)

    def unknown(self, about: str) -> tuple[str, ...]:
        """Names of that sort that nobody ever utters."""
        return self.strangers[about]

    def tell(self, dice: random.Random, slot: Slot, how: str, about: str, value: str, old: str | None, speaker: str) -> str:
        forms = self.wordings[slot.name]
        own = about == speaker and f"{how}, own" in forms
        text = dice.choice(forms[f"{how}, own" if own else how])
        said = text.format(about=about, value=value, old=old)
        return f"{dice.choice(self.fillers)} {said}" if dice.random() < 0.3 else said

    def ask(self, dice: random.Random, slot: Slot, how: str, about: str) -> str:
        return dice.choice(self.questions[slot.name][how]).replace("{about}", about)

    def chat(self, dice: random.Random, topic: str) -> str:
        return dice.choice(self.chatter).format(
            topic=topic, person=dice.choice(self.people), part=dice.choice(self.parts), number=dice.randrange(2, 40)
        )


@cache
def voices() -> dict[str, Voice]:
    """`ledgers` talks plainly, the others ask in other words than they tell; `workshop` is only measured, never looked at."""
    from muniment.evaluation import ledgers, office, workshop

    return {"ledgers": ledgers.VOICE, "office": office.VOICE, "workshop": workshop.VOICE}
