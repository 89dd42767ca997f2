"""What a server does beside answering: it loads the embedder, then works off what was put aside until it is stopped."""

from __future__ import annotations

import logging
import threading

from muniment.app import App
from muniment.errors import MunimentError
from muniment.surfaces import errors

STOP_S_MAX = 5.0
LOG = logging.getLogger("muniment")


class Background:
    """One thread. A fault in it is logged and never reaches an answer; recall says by itself what is missing."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="muniment-background", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> bool:
        """Ask it to stop, and wait a little; whether it has. What it leaves undone is done by the next process."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S_MAX)
        return not self._thread.is_alive()

    def _run(self) -> None:
        for name, work in (("Loading the embedder", self._warm), ("The worker", self._work)):
            found = errors.outcome(name, work)
            if isinstance(found, MunimentError):
                LOG.warning("%s: %s", name, found)
            if self._stop.is_set():
                return

    def _warm(self) -> None:
        from muniment.index import embedding
        from muniment.store import generations

        if self._app.engines.off:
            return
        with self._app.store.read() as connection:
            live = generations.live(connection)
        if live is not None:
            self._app.engines.embedder(embedding.spec_of(live), live.api_key)

    def _work(self) -> None:
        if self._app.settings.read_only:
            return
        from muniment import worker

        worker.run(self._app.context(), self._stop)
