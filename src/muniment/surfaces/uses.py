"""When tokens were last used, noted beside the requests: no request ever waits until that is written."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from muniment.access import tokens
from muniment.store.connections import Store
from muniment.surfaces import errors

# Tokens remembered as noted. Past that all of them are noted once more.
NOTED_MAX = 10_000


class Uses:
    """One thread of its own, which starts with the first use. What it has not written when the server stops is lost."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._noted: dict[int, int] = {}
        self._thread = ThreadPoolExecutor(1, "muniment-uses")

    def note(self, store: Store, token: int, now: int) -> None:
        """A token is used. Written down at most once a minute."""
        with self._guard:
            if now - self._noted.get(token, now - tokens.USE_MS) < tokens.USE_MS:
                return
            if len(self._noted) >= NOTED_MAX:
                self._noted.clear()
            self._noted[token] = now

        def write() -> None:
            with store.write() as connection:
                tokens.used(connection, token, now)

        self._thread.submit(errors.outcome, "Noting the use of a token", write)

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
