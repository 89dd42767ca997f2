"""What the preference of a weak workspace is worth: of like statements the own one stands first, and of others the better one.

The sweep that chose the constant is in bench/RESULTS.md, run "weak"; `python -m tests.recall.test_home` prints it again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.context import Engines
from muniment.engines import choose
from muniment.model.workspaces import SetWorkspace
from muniment.recall import tuning
from tests.governance.placing import manages
from tests.makers import Memory, new_memory

THINGS = ("berth", "crane", "ferry", "slipway", "mast", "sail", "winch", "buoy", "anchor", "locker", "pump", "gangway")
# Each is asked for with its own words; the other workspace's statement answers, the own one only sounds like it.
PLACES = ("north pier", "south quay", "old basin", "boatyard")


def told(thing: str, place: str, euros: int) -> str:
    return f"The {thing} at the {place} costs {euros} euros."


def filled(folder: Path) -> Memory:
    """`own` and `other` state each thing at one place, `other` in fewer words; each at another place only `other` states."""
    memory = new_memory(folder)
    own, other = memory.in_("own"), memory.in_("other")
    for number, thing in enumerate(THINGS):
        other.keep(told(thing, PLACES[0], 100 + number))
        own.keep(f"We were told in March that the {thing} at the {PLACES[0]} costs {100 + number} euros a month.")
        other.keep(told(thing, PLACES[1], 200 + number))
        own.keep(f"Nobody asked what the {thing} costs.")
    manages(own, SetWorkspace("set", "own", isolation="weak"))
    return own


def shares(own: Memory) -> tuple[float, float]:
    """Of the like statements, and of those that only the other workspace has: how many stand first as they should."""
    like = better = 0
    for thing in THINGS:
        first = own.ask(f"What does the {thing} at the {PLACES[0]} cost?").results
        like += bool(first) and first[0].provenance.workspace == "own" and PLACES[0] in first[0].text
        there = own.ask(f"What does the {thing} at the {PLACES[1]} cost?").results
        better += bool(there) and PLACES[1] in there[0].text
    return like / len(THINGS), better / len(THINGS)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Memory]:
    made = filled(tmp_path)
    yield made
    made.app.store.close()


def test_of_like_statements_the_own_one_stands_first_and_a_better_one_elsewhere_stays_first(own: Memory) -> None:
    assert shares(own) == (1.0, 1.0)


def test_without_the_preference_the_tersest_one_stands_first(own: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOME_GAIN", 0.0)
    assert shares(own)[0] < 0.5


def main() -> None:
    """Print both shares for some values of the constant, from words alone and with the default embedder."""
    with tempfile.TemporaryDirectory() as folder:
        words = filled(Path(folder))
        spec = choose.default_spec()
        meaning = replace(words, engines=Engines(lambda *_: choose.build(spec)))
        meaning.work()
        for gain in (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
            tuning.HOME_GAIN = gain
            rows = [shares(one) for one in (words, meaning)]
            sys.stdout.write(f"{gain}  {'  '.join(f'{like:.2f} {better:.2f}' for like, better in rows)}\n")
        words.app.store.close()


if __name__ == "__main__":
    main()
