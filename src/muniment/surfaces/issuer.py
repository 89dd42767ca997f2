"""The keys of a configured issuer, read by one thread of their own: no request fetches them, and none holds a call's thread.

Keys serve until newer ones take their place or the issuer publishes none, and for STALE_S after they were last read while it
does not answer.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from muniment.access.oauth import external
from muniment.access.oauth.external import Issuer, Unusable
from muniment.access.oauth.fetching import Fetcher
from muniment.access.signed import Fault, Keys
from muniment.errors import EngineUnavailable, InvalidInput, MunimentError, Unauthorized
from muniment.model.access import Grant
from muniment.store.connections import Store
from muniment.surfaces import errors

# How old keys get before they are read again, so that one that was withdrawn is believed no longer than this.
FRESH_S = 600.0
STALE_S = 24 * 3_600.0
# An unknown key has them read again, but never sooner than this after the last time.
AGAIN_S = 30.0
# While the issuer does not answer: how long after each failure it is asked again; the last one from then on.
BACKOFF_S = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
# Requests with unknown keys that wait for newer ones, and how long: the others are answered at once.
WAITING_MAX = 32
WAIT_S_MAX = 10.0
STOP_S_MAX = 5.0
LOG = logging.getLogger("muniment")


@dataclass(frozen=True, slots=True)
class Missing:
    """What newer keys may change: the token's key is not among those held, or none are held."""

    error: MunimentError


class Keeper:
    """Reads the keys when they are due and when somebody lacks one. `clock` counts seconds, and never backwards."""

    def __init__(
        self,
        issuer: Issuer,
        *,
        how: Callable[[str], Fetcher] = external.fetcher,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.issuer = issuer
        self._how = how
        self._clock = clock
        self._turn = threading.Condition()
        self._keys: Keys | None = None
        self._url = ""
        self._read_at = 0.0
        self._tried_at: float | None = None
        self._failures = 0
        self._wrong: Unusable | None = None
        self._asked: Future[None] | None = None
        self._waiting = 0
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="muniment-issuer", daemon=True)

    def first(self) -> None:
        """Read the keys before anybody is served. Raises InvalidInput where the issuer is not who the settings say.

        One that does not answer may come back: that is a warning.
        """
        self._round()
        if self._wrong is not None and self._wrong.disagrees:
            advice = "Set external_issuer to what the issuer calls itself, to the byte, and start again."
            raise InvalidInput(self._wrong.words, advice)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop reading. Blocks for STOP_S_MAX at most."""
        with self._turn:
            self._stopped = True
            self._turn.notify_all()
        if self._thread.ident is not None:
            self._thread.join(STOP_S_MAX)
        with self._turn:
            asked, self._asked = self._asked, None
        _answer(asked)

    def keys(self) -> Keys | None:
        """The keys held, if they are not too old."""
        with self._turn:
            return self._keys if self._clock() - self._read_at < STALE_S else None

    def seen(self) -> dict[str, Any]:
        """How it stands with the issuer, for who watches the server."""
        held = self.keys() is not None
        with self._turn:
            told: dict[str, Any] = {"issuer": self.issuer.issuer, "ready": held}
            if held:
                told["keys_read_s_ago"] = round(self._clock() - self._read_at)
            if self._wrong is not None:
                told["why"] = self._wrong.words
        return told

    def look(self, store: Store, token: str, now: int) -> Grant | Missing:
        """What the bearer of a token may do at a time in Unix milliseconds. Raises Unauthorized or InsufficientScope."""
        keys = self.keys()
        if keys is None:
            return Missing(EngineUnavailable("The issuer's keys are not there now.", "Try again in a minute."))
        claims = external.read(token, keys, self.issuer, now)
        if isinstance(claims, Fault):
            error = Unauthorized(claims.words, "Log in again at the issuer that this server's metadata names.")
            if claims.why == "unknown_key":
                return Missing(error)
            raise error
        with store.read() as connection:
            return external.grant(connection, self.issuer, claims)

    def signed(self, token: str, now: int) -> bool:
        """Whether the issuer signed a token that is good no more, or whose bearer may do nothing here."""
        keys = self.keys()
        claims = None if keys is None else external.read(token, keys, self.issuer, now)
        return claims is not None and (not isinstance(claims, Fault) or claims.why == "time")

    async def renewed(self) -> bool:
        """Have the keys read again and wait for that; False where it was done a moment ago, or takes too long.

        However many wait, they are read once.
        """
        asked = self._ask()
        if asked is None:
            return False
        try:
            async with asyncio.timeout(WAIT_S_MAX):
                await asyncio.shield(asyncio.wrap_future(asked))
        except TimeoutError:
            return False
        finally:
            with self._turn:
                self._waiting -= 1
        return True

    def _ask(self) -> Future[None] | None:
        """Tell the thread to read them; what it returns ends when it has. One more waits then."""
        with self._turn:
            lately = self._tried_at is not None and self._clock() - self._tried_at < AGAIN_S
            if self._stopped or self._waiting >= WAITING_MAX or (self._asked is None and lately):
                return None
            if self._asked is None:
                self._asked = Future()
                self._turn.notify_all()
            self._waiting += 1
            return self._asked

    def _run(self) -> None:
        while self._due():
            found = errors.outcome("Reading the issuer's keys", self._round)
            if isinstance(found, MunimentError):
                self._told(Unusable(found.message))

    def _due(self) -> bool:
        """Wait until they are to be read; False when the server stops."""
        with self._turn:
            while not self._stopped and self._asked is None:
                span = BACKOFF_S[min(self._failures, len(BACKOFF_S)) - 1] if self._failures else FRESH_S
                left = 0.0 if self._tried_at is None else self._tried_at + span - self._clock()
                if left <= 0:
                    break
                self._turn.wait(left)
            return not self._stopped

    def _round(self) -> None:
        """Read them once. Where only a key is missing, its place is known."""
        with self._turn:
            self._tried_at = self._clock()
            url = self._url if self._asked is not None else ""
        found = external.published(url, self._how) if url else Unusable("")
        if isinstance(found, Unusable):
            place = external.discover(self.issuer.issuer, self._how)
            found, url = (place, "") if isinstance(place, Unusable) else (external.published(place, self._how), place)
        self._told(found, url)

    def _told(self, found: Keys | Unusable, url: str = "") -> None:
        """Keep what came of a round, and let those go on who wait for it."""
        with self._turn:
            before, asked, self._asked = self._failures, self._asked, None
            if isinstance(found, Keys):
                self._keys, self._url, self._read_at, self._failures, self._wrong = found, url, self._clock(), 0, None
            else:
                self._failures, self._wrong = before + 1, found
                self._keys = None if found.withdrawn else self._keys
        if isinstance(found, Unusable):
            LOG.warning("The keys of the issuer %s cannot be read: %s", self.issuer.issuer, found.words)
        elif before:
            LOG.info("The keys of the issuer %s can be read again.", self.issuer.issuer)
        _answer(asked)


def _answer(asked: Future[None] | None) -> None:
    """Let those go on who wait, unless none does any more."""
    if asked is not None and asked.set_running_or_notify_cancel():
        asked.set_result(None)
