"""Playing a page: its commands and tool calls are carried out in order, and what comes back is what the page has to show.

A page says in comments what time it is (`<!-- clock: 2026-03-12T14:30:00+01:00 -->`). Its blocks hold commands behind `$ ` and
tool calls of agents behind `NAME> `. Refs differ between runs where the code has changed since, so those of the page are
taken for those that came back at the same place.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from muniment.text import dates
from tests.makers import Clock

REF = re.compile(r"\b[a-z]_[0-9a-hjkmnp-tv-z]{26}\b")
TOKEN = re.compile(r"\bmun_[\w-]+")
# Meaning is switched off while a page is played, so that its answers are the same on every machine; the page says so once.
OFF = re.compile(r"^Not all of memory took part: dense: .*\n?", re.MULTILINE)
TOOK = re.compile(r" · \d+ ms")
CLOCK = re.compile(r"<!-- clock: (\S+) -->")
CALL = re.compile(r"(\w+)> (\w+) (\{.*\})")
FILES = re.compile(r"^The (?:store|server)'s files .*\n", re.MULTILINE)
STEP = 60_000

Run = Callable[[list[str]], str]
Ask = Callable[[str, str, dict[str, Any]], dict[str, Any]]


@dataclass
class Stage:
    """What a page is played on: the command line, a door for agents by their tokens, and a clock."""

    clock: Clock
    run: Run
    ask: Ask
    tokens: dict[str, str] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def play(self, page: str) -> str:
        """The page with what really comes back."""
        return "\n".join(self._lines(page.split("\n")))

    def _lines(self, rows: list[str]) -> Iterator[str]:
        inside, waiting = False, list(rows)
        while waiting:
            row = waiting.pop(0)
            if clock := CLOCK.search(row):
                self.clock.now = dates.parse(clock[1]).ms
            inside = inside != row.startswith("```")
            if not inside or not (row.startswith("$ ") or CALL.fullmatch(row)):
                yield row
                continue
            said = self._translated(row)
            held = [waiting.pop(0) for _ in range(_length(waiting))]
            shown = self._shown(said)
            self._learn("\n".join(held), shown)
            yield said
            yield from shown.split("\n") if shown else ()
            if held and not held[-1]:
                yield ""

    def _shown(self, row: str) -> str:
        self.clock.move(STEP)
        self.calls.append(row)
        if row.startswith("$ "):
            words = shlex.split(row.removeprefix("$ "))
            assert words.pop(0) == "muniment"
            found = self.run(words)
            if secret := TOKEN.search(found):
                self.tokens[words[2]] = secret[0]
            return TOKEN.sub("mun_…", OFF.sub("", TOOK.sub("", found))).rstrip("\n")
        call = CALL.fullmatch(row)
        assert call is not None
        answer = self.ask(self.tokens[call[1]], call[2], json.loads(call[3]))
        answer.pop("meta", None)
        return json.dumps(answer, ensure_ascii=False)

    def _translated(self, row: str) -> str:
        return REF.sub(lambda found: self.refs.get(found[0], found[0]), row)

    def _learn(self, held: str, shown: str) -> None:
        for letter in {ref[0] for ref in REF.findall(held)}:
            was, now = ([ref for ref in dict.fromkeys(REF.findall(text)) if ref[0] == letter] for text in (held, shown))
            self.refs.update(zip(was, now, strict=False))


def _length(rows: list[str]) -> int:
    """How many rows the page shows behind a call: up to the next one, or to the end of the block."""
    for number, row in enumerate(rows):
        if row.startswith(("$ ", "```")) or CALL.fullmatch(row):
            return number
    return len(rows)


def plain(page: str) -> str:
    """A page without what differs between two runs that go alike: refs become their numbers, and what is said of the files
    of a store is left out, since those of a server are its administrator's."""
    numbers: dict[str, str] = {}
    return REF.sub(lambda found: numbers.setdefault(found[0], f"{found[0][:2]}{len(numbers) + 1}"), FILES.sub("", page))
