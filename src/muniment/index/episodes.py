"""The temporal hierarchy: runs of turns cut at silences (windows), and runs of windows about the same things (episodes).

Every turn of a session lies in exactly one window, every window in exactly one episode.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from muniment.model.times import MINUTE_MS
from muniment.store.connections import Connection, Row

SILENCE_MS = 30 * MINUTE_MS
TURNS_MAX = 50
# Below this overlap of named things two windows are about something else (Jaccard).
OVERLAP_MIN = 0.15
NAMED_MAX = 64


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as the hierarchy sees it: its place, its time in ms, and what it names (norms)."""

    seq: int
    at: int | None
    names: frozenset[str]


@dataclass(slots=True)
class _Window:
    episode: int
    number: int
    first_seq: int
    last_seq: int
    first_at: int | None
    last_at: int | None
    names: set[str] = field(default_factory=set)

    def takes(self, turn: Said) -> bool:
        quiet = self.last_at is not None and turn.at is not None and turn.at - self.last_at > SILENCE_MS
        return not quiet and turn.seq - self.first_seq < TURNS_MAX

    def grow(self, turn: Said) -> None:
        self.last_seq = turn.seq
        if turn.at is not None:
            self.first_at = turn.at if self.first_at is None else min(self.first_at, turn.at)
            self.last_at = turn.at if self.last_at is None else max(self.last_at, turn.at)
        self.names.update(turn.names)

    def named(self) -> set[str]:
        """The names that are kept of a window: the same ones however its turns came in."""
        return set(sorted(self.names)[:NAMED_MAX])


def append(connection: Connection, workspace: int, session: int, turns: Sequence[Said]) -> None:
    """Extend a session's windows by the turns that follow its last one."""
    rows = connection.all("episodes_last", {"workspace": workspace, "session": session})
    window = _open(rows[0]) if rows else None
    previous: set[str] | None = set(json.loads(rows[1][6])) if len(rows) > 1 else None
    touched: list[_Window] = []
    for turn in turns:
        if window is None or not window.takes(turn):
            if window is not None:
                # Only now that it has ended is it known whether it was about something else than the one before.
                if _apart(previous, window.named()):
                    window.episode += 1
                    if not touched:
                        touched.append(window)
                previous = window.named()
            episode, number = (window.episode, window.number + 1) if window else (1, 1)
            window = _Window(episode, number, turn.seq, turn.seq, None, None)
            touched.append(window)
        elif not touched:
            touched.append(window)
        window.grow(turn)
    connection.many("episode_put", (_row(workspace, session, one) for one in touched))


def _open(row: Row) -> _Window:
    episode, number, first_seq, last_seq, first_at, last_at, names = row
    return _Window(episode, number, first_seq, last_seq, first_at, last_at, set(json.loads(names)))


def _apart(earlier: set[str] | None, later: set[str]) -> bool:
    """Whether the later window opens a new episode."""
    if not earlier or not later:
        return False
    return len(earlier & later) / len(earlier | later) < OVERLAP_MIN


def _row(workspace: int, session: int, window: _Window) -> dict[str, object]:
    return {
        "workspace": workspace,
        "session": session,
        "episode": window.episode,
        "number": window.number,
        "first_seq": window.first_seq,
        "last_seq": window.last_seq,
        "first_at": window.first_at,
        "last_at": window.last_at,
        "entities": json.dumps(sorted(window.named())),
    }
