"""What an importer hands over: sessions and turns as a client wrote them, not yet stored.

An importer yields these values in file order. It never decides what is new: `ingest/sessions.py` does.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.model.times import Moment


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known about the conversation a turn belongs to. `external_id` is the client's own id.

    `title_guessed`: a model made the title, so it replaces none. `workspace` is where to look the session up when no turn
    of it comes along.
    """

    external_id: str
    client: str | None = None
    title: str | None = None
    cwd: str | None = None
    parent: str | None = None  # the session that started this one (a subagent's, a fork's)
    title_guessed: bool = False
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class IncomingTurn:
    """One utterance on its way in. `line` is where it stood (1-based), for reports on rejected lines.

    `id` with `id_is_global` set is unique in the workspace (a client's UUID); otherwise it is unique in its session.
    `workspace` is set only where the line itself names one.
    """

    session: str
    speaker: str
    text: str
    at: Moment | None = None
    id: str | None = None
    id_is_global: bool = False
    source_ref: str | None = None
    line: int = 0
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that was not stored, and why, in words for a person."""

    line: int
    why: str


Incoming = IncomingTurn | SessionInfo | Rejected
